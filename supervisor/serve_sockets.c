/*
 * Opens the sockets of "caisson serve": see serve_sockets.h. Runs in the
 * supervisor.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/fd.h"
#include "../common/mem.h"
#include "../common/shown.h"
#include "options/home.h"
#include "options/options.h"
#include "process/process.h"
#include "serve_sockets.h"
#include "servers/expand.h"

#define SERVE_UNIX "unix:"
/* "localhost:65535 " */
#define SERVE_LOCALHOST_MAX 16

/* Returns the path of the default socket, which the caller frees, or NULL. */
static char *
serve_sockets_default(char **envp, struct err *err)
{
	const char *runtime = expand_variable(
	    envp, "XDG_RUNTIME_DIR", strlen("XDG_RUNTIME_DIR"));
	auto_free char *folder = NULL;
	struct stat st;

	if (runtime == NULL || runtime[0] != '/') {
		err_set(err, "XDG_RUNTIME_DIR is not set to a directory: name "
		    "a socket with --listen unix:PATH");
		return NULL;
	}
	folder = mem_printf("%s/caisson", runtime);
	if (mkdir(folder, S_IRWXU) == -1 && errno != EEXIST) {
		err_set(err, "XDG_RUNTIME_DIR: cannot make the directory %s: "
		    "%s; set it to a directory of yours, or name a socket with "
		    "--listen unix:PATH", folder, strerror(errno));
		return NULL;
	}
	/* Who can write there could take the place of the socket. */
	if (lstat(folder, &st) == -1 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
		err_set(err, "%s must be a directory of yours that only you "
		    "can write to: remove it, or name a socket with --listen "
		    "unix:PATH", folder);
		return NULL;
	}
	return mem_printf("%s/mcp.sock", folder);
}

/*
 * A user who can change a directory on the way to a socket can put another one
 * in its place, and would be sent what clients send.
 */
static int
serve_sockets_check(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	auto_free char *named = slash == NULL ? mem_strdup(".") :
	    mem_printf("%.*s", (int)(slash - path) + (slash == path), path);
	auto_free char *folder = realpath(named, NULL);
	auto_free char *found =
	    folder == NULL ? NULL : home_changeable(folder);

	/* Without a folder, making the socket there fails, and says why. */
	return found == NULL ? 0 : err_set(err, "another user can change the "
	    "directory %s and with it the socket: run 'chmod go-w' on it, or "
	    "choose a path in a directory of yours", found);
}

/* Appends a socket, which is taken. Returns 0, or -1 with err. */
static int
serve_sockets_add(struct serve_sockets *sockets, int *fd, struct err *err)
{
	struct serve_socket *more = &sockets->more[sockets->count];
	struct gateway_socket *one = &sockets->one[sockets->count];

	if (listen_look(*fd, &more->place, err) == -1)
		return -1;
	one->fd = fd_take(fd);
	one->local = more->place.local;
	one->hosts = "";
	sockets->count++;
	sockets->remote += !one->local;
	return 0;
}

/* Opens a socket at this path, which it takes. */
static int
serve_sockets_add_path(
    struct serve_sockets *sockets, char *path, struct err *err)
{
	auto_free char *own = path;
	auto_fd int fd =
	    serve_sockets_check(own, err) == -1 ? -1 : listen_unix(own, err);
	struct serve_socket *more = &sockets->more[sockets->count];
	struct stat st;

	if (fd == -1 || serve_sockets_add(sockets, &fd, err) == -1)
		return -1;
	more->file = lstat(own, &st) == 0 ? st.st_ino : 0;
	more->path = mem_take(&own);
	return 0;
}

static int
serve_sockets_add_named(
    struct serve_sockets *sockets, const char *value, struct err *err)
{
	const char *path = value + strlen(SERVE_UNIX);
	int local = strncmp(value, SERVE_UNIX, strlen(SERVE_UNIX)) == 0;
	auto_fd int fd = -1;

