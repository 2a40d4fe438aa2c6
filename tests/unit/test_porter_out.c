/*
 * Tests of the real caisson-porter, its argument: what it offers of a directory
 * that code could write to.
 */
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "porter_play.h"

#define NAME_50 "12345678901234567890123456789012345678901234567890"

START_TEST(an_empty_directory_is_no_fault)
{
	carry_out();
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

static const char *const names[] = { "plain", "with spaces ", "-rf", "--",
	"...", ".hidden", "gr\xc3\xbc\xc3\x9f" "e \xe2\x9c\x93", "new\nline",
	"\x1b[31m", "not \xff UTF-8", "a\\b", "%s%n", "in", "CON",
	NAME_50 NAME_50 NAME_50 NAME_50 NAME_50 "12345" };

/* Which of them can be kept is not for a porter to judge. */
START_TEST(offers_files_of_any_name)
{
	const char *name = names[_i];

	write_file(name, "some text");
	carry_out();
	expect_offer(name, "some text");
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

static void
make_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address,
	    sizeof(address)), 0);
}

START_TEST(leaves_what_is_no_file)
{
	write_file("a file", "1");
	ck_assert_int_eq(mkdir("b folder", 0755), 0);
	write_file("b folder/not looked at", "2");
	ck_assert_int_eq(mkfifo("c fifo", 0666), 0);
	make_socket("d socket");
	ck_assert_int_eq(symlink("a file", "e link"), 0);
	ck_assert_int_eq(symlink("/etc/passwd", "f link out"), 0);
	ck_assert_int_eq(symlink("nowhere", "g link nowhere"), 0);
	ck_assert_int_eq(symlink(".", "h link to a folder"), 0);
	write_file("i linked", "3");
	ck_assert_int_eq(link("i linked", "j linked"), 0);
	carry_out();
	expect_offer("a file", "1");
	expect_leave("b folder", FILE_FAULT_DIRECTORY);
	expect_leave("c fifo", FILE_FAULT_FIFO);
	expect_leave("d socket", FILE_FAULT_SOCKET);
	expect_leave("e link", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("f link out", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("g link nowhere", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("h link to a folder", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("i linked", FILE_FAULT_LINKED);
	expect_leave("j linked", FILE_FAULT_LINKED);
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

START_TEST(leaves_devices)
{
	if (mknod("device", S_IFCHR | 0666, makedev(1, 3)) == -1) {
		unit_skip("no device can be made here");
		return;
	}
	carry_out();
	expect_leave("device", FILE_FAULT_DEVICE);
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

START_TEST(leaves_what_cannot_be_read)
{
	if (geteuid() == 0) {
		unit_skip("root reads everything");
		return;
	}
	write_file("secret", "1");
	ck_assert_int_eq(chmod("secret", 0), 0);
	write_file("shown", "2");
	carry_out();
	expect_leave("secret", FILE_FAULT_UNREADABLE);
	expect_offer("shown", "2");
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

START_TEST(a_directory_that_cannot_be_read_is_reported)
{
	if (geteuid() == 0) {
		unit_skip("root reads everything");
		return;
	}
	start();
	ck_assert_int_eq(chmod(".", 0100), 0);
	begin_out();
	expect_carried(FILE_FAULT_UNREADABLE, 0);
	ck_assert_int_eq(chmod(".", 0700), 0);
}
END_TEST

/* The first by name are offered, whatever the order they were made in. */
START_TEST(many_are_counted)
{
	static const int counts[] = { 100, 101, 3000 };
	int count = counts[_i];
	char name[20];
	int n;

	for (n = 0; n < count; n++) {
		/* 7919 is a prime: all of them, mixed. */
		snprintf(name, sizeof(name), "%05d", n * 7919 % count);
		write_file(name, name);
	}
	carry_out();
	for (n = 0; n < FILES_LEFT_MAX; n++) {
		snprintf(name, sizeof(name), "%05d", n);
		expect_offer(name, name);
	}
	expect_carried(FILE_FAULT_NONE, (uint64_t)(count - FILES_LEFT_MAX));
}
END_TEST

/* A box's file system, whose mount namespace is gone. */
START_TEST(reads_a_file_system_that_is_nowhere)
{
	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	ck_assert_int_eq(chdir(folder), 0);
	write_file("x", "still there");
	ck_assert_int_eq(mkdir("sub", 0700), 0);
	start();
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(folder);
	begin_out();
	expect_leave("sub", FILE_FAULT_DIRECTORY);
	expect_offer("x", "still there");
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

/* What is mounted there, as by a program of the same user, is not entered. */
START_TEST(enters_no_other_file_system)
{
	write_file("x", "below");
	if (small_disk_unshare() == -1 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("/etc/passwd", "x", NULL, MS_BIND, NULL) == -1) {
		unit_skip("nothing can be mounted here");
		return;
	}
	carry_out();
	expect_leave("x", FILE_FAULT_UNREADABLE);
	expect_carried(FILE_FAULT_NONE, 0);
	ck_assert_int_eq(umount2("x", MNT_DETACH), 0);
}
END_TEST

START_TEST(takes_no_files_where_it_carries_out)
{
	carry_out();
	put("a", "1", 1, 0);
	expect_exit(70);
	ck_assert_int_eq(access("in", F_OK), -1);
}
END_TEST

START_TEST(is_reported_once)
{
	carry_out();
	send_to(supervisor, IPC_CARRY_OUT, &(struct ipc_carry_out){
	    .folder = open(".", O_RDONLY | O_DIRECTORY),
	    .files = make_pair(&(int){ -1 }) });
	expect_exit(70);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, an_empty_directory_is_no_fault);
	tcase_add_loop_test(
	    tc, offers_files_of_any_name, 0, UNIT_COUNT(names));
	tcase_add_test(tc, leaves_what_is_no_file);
	tcase_add_test(tc, leaves_devices);
	tcase_add_test(tc, leaves_what_cannot_be_read);
	tcase_add_test(tc, a_directory_that_cannot_be_read_is_reported);
	tcase_add_loop_test(tc, many_are_counted, 0, 3);
	tcase_add_test(tc, reads_a_file_system_that_is_nowhere);
	tcase_add_test(tc, enters_no_other_file_system);
	tcase_add_test(tc, takes_no_files_where_it_carries_out);
	tcase_add_test(tc, is_reported_once);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		program = realpath(argv[1], NULL);
	return unit_run("porter_out", add_tests);
}
