/*
 * Tests of the real caisson-files, its argument, with the test as porters that
 * offer files: what they offer is kept in order, and one that breaks a rule or
 * ends too early costs its own task only.
 */
#include <poll.h>
#include <sys/resource.h>

#include "files_play.h"

static struct play play;

START_TEST(keeps_what_is_offered)
{
	int porter;

	play_start(&play);
	porter = play_collect(&play, 7, "me");
	play_offer(porter, "b", "bytes of b");
	play_leave(porter, "folder", FILE_FAULT_DIRECTORY);
	play_offer(porter, "a", "");
	play_offer(porter, "b", "again");
	play_leave(porter, "new\nline", FILE_FAULT_FIFO);
	play_carried(porter, 12, FILE_FAULT_NONE);
	play_expect_parted(porter);
	play_expect_filed(&play, 7, "b", 1, 10);
	play_expect_left_out(&play, 7, "folder", FILE_FAULT_DIRECTORY);
	play_expect_filed(&play, 7, "a", 1, 0);
	play_expect_filed(&play, 7, "b", 2, 5);
	play_expect_left_out(&play, 7, "new\nline", FILE_FAULT_FIFO);
	play_expect_done(&play, 7, FILE_FAULT_NONE, "", 12);
	play_expect_text(&play, "me", "b", 2, "again");
	play_expect_none(&play, "");
	play_end(&play);
}
END_TEST

START_TEST(nothing_is_no_fault)
{
	int porter;

	play_start(&play);
	porter = play_collect(&play, 1, "");
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_parted(porter);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	porter = play_collect(&play, 2, "");
	play_carried(porter, 0, FILE_FAULT_UNREADABLE);
	play_expect_done(&play, 2, FILE_FAULT_UNREADABLE, "", 0);
	play_expect_parted(porter);
	play_end(&play);
}
END_TEST

/* As a porter that was taken over might name them. */
static const char *const bad_names[] = { ".", "..", "/", "a/b", "../x",
	"/etc/passwd", "a\nb", "\x1b]0;x\a", "\x7f", "\xc2\x85", "\xff\xfe",
	"\xc0\xaf" };

START_TEST(names_are_judged)
{
	const char *name = bad_names[_i];
	int porter;

	play_start(&play);
	porter = play_collect(&play, 1, "");
	play_offer(porter, name, "x");
	play_offer(porter, "good", "y");
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_left_out(&play, 1, name, FILE_FAULT_NAME);
	play_expect_filed(&play, 1, "good", 1, 1);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	ck_assert_uint_eq(play_count_kept(), 1);
	play_end(&play);
}
END_TEST

/* Two collections and other tasks at a time. */
START_TEST(tasks_do_not_wait_for_each_other)
{
	int slow, porter;

	play_start(&play);
	slow = play_collect(&play, 1, "a");
	play_offer(slow, "x", "1");
	play_expect_filed(&play, 1, "x", 1, 1);
	porter = play_collect(&play, 2, "a");
	play_offer(porter, "x", "2");
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_filed(&play, 2, "x", 2, 1);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	play_expect_text(&play, "a", "x", 2, "2");
	play_offer(slow, "x", "3");
	play_carried(slow, 0, FILE_FAULT_NONE);
	play_expect_filed(&play, 1, "x", 3, 1);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_expect_parted(slow);
	play_end(&play);
}
END_TEST

/* Several with all that they may leave, and few descriptors for them. */
START_TEST(has_descriptors_for_all)
{
	struct rlimit limit = { 0, 0 };
	rlim_t was;
	int porters[4];
	unsigned int n, done = 0;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	was = limit.rlim_cur;
	limit.rlim_cur = 64;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	play_start(&play);
	limit.rlim_cur = was;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (n = 0; n < 4; n++)
		porters[n] = play_collect(&play, n + 1, "");
	for (n = 0; n < 4 * FILES_LEFT_MAX; n++)
		play_offer(porters[n % 4], "x", "1");
	for (n = 0; n < 4; n++)
		play_carried(porters[n], 0, FILE_FAULT_NONE);
	for (n = 0; n < 4 * (FILES_LEFT_MAX + 1); n++)
		if (play_receive(play.supervisor) == IPC_TASK_DONE) {
			ck_assert_uint_eq(play_msg.task_done.fault, 0);
			done++;
		}
	ck_assert_uint_eq(done, 4);
	ck_assert_uint_eq(play_count_kept(), 4 * FILES_LEFT_MAX);
	play_end(&play);
}
END_TEST

