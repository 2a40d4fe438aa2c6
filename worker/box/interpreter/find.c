/*
 * Finds an interpreter, and the parts of the host that it needs. The launcher
 * resolves its path as the kernel would, link by link.
 *
 * An interpreter outside of /usr is bound into the view at its own path, with
 * its installation. Links on the way are recreated, not bound, so that
 * ~/.local/bin/python3 does not expose all of ~/.local. A home directory is
 * never bound.
 */
#include <errno.h>
#include <linux/limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpreter.h"
#include "../native/native.h"
#include "../../../common/base/mem.h"

/*
 * Directories that must never be exposed to a box, even for an interpreter
 * there.
 */
static const char *const interpreter_never[] = { "", "/bin", "/boot", "/dev",
	"/etc", "/home", "/mnt", "/opt", "/proc", "/root", "/run", "/srv",
	"/sys", "/tmp", "/var" };

/* Removes the last part of a path: "/a/b" becomes "/a", "/a" becomes "". */
static void
interpreter_cut(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash == NULL ? path : slash) = '\0';
}

/* The directory above the "bin" of a program: its installation. */
char *
interpreter_prefix(const char *program)
{
	char *prefix = mem_strdup(program);

	interpreter_cut(prefix);
	interpreter_cut(prefix);
	return prefix;
}

/*
 * One step of the resolution: real is a path without links to which a part was
 * appended. If that is a link, removes it again, records the link for the view,
 * and puts its target before the rest.
 */
static int
interpreter_step(struct box *box, char *real, char *rest, struct err *err)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t n = readlink(real, target, sizeof(target) - 1);
	int len;

	if (n == -1 && errno == EINVAL) /* it is not a link */
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
 * Resolves path, which is absolute, and records the links that the view must
 * have. real receives the path without links and has room for PATH_MAX bytes.
 */
int
interpreter_follow(
    struct box *box, const char *path, char *real, struct err *err)
{
	char rest[PATH_MAX];
	int hops = 0, linked;

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

/*
 * ~/.local contains keys, mail and other data besides the programs in its bin.
 */
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

int
interpreter_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
}

/* Binds the installation at path, which contains no links. */
int
interpreter_add(struct box *box, const char *path, struct err *err)
{
	const struct box_tree tree = { .path = path, .executable = 1 };

	if (view_covers(box, path))
		return 0;
	if (interpreter_is_too_much(path))
		return err_set(err, "the interpreter %s would expose all of "
		    "'%s/' to the box: use one in a separate directory",
		    box->setup.interpreter, path);
	return view_add_tree(box, &tree, err);
}

int
interpreter_show(struct box *box, struct err *err)
{
	auto_free char *base = NULL;
	char real[PATH_MAX];

	if (interpreter_follow(box, box->setup.interpreter, real, err) == -1)
		return -1;
	if (!interpreter_is_program(real))
		return err_set(err, "%s is not a program",
		    box->setup.interpreter);
	if (view_covers(box, real))
		return 0;
	base = interpreter_prefix(real);
	return interpreter_add(box, base, err);
}

int
interpreter_show_packages(struct box *box, struct err *err)
{
	const char *named = box->setup.packages;
	char real[PATH_MAX];
	const struct box_tree tree = { .path = real, .executable = 1 };
	size_t len;

	if (named[0] == '\0')
		return 0;
	if (interpreter_follow(box, named, real, err) == -1)
		return -1;
	len = strlen(real);
	if (len <= sizeof(INTERPRETER_PACKAGES) - 1 ||
	    strcmp(real + len - (sizeof(INTERPRETER_PACKAGES) - 1),
	        INTERPRETER_PACKAGES) != 0)
		return err_set(err, "%s is %s, which is not named "
		    "node_modules: packages there would not find each other",
		    named, real);
	if (!view_covers(box, real) && view_add_tree(box, &tree, err) == -1)
		return -1;
	return view_add_link(box, INTERPRETER_PACKAGES, real, err);
}
