/*
 * Tests of supervisor/box/native/python_stamp: whatever happens to an
 * interpreter or to its virtual environment, a look afterwards differs; and
 * nothing else makes it differ.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/box/native/native.h"
#include "tests/unit/unit_folder.h"

/* A path in the folder of the test; four may be in use. */
static const char *
at(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned int n;
	char *path = paths[n++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

/* An environment, whose interpreter is a link to one beside it. */
static void
open_folder(void)
{
	put_file("python3.real", "#!");
	ck_assert_int_eq(mkdir(at("venv"), 0755), 0);
	ck_assert_int_eq(mkdir(at("venv/bin"), 0755), 0);
	ck_assert_int_eq(
	    symlink("../../python3.real", at("venv/bin/python3")), 0);
	put_file("venv/pyvenv.cfg", "home = /usr/bin\n");
}

UNIT_FIXTURE(open_folder, NULL)

static void
touch(void)
{
	const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, at("python3.real"), times, 0), 0);
}

static void
replace(void)
{
	put_file("new", "#!");
	ck_assert_int_eq(rename(at("new"), at("python3.real")), 0);
}

static void
point_elsewhere(void)
{
	put_file("other", "#!");
	ck_assert_int_eq(unlink(at("venv/bin/python3")), 0);
	ck_assert_int_eq(symlink("../../other", at("venv/bin/python3")), 0);
}

static void
remove_it(void)
{
	ck_assert_int_eq(unlink(at("python3.real")), 0);
}

static void
change_environment(void)
{
	put_file("new", "home = /opt/bin\n");
	ck_assert_int_eq(rename(at("new"), at("venv/pyvenv.cfg")), 0);
}

/* The clock of a kernel for files may not have ticked since it was made. */
static void
forbid(void)
{
	struct stat before, after;

	ck_assert_int_eq(stat(at("python3.real"), &before), 0);
	do {
		ck_assert_int_eq(chmod(at("python3.real"), 0), 0);
		ck_assert_int_eq(stat(at("python3.real"), &after), 0);
	} while (memcmp(&before.st_ctim, &after.st_ctim,
	             sizeof(after.st_ctim)) == 0);
}

static void (*const changes[])(void) = {
	touch,
	replace,
	point_elsewhere,
	remove_it,
	change_environment,
	forbid,
};

/* By its folder (even), or by the path of its interpreter. */
UNIT_TESTS(a_change_is_seen, 2 * UNIT_COUNT(changes))
{
	struct python_stamp before, after;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s",
	    at(_i % 2 ? "venv/bin/python3" : "venv"));
	python_stamp_look(path, &before);
	python_stamp_look(path, &after);
	ck_assert_int_eq(python_stamp_same(&before, &after), 1);
	changes[_i / 2]();
	python_stamp_look(path, &after);
	ck_assert_int_eq(python_stamp_same(&before, &after), 0);
}

UNIT_TEST(an_interpreter_without_environment)
{
	struct python_stamp before, after;

	python_stamp_look(at("python3.real"), &before);
	put_file("beside", "it");
	python_stamp_look(at("python3.real"), &after);
	ck_assert_int_eq(python_stamp_same(&before, &after), 1);
	touch();
	python_stamp_look(at("python3.real"), &after);
	ck_assert_int_eq(python_stamp_same(&before, &after), 0);
}

/* There is none, whatever the path is: no difference, and no end. */
UNIT_TEST(there_may_be_none)
{
	char path[PATH_MAX];
	struct python_stamp before, after;

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[PATH_MAX - 1] = '\0';
	python_stamp_look(path, &before);
	python_stamp_look("/nowhere/at/all", &after);
	ck_assert_int_eq(python_stamp_same(&before, &after), 1);
}
