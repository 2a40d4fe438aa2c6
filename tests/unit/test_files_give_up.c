/*
 * Tests of the real caisson-files, its argument, with tasks that the supervisor
 * gives up: it is answered at once, what was kept stays, and nothing else does.
 */
#include "files_slow.h"

static struct play play;

static void
give_up(uint64_t task)
{
	struct ipc_give_up msg = { .task = task };

	play_send(play.supervisor, IPC_GIVE_UP, &msg);
}

/* Of the task and of the file that was copied nothing is left. */
static void
expect_given_up(uint64_t task)
{
	play_expect_done(&play, task, FILE_FAULT_PORTER, "", 0);
	ck_assert_uint_eq(play_count("t"), 0);
}

START_TEST(a_copy_ends)
{
	int porter, file;

	play_start(&play);
	porter = play_collect(&play, 5, "");
	play_offer(porter, "a", "kept");
	play_expect_filed(&play, 5, "a", 1, 4);
	slow_offer(porter, &file);
	/* These wait behind it; the porter has sent CARRIED, or not yet. */
	play_offer(porter, "b", "not looked at");
	play_leave(porter, "c", FILE_FAULT_FIFO);
	if (_i == 1)
		play_carried(porter, 3, FILE_FAULT_NONE);
	play_expect_text(&play, "", "a", 1, "kept");
	give_up(5);
	expect_given_up(5);
	play_expect_parted(porter);
	play_list(&play, "", 1);
	play_expect_filed(&play, 2, "a", 1, 4);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	close(file);
	play_end(&play);
}
END_TEST

/* Its reservation of the quota is free when TASK_DONE arrives. */
START_TEST(its_room_is_free)
{
	int porter, file;

	play_start_for(&play, 1000 * GIB, 1);
	porter = slow_collect(&play, &file);
	play_add(&play, "", "x", "1", 1);
	play_expect_done(&play, 1, FILE_FAULT_QUOTA, "x", 0);
	give_up(5);
	expect_given_up(5);
	play_expect_parted(porter);
	play_keep(&play, "", "x", "1", 1);
	close(file);
	play_end(&play);
}
END_TEST

/* A porter that has offered nothing yet, and one that was given files. */
START_TEST(a_porter_that_is_waited_for_is_parted)
{
	struct ipc_deliver deliver = { .task = 6, .owner = "",
		.names = { (const uint8_t *)"a", 2 } };
	int porter;

	play_start(&play);
	play_keep(&play, "", "a", "1", 1);
	if (_i == 0) {
		porter = play_collect(&play, 6, "");
	} else {
		porter = play_pair(&deliver.porter);
		play_send(play.supervisor, IPC_DELIVER, &deliver);
		play_expect_filed(&play, 6, "a", 1, 1);
		ck_assert_int_eq(play_receive(porter), IPC_PUT);
		ipc_message_close(IPC_PUT, &play_msg);
		ck_assert_int_eq(play_receive(porter), IPC_PUT_ALL);
	}
	give_up(6);
	expect_given_up(6);
	play_expect_parted(porter);
	play_end(&play);
}
END_TEST

/* One that waits for another process of the same user. */
START_TEST(a_file_that_is_added_is_dropped)
{
	int lock;

	play_start(&play);
	play_keep(&play, "", "a", "1", 1);
	lock = slow_lock();
	play_add(&play, "", "b", "2", 1);
	give_up(1);
	expect_given_up(1);
	close(lock);
	play_expect_unknown(&play, "", "b", 0);
	play_end(&play);
}
END_TEST

/* One that has ended, and one that never was: the one that runs goes on. */
START_TEST(a_task_that_there_is_not_is_ignored)
{
	int porter;

	play_start(&play);
	porter = play_collect(&play, 5, "");
	play_offer(porter, "a", "1");
	play_carried(porter, 2, FILE_FAULT_NONE);
	play_expect_filed(&play, 5, "a", 1, 1);
	play_expect_done(&play, 5, FILE_FAULT_NONE, "", 2);
	play_expect_parted(porter);
	porter = play_collect(&play, 7, "");
	give_up(5);
	give_up(6);
	play_offer(porter, "a", "2");
	play_expect_filed(&play, 7, "a", 2, 1);
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_done(&play, 7, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	play_expect_text(&play, "", "a", 2, "2");
	play_end(&play);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_loop_test(tc, a_copy_ends, 0, 2);
	tcase_add_test(tc, its_room_is_free);
	tcase_add_loop_test(
	    tc, a_porter_that_is_waited_for_is_parted, 0, 2);
	tcase_add_test(tc, a_file_that_is_added_is_dropped);
	tcase_add_test(tc, a_task_that_there_is_not_is_ignored);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("files_give_up", add_tests);
}
