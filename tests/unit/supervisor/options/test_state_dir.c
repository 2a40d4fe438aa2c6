/*
 * Tests of supervisor/options/state_dir: where the state directory is, how it
 * is made, and that one which others could change is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/options/state_dir.h"
#include "tests/unit/unit_folder.h"

static struct options options;
static char *variables[3];
static struct err err;

static void
enter(void)
{
	options.state_dir = (char *)"";
}

static void
leave(void)
{
	free(variables[0]);
	free(variables[1]);
}

static void
expect_path(const char *path)
{
	auto_free char *found = state_dir_path(&options, variables, &err);

	ck_assert_msg(found != NULL, "%s", err.text);
	ck_assert_str_eq(found, path);
}

/* Opens it, and checks that no other user can use the folder. */
static void
expect_opened(const char *path)
{
	auto_fd int fd = state_dir_open(&options, variables, &err);
	struct stat opened, st;

	ck_assert_msg(fd != -1, "%s", err.text);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(fstat(fd, &opened), 0);
	ck_assert_uint_eq(opened.st_ino, st.st_ino);
	ck_assert_uint_eq(st.st_mode, S_IFDIR | S_IRWXU);
}

static void
expect_refused(const char *path, const char *words)
{
	ck_assert_int_eq(state_dir_open(&options, variables, &err), -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, path) != NULL, "%s", err.text);
	ck_assert_ptr_nonnull(strstr(err.text, "CAISSON_STATE_DIR"));
}

UNIT_TEST(the_nearest_place_wins)
{
	variables[0] = mem_strdup("HOME=/home/me");
	expect_path("/home/me/.local/state/caisson");
	variables[1] = mem_strdup("XDG_STATE_HOME=relative");
	expect_path("/home/me/.local/state/caisson");
	free(variables[1]);
	variables[1] = mem_strdup("XDG_STATE_HOME=/var/me");
	expect_path("/var/me/caisson");
	options.state_dir = (char *)"/somewhere";
	expect_path("/somewhere");
}

UNIT_TEST(what_is_missing_is_made)
{
	auto_free char *path = mem_printf("%s/.local/state/caisson", folder);

	variables[0] = mem_printf("HOME=%s", folder);
	expect_opened(path);
	expect_opened(path);
	/* But not made again, when it is away for a while. */
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert(state_dir_may_exist(&options, variables));
	ck_assert(state_dir_may_hold(&options, variables, "files"));
	ck_assert_int_eq(state_dir_try(&options, variables, &err), -1);
	ck_assert_int_eq(state_dir_open(&options, variables, &err), -1);
	ck_assert_msg(strstr(err.text, "was moved or replaced: move it back") !=
	    NULL, "%s", err.text);
	ck_assert_int_eq(access(path, F_OK), -1);
}

UNIT_TEST(others_may_not_write_there)
{
	auto_free char *path = mem_printf("%s/a", folder);

	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(chmod(path, 0770), 0);
	options.state_dir = path;
	expect_refused(path, "can be written by other users: run 'chmod 700'");
	ck_assert_int_eq(chmod(path, 0702), 0);
	expect_refused(path, "can be written by other users");
}

UNIT_TEST(it_must_be_ours)
{
	auto_free char *path = mem_printf("%s/a", folder);

	if (geteuid() != 0) {
		unit_skip("only root can give a folder away");
		return;
	}
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(chown(path, 65534, 65534), 0);
	options.state_dir = path;
	expect_refused(path, "belongs to user 65534, and Caisson runs as");
}

/* Nor what is missing there yet: its owner could have made a link of it. */
UNIT_TESTS(no_home_of_another_user_is_used, 4)
{
	static const char *const names[] = { "HOME", "XDG_STATE_HOME" };
	auto_free char *path = mem_printf("%s/there", folder);
	const char *place = _i < 2 ? folder : path;
	auto_free char *words = mem_printf("%s (%s) belongs to user 65534, "
	    "but Caisson runs as user 0", names[_i % 2], place);

	if (geteuid() != 0) {
		unit_skip("only root can give a folder away");
		return;
	}
	ck_assert_int_eq(chown(folder, 65534, 65534), 0);
	variables[0] = mem_printf("%s=%s", names[_i % 2], place);
	expect_refused(words, "no state directory: ");
	ck_assert_int_eq(access(path, F_OK), -1);
	/* One that is named is used. */
	options.state_dir = path;
	expect_opened(path);
}

/* What is missing below it is no cause. Nobody can make a folder in /sys. */
UNIT_TEST(the_first_fault_is_the_cause)
{
	options.state_dir = (char *)"/sys/none/state";
	expect_refused("/sys/none/state cannot be made", "): /sys/none: ");
	ck_assert_int_ne(err.code, ENOENT);
}

UNIT_FIXTURE(enter, leave)
