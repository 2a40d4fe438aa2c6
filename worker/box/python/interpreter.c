/*
 * The interpreter: what of the host it needs, and becoming it. The launcher
 * looks for it as the kernel and Python would, link by link; the code runs it.
 *
 * An interpreter outside of /usr, or a virtual environment, is bound into the
 * view at its own path, as is the installation it is based on. Links on the way
 * are made anew and not bound, so that ~/.local/bin/python3 does not bring all
 * of ~/.local along. A home directory is never bound.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "python.h"
#include "../native/native.h"
#include "../../../common/fd.h"
#include "../../../common/mem.h"

/* What venv writes into its configuration: a few lines. */
#define VENV_FILE "pyvenv.cfg"
#define VENV_LINE_MAX (PATH_MAX + 64)

/* Too much of the host for a box to see, even for an interpreter there. */
static const char *const interpreter_never[] = { "", "/bin", "/boot", "/dev",
	"/etc", "/home", "/mnt", "/opt", "/proc", "/root", "/run", "/srv",
	"/sys", "/tmp", "/var" };

/* Finding */

/* Cuts the last part off a path: "/a/b" becomes "/a", "/a" becomes "". */
static void
interpreter_cut(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash == NULL ? path : slash) = '\0';
}

/* The directory above the "bin" of a program: its installation. */
static char *
interpreter_prefix(const char *program)
{
	char *prefix = mem_strdup(program);

	interpreter_cut(prefix);
	interpreter_cut(prefix);
	return prefix;
}

/*
 * One step of the way: real is a path without links to which a part was
 * appended. When that made it a link, cuts it off again, notes the link for
 * the view, and puts its target before what remains.
 */
static int
interpreter_step(struct box *box, char *real, char *rest, struct err *err)
{
	char target[PATH_MAX];
	char joined[PATH_MAX];
	ssize_t n = readlink(real, target, sizeof(target) - 1);
	int len;

	if (n == -1 && errno == EINVAL) /* it is no link */
		return 0;
	if (n == -1)
		return err_sys(err, "look for %s", real);
	target[n] = '\0';
	if (view_add_link(box, real, target, err) == -1)
		return -1;
	len = snprintf(joined, sizeof(joined), "%s/%s", target, rest);
	if (len < 0 || (size_t)len >= sizeof(joined))
		return err_set(err, "%s leads to a path that is too long",
		    real);
	memcpy(rest, joined, (size_t)len + 1);
	if (target[0] == '/')
		real[0] = '\0';
	else
		interpreter_cut(real);
	return 1;
}

/* Appends the next part of rest to real, and removes it from rest. */
static int
interpreter_advance(char *real, char *rest, struct err *err)
{
	size_t skip = strspn(rest, "/");
	size_t len = strcspn(rest + skip, "/");
	char *part = rest + skip;
	size_t used = strlen(real);

	if (len == 2 && memcmp(part, "..", 2) == 0) {
		interpreter_cut(real);
	} else if (len > 0 && !(len == 1 && part[0] == '.')) {
		if (used + 1 + len >= PATH_MAX)
			return err_set(err, "%s/%s is too long", real, rest);
		real[used] = '/';
		memcpy(real + used + 1, part, len);
		real[used + 1 + len] = '\0';
	}
	memmove(rest, part + len, strlen(part + len) + 1);
	return 0;
}

/*
 * Follows path, which is absolute, and notes the links which the view must
 * have. real gets the path without links and has room for PATH_MAX bytes.
 */
static int
interpreter_follow(
    struct box *box, const char *path, char *real, struct err *err)
{
	char rest[PATH_MAX];
	int hops = 0;
	int linked;

	if (strlen(path) >= sizeof(rest))
		return err_set(err, "%s is too long", path);
	snprintf(rest, sizeof(rest), "%s", path);
	real[0] = '\0';
	while (rest[strspn(rest, "/")] != '\0') {
		if (interpreter_advance(real, rest, err) == -1)
			return -1;
		linked = real[0] == '\0' ?
		    0 : interpreter_step(box, real, rest, err);
		if (linked == -1)
			return err_wrap(err, "%s", path);
		hops += linked;
		if (hops > BOX_LINK_HOPS_MAX)
			return err_set(err, "%s leads through too many links",
			    path);
	}
	return 0;
}

/*
 * Whether path is a home directory. /etc/passwd does not list the users of a
 * directory service: their homes are recognised by the files in them.
 */
