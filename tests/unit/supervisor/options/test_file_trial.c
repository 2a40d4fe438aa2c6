/*
 * Tests of supervisor/options/file_trial: what could be opened or made is let
 * pass, what could not is told, and nothing is made either way.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/options/file_trial.h"
#include "tests/unit/unit_folder.h"

static struct err err;

/* Returns a path in the folder, which the caller frees. */
static char *
in_folder(const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

static void
is_refused(const char *path, const char *words)
{
	ck_assert_int_eq(file_trial_append(path, &err), -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
}

UNIT_TEST(nothing_is_made)
{
	auto_free char *path = in_folder("log");

	ck_assert_int_eq(file_trial_append(path, &err), 0);
	ck_assert_int_eq(file_trial_make(path, &err), 0);
	ck_assert_int_eq(access(path, F_OK), -1);
	/* Beside the root there is no name before the slash. */
	if (geteuid() == 0)
		ck_assert_int_eq(file_trial_make("/test_file_trial", &err), 0);
}

UNIT_TEST(what_is_there_stays)
{
	auto_free char *path = in_folder("log");
	FILE *file = fopen(path, "w");
	struct stat st;

	fputs("before", file);
	fclose(file);
	ck_assert_int_eq(file_trial_append(path, &err), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 6);
	ck_assert_int_eq(file_trial_append("/dev/null", &err), 0);
}

/* It has no reader: that is reported at once, by the start as well. */
UNIT_TEST(a_pipe_is_not_waited_for)
{
	auto_free char *path = in_folder("pipe");
	auto_fd int reader = -1, file = -1;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	is_refused(path, "pipe is a pipe without a reader");
	ck_assert_int_eq(file_trial_open(path, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "without a reader"));
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_eq(file_trial_append(path, &err), 0);
	file = file_trial_open(path, &err);
	ck_assert_int_ne(file, -1);
	ck_assert_int_eq(fcntl(file, F_GETFL) & O_NONBLOCK, 0);
}

UNIT_TEST(a_link_may_lead_to_what_is_not_there)
{
	auto_free char *path = in_folder("link"), *other = in_folder("other");
	auto_free char *lost = in_folder("lost"), *round = in_folder("round");
	auto_fd int file = -1;

	ck_assert_int_eq(symlink("other", path), 0);
	ck_assert_int_eq(file_trial_append(path, &err), 0);
	ck_assert_int_eq(access(other, F_OK), -1);
	file = file_trial_open(path, &err);
	ck_assert_int_ne(file, -1);
	ck_assert_int_eq(access(other, F_OK), 0);
	ck_assert_int_eq(symlink("/nowhere/log", lost), 0);
	is_refused(lost, "No such file or directory");
	ck_assert_int_eq(symlink("round", round), 0);
	is_refused(round, "Too many levels of symbolic links");
}

/* Where the folder is ours, and no file can be made all the same. */
UNIT_TEST(unwritable_places_are_reported)
{
	is_refused("/proc/test_file_trial", "open /proc/test_file_trial: ");
}

UNIT_TEST(impossible_paths_are_reported)
{
	auto_free char *deep = in_folder("nowhere/log");

	is_refused(deep, "No such file or directory");
	is_refused(folder, "Is a directory");
	is_refused("/proc/version/log", "Not a directory");
}

UNIT_TEST(places_that_others_write_to_are_reported)
{
	auto_free char *path = in_folder("log");

	if (geteuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
	else
		ck_assert_int_eq(chmod(folder, 0500), 0);
	is_refused(path, "Permission denied");
	ck_assert_int_eq(seteuid(getuid()), 0);
	chmod(folder, 0700);
}