START_TEST(quota_is_met_in_the_middle)
{
	auto_free char *bytes = mem_alloc(2 * MIB);
	int porter;

	play_start_for(&play, MIB, 1);
	porter = play_collect(&play, 1, "");
	play_offer_file(porter, "a", play_file(bytes, MIB / 2));
	play_offer_file(porter, "b", play_file(bytes, MIB / 2 + 1));
	play_offer_file(porter, "c", play_file(bytes, 2 * MIB));
	play_offer_file(porter, "d", play_file(bytes, MIB / 2));
	play_offer_file(porter, "e", play_file(bytes, 1));
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_filed(&play, 1, "a", 1, MIB / 2);
	play_expect_left_out(&play, 1, "b", FILE_FAULT_QUOTA);
	play_expect_left_out(&play, 1, "c", FILE_FAULT_LARGE);
	play_expect_filed(&play, 1, "d", 1, MIB / 2);
	play_expect_left_out(&play, 1, "e", FILE_FAULT_QUOTA);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	ck_assert_uint_eq(play_count("t"), 0);
	play_end(&play);
}
END_TEST

/* How a porter that was taken over, or is not ours, may behave. */
static void
misbehave(int porter, int how)
{
	struct ipc_offer pipe_offer = { .name = play_bytes("p") };
	int n, pipes[2];

	switch (how) {
	case 0:
		ck_assert_int_eq(send(porter, "nonsense", 8, 0), 8);
		break;
	case 1:
		break; /* ends without a word */
	case 2:
		for (n = 0; n < FILES_LEFT_MAX; n++)
			play_leave(porter, "x", FILE_FAULT_SOCKET);
		break;
	case 3:
		play_leave(porter, "x", FILE_FAULT_QUOTA);
		break;
	case 4:
		play_carried(porter, 0, FILE_FAULT_DISK);
		break;
	case 5:
		ck_assert_int_eq(pipe(pipes), 0);
		pipe_offer.file = pipes[0];
		play_try_send(porter, IPC_OFFER, &pipe_offer);
		close(pipes[1]);
		break;
	default:
		pipe_offer.file = open("/dev/null", O_RDONLY);
		play_try_send(porter, IPC_OFFER, &pipe_offer);
	}
}

START_TEST(a_bad_porter_costs_its_task)
{
	int porter, n;

	play_start(&play);
	porter = play_collect(&play, 1, "");
	play_offer(porter, "kept", "all the same");
	misbehave(porter, _i);
	if (_i == 1)
		close(porter);
	play_expect_filed(&play, 1, "kept", 1, 12);
	for (n = 1; _i == 2 && n < FILES_LEFT_MAX; n++)
		play_expect_left_out(&play, 1, "x", FILE_FAULT_SOCKET);
	play_expect_done(&play, 1, FILE_FAULT_PORTER, "", 0);
	if (_i != 1)
		play_expect_parted(porter);
	play_expect_text(&play, "", "kept", 1, "all the same");
	ck_assert_uint_eq(play_count("t"), 0);
	play_end(&play);
}
END_TEST

/* Returns a descriptor for reading it, of a file that has so many bytes. */
static int
make_sparse(int file, off_t size)
{
	auto_free char *path = mem_printf("/proc/self/fd/%d", file);
	int reading = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(ftruncate(file, size), 0);
	return reading;
}

/* So long that the copy is not done before the file is shorter. */
START_TEST(a_file_that_is_cut_is_not_kept)
{
	auto_fd int file = memfd_create("left", MFD_CLOEXEC);
	int porter;

	play_start(&play);
	porter = play_collect(&play, 1, "");
	play_offer_file(porter, "x", make_sparse(file, 1000 * GIB));
	play_carried(porter, 0, FILE_FAULT_NONE);
	while (play_count("t") == 0)
		;
	ck_assert_int_eq(ftruncate(file, 5), 0);
	play_expect_left_out(&play, 1, "x", FILE_FAULT_CHANGED);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	play_expect_none(&play, "");
	ck_assert_uint_eq(play_count("t"), 0);
	play_end(&play);
}
END_TEST

/* A file that is on its way counts already, for others of any owner. */
START_TEST(what_is_being_copied_counts)
{
	auto_fd int first = memfd_create("left", MFD_CLOEXEC);
	auto_fd int second = memfd_create("left", MFD_CLOEXEC);
	int slow, porter;

	play_start_for(&play, 1001 * GIB, 1);
	slow = play_collect(&play, 1, "");
	play_offer_file(slow, "x", make_sparse(first, 1000 * GIB));
	while (play_count("t") == 0)
		;
	porter = play_collect(&play, 2, "b");
	play_offer_file(porter, "y", make_sparse(second, 2 * GIB));
	play_expect_left_out(&play, 2, "y", FILE_FAULT_QUOTA);
	ck_assert_int_eq(ftruncate(first, 5), 0);
	play_expect_left_out(&play, 1, "x", FILE_FAULT_CHANGED);
	ck_assert_int_eq(ftruncate(second, 0), 0);
	play_offer_file(porter, "y", make_sparse(second, 10));
	play_expect_filed(&play, 2, "y", 1, 10);
	close(slow);
	close(porter);
	play_end(&play);
}
END_TEST

