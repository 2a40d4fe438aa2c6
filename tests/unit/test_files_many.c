/*
 * Tests of the real caisson-files, its argument, with more tasks at once than
 * there are descriptors for, or places in the channel to the supervisor: each
 * is answered, in order. And of a file that is kept and cannot be opened.
 */
#include <sys/resource.h>

#include "files_play.h"

#define MANY 3000
#define FEW_DESCRIPTORS 256

static struct play play;

/* Starts it with few descriptors. */
static void
start_with_few(void)
{
	struct rlimit limit;
	rlim_t was;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	was = limit.rlim_cur;
	limit.rlim_cur = FEW_DESCRIPTORS;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	play_start(&play);
	limit.rlim_cur = was;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void
fetch(uint64_t task, const char *name)
{
	struct ipc_fetch_file msg = { .task = task,
		.owner = "",
		.name = play_bytes(name) };

	play_send(play.supervisor, IPC_FETCH_FILE, &msg);
}

static void
expect_fetched(uint64_t task, const char *name, const char *text)
{
	auto_free char *found = NULL;

	play_expect_filed(&play, task, name, 1, strlen(text));
	ck_assert_int_eq(play_receive(play.supervisor), IPC_FILE_FETCHED);
	ck_assert_uint_eq(play_msg.file_fetched.task, task);
	found = play_read(
	    play_msg.file_fetched.file, play_msg.file_fetched.offset);
	ck_assert_str_eq(found, text);
	ipc_message_close(IPC_FILE_FETCHED, &play_msg);
	play_expect_done(&play, task, FILE_FAULT_NONE, "", 0);
}

/* All are sent before any answer is read. */
START_TEST(all_are_fetched)
{
	uint64_t task;

	start_with_few();
	play_keep(&play, "", "a", "1", 1);
	play_keep(&play, "", "b", "22", 1);
	for (task = 1; task <= MANY; task++)
		fetch(task, task % 2 ? "a" : "b");
	for (task = 1; task <= MANY; task++)
		expect_fetched(task, task % 2 ? "a" : "b",
		    task % 2 ? "1" : "22");
	play_end(&play);
}
END_TEST

/* Lists, faults, and removals between them. */
START_TEST(all_are_answered)
{
	uint64_t n;

	play_start(&play);
	for (n = 1; n <= 20; n++)
		play_keep(&play, "", "a", "1", n);
	for (n = 0; n < MANY / 10; n++) {
		play_list(&play, "", 1);
		play_remove(&play, "", "b", 0);
		fetch(9, "a");
		fetch(8, "c");
	}
	for (n = 0; n < MANY / 10; n++) {
		for (uint64_t version = 1; version <= 20; version++)
			play_expect_filed(&play, 2, "a", version, 1);
		play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
		play_expect_done(&play, 4, FILE_FAULT_UNKNOWN, "b", 0);
		play_expect_filed(&play, 9, "a", 20, 1);
		ck_assert_int_eq(
		    play_receive(play.supervisor), IPC_FILE_FETCHED);
		ipc_message_close(IPC_FILE_FETCHED, &play_msg);
		play_expect_done(&play, 9, FILE_FAULT_NONE, "", 0);
		play_expect_done(&play, 8, FILE_FAULT_UNKNOWN, "c", 0);
	}
	play_end(&play);
}
END_TEST

/* Tasks that end without a turn; it receives them together. */
START_TEST(ends_are_reported_in_their_order)
{
	struct ipc_add_file add = { .owner = "",
		.name = play_bytes("no/name"),
		.content = { (const uint8_t *)"1", 1, -1 } };
	uint64_t task;

	play_start(&play);
	play_keep(&play, "", "a", "1", 1);
	ck_assert_int_eq(kill(play.pid, SIGSTOP), 0);
	for (task = 1; task <= 20; task++) {
		add.task = task;
		play_send(play.supervisor, IPC_ADD_FILE, &add);
	}
	ck_assert_int_eq(kill(play.pid, SIGCONT), 0);
	for (task = 1; task <= 20; task++)
		play_expect_done(
		    &play, task, FILE_FAULT_NAME, "no/name", 0);
	play_end(&play);
}
END_TEST

/* Each of those that are given up is answered once, as done or as not done. */
START_TEST(all_are_given_up)
{
	static char answered[2 * MANY + 1];
	struct ipc_give_up give_up = { 0 };
	uint64_t task;
	unsigned int count = 0;

	start_with_few();
	play_keep(&play, "", "a", "1", 1);
	for (task = 1; task <= 2 * MANY; task++)
		fetch(task, "a");
	for (task = 2 * MANY; task > 0; task--) {
		give_up.task = task;
		play_send(play.supervisor, IPC_GIVE_UP, &give_up);
	}
	while (count < 2 * MANY) {
		switch (play_receive(play.supervisor)) {
		case IPC_FILED:
			break;
		case IPC_FILE_FETCHED:
			ipc_message_close(IPC_FILE_FETCHED, &play_msg);
			break;
		default:
			count++;
			task = play_msg.task_done.task;
			ck_assert_int_eq(answered[task]++, 0);
			if (play_msg.task_done.fault != FILE_FAULT_NONE)
				ck_assert_uint_eq(play_msg.task_done.fault,
				    FILE_FAULT_PORTER);
		}
	}
	play_expect_text(&play, "", "a", 1, "1");
	play_end(&play);
}
END_TEST

/* So many boxes are given as many files as one may be given. */
START_TEST(all_are_delivered)
{
	enum { BOXES = 150 };
	char names[FILES_GIVEN_MAX * 4] = "";
	struct ipc_deliver msg = { .owner = "",
		.names = { (uint8_t *)names, sizeof(names) } };
	int porters[BOXES];
	int n, file;

	play_start(&play);
	for (file = 0; file < FILES_GIVEN_MAX; file++) {
		snprintf(names + (size_t)file * 4, 4, "%03d", file);
		play_keep(&play, "", names + (size_t)file * 4, "1", 1);
	}
	for (n = 0; n < BOXES; n++) {
		msg.task = (uint64_t)n + 1;
		porters[n] = play_pair(&msg.porter);
		play_send(play.supervisor, IPC_DELIVER, &msg);
		close(porters[n]);
	}
	for (n = 0; n < BOXES * (FILES_GIVEN_MAX + 1); n++)
		if (play_receive(play.supervisor) == IPC_TASK_DONE)
			ck_assert_uint_eq(play_msg.task_done.fault,
			    FILE_FAULT_PORTER);
		else
			ck_assert_uint_eq(play_msg.filed.size, 1);
	play_expect_unknown(&play, "", "b", 0);
	play_end(&play);
}
END_TEST

/* Puts something into the place of the only file that is kept. */
static void
spoil_kept(void)
{
	DIR *dir = opendir(play_folder);
	struct dirent *entry;

	while ((entry = readdir(dir)) != NULL) {
		if (strlen(entry->d_name) != 16)
			continue;
		ck_assert_int_eq(unlinkat(dirfd(dir), entry->d_name, 0), 0);
		ck_assert_int_eq(symlinkat("lock", dirfd(dir),
		    entry->d_name), 0);
	}
	closedir(dir);
}

/*
 * One that has been looked at before. It is the fault of the task, which names
 * the file; others go on.
 */
START_TEST(a_file_that_cannot_be_opened_is_reported)
{
	struct ipc_deliver deliver = { .task = 9, .owner = "",
		.names = { (const uint8_t *)"a", 2 } };
	int porter = play_pair(&deliver.porter);

	play_start(&play);
	play_keep(&play, "", "a", "1", 1);
	play_expect_text(&play, "", "a", 1, "1");
	spoil_kept();
	fetch(7, "a");
	play_expect_done(&play, 7, FILE_FAULT_BUSY, "a", 0);
	play_send(play.supervisor, IPC_DELIVER, &deliver);
	play_expect_done(&play, 9, FILE_FAULT_BUSY, "a", 0);
	play_expect_parted(porter);
	play_keep(&play, "", "b", "2", 1);
	play_expect_text(&play, "", "b", 1, "2");
	play_end(&play);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_test(tc, all_are_fetched);
	tcase_add_test(tc, all_are_answered);
	tcase_add_test(tc, ends_are_reported_in_their_order);
	tcase_add_test(tc, all_are_given_up);
	tcase_add_test(tc, all_are_delivered);
	tcase_add_test(tc, a_file_that_cannot_be_opened_is_reported);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("files_many", add_tests);
}
