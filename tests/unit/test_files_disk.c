/*
 * Tests of the real caisson-files, its argument, and its directory: a disk that
 * is full, a process that is killed, and several of them in one directory.
 */
#include <limits.h>
#include <sys/inotify.h>
#include <sys/resource.h>

#include "files_slow.h"
#include "small_disk.h"

static struct play play, other;

START_TEST(a_full_disk_costs_one_file)
{
	auto_free char *bytes = mem_alloc(2 * MIB);

	memset(bytes, 'x', 2 * MIB);
	if (!small_disk_make(play_folder, "size=3m,mode=0700"))
		return;
	play_start(&play);
	play_add(&play, "", "a", bytes, MIB);
	play_expect_filed(&play, 1, "a", 1, MIB);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_keep(&play, "", "b", "small", 1);
	if (_i == 0)
		small_disk_fill(play_folder);
	play_add(&play, "", "c", bytes, _i == 0 ? 5 : 2 * MIB);
	play_expect_done(&play, 1, FILE_FAULT_DISK, "c", 0);
	ck_assert_uint_eq(play_count("t"), 0);
	play_expect_text(&play, "", "b", 1, "small");
	/* What is removed makes room, and needs none. */
	play_remove(&play, "", "a", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_keep(&play, "", "c", "now", 1);
	play_end(&play);
	/* Also for a process that starts on a full disk. */
	small_disk_fill(play_folder);
	play_start(&play);
	play_remove(&play, "", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 2);
	play_end(&play);
	small_disk_remove(play_folder);
}
END_TEST

START_TEST(a_limit_on_files_costs_one_file)
{
	struct rlimit limit = { 100 * KIB, 100 * KIB };
	auto_free char *bytes = mem_alloc(MIB);

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	play_start(&play);
	play_keep(&play, "", "a", "small", 1);
	play_add(&play, "", "b", bytes, 90 * KIB);
	play_expect_filed(&play, 1, "b", 1, 90 * KIB);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_add(&play, "", "c", bytes, 100 * KIB);
	play_expect_done(&play, 1, FILE_FAULT_DISK, "c", 0);
	play_expect_text(&play, "", "a", 1, "small");
	ck_assert_uint_eq(play_count("t"), 0);
	play_end(&play);
}
END_TEST

/* It is killed while one file is copied, and others are there. */
START_TEST(acknowledged_files_outlive_a_kill)
{
	int porter, file;

	play_start(&play);
	play_keep(&play, "", "a", "kept", 1);
	porter = slow_collect(&play, &file);
	play_keep(&play, "", "a", "kept, too", 2);
	play_kill(&play);
	close(porter);
	ck_assert_uint_eq(play_count("t"), 1);
	play_start(&play);
	play_expect_text(&play, "", "a", 2, "kept, too");
	play_expect_unknown(&play, "", "endless", 0);
	ck_assert_uint_eq(play_count("t"), 0);
	ck_assert_uint_eq(play_count_kept(), 2);
	play_end(&play);
}
END_TEST

/* Of many kills, at any time: no half of a file is ever there. */
START_TEST(no_kill_leaves_a_half)
{
	auto_free char *bytes = mem_alloc(MIB);
	uint64_t kept = 0;
	int n;

	for (n = 0; n < 20; n++) {
		play_start(&play);
		play_add(&play, "", "x", bytes, MIB);
		play_add(&play, "", "x", bytes, MIB);
		usleep((unsigned int)n * 200);
		while (recv(play.supervisor, &play_packet.data, 1,
		           MSG_DONTWAIT | MSG_PEEK) > 0)
			if (play_receive(play.supervisor) == IPC_FILED)
				kept = play_msg.filed.version;
		play_kill(&play);
		play_start(&play);
		play_fetch(&play, "", "x", 0);
		if (play_receive(play.supervisor) == IPC_FILED) {
			ck_assert_uint_ge(play_msg.filed.version, kept);
			ck_assert_uint_eq(play_msg.filed.size, MIB);
			kept = play_msg.filed.version;
			play_receive(play.supervisor);
			ipc_message_close(IPC_FILE_FETCHED, &play_msg);
		} else {
			ck_assert_uint_eq(kept, 0);
		}
		ck_assert_uint_eq(play_count("t"), 0);
		ck_assert_uint_eq(play_count_kept(), kept);
		play_end(&play);
	}
}
END_TEST

/* A process that is asked to end leaves nothing that is half made. */
START_TEST(an_end_leaves_nothing)
{
	int porter, file;

	play_start(&play);
	porter = slow_collect(&play, &file);
	if (_i == 1) {
		ck_assert_int_eq(kill(play.pid, SIGTERM), 0);
		ck_assert_int_eq(
		    play_receive(play.supervisor), IPC_TYPES);
	}
	play_end(&play);
	close(porter);
	ck_assert_uint_eq(play_count("t"), 0);
}
END_TEST

/* Waits until the folder has one file whose name begins so. */
static void
wait_for_one(const char *start)
{
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];
	auto_fd int changes = inotify_init1(IN_CLOEXEC);

	ck_assert_int_ne(inotify_add_watch(changes, play_folder,
	    IN_CREATE | IN_DELETE | IN_MOVE), -1);
	while (play_count(start) != 1)
		ck_assert_int_gt(read(changes, event, sizeof(event)), 0);
}

