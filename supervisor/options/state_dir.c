/*
 * The state directory: see state_dir.h. Runs in the supervisor; creates
 * directories, and reads and writes nothing in them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "home.h"
#include "state_dir.h"

/* The directory that this process has opened first; no inode: none yet. */
static struct stat state_dir_first;

char *
state_dir_path(const struct options *options, char **envp, struct err *err)
{
	char *path = options->state_dir[0] != '\0' ?
	    mem_strdup(options->state_dir) :
	    home_below(envp, "XDG_STATE_HOME", ".local/state");

	if (path == NULL)
		err_set(err, "no state directory: HOME is not set; name one in "
		    "CAISSON_STATE_DIR");
	return path;
}

/*
 * A directory in another user's home is refused: that user could change the
 * kept data, or place links in it. A missing home is not created, because other
 * users may share it.
 */
static int
state_dir_check_home(
    const struct options *options, char **envp, struct err *err)
{
	const char *home = home_folder(envp, "HOME");
	int moved = home_folder(envp, "XDG_STATE_HOME") != NULL;
	auto_free char *refusal = NULL;

	if (options->state_dir[0] != '\0')
		return 0;
	refusal = home_refusal(envp, moved ? "XDG_STATE_HOME" : "HOME");
	if (refusal != NULL)
		return err_set(err, "no state directory: %s, or name a "
		    "folder in CAISSON_STATE_DIR", refusal);
	if (moved || home == NULL || access(home, F_OK) == 0 || errno != ENOENT)
		return 0;
	return err_set(err, "no state directory: the home %s does not exist; "
	    "name one in CAISSON_STATE_DIR", home);
}

/*
 * Checks that the directory that we had is there: another one in its place
 * would split what is kept.
 */
static int
state_dir_check_there(const char *path, struct err *err)
{
	struct stat st;

	if (state_dir_first.st_ino == 0 || (stat(path, &st) == 0 &&
	        st.st_ino == state_dir_first.st_ino &&
	        st.st_dev == state_dir_first.st_dev))
		return 0;
	return err_set(err, "the state directory %s was moved or replaced: "
	    "move it back, or start Caisson again", path);
}

int
state_dir_may_exist(const struct options *options, char **envp)
{
	struct err err;
	auto_free char *path = state_dir_path(options, envp, &err);

	/* Other errors are reported when it is opened. */
	return path == NULL ||
	    state_dir_check_home(options, envp, &err) == -1 ||
	    state_dir_check_there(path, &err) == -1 ||
	    access(path, F_OK) == 0 || errno != ENOENT;
}

/* Says why path cannot be made: first, a part of it, failed with code. */
static int
state_dir_not_made(
    const char *path, const char *first, int code, struct err *err)
{
	int whole = strcmp(path, first) == 0;

	errno = code;
	return err_sys(err, "the state directory %s cannot be made "
	    "(CAISSON_STATE_DIR names another one)%s%s", path,
	    whole ? "" : ": ", whole ? "" : first);
}

/* Creates the directory and its missing parents. */
static int
state_dir_make(const char *path, struct err *err)
{
	auto_free char *part = mem_strdup(path);
	auto_free char *first = NULL; /* that could not be made */
	char *slash = part;
	int made, code = 0;

	for (;;) {
		slash = strchr(slash + 1, '/');
		if (slash != NULL)
			*slash = '\0';
		/*
		 * If it exists or cannot be seen, opening it reports any error.
		 */
		made = mkdir(part, 0700) == 0 || errno == EEXIST;
		if (!made && first == NULL) {
			code = errno;
			first = mem_strdup(part);
		}
		if (slash == NULL)
			return made ? 0 :
			    state_dir_not_made(path, first, code, err);
		*slash = '/';
	}
}

/* Another user with write access could replace the database. */
static int
state_dir_check(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) == -1)
		return err_sys(err, "look at the state directory %s", path);
	if (st.st_uid != geteuid())
		return err_set(err, "the state directory %s belongs to user "
		    "%u, and Caisson runs as user %u: name one of its own in "
		    "CAISSON_STATE_DIR", path, (unsigned int)st.st_uid,
		    (unsigned int)geteuid());
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(err, "the state directory %s can be written "
		    "by other users: run 'chmod 700' on it, or name another "
		    "one in CAISSON_STATE_DIR", path);
	if (faccessat(fd, ".", R_OK | W_OK | X_OK, AT_EACCESS) == -1)
		return err_sys(err, "the state directory %s cannot be written "
		    "(CAISSON_STATE_DIR names another one)", path);
	return 0;
}

/* Opens an existing directory. Returns a descriptor, or -1 with err. */
static int
state_dir_open_it(const char *path, struct err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return err_sys(err, "the state directory %s cannot be opened "
		    "(CAISSON_STATE_DIR names another one)", path);
	if (state_dir_check(fd, path, err) == -1)
		return -1;
	if (state_dir_first.st_ino == 0)
		(void)!fstat(fd, &state_dir_first);
	return fd_take(&fd);
}

int
state_dir_try(const struct options *options, char **envp, struct err *err)
{
	auto_free char *path = state_dir_path(options, envp, err);
	auto_fd int fd = -1;

	if (path == NULL || state_dir_check_home(options, envp, err) == -1)
		return -1;
	if (state_dir_check_there(path, err) == -1)
		return -1;
	if (access(path, F_OK) == -1 && errno == ENOENT)
		return 0;
	fd = state_dir_open_it(path, err);
	return fd == -1 ? -1 : 0;
}

int
state_dir_open(const struct options *options, char **envp, struct err *err)
{
	auto_free char *path = state_dir_path(options, envp, err);

	if (path == NULL || state_dir_check_home(options, envp, err) == -1 ||
	    state_dir_check_there(path, err) == -1 ||
	    state_dir_make(path, err) == -1)
		return -1;
	return state_dir_open_it(path, err);
}

void
state_dir_hide(const struct options *options, struct err *err)
{
	if (!options_serves(options))
		return;
	log_error("%s", err->text);
	err_set(err, "the state directory cannot be used: the log of Caisson "
	    "says why");
}

int
state_dir_may_hold(const struct options *options, char **envp, const char *name)
{
	struct err err;
	auto_free char *path = state_dir_path(options, envp, &err);
	auto_free char *inner = NULL;

	if (path == NULL || !state_dir_may_exist(options, envp))
		return path == NULL;
	inner = mem_printf("%s/%s", path, name);
	return state_dir_check_there(path, &err) == -1 ||
	    access(inner, F_OK) == 0 || errno != ENOENT;
}

int
state_dir_open_inner(const struct options *options, char **envp,
    const char *name, struct err *err)
{
	auto_free char *path = state_dir_path(options, envp, err);
	auto_free char *inner = NULL;
	auto_fd int state = state_dir_open(options, envp, err);
	auto_fd int fd = -1;

	if (state == -1 || path == NULL)
		return -1;
	inner = mem_printf("%s/%s", path, name);
	if (mkdirat(state, name, 0700) == -1 && errno != EEXIST)
		return err_sys(err, "the directory %s cannot be made "
		    "(CAISSON_STATE_DIR names another one)", inner);
	fd = openat(state, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return err_sys(err, "the directory %s cannot be opened", inner);
	return state_dir_check(fd, inner, err) == -1 ? -1 : fd_take(&fd);
}