	if (sockets->count == LISTEN_MAX)
		return err_set(err, "at most %d sockets can be served: leave "
		    "out --listen %s", LISTEN_MAX, value);
	if (local && *path == '\0')
		return err_set(err, "--listen %s: the value must be ADDRESS:"
		    "PORT, or unix: and the path of a socket", value);
	if (local)
		return serve_sockets_add_path(
		           sockets, mem_strdup(path), err) == -1 ?
		    err_wrap(err, "--listen") : 0;
	fd = listen_tcp(value, err);
	return fd == -1 ? err_wrap(err, "--listen") :
	                  serve_sockets_add(sockets, &fd, err);
}

/* The sockets that a service manager has opened. */
static int
serve_sockets_inherit(
    struct serve_sockets *sockets, char **envp, struct err *err)
{
	int count = listen_inherit(
	    expand_variable(envp, "LISTEN_PID", strlen("LISTEN_PID")),
	    expand_variable(envp, "LISTEN_FDS", strlen("LISTEN_FDS")), err);
	int i, fd;

	for (i = 0; i < count; i++) {
		fd = LISTEN_INHERITED + i;
		if (serve_sockets_add(sockets, &fd, err) == -1)
			return -1;
	}
	return count == -1 ? -1 : 0;
}

/* Which requests are accepted there */

#define SERVE_NAME_CHARS                                                       \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
#define SERVE_SCHEME_CHARS SERVE_NAME_CHARS "+"

/* NAME or NAME:PORT, as the field Host has it. */
static int
serve_sockets_is_host(const char *text)
{
	size_t len = *text == '[' ? strcspn(text, "]") + 1 :
	                            strspn(text, SERVE_NAME_CHARS);
	const char *port = text + len;

	if (len == 0 ||
	    (*text == '[' && strspn(text + 1, "0123456789abcdefABCDEF:.") +
	                2 != len))
		return 0;
	if (*port == '\0')
		return 1;
	len = strspn(port + 1, "0123456789");
	return *port == ':' && len > 0 && len <= 5 && port[1 + len] == '\0';
}

/* SCHEME://HOST, as a browser sends it; pages without an origin send null. */
static int
serve_sockets_is_origin(const char *text)
{
	size_t len = strspn(text, SERVE_SCHEME_CHARS);

	return strcmp(text, "null") == 0 ||
	    (len > 0 && strncmp(text + len, "://", 3) == 0 &&
	        serve_sockets_is_host(text + len + 3));
}

/* Appends the values of a flag, separated by spaces. */
static int
serve_sockets_add_words(struct buffer *list,
    const struct command_flags *flags, enum command_flag flag,
    struct err *err)
{
	int host = flag == COMMAND_FLAG_ALLOW_HOST;
	const char *value;
	size_t i;

	buffer_add_text(list, "");
	for (i = 0; (value = command_value(flags, flag, i)) != NULL; i++) {
		auto_buffer struct buffer shown = { 0 };

		if (!(host ? serve_sockets_is_host(value) :
		             serve_sockets_is_origin(value))) {
			shown_add_quoted(&shown, value, OPTION_VALUE_SHOWN);
			return err_set(err, host ?
			    "--allow-host \"%s\": the value must be a name, or "
			    "NAME:PORT, such as mcp.example.org, without a "
			    "scheme, a path or a wildcard" :
			    "--allow-origin \"%s\": the value must have a "
			    "scheme and a name, such as https://example.org, "
			    "and no path", shown.data);
		}
		buffer_printf(list, "%s%s", list->len == 0 ? "" : " ", value);
	}
	return list->len + SERVE_LOCALHOST_MAX < HTTP_HOSTS_MAX ? 0 :
	    err_set(err, "too many hosts or origins are allowed: leave out "
	        "some --%s", host ? "allow-host" : "allow-origin");
}

/* The names that requests to a socket of TCP may use for it. */
static void
serve_sockets_set_hosts(
    struct serve_sockets *sockets, const struct buffer *allowed)
{
	struct serve_socket *more;
	size_t i;