START_TEST(what_another_makes_is_left_alone)
{
	int porter, file, theirs;

	play_start(&play);
	porter = slow_collect(&play, &file);
	play_start(&other);
	theirs = play_collect(&other, 1, "");
	play_carried(theirs, 0, FILE_FAULT_NONE);
	play_expect_done(&other, 1, FILE_FAULT_NONE, "", 0);
	close(theirs);
	/* One that was swept before it was locked is made again. */
	wait_for_one("t");
	play_end(&other);
	ck_assert_int_eq(ftruncate(file, 5), 0);
	play_expect_left_out(&play, 5, "endless", FILE_FAULT_CHANGED);
	close(porter);
	play_expect_done(&play, 5, FILE_FAULT_PORTER, "", 0);
	play_end(&play);
}
END_TEST

/* Two processes: each sees what the other one keeps and removes. */
START_TEST(two_share_a_directory)
{
	play_start(&play);
	play_start(&other);
	play_keep(&play, "", "x", "1", 1);
	play_keep(&other, "", "x", "2", 2);
	play_expect_text(&play, "", "x", 2, "2");
	play_remove(&other, "", "x", 2);
	play_expect_done(&other, 4, FILE_FAULT_NONE, "", 1);
	play_expect_text(&play, "", "x", 1, "1");
	play_remove(&play, "", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_expect_none(&other, "");
	play_end(&other);
	play_end(&play);
}
END_TEST

START_TEST(two_give_different_versions)
{
	enum { COUNT = 30 };
	char seen[2 * COUNT + 1] = "";
	int n;

	play_start(&play);
	play_start(&other);
	for (n = 0; n < COUNT; n++) {
		play_add(&play, "", "x", "1", 1);
		play_add(&other, "", "x", "2", 1);
	}
	for (n = 0; n < 4 * COUNT; n++) {
		if (play_receive((n & 1 ? &play : &other)->supervisor) !=
		    IPC_FILED) {
			ck_assert_uint_eq(play_msg.task_done.fault, 0);
			continue;
		}
		ck_assert_uint_le(play_msg.filed.version, 2 * COUNT);
		ck_assert_int_eq(seen[play_msg.filed.version]++, 0);
	}
	play_end(&other);
	play_end(&play);
}
END_TEST

/* Together they keep no more than may be kept. */
START_TEST(two_have_one_quota)
{
	auto_free char *bytes = mem_alloc(MIB);
	struct play *first = &play;
	unsigned int n, kept = 0;

	play_start_for(&play, MIB, 1);
	play_start_for(&other, MIB, 1);
	for (n = 0; n < 8; n++)
		play_add(n & 1 ? &play : &other, "",
		    (char[]){ (char)('a' + n), '\0' }, bytes, MIB / 3);
	for (n = 0; n < 8; n++, first = first == &play ? &other : &play)
		if (play_receive(first->supervisor) == IPC_FILED) {
			kept++;
			play_expect_done(first, 1, FILE_FAULT_NONE, "", 0);
		} else {
			ck_assert_uint_eq(
			    play_msg.task_done.fault, FILE_FAULT_QUOTA);
		}
	ck_assert_uint_eq(kept, 3);
	ck_assert_uint_eq(play_count_kept(), 3);
	play_end(&other);
	play_end(&play);
}
END_TEST

/* A process that has the directory: others wait, and do other things. */
START_TEST(waits_for_another_process)
{
	int lock;

	play_start(&play);
	play_keep(&play, "", "a", "1", 1);
	lock = slow_lock();
	play_add(&play, "", "b", "2", 1);
	play_expect_text(&play, "", "a", 1, "1");
	close(lock);
	play_expect_filed(&play, 1, "b", 1, 1);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	/* A lock that is never released is reported. */
	lock = slow_lock();
	play_add(&play, "", "c", "2", 1);
	play_expect_done(&play, 1, FILE_FAULT_FOLDER, "c", 0);
	close(lock);
	play_keep(&play, "", "c", "3", 1);
	play_end(&play);
}
END_TEST

/* It is waited for once for all files of a task, and not for those behind. */
START_TEST(many_files_wait_for_another_process_once)
{
	int porter, lock, n;

	play_start(&play);
	lock = slow_lock();
	porter = play_collect(&play, 5, "");
	for (n = 0; n < FILES_LEFT_MAX / 2; n++)
		play_offer(porter, "a", "1");
	for (n = 0; n < FILES_LEFT_MAX / 2; n++)
		play_expect_left_out(&play, 5, "a", FILE_FAULT_FOLDER);
	close(lock);
	for (n = 1; n <= FILES_LEFT_MAX / 2; n++) {
		play_offer(porter, "a", "1");
		play_expect_filed(&play, 5, "a", (uint64_t)n, 1);
	}
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_done(&play, 5, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	play_end(&play);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_loop_test(tc, a_full_disk_costs_one_file, 0, 2);
	tcase_add_test(tc, a_limit_on_files_costs_one_file);
	tcase_add_test(tc, acknowledged_files_outlive_a_kill);
	tcase_add_test(tc, no_kill_leaves_a_half);
	tcase_add_loop_test(tc, an_end_leaves_nothing, 0, 2);
	tcase_add_test(tc, what_another_makes_is_left_alone);
	tcase_add_test(tc, two_share_a_directory);
	tcase_add_test(tc, two_give_different_versions);
	tcase_add_test(tc, two_have_one_quota);
	tcase_add_test(tc, waits_for_another_process);
	tcase_add_test(tc, many_files_wait_for_another_process_once);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("files_disk", add_tests);
}
