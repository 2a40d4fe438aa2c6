/*
 * Tests of the real caisson-files, its argument, with the test as porters that
 * put files into boxes: what they are given is whole, and one that breaks a
 * rule or ends too early costs its own task only.
 */
#include "files_play.h"

static struct play play;

/* Begins to give files: names is a list. Returns the porter's end. */
static int
deliver(const char *owner, const char *list, size_t len)
{
	struct ipc_deliver msg = { .task = 9, .owner = owner,
		.names = { (const uint8_t *)list, len } };
	int porter = play_pair(&msg.porter);

	play_send(play.supervisor, IPC_DELIVER, &msg);
	return porter;
}

static void
expect_put(int porter, const char *name, const char *text)
{
	auto_free char *found = NULL;

	ck_assert_int_eq(play_receive(porter), IPC_PUT);
	ck_assert_str_eq(play_msg.put.name, name);
	found = play_read(play_msg.put.file, play_msg.put.offset);
	ck_assert_str_eq(found, text);
	ck_assert_int_eq(write(play_msg.put.file, "x", 1), -1);
	ipc_message_close(IPC_PUT, &play_msg);
}

START_TEST(gives_the_newest)
{
	int porter;

	play_start(&play);
	play_keep(&play, "me", "a", "old", 1);
	play_keep(&play, "me", "a", "new", 2);
	play_keep(&play, "me", "b", "", 1);
	porter = deliver("me", "b\0a", 4);
	play_expect_filed(&play, 9, "b", 1, 0);
	play_expect_filed(&play, 9, "a", 2, 3);
	expect_put(porter, "b", "");
	expect_put(porter, "a", "new");
	ck_assert_int_eq(play_receive(porter), IPC_PUT_ALL);
	if (_i == 1)
		play_leave(porter, "a", FILE_FAULT_TAKEN);
	play_carried(porter, 0, _i == 2 ? FILE_FAULT_ROOM : FILE_FAULT_NONE);
	play_expect_parted(porter);
	if (_i == 1)
		play_expect_left_out(&play, 9, "a", FILE_FAULT_TAKEN);
	play_expect_done(&play, 9,
	    _i == 2 ? FILE_FAULT_ROOM : FILE_FAULT_NONE, "", 0);
	play_end(&play);
}
END_TEST

START_TEST(gives_all_or_none)
{
	int porter;

	play_start(&play);
	play_keep(&play, "me", "a", "1", 1);
	play_keep(&play, "you", "b", "1", 1);
	porter = deliver("me", "a\0b", 4);
	play_expect_parted(porter);
	play_expect_done(&play, 9, FILE_FAULT_UNKNOWN, "b", 0);
	porter = deliver("me", "../a", 5);
	play_expect_parted(porter);
	play_expect_done(&play, 9, FILE_FAULT_UNKNOWN, "../a", 0);
	play_end(&play);
}
END_TEST

/* How a porter that was taken over may behave. */
static void
misbehave_in(int porter, int how)
{
	switch (how) {
	case 0:
		ck_assert_int_eq(send(porter, "nonsense", 8, 0), 8);
		break;
	case 1:
		break;
	case 2:
		play_offer(porter, "a", "mine");
		break;
	case 3:
		play_leave(porter, "other", FILE_FAULT_TAKEN);
		break;
	case 4:
		play_leave(porter, "a", FILE_FAULT_QUOTA);
		break;
	case 5:
		play_carried(porter, 1, FILE_FAULT_NONE);
		break;
	default:
		play_carried(porter, 0, FILE_FAULT_UNKNOWN);
	}
}

START_TEST(a_bad_porter_is_given_no_more)
{
	int porter;

	play_start(&play);
	play_keep(&play, "", "a", "1", 1);
	porter = deliver("", "a", 2);
	play_expect_filed(&play, 9, "a", 1, 1);
	misbehave_in(porter, _i);
	if (_i == 1)
		close(porter);
	play_expect_done(&play, 9, FILE_FAULT_PORTER, "", 0);
	if (_i != 1)
		close(porter);
	play_expect_text(&play, "", "a", 1, "1");
	play_end(&play);
}
END_TEST

/* A file that the box was given can be removed meanwhile. */
START_TEST(what_was_given_stays)
{
	int porter;

	play_start(&play);
	play_keep(&play, "", "a", "still", 1);
	porter = deliver("", "a", 2);
	play_expect_filed(&play, 9, "a", 1, 5);
	play_remove(&play, "", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	expect_put(porter, "a", "still");
	ck_assert_int_eq(play_receive(porter), IPC_PUT_ALL);
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_done(&play, 9, FILE_FAULT_NONE, "", 0);
	close(porter);
	play_end(&play);
}
END_TEST

/* How many descriptors it has open, which only root may see; else 0. */
static int
count_descriptors(void)
{
	auto_free char *path = mem_printf("/proc/%d/fd", (int)play.pid);
	DIR *dir = opendir(path);
	int count = 0;

	while (dir != NULL && readdir(dir) != NULL)
		count++;
	if (dir != NULL)
		closedir(dir);
	return count;
}

/* Tasks that end well and tasks that do not: nothing of them stays open. */
START_TEST(holds_nothing_of_old_tasks)
{
	int count = 0;
	int n, porter;

	play_start(&play);
	for (n = 0; n < 20; n++) {
		porter = play_collect(&play, 1, "");
		play_offer(porter, "a", "1");
		play_offer(porter, "/", "2");
		if (n % 2 == 0)
			play_carried(porter, 0, FILE_FAULT_NONE);
		close(porter);
		play_expect_filed(&play, 1, "a", (uint64_t)n + 1, 1);
		play_expect_left_out(&play, 1, "/", FILE_FAULT_NAME);
		ck_assert_int_eq(
		    play_receive(play.supervisor), IPC_TASK_DONE);
		close(deliver("", "a\0b", 4));
		play_expect_done(&play, 9, FILE_FAULT_UNKNOWN, "b", 0);
		porter = deliver("", "a", 2);
		play_expect_filed(&play, 9, "a", (uint64_t)n + 1, 1);
		close(porter);
		play_expect_done(&play, 9, FILE_FAULT_PORTER, "", 0);
		play_expect_text(&play, "", "a", (uint64_t)n + 1, "1");
		if (n == 0)
			count = count_descriptors();
	}
	ck_assert_int_eq(count_descriptors(), count);
	play_end(&play);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_loop_test(tc, gives_the_newest, 0, 3);
	tcase_add_test(tc, gives_all_or_none);
	tcase_add_loop_test(tc, a_bad_porter_is_given_no_more, 0, 7);
	tcase_add_test(tc, what_was_given_stays);
	tcase_add_test(tc, holds_nothing_of_old_tasks);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("files_deliver", add_tests);
}