static int
interpreter_is_home(const char *path)
{
	static const char *const marks[] = { ".bashrc", ".config", ".profile",
		".ssh" };
	FILE *users = fopen("/etc/passwd", "re");
	const struct passwd *user;
	size_t i;
	int found = 0;

	while (!found && users != NULL && (user = fgetpwent(users)) != NULL)
		found = strcmp(user->pw_dir, path) == 0;
	if (users != NULL)
		fclose(users);
	for (i = 0; !found && i < sizeof(marks) / sizeof(marks[0]); i++) {
		auto_free char *mark = mem_printf("%s/%s", path, marks[i]);

		found = access(mark, F_OK) == 0;
	}
	return found;
}

/* ~/.local has keys, mail and what not besides the programs in its bin. */
static int
interpreter_is_local(const char *path)
{
	auto_free char *above = mem_strdup(path);

	interpreter_cut(above);
	return strcmp(path + strlen(above), "/.local") == 0;
}

static int
interpreter_is_too_much(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(interpreter_never) / sizeof(char *); i++)
		if (strcmp(path, interpreter_never[i]) == 0)
			return 1;
	return interpreter_is_local(path) || interpreter_is_home(path);
}

static int
interpreter_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
}

/* Binds the installation at path, which has no links in it. */
static int
interpreter_add(struct box *box, const char *path, struct err *err)
{
	const struct box_tree tree = { .path = path, .executable = 1 };

	if (view_covers(box, path))
		return 0;
	if (interpreter_is_too_much(path))
		return err_set(err, "the interpreter %s would bring all of "
		    "'%s/' into the box: use one in a directory of its own",
		    box->setup.python, path);
	return view_add_tree(box, &tree, err);
}

/* Reads "home = DIR" into home, or leaves it empty. Returns 1 for a file. */
static int
interpreter_read_venv(const char *prefix, char *home)
{
	auto_free char *path = mem_printf("%s/" VENV_FILE, prefix);
	FILE *file = fopen(path, "re");
	char line[VENV_LINE_MAX];
	char key[8];
	char value[PATH_MAX];

	home[0] = '\0';
	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, " %7[^ =] = %4095[^\n]", key, value) == 2 &&
		    strcasecmp(key, "home") == 0 && value[0] == '/')
			snprintf(home, PATH_MAX, "%s", value);
	fclose(file);
	return 1;
}

/*
 * Python looks for its library beside home/NAME: the links that lead from
 * there to the base must be in the view. Names that do not exist do not matter.
 */
static void
interpreter_follow_home(struct box *box, const char *home)
{
	static const char *const names[] = { "python3", "python" };
	char real[PATH_MAX];
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *path = mem_printf("%s/%s", home, names[i]);

		if (access(path, F_OK) == 0)
			interpreter_follow(box, path, real, &err);
	}
}

/* A directory stands for the interpreter in it. Never freed: runs once. */
static int
interpreter_choose(struct box *box, struct err *err)
{
	static const char *const names[] = { "bin/python3", "bin/python" };
	const char *python = box->setup.python;
	int len = (int)strlen(python);
	struct stat st;
	size_t i;

	if (stat(python, &st) == -1 || !S_ISDIR(st.st_mode))
		return 0;
	if (access(python, X_OK) == -1)
		return err_sys(err, "look into %s", python);
	while (len > 0 && python[len - 1] == '/')
		len--;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		box->setup.python =
		    mem_printf("%.*s/%s", len, python, names[i]);
		if (interpreter_is_program(box->setup.python))
			return 0;
	}
	return err_set(err, "%s is a directory, but no virtual environment: "
	    "there is no bin/python3 in it", python);
}

/* The environment first: links within it come with it. */
static int
interpreter_add_venv(struct box *box, char *home, struct err *err)
{
	auto_free char *prefix = interpreter_prefix(box->setup.python);
	char real[PATH_MAX];

	if (!interpreter_read_venv(prefix, home))
		return 0;
	if (interpreter_follow(box, prefix, real, err) == -1)
		return -1;
	return interpreter_add(box, real, err);
}

int
interpreter_locate(struct box *box, struct err *err)
{
	auto_free char *base = NULL;
	char real[PATH_MAX];
	char home[PATH_MAX];

	if (interpreter_choose(box, err) == -1 ||
	    interpreter_add_venv(box, home, err) == -1)
		return -1;
	if (interpreter_follow(box, box->setup.python, real, err) == -1)
		return -1;
	if (!interpreter_is_program(real))
		return err_set(err, "%s is no program", box->setup.python);
	if (!view_covers(box, real)) {
		base = interpreter_prefix(real);
		if (interpreter_add(box, base, err) == -1)
			return -1;
	}
	if (home[0] != '\0')
		interpreter_follow_home(box, home);
	return 0;
}