/* The one file that is kept. */
static void
look_at_kept(struct stat *st)
{
	DIR *dir = opendir(play_folder);
	struct dirent *entry;

	while ((entry = readdir(dir)) != NULL)
		if (strlen(entry->d_name) == 16)
			ck_assert_int_eq(
			    fstatat(dirfd(dir), entry->d_name, st, 0), 0);
	closedir(dir);
}

/* Zeroes that code has not written take no room: bytes between and behind. */
START_TEST(holes_stay_holes)
{
	auto_fd int file = memfd_create("left", MFD_CLOEXEC);
	auto_free char *wanted = mem_alloc(20 * MIB);
	auto_free char *found = NULL;
	struct stat st;
	int porter;

	strcpy(wanted + 7 * MIB, "in the middle");
	ck_assert_int_eq(pwrite(file, wanted + 7 * MIB, 13, 7 * MIB), 13);
	play_start(&play);
	porter = play_collect(&play, 1, "");
	play_offer_file(porter, "x", make_sparse(file, 20 * MIB));
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_filed(&play, 1, "x", 1, 20 * MIB);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	look_at_kept(&st);
	ck_assert_int_lt(st.st_blocks * 512, 5 * MIB);
	play_fetch(&play, "", "x", 1);
	play_expect_filed(&play, 3, "x", 1, 20 * MIB);
	ck_assert_int_eq(play_receive(play.supervisor), IPC_FILE_FETCHED);
	found = play_read(
	    play_msg.file_fetched.file, play_msg.file_fetched.offset);
	ck_assert_mem_eq(found, wanted, 20 * MIB);
	ipc_message_close(IPC_FILE_FETCHED, &play_msg);
	close(porter);
	play_end(&play);
}
END_TEST

/* The incomplete file in the directory, or -1. */
static int
open_incomplete(void)
{
	DIR *dir = opendir(play_folder);
	struct dirent *entry;
	int fd = -1;

	while (fd == -1 && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] == 't')
			fd = openat(dirfd(dir), entry->d_name,
			    O_RDONLY | O_CLOEXEC);
	closedir(dir);
	return fd;
}

static int
is_modified(int file, const struct timespec *was)
{
	struct stat st;

	ck_assert_int_eq(fstat(file, &st), 0);
	return st.st_mtim.tv_sec != was->tv_sec ||
	    st.st_mtim.tv_nsec != was->tv_nsec;
}

/* Its last piece sets the length of a file with holes. */
static int
is_being_copied(int copy, off_t size)
{
	struct stat st;

	ck_assert_int_eq(fstat(copy, &st), 0);
	return st.st_size < size;
}

/*
 * Offers a file and writes to it until there is an answer: its type. *changed
 * becomes 1 if a write has certainly changed the file while it was copied: the
 * copy had begun before it, and was incomplete after it.
 */
static enum ipc_type
offer_changing(int porter, int *changed)
{
	auto_fd int file = memfd_create("left", MFD_CLOEXEC);
	auto_fd int copy = -1;
	struct pollfd answer = { .fd = play.supervisor, .events = POLLIN };
	int reading = make_sparse(file, 64 * MIB);
	struct stat was;

	*changed = 0;
	ck_assert_int_eq(fstat(file, &was), 0);
	play_offer_file(porter, "x", reading);
	while (poll(&answer, 1, 0) == 0) {
		if (copy == -1 && (copy = open_incomplete()) == -1)
			continue;
		ck_assert_int_eq(pwrite(file, "x", 1, 3), 1);
		if (is_modified(file, &was.st_mtim) &&
		    is_being_copied(copy, was.st_size))
			*changed = 1;
	}
	return play_receive(play.supervisor);
}

/* Written to all the time that it is copied. */
START_TEST(a_file_that_changes_is_not_kept)
{
	unsigned int missed = 0;
	int changed, porter;

	play_start(&play);
	porter = play_collect(&play, 1, "");
	/* The test may have had no processor during a copy: once more. */
	while (offer_changing(porter, &changed) == IPC_FILED) {
		ck_assert_msg(!changed, "a file that changed was kept");
		missed++;
	}
	play_was_left_out(1, "x", FILE_FAULT_CHANGED);
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	ck_assert_uint_eq(play_count_kept(), missed);
	play_end(&play);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_test(tc, keeps_what_is_offered);
	tcase_add_test(tc, nothing_is_no_fault);
	tcase_add_loop_test(tc, names_are_judged, 0, UNIT_COUNT(bad_names));
	tcase_add_test(tc, tasks_do_not_wait_for_each_other);
	tcase_add_test(tc, has_descriptors_for_all);
	tcase_add_test(tc, quota_is_met_in_the_middle);
	tcase_add_loop_test(tc, a_bad_porter_costs_its_task, 0, 7);
	tcase_add_test(tc, a_file_that_is_cut_is_not_kept);
	tcase_add_test(tc, a_file_that_changes_is_not_kept);
	tcase_add_test(tc, what_is_being_copied_counts);
	tcase_add_test(tc, holes_stay_holes);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("files_collect", add_tests);
}
