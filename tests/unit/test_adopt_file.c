/*
 * Tests of supervisor/command/adopt_file: files are replaced as a whole, with
 * their modes and the links that lead to them, and not when they changed.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/mem.h"
#include "supervisor/command/adopt_file.h"
#include "unit.h"

static char folder[] = "/tmp/caisson-test-XXXXXX";

static void
run(const char *command)
{
	ck_assert_msg(system(command) == 0, "%s", command);
}

static void
enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	run("printf old > f");
}

static void
leave(void)
{
	auto_free char *command = mem_printf("rm -rf %s", folder);

	ck_assert_int_eq(chdir("/tmp"), 0);
	run(command);
}

START_TEST(replaces_a_file)
{
	struct adopt_file file;
	struct err err;

	enter();
	run("chmod 640 f; printf left > .f.caisson-new");
	ck_assert_int_eq(adopt_file_read(&file, "f", &err), 0);
	ck_assert_str_eq(file.data.data, "old");
	ck_assert_int_eq(adopt_file_replace(&file, "new!", 4, &err), 0);
	run("test \"$(cat f)\" = 'new!' && test $(stat -c %a f) = 640");
	run("test \"$(ls -A)\" = f");
	adopt_file_reset(&file);
	leave();
}
END_TEST

START_TEST(goes_through_links)
{
	struct adopt_file file;
	struct err err;

	enter();
	run("mkdir d; mv f d/f; ln -s d e; ln -s e/f l; ln -s ../l e/m");
	ck_assert_int_eq(adopt_file_read(&file, "e/m", &err), 0);
	ck_assert_int_eq(adopt_file_replace(&file, "new", 3, &err), 0);
	run("test -L l && test -L d/m && test \"$(cat d/f)\" = new");
	adopt_file_reset(&file);
	leave();
}
END_TEST

/* Whatever happens to it between: it is not written, and nothing is left. */
START_TEST(a_file_that_changed_stays)
{
	static const char *const changes[] = {
		"echo >> f", "mv f g; cp -p g f", "chmod 600 f", "rm f",
		"touch -d 2001-01-01 f", "mv f g; ln -s g f",
	};
	struct adopt_file file;
	struct err err;

	enter();
	ck_assert_int_eq(adopt_file_read(&file, "f", &err), 0);
	run(changes[_i]);
	run("ls -lA --full-time > ../caisson-listed.$PPID");
	ck_assert_int_eq(adopt_file_replace(&file, "new", 3, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "was changed meanwhile"));
	run("ls -lA --full-time | diff ../caisson-listed.$PPID -; "
	    "s=$?; rm ../caisson-listed.$PPID; exit $s");
	adopt_file_reset(&file);
	leave();
}
END_TEST

START_TEST(refuses_hard_links_and_odd_files)
{
	struct adopt_file file;
	struct err err;

	enter();
	run("ln f g; mkfifo p");
	ck_assert_int_eq(adopt_file_read(&file, "f", &err), 0);
	ck_assert_int_eq(adopt_file_replace(&file, "new", 3, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "hard links"));
	adopt_file_reset(&file);
	ck_assert_int_eq(adopt_file_read(&file, "p", &err), -1);
	ck_assert_str_eq(err.text, "is not a regular file");
	adopt_file_reset(&file);
	ck_assert_int_eq(adopt_file_read(&file, "none", &err), -1);
	adopt_file_reset(&file);
	leave();
}
END_TEST

START_TEST(files_of_our_own_are_for_us_alone)
{
	auto_fd int lock = -1;
	struct err err;

	enter();
	ck_assert_int_eq(adopt_file_make_folder("a/b", &err), 0);
	ck_assert_int_eq(adopt_file_make_folder("a/b", &err), 0);
	ck_assert_int_eq(adopt_file_write("a/b/c", "x", 1, &err), 0);
	ck_assert_int_eq(adopt_file_write("a/b/c", "yy", 2, &err), 0);
	run("test \"$(cat a/b/c)\" = yy && test $(stat -c %a a/b/c) = 600 && "
	    "test $(stat -c %a a) = 700 && test \"$(ls -A a/b)\" = c");
	lock = adopt_file_lock("a", &err);
	ck_assert_int_ne(lock, -1);
	ck_assert_int_eq(adopt_file_lock("a", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "another"));
	leave();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, replaces_a_file);
	tcase_add_test(tc, goes_through_links);
	tcase_add_loop_test(tc, a_file_that_changed_stays, 0, 6);
	tcase_add_test(tc, refuses_hard_links_and_odd_files);
	tcase_add_test(tc, files_of_our_own_are_for_us_alone);
}

int
main(void)
{
	return unit_run("adopt_file", add_tests);
}
