/* Logins at remote servers: see server_login.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/limits.h"
#include "../../options/state_dir.h"
#include "../../process/process.h"
#include "server_login.h"

#define SERVER_LOGIN_DIRECTORY "logins"
#define SERVER_LOGIN_USER "-" /* no name of a token begins with a dash */

/* Returns a name as that of a directory: other characters as %XX. */
static char *
server_login_escape(const char *name)
{
	auto_buffer struct buffer out = { 0 };

	for (; *name != '\0'; name++)
		if (isalnum((unsigned char)*name) || strchr("-_", *name))
			buffer_add(&out, name, 1);
		else
			buffer_printf(&out, "%%%02x", (unsigned char)*name);
	return buffer_take(&out, NULL);
}

/* Opens a directory in another one, which is created if create is set. */
static int
server_login_enter(int parent, const char *name, int create)
{
	if (parent == -1 ||
	    (create && mkdirat(parent, name, 0700) == -1 && errno != EEXIST))
		return -1;
	return openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int
server_login_open(const struct options *options, char **envp,
    const char *owner, const char *name, struct err *err)
{
	auto_free char *escaped = server_login_escape(name);
	auto_fd int all = state_dir_open_inner(
	    options, envp, SERVER_LOGIN_DIRECTORY, err);
	auto_fd int of_owner = -1, fd = -1;

	if (all == -1)
		return -1;
	of_owner = server_login_enter(
	    all, owner[0] == '\0' ? SERVER_LOGIN_USER : owner, 1);
	fd = server_login_enter(of_owner, escaped, 1);
	/* The connectors of root have a user of their own. */
	if (fd == -1 || (geteuid() == 0 &&
	        fchown(fd, identity_logins(), identity_logins()) == -1))
		return err_sys(err, "the directory of the login at \"%s\" "
		    "cannot be opened in the state directory", name);
	return fd_take(&fd);
}

/* Appends an owner and how long its login lasts, if it has one. */
static void
server_login_add(
    int all, const char *owner, const char *escaped, struct buffer *logins)
{
	auto_fd int of_owner = server_login_enter(all, owner, 0);
	auto_fd int in = server_login_enter(of_owner, escaped, 0);
	auto_fd int file = in == -1 ? -1 :
	    openat(in, LOGIN_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char head[LOGIN_HEAD_SIZE], when[64] = "";
	struct tm tm;
	time_t until;

	if (file == -1 ||
	    read(file, head, sizeof(head)) != (ssize_t)sizeof(head))
		return;
	head[sizeof(head) - 1] = '\0';
	until = (time_t)strtoll(head, NULL, 10);
	if (until != 0 && gmtime_r(&until, &tm) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	text_list_add(
	    logins, strcmp(owner, SERVER_LOGIN_USER) == 0 ? "" : owner);
	text_list_add(logins, when);
}

/* Removes the directory of a server, with its files. */
static void
server_login_drop(
    int all, const char *owner, const char *escaped, struct buffer *)
{
	auto_fd int of_owner = server_login_enter(all, owner, 0);
	int in = server_login_enter(of_owner, escaped, 0);
	DIR *files = in == -1 ? NULL : fdopendir(in);
	struct dirent *entry;

	while (files != NULL && (entry = readdir(files)) != NULL)
		unlinkat(in, entry->d_name, 0);
	if (files != NULL && unlinkat(of_owner, escaped, AT_REMOVEDIR) == -1)
		log_warn("the directory %s/%s/%s cannot be removed: %s",
		    SERVER_LOGIN_DIRECTORY, owner, escaped, strerror(errno));
	if (files != NULL)
		closedir(files);
}

/* Calls do_it for each owner, if there are logins at all. */
static void
server_login_each(const struct options *options, char **envp, const char *name,
    void (*do_it)(int all, const char *owner, const char *escaped,
        struct buffer *logins),
    struct buffer *logins)
{
	auto_free char *escaped = server_login_escape(name);
	struct dirent *entry;
	struct err err;
	DIR *all;

	if (!state_dir_may_hold(options, envp, SERVER_LOGIN_DIRECTORY))
		return;
	all = fdopendir(state_dir_open_inner(
	    options, envp, SERVER_LOGIN_DIRECTORY, &err));
	while (all != NULL && (entry = readdir(all)) != NULL)
		if (entry->d_name[0] != '.')
			do_it(dirfd(all), entry->d_name, escaped, logins);
	if (all != NULL)
		closedir(all);
}

void
server_login_list(const struct options *options, char **envp,
    const char *name, struct buffer *logins)
{
	server_login_each(options, envp, name, server_login_add, logins);
}

void
server_login_remove(
    const struct options *options, char **envp, const char *name)
{
	server_login_each(options, envp, name, server_login_drop, NULL);
}

char *
server_login_command(const char *name, const char *owner)
{
	int plain = name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")] == '\0';

	return mem_printf("caisson servers login %s%s%s%s%s",
	    plain ? "" : "\"", name, plain ? "" : "\"",
	    owner[0] == '\0' ? "" : " --owner ", owner);
}
