/*
 * Opens the sockets of "caisson serve": see serve_sockets.h. Runs in the
 * supervisor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/fd.h"
#include "../common/mem.h"
#include "process/process.h"
#include "serve_sockets.h"
#include "servers/expand.h"

#define SERVE_UNIX "unix:"

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
		err_sys(err, "make the directory %s", folder);
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

/* Opens a socket at this path, which it takes. */
static int
serve_sockets_add(struct serve_sockets *sockets, char *path, struct err *err)
{
	struct gateway_socket *one = &sockets->one[sockets->count];
	struct stat st;

	one->fd = listen_unix(path, err);
	if (one->fd == -1) {
		free(path);
		return -1;
	}
	one->local = 1;
	one->hosts = "";
	sockets->files[sockets->count] =
	    lstat(path, &st) == 0 ? st.st_ino : 0;
	sockets->paths[sockets->count++] = path;
	return 0;
}

static int
serve_sockets_add_named(
    struct serve_sockets *sockets, const char *value, struct err *err)
{
	const char *path = value + strlen(SERVE_UNIX);

	if (strncmp(value, SERVE_UNIX, strlen(SERVE_UNIX)) != 0 ||
	    *path == '\0')
		return err_set(err, "--listen %s: the value must be unix: and "
		    "the path of a socket", value);
	if (sockets->count == LISTEN_MAX)
		return err_set(err, "--listen may be given %d times at most",
		    LISTEN_MAX);
	return serve_sockets_add(sockets, mem_strdup(path), err);
}

int
serve_sockets_open(struct serve_sockets *sockets,
    const struct command *command, char **envp, struct err *err)
{
	const char *given;
	char *path;
	size_t i;

	for (i = 0; (given = command_value(&command->flags,
	                 COMMAND_FLAG_LISTEN, i)) != NULL;
	     i++)
		if (serve_sockets_add_named(sockets, given, err) == -1)
			return -1;
	if (sockets->count > 0)
		return 0;
	path = serve_sockets_default(envp, err);
	return path == NULL ? -1 : serve_sockets_add(sockets, path, err);
}

void
serve_sockets_tell(const struct serve_sockets *sockets)
{
	size_t i;

	for (i = 0; i < sockets->count; i++)
		fprintf(stderr, "caisson: serving at unix:%s, path /mcp\n",
		    sockets->paths[i]);
}

void
serve_sockets_close(struct serve_sockets *sockets)
{
	struct stat st;

	while (sockets->count > 0) {
		sockets->count--;
		fd_close(&sockets->one[sockets->count].fd);
		if (lstat(sockets->paths[sockets->count], &st) == 0 &&
		    st.st_ino == sockets->files[sockets->count])
			unlink(sockets->paths[sockets->count]);
		free(sockets->paths[sockets->count]);
	}
}
