/* Opens the sockets of "caisson serve": see serve_sockets.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../options/home.h"
#include "../../options/option_value.h"
#include "../../options/options.h"
#include "../../process/socket/socket.h"
#include "serve_sockets.h"
#include "../../servers/expand.h"

char *
serve_sockets_path(char **envp)
{
	const char *runtime = home_folder(envp, "XDG_RUNTIME_DIR");

	return runtime == NULL ? NULL :
	                         mem_printf("%s/caisson/mcp.sock", runtime);
}

/* Returns that path, and makes its directory; or NULL with err. */
static char *
serve_sockets_default(char **envp, struct err *err)
{
	auto_free char *path = serve_sockets_path(envp);
	auto_free char *folder = NULL;
	struct stat st;

	if (path == NULL) {
		err_set(err, "XDG_RUNTIME_DIR is not set to a directory: name "
		    "a socket with --listen unix:PATH");
		return NULL;
	}
	folder = mem_printf("%.*s", (int)(strrchr(path, '/') - path), path);
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
	return mem_take(&path);
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
	auto_free char *found = folder == NULL ? NULL : home_changeable(folder);

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
	auto_fd int fd = -1;

	if (sockets->count == LISTEN_MAX)
		return err_set(err, "at most %d sockets can be served: leave "
		    "out %s", LISTEN_MAX, value);
	if (strncmp(value, OPTION_UNIX, strlen(OPTION_UNIX)) == 0)
		return serve_sockets_add_path(sockets,
		    mem_strdup(value + strlen(OPTION_UNIX)), err);
	fd = listen_tcp(value, err);
	return fd == -1 ? -1 : serve_sockets_add(sockets, &fd, err);
}

/* Opens those that a setting lists; its name, as set, is before an error. */
static int
serve_sockets_add_list(struct serve_sockets *sockets,
    const struct options *options, enum option_id id, const char *next,
    struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	size_t len;

	for (; *next != '\0'; next += len + (next[len] == ',')) {
		auto_free char *given = NULL;

		len = strcspn(next, ",");
		given = mem_printf("%.*s", (int)len, next);
		if (serve_sockets_add_named(sockets, given, err) == 0)
			continue;
		options_add_name(&name, options, id);
		return err_wrap(err, "%s", name.data);
	}
	return 0;
}

/* Those of figures: as they need no token, no other machine may reach them. */
static int
serve_sockets_add_figures(struct serve_sockets *sockets,
    const struct options *options, struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	size_t at = sockets->count, remote = sockets->remote;

	if (serve_sockets_add_list(sockets, options,
	        OPTION_ID_METRICS_LISTEN, options->metrics_listen, err) == -1)
		return -1;
	options_add_name(&name, options, OPTION_ID_METRICS_LISTEN);
	for (; at < sockets->count; at++) {
		if (sockets->more[at].place.outside)
			return err_set(err, "%s: other machines could reach "
			    "%s, and figures need no token: name a port of "
			    "127.0.0.1 or a Unix socket", name.data,
			    sockets->more[at].place.text);
		sockets->one[at].figures = 1;
	}
	sockets->remote = remote;
	return 0;
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

/* Appends the items of a list, separated by spaces. */
static void
serve_sockets_add_words(struct buffer *words, const char *list)
{
	size_t i;

	buffer_add_text(words, list);
	for (i = 0; i < words->len; i++)
		if (words->data[i] == ',')
			words->data[i] = ' ';
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
 * one of IPv4 is never written as one of IPv6. Writes nothing if it is none.
 */
static void
serve_sockets_form(const char *value, char *out, size_t size)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, value, &four) == 1)
		inet_ntop(AF_INET, &four, out, (socklen_t)size);
	if (inet_pton(AF_INET6, value, &six) != 1)
		return;
	if (IN6_IS_ADDR_V4MAPPED(&six))
		inet_ntop(AF_INET, &six.s6_addr[12], out, (socklen_t)size);
	else
		inet_ntop(AF_INET6, &six, out, (socklen_t)size);
}

/* Opens all of them. */
static int
serve_sockets_add_all(struct serve_sockets *sockets,
    const struct options *options, char **envp, struct err *err)
{
	char *path;

	if (serve_sockets_inherit(sockets, envp, err) == -1 ||
	    serve_sockets_add_list(sockets, options, OPTION_ID_LISTEN,
	        options->listen, err) == -1)
		return -1;
	if (sockets->count > 0)
		return 0;
	path = serve_sockets_default(envp, err);
	return path == NULL ? -1 : serve_sockets_add_path(sockets, path, err);
}

int
serve_sockets_open(struct serve_sockets *sockets,
    const struct options *options, char **envp, struct err *err)
{
	auto_buffer struct buffer hosts = { 0 };
	const char *url;

	serve_sockets_add_words(&hosts, options->allow_host);
	url = strstr(options->public_url, "://");
	if (url != NULL)
		buffer_printf(&hosts, "%s%.*s", hosts.len == 0 ? "" : " ",
		    (int)strcspn(url + 3, "/"), url + 3);
	serve_sockets_add_words(&sockets->origins, options->allow_origin);
	serve_sockets_form(
	    options->trust_proxy, sockets->proxy, sizeof(sockets->proxy));
	if (serve_sockets_add_all(sockets, options, envp, err) == -1 ||
	    serve_sockets_add_figures(sockets, options, err) == -1)
		return -1;
	serve_sockets_set_hosts(sockets, &hosts);
	return 0;
}

void
serve_sockets_tell(const struct serve_sockets *sockets)
{
	const struct listen_place *place;
	const uint64_t terms = log_terms();
	size_t i;

	log_init("caisson", terms | LOG_LEVEL_INFO); /* at every level */
	for (i = 0; i < sockets->count; i++) {
		place = &sockets->more[i].place;
		log_info(place->local ? "serving at unix:%s, path %s" :
		                        "serving at http://%s%s", place->text,
		    sockets->one[i].figures ? "/metrics" : "/mcp");
		if (place->outside)
			log_warn("other machines can reach %s, and nothing is "
			    "encrypted there, tokens included: listen at "
			    "127.0.0.1, behind a proxy on this machine that "
			    "does TLS (caisson-serve(7), \"Behind a "
			    "reverse proxy\")", place->text);
	}
	log_init("caisson", terms);
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
