/*
 * Tests of the real caisson-porter, its argument: the files that it puts into a
 * directory of a box, and its end.
 */
#include "porter_play.h"

static void
put_all(void)
{
	send_to(files, IPC_PUT_ALL, &(struct ipc_put_all){ 0 });
}

static void
expect_file(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char found[100] = "";
	struct stat st;

	ck_assert_msg(fd != -1, "%s: %s", path, strerror(errno));
	ck_assert_int_eq(
	    read(fd, found, sizeof(found)), (ssize_t)strlen(text));
	ck_assert_str_eq(found, text);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFREG | 0644);
}

START_TEST(puts_files_into_a_folder)
{
	struct stat st;

	umask(077);
	carry_in();
	put("a", "xxxhello", 8, 3);
	put("b with space", "", 0, 0);
	put("-c", "1", 1, 1);
	put_all();
	expect_carried(FILE_FAULT_NONE, 0);
	expect_file("in/a", "hello");
	expect_file("in/b with space", "");
	expect_file("in/-c", "");
	ck_assert_int_eq(stat("in", &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFDIR | 0755);
}
END_TEST

START_TEST(puts_large_files)
{
	size_t len = 5 * MIB + 3;
	auto_free char *bytes = mem_alloc(len);
	auto_free char *found = mem_alloc(len);
	auto_fd int fd = -1;

	memset(bytes, 'x', len);
	carry_in();
	put("large", bytes, len, 0);
	put_all();
	expect_carried(FILE_FAULT_NONE, 0);
	fd = open("in/large", O_RDONLY);
	ck_assert_int_eq(read(fd, found, len), (ssize_t)len);
	ck_assert_mem_eq(found, bytes, len);
	ck_assert_int_eq(read(fd, found, 1), 0);
}
END_TEST

/* A file gives way to one that is asked for again, a directory does not. */
START_TEST(a_name_that_is_taken)
{
	ck_assert_int_eq(mkdir("in", 0700), 0);
	ck_assert_int_eq(mkdir("in/a", 0700), 0);
	ck_assert_int_eq(symlink("c", "in/b"), 0);
	carry_in();
	put("a", "first", 5, 0);
	put("b", "second", 6, 0);
	put("b", "third", 5, 0);
	put_all();
	expect_leave("a", FILE_FAULT_TAKEN);
	expect_carried(FILE_FAULT_NONE, 0);
	expect_file("in/b", "third");
	ck_assert_int_eq(access("in/c", F_OK), -1);
}
END_TEST

/* Nothing is put where something is that another made: also a link. */
START_TEST(a_folder_that_is_taken_is_reported)
{
	ck_assert_int_eq(mkdir("elsewhere", 0700), 0);
	if (_i == 0)
		ck_assert_int_eq(mknod("in", S_IFREG | 0600, 0), 0);
	else
		ck_assert_int_eq(symlink("elsewhere", "in"), 0);
	carry_in();
	put("a", "1", 1, 0);
	put("b", "2", 1, 0);
	put_all();
	expect_carried(FILE_FAULT_TAKEN, 0);
	ck_assert_int_eq(access("in/a", F_OK), -1);
	ck_assert_int_eq(access("elsewhere/a", F_OK), -1);
}
END_TEST

START_TEST(what_has_no_room_leaves_nothing)
{
	auto_free char *bytes = mem_alloc(2 * MIB);

	memset(bytes, 'x', 2 * MIB);
	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	ck_assert_int_eq(chdir(folder), 0);
	carry_in();
	put("a", bytes, 2 * MIB, 0);
	put("b", "small", 5, 0);
	put_all();
	expect_leave("a", FILE_FAULT_ROOM);
	expect_carried(FILE_FAULT_NONE, 0);
	ck_assert_int_eq(access("in/a", F_OK), -1);
	expect_file("in/b", "small");
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(folder);
}
END_TEST

START_TEST(holes_take_no_room)
{
	size_t len = 3 * MIB + (size_t)_i;
	auto_free char *bytes = mem_alloc(len);
	auto_free char *found = mem_alloc(len);
	auto_fd int fd = -1;

	bytes[0] = bytes[2 * MIB - 1] = 'x';
	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	ck_assert_int_eq(chdir(folder), 0);
	carry_in();
	put("a", bytes, len, 0);
	put_all();
	expect_carried(FILE_FAULT_NONE, 0);
	fd = open("in/a", O_RDONLY);
	ck_assert_int_eq(read(fd, found, len), (ssize_t)len);
	ck_assert_mem_eq(found, bytes, len);
	ck_assert_int_eq(read(fd, found, 1), 0);
	fd_close(&fd);
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(folder);
}
END_TEST

/* Into a box that no path leads to. */
START_TEST(fills_a_file_system_that_is_nowhere)
{
	auto_fd int kept = -1;
	auto_fd int found = -1;

	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	ck_assert_int_eq(chdir(folder), 0);
	start();
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(folder);
	kept = dup(opened);
	begin_in();
	put("a", "1", 1, 0);
	put_all();
	expect_carried(FILE_FAULT_NONE, 0);
	found = openat(kept, "in/a", O_RDONLY);
	ck_assert_int_ne(found, -1);
}
END_TEST

/* Its end */

/* Nothing else on the machine has this name. */
#define OUTSIDE "caisson-test-porter-outside"

static const char *const paths[] = { "../" OUTSIDE, "a/b", "/tmp/" OUTSIDE,
	".", ".." };

START_TEST(ends_when_files_break_the_protocol)
{
	carry_in();
	if (_i < (int)UNIT_COUNT(paths))
		put(paths[_i], "1", 1, 0);
	else
		ck_assert_int_eq(send(files, "nonsense", 8, 0), 8);
	ck_assert_int_eq(receive(files), IPC_TYPES);
	expect_exit(70);
	ck_assert_int_eq(access("/tmp/" OUTSIDE, F_OK), -1);
}
END_TEST

START_TEST(ends_with_either_channel)
{
	if (_i == 2) {
		start();
		close(supervisor);
		expect_exit(0);
		return;
	}
	carry_in();
	close(_i == 0 ? supervisor : files);
	expect_exit(0);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, puts_files_into_a_folder);
	tcase_add_test(tc, puts_large_files);
	tcase_add_test(tc, a_name_that_is_taken);
	tcase_add_loop_test(tc, a_folder_that_is_taken_is_reported, 0, 2);
	tcase_add_test(tc, what_has_no_room_leaves_nothing);
	tcase_add_loop_test(tc, holes_take_no_room, 0, 2);
	tcase_add_test(tc, fills_a_file_system_that_is_nowhere);
	tcase_add_loop_test(tc, ends_when_files_break_the_protocol, 0,
	    UNIT_COUNT(paths) + 1);
	tcase_add_loop_test(tc, ends_with_either_channel, 0, 3);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		program = realpath(argv[1], NULL);
	return unit_run("porter_in", add_tests);
}