/* Becoming it */

/* Where the pipes are put aside, above all places that they go to. */
#define INTERPRETER_ASIDE 16

static int
interpreter_put_aside(int *fd, struct err *err)
{
	int aside = fcntl(*fd, F_DUPFD_CLOEXEC, INTERPRETER_ASIDE);

	if (aside == -1)
		return err_sys(err, "copy descriptor %d", *fd);
	*fd = aside;
	return 0;
}

int
interpreter_descriptors(struct box *box, struct err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int *const aside[] = { &null, &box->setup.out, &box->setup.errors,
		&box->setup.control_in, &box->setup.control_out,
		&box->channel, &box->launcher_sync };
	size_t i;

	if (null == -1)
		return err_sys(err, "open /dev/null");
	for (i = 0; i < sizeof(aside) / sizeof(aside[0]); i++)
		if (interpreter_put_aside(aside[i], err) == -1)
			return -1;
	/* The first five, in the order of the numbers that they get. */
	for (i = 0; i <= BOX_CONTROL_OUT_FD; i++)
		if (dup2(*aside[i], (int)i) == -1)
			return err_sys(err, "copy a descriptor to %zu", i);
	if (close_range(BOX_CONTROL_OUT_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC) ==
	    -1)
		return err_sys(err, "close the other descriptors on exec");
	return 0;
}

/*
 * Standard output and error are a pipe, as in its boxes: the streams of the
 * interpreter are made once, and must be those of a pipe. What is printed while
 * modules are imported stays in it.
 */
int
interpreter_template_descriptors(struct box *box, struct err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int printed[2] = { -1, -1 };
	int *const aside[] = { &null, &printed[1], &printed[1], &box->channel,
		&printed[0], &box->init_sync, &box->launcher_sync };
	size_t i;

	if (null == -1 || pipe2(printed, O_CLOEXEC) == -1)
		return err_sys(err, "open the descriptors of a template");
	for (i = 0; i < sizeof(aside) / sizeof(aside[0]); i++)
		if (interpreter_put_aside(aside[i], err) == -1)
			return -1;
	for (i = 0; i <= BOX_LIFE_FD; i++)
		if (dup2(*aside[i], (int)i) == -1)
			return err_sys(err, "copy a descriptor to %zu", i);
	if (close_range(BOX_LIFE_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC) == -1)
		return err_sys(err, "close the other descriptors on exec");
	return 0;
}

/* What the launcher inherited must not change what the code sees. */
static void
interpreter_reset_signals(void)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Why it could not be run. Often an installation is its owner's alone, and a
 * supervisor that is root gives every box a user of its own.
 */
static int
interpreter_explain(const struct box *box, int errnum, struct err *err)
{
	const struct box_tree *tree;

	for (tree = box->trees; tree < box->trees + box->ntrees; tree++)
		if (errnum == EACCES && tree->executable && tree->fd != -1 &&
		    (tree->closed || access(tree->path, R_OK | X_OK) == -1))
			return err_set(err, "the user of the box may not read "
			    "%s: run caisson as its owner, or let everybody "
			    "read it with: chmod -R go+rX %s",
			    tree->path, tree->path);
	errno = errnum;
	return err_sys(err, "run %s", box->setup.python);
}

int
interpreter_enter(struct box *box, struct err *err)
{
	if ((box->weak && chdir(box->folder) == -1) ||
	    chdir(box->weak ? "workspace" : "/workspace") == -1)
		return err_sys(err, "enter the folder of the code");
	return 0;
}

int
interpreter_run(struct box *box, struct err *err)
{
	/* At the weaker level the box is a folder of the host. */
	const char *root = box->weak ? box->folder : "";
	auto_free char *bootstrap = mem_printf("%s" BOX_BOOTSTRAP, root);
	/* -I: no PYTHON* variables, no user site, no script directory. */
	const char *const argv[] = { box->setup.python, "-I", "-X", "utf8",
		bootstrap, NULL };

	if (interpreter_enter(box, err) == -1)
		return -1;
	interpreter_reset_signals();
	execve(box->setup.python, (char *const *)argv, environment_make(box));
	return interpreter_explain(box, errno, err);
}