	for (i = 0; i < sockets->count; i++) {
		more = &sockets->more[i];
		if (more->place.local)
			continue;
		buffer_printf(&more->hosts, "localhost:%u%s%s",
		    more->place.port, allowed->len == 0 ? "" : " ",
		    allowed->data);
		sockets->one[i].hosts = more->hosts.data;
	}
}

/*
 * Writes an address in the form that the gateway gives those of its clients:
 * one of IPv4 is never written as one of IPv6. Returns 0, or -1 if it is none.
 */
static int
serve_sockets_form(const char *value, char *out, size_t size)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, value, &four) == 1) {
		inet_ntop(AF_INET, &four, out, (socklen_t)size);
		return 0;
	}
	if (inet_pton(AF_INET6, value, &six) != 1)
		return -1;
	if (IN6_IS_ADDR_V4MAPPED(&six))
		inet_ntop(AF_INET, &six.s6_addr[12], out, (socklen_t)size);
	else
		inet_ntop(AF_INET6, &six, out, (socklen_t)size);
	return 0;
}

static int
serve_sockets_set_proxy(struct serve_sockets *sockets,
    const struct command_flags *flags, struct err *err)
{
	const char *value = command_value(flags, COMMAND_FLAG_TRUST_PROXY, 0);

	if (value == NULL || serve_sockets_form(value, sockets->proxy,
	        sizeof(sockets->proxy)) == 0)
		return 0;
	return err_set(err, "--trust-proxy %s: the value must be an address, "
	    "such as 127.0.0.1", value);
}

/* Opens all of them. */
static int
serve_sockets_add_all(struct serve_sockets *sockets,
    const struct command_flags *flags, char **envp, struct err *err)
{
	const char *given;
	char *path;
	size_t i;

	if (serve_sockets_inherit(sockets, envp, err) == -1)
		return -1;
	for (i = 0; (given = command_value(flags, COMMAND_FLAG_LISTEN, i)) !=
	     NULL;
	     i++)
		if (serve_sockets_add_named(sockets, given, err) == -1)
			return -1;
	if (sockets->count > 0)
		return 0;
	path = serve_sockets_default(envp, err);
	return path == NULL ? -1 : serve_sockets_add_path(sockets, path, err);
}

int
serve_sockets_open(struct serve_sockets *sockets,
    const struct command *command, char **envp, struct err *err)
{
	const struct command_flags *flags = &command->flags;
	auto_buffer struct buffer hosts = { 0 };

	if (serve_sockets_add_words(
	        &hosts, flags, COMMAND_FLAG_ALLOW_HOST, err) == -1 ||
	    serve_sockets_add_words(&sockets->origins, flags,
	        COMMAND_FLAG_ALLOW_ORIGIN, err) == -1 ||
	    serve_sockets_set_proxy(sockets, flags, err) == -1 ||
	    serve_sockets_add_all(sockets, flags, envp, err) == -1)
		return -1;
	serve_sockets_set_hosts(sockets, &hosts);
	return 0;
}

void
serve_sockets_tell(const struct serve_sockets *sockets)
{
	const struct listen_place *place;
	size_t i;

	for (i = 0; i < sockets->count; i++) {
		place = &sockets->more[i].place;
		fprintf(stderr, place->local ?
		        "caisson: serving at unix:%s, path /mcp\n" :
		        "caisson: serving at http://%s/mcp\n", place->text);
	}
}

void
serve_sockets_close(struct serve_sockets *sockets)
{
	struct serve_socket *more;
	struct stat st;

	buffer_reset(&sockets->origins);
	while (sockets->count > 0) {
		sockets->count--;
		fd_close(&sockets->one[sockets->count].fd);
		more = &sockets->more[sockets->count];
		if (more->path != NULL && lstat(more->path, &st) == 0 &&
		    st.st_ino == more->file)
			unlink(more->path);
		free(more->path);
		buffer_reset(&more->hosts);
	}
}
