/*
 * Tests of the real caisson-files, its argument, with files of a conversation:
 * a box has all of them, what it leaves is what there is afterwards, and they
 * stay as long as they are used.
 */
#include "files_play.h"
#include "worker/files/directory.h"

#define TALK "me\nid"
#define DAY (24 * 60 * 60)
/* A list in a literal: the last NUL is the string's own. */
#define MIRROR(had) mirror(had, sizeof(had))

static struct play play;

/* Gives all of them to a box. Returns the porter's end. */
static int
restore(const char *owner)
{
	struct ipc_deliver msg = { .task = 9, .owner = owner };
	int porter = play_pair(&msg.porter);

	play_send(play.supervisor, IPC_DELIVER, &msg);
	return porter;
}

/* Collects what a box has that was given these: names and versions. */
static int
mirror(const char *had, size_t len)
{
	struct ipc_collect msg = { .task = 8,
		.owner = TALK,
		.had = { (const uint8_t *)had, len, -1 } };
	int porter = play_pair(&msg.porter);

	play_send(play.supervisor, IPC_COLLECT, &msg);
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
	ipc_message_close(IPC_PUT, &play_msg);
}

START_TEST(a_box_has_all_of_them)
{
	int porter;

	play_start(&play);
	play_keep(&play, TALK, "b", "old", 1);
	play_keep(&play, TALK, "b", "new", 2);
	play_keep(&play, TALK, "a", "", 1);
	play_keep(&play, "me", "c", "none of them", 1);
	play_keep(&play, "me\nother", "d", "nor this", 1);
	play_keep(&play, "you\nid", "e", "nor this", 1);
	porter = restore(TALK);
	play_expect_filed(&play, 9, "a", 1, 0);
	ck_assert_str_eq(play_msg.filed.conversation, "id");
	play_expect_filed(&play, 9, "b", 2, 3);
	expect_put(porter, "a", "");
	expect_put(porter, "b", "new");
	ck_assert_int_eq(play_receive(porter), IPC_PUT_ALL);
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_parted(porter);
	play_expect_done(&play, 9, FILE_FAULT_NONE, "", 0);
	porter = restore("me\nnone");
	ck_assert_int_eq(play_receive(porter), IPC_PUT_ALL);
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_done(&play, 9, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	play_end(&play);
}
END_TEST

START_TEST(more_than_fit_are_refused)
{
	char name[16];
	int porter, n;

	play_start(&play);
	for (n = 0; n < FILES_DATA_MAX; n++) {
		snprintf(name, sizeof(name), "%d", n);
		play_keep(&play, TALK, name, "", 1);
	}
	porter = mirror("", 0);
	play_offer(porter, "0", "changed");
	play_offer(porter, "new", "");
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_filed(&play, 8, "0", 2, 7);
	play_expect_left_out(&play, 8, "new", FILE_FAULT_CROWDED);
	play_expect_parted(porter);
	play_expect_done(&play, 8, FILE_FAULT_NONE, "", 0);
	/* These are still given to the next one. */
	porter = restore(TALK);
	for (n = 0; n < FILES_DATA_MAX; n++)
		ck_assert_int_eq(play_receive(play.supervisor), IPC_FILED);
	close(porter);
	play_expect_done(&play, 9, FILE_FAULT_PORTER, "", 0);
	play_keep(&play, TALK, "new", "", 1);
	porter = restore(TALK);
	play_expect_parted(porter);
	play_expect_done(&play, 9, FILE_FAULT_CROWDED, "", 0);
	play_end(&play);
}
END_TEST

START_TEST(only_what_is_new_is_kept)
{
	int porter;

	play_start(&play);
	play_keep(&play, TALK, "changed", "123", 1);
	play_keep(&play, TALK, "longer", "1", 1);
	play_keep(&play, TALK, "same", "still", 1);
	play_keep(&play, TALK, "empty", "", 1);
	play_keep(&play, TALK, "gone", "1", 1);
	play_keep(&play, TALK, "gone", "2", 2);
	play_keep(&play, "me", "gone", "of another", 1);
	porter = MIRROR("changed\0001\0empty\0001\0gone\0002\0longer\0001\0"
	    "same\0001");
	play_offer(porter, "changed", "124");
	play_offer(porter, "empty", "");
	play_offer(porter, "longer", "12");
	play_offer(porter, "new", "new");
	play_offer(porter, "same", "still");
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_parted(porter);
	play_expect_filed(&play, 8, "changed", 2, 3);
	play_expect_filed(&play, 8, "longer", 2, 2);
	play_expect_filed(&play, 8, "new", 1, 3);
	play_expect_done(&play, 8, FILE_FAULT_NONE, "", 0);
	play_expect_text(&play, TALK, "same", 1, "still");
	play_expect_unknown(&play, TALK, "gone", 0);
	play_expect_text(&play, "me", "gone", 1, "of another");
	/* Links to what is gone stay unique. */
	play_keep(&play, TALK, "gone", "again", 3);
	play_end(&play);
}
END_TEST

/*
 * Where it is unknown what the box has, and of files that came after it was
 * given its own.
 */
START_TEST(nothing_else_is_removed)
{
	int porter;

	play_start(&play);
	play_keep(&play, TALK, "a", "1", 1);
	porter = _i == 0 ? mirror("", 0) : MIRROR("a\0001");
	if (_i == 2)
		play_leave(porter, "a", FILE_FAULT_DIRECTORY);
	if (_i == 1)
		close(porter);
	else
		play_carried(porter, _i == 3, _i == 4 ?
		    FILE_FAULT_UNREADABLE : FILE_FAULT_NONE);
	if (_i == 2)
		play_expect_left_out(&play, 8, "a", FILE_FAULT_DIRECTORY);
	play_expect_done(&play, 8, _i == 1 ? FILE_FAULT_PORTER :
	    _i == 4 ? FILE_FAULT_UNREADABLE : FILE_FAULT_NONE, "", _i == 3);
	if (_i != 1)
		play_expect_parted(porter);
	play_expect_text(&play, TALK, "a", 1, "1");
	play_end(&play);
}
END_TEST

/* Another program with the same directory has a call of it at the same time. */
START_TEST(changes_of_others_stay)
{
	int porter;

	play_start(&play);
	play_keep(&play, TALK, "left", "1", 1);
	play_keep(&play, TALK, "left", "2", 2);
	play_keep(&play, TALK, "gone", "1", 1);
	play_keep(&play, TALK, "gone", "2", 2);
	play_keep(&play, TALK, "both", "1", 1);
	play_keep(&play, TALK, "both", "2", 2);
	porter = MIRROR("left\0001\0gone\0001\0both\0001");
	play_offer(porter, "both", "3");
	play_offer(porter, "left", "1");
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_filed(&play, 8, "both", 3, 1);
	play_expect_parted(porter);
	play_expect_done(&play, 8, FILE_FAULT_NONE, "", 0);
	play_expect_text(&play, TALK, "left", 2, "2");
	play_expect_text(&play, TALK, "gone", 2, "2");
	play_end(&play);
}
END_TEST

/* Its content may be in the file that cannot be kept. */
START_TEST(what_was_moved_is_not_lost)
{
	auto_free char *text = mem_alloc(FILES_MAX_MIN);
	int porter;

	memset(text, 'x', FILES_MAX_MIN - 1);
	play_start_for(&play, 2 * FILES_MAX_MIN, FILES_DAYS_MAX);
	play_keep(&play, TALK, "a", text, 1);
	porter = MIRROR("a\0001");
	if (_i == 0)
		play_offer(porter, "b", text);
	else
		play_leave(porter, "b", FILE_FAULT_DIRECTORY);
	play_carried(porter, 0, FILE_FAULT_NONE);
	play_expect_left_out(&play, 8, "b",
	    _i == 0 ? FILE_FAULT_SHARE : FILE_FAULT_DIRECTORY);
	play_expect_left_out(&play, 8, "a", FILE_FAULT_STAYS);
	play_expect_parted(porter);
	play_expect_done(&play, 8, FILE_FAULT_NONE, "", 0);
	play_expect_text(&play, TALK, "a", 1, text);
	play_end(&play);
}
END_TEST

/* A file larger than the pieces in which files are compared. */
START_TEST(large_files_are_compared)
{
	size_t len = 5 * FILE_PIECE / 2;
	auto_free char *data = mem_alloc(len + 1);
	int porter;

	play_start(&play);
	memset(data, 'x', len);
	play_keep(&play, TALK, "a", data, 1);
	data[len - 1] = _i == 0 ? 'x' : 'y';
	porter = MIRROR("a\0001");
	play_offer(porter, "a", data);
	play_carried(porter, 0, FILE_FAULT_NONE);
	if (_i == 1)
		play_expect_filed(&play, 8, "a", 2, len);
	play_expect_done(&play, 8, FILE_FAULT_NONE, "", 0);
	play_expect_parted(porter);
	play_end(&play);
}
END_TEST

/* Sets when a file was used. */
static void
use(const char *id, time_t when)
{
	const struct timespec times[2] = { { .tv_sec = when },
		{ .tv_sec = when } };
	auto_free char *path = play_path(id);

	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(those_in_use_stay)
{
	struct head head = { .version = 1,
		.since = (uint64_t)time(NULL) - 3 * DAY,
		.size = 3,
		.owner = TALK,
		.name = "a",
		.type = "text/plain" };
	int porter;

	play_forge("0000000000000001", &head, "old");
	use("0000000000000001", time(NULL) - DAY);
	play_start_for(&play, FILES_MAX_MAX, 2);
	play_expect_text(&play, TALK, "a", 1, "old");
	/* A call uses it for two more days. */
	porter = restore(TALK);
	play_expect_filed(&play, 9, "a", 1, 3);
	expect_put(porter, "a", "old");
	close(porter);
	play_expect_done(&play, 9, FILE_FAULT_PORTER, "", 0);
	play_end(&play);
	play_start_for(&play, FILES_MAX_MAX, 1);
	play_expect_text(&play, TALK, "a", 1, "old");
	use("0000000000000001", time(NULL) - DAY - 1);
	play_expect_unknown(&play, TALK, "a", 0);
	play_end(&play);
}
END_TEST

START_TEST(a_list_has_them_if_asked)
{
	struct ipc_list_files list = { .task = 2,
		.owner = "me",
		.versions = 1,
		.all = 1 };
	struct ipc_remove_files remove = { .task = 4,
		.owner = "me",
		.name = play_bytes(""),
		.all = 1 };

	play_start(&play);
	play_keep(&play, TALK, "b", "1", 1);
	play_keep(&play, "me", "c", "1", 1);
	play_keep(&play, "mean\nid", "a", "1", 1);
	play_list(&play, "me", 1);
	play_expect_filed(&play, 2, "c", 1, 1);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_send(play.supervisor, IPC_LIST_FILES, &list);
	play_expect_filed(&play, 2, "c", 1, 1);
	play_expect_filed(&play, 2, "b", 1, 1);
	ck_assert_str_eq(play_msg.filed.conversation, "id");
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_send(play.supervisor, IPC_REMOVE_FILES, &remove);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 2);
	play_expect_none(&play, TALK);
	play_expect_text(&play, "mean\nid", "a", 1, "1");
	play_end(&play);
}
END_TEST

/*
 * The oldest earlier versions give way, but only those of the same owner, and
 * only to a file for which they make room.
 */
START_TEST(earlier_versions_give_way)
{
	auto_free char *text = mem_alloc(FILES_MAX_MIN / 4 + 1);
	auto_free char *large = NULL;

	memset(text, 'x', FILES_MAX_MIN / 4);
	play_start_for(&play, 2 * FILES_MAX_MIN, FILES_DAYS_MAX);
	play_keep(&play, "you\nid", "a", "1", 1);
	play_keep(&play, "you\nid", "a", "2", 2);
	play_keep(&play, "me", "a", "1", 1);
	play_keep(&play, "me", "a", "2", 2);
	play_keep(&play, TALK, "a", text, 1);
	play_keep(&play, "me\nother", "a", text, 1);
	play_keep(&play, TALK, "a", text, 2);
	large = mem_alloc(FILES_MAX_MIN);
	play_add(&play, "me", "b", large, FILES_MAX_MIN);
	play_expect_done(&play, 1, FILE_FAULT_SHARE, "b", 0);
	play_list(&play, "me", 1);
	play_expect_filed(&play, 2, "a", 1, 1);
	play_expect_filed(&play, 2, "a", 2, 1);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_keep(&play, TALK, "a", text, 3);
	play_expect_unknown(&play, "me", "a", 1);
	play_expect_unknown(&play, TALK, "a", 1);
	play_keep(&play, "me", "b", text, 1);
	play_expect_unknown(&play, TALK, "a", 2);
	play_expect_text(&play, TALK, "a", 3, text);
	play_expect_text(&play, "me\nother", "a", 1, text);
	/* No more can: these are the newest. */
	play_add(&play, TALK, "a", text, strlen(text));
	play_expect_done(&play, 1, FILE_FAULT_SHARE, "a", 0);
	play_list(&play, "me", 1);
	play_expect_filed(&play, 2, "a", 2, 1);
	play_expect_filed(&play, 2, "b", 1, strlen(text));
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_list(&play, "you\nid", 1);
	play_expect_filed(&play, 2, "a", 1, 1);
	play_expect_filed(&play, 2, "a", 2, 1);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_end(&play);
}
END_TEST

/* As many calls as there may be files. */
START_TEST(a_conversation_goes_on)
{
	struct head head = { .since = (uint64_t)time(NULL) - DAY,
		.size = 1,
		.owner = TALK,
		.name = "a",
		.type = "text/plain" };
	char id[DIRECTORY_NAME_SIZE];

	for (head.version = 1; head.version <= FILES_COUNT_MAX;
	     head.version++) {
		snprintf(id, sizeof(id), "%016llx",
		    (unsigned long long)head.version);
		play_forge(id, &head, "1");
		head.since++;
	}
	play_start(&play);
	play_keep(&play, TALK, "a", "1", FILES_COUNT_MAX + 1);
	play_keep(&play, "me", "b", "1", 1);
	play_fetch(&play, TALK, "a", 2);
	play_expect_done(&play, 3, FILE_FAULT_UNKNOWN, "a", 0);
	play_expect_text(&play, TALK, "a", FILES_COUNT_MAX + 1, "1");
	play_end(&play);
}
END_TEST

/* However many conversations there are. */
START_TEST(an_owner_has_one_table_of_versions)
{
	char owner[16];
	int n;

	play_start(&play);
	for (n = 0; n < 20; n++) {
		snprintf(owner, sizeof(owner), "me\n%d", n);
		play_keep(&play, owner, "a", "1", 1);
		play_remove(&play, owner, "a", 0);
		play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	}
	play_keep(&play, "me", "a", "1", 1);
	play_keep(&play, "me\n7", "a", "2", 2);
	ck_assert_uint_eq(play_count("v"), 1);
	play_end(&play);
}
END_TEST

START_TEST(a_list_of_what_it_had_is_checked)
{
	static const struct {
		const char *had;
		size_t len;
	} wrong[] = { { "a", 2 }, { "a\0001", 3 }, { "a\0000", 4 },
		{ "a\0001x", 5 }, { "\0001", 3 }, { "a/b\0001", 6 } };

	play_start(&play);
	close(mirror(wrong[_i].had, wrong[_i].len));
	play_expect_fatal(&play);
}
END_TEST

/* Without names only a conversation can be meant. */
START_TEST(an_owner_without_one_is_refused)
{
	play_start(&play);
	close(restore("me"));
	play_expect_fatal(&play);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_test(tc, a_box_has_all_of_them);
	tcase_add_test(tc, more_than_fit_are_refused);
	tcase_add_test(tc, only_what_is_new_is_kept);
	tcase_add_loop_test(tc, nothing_else_is_removed, 0, 5);
	tcase_add_test(tc, changes_of_others_stay);
	tcase_add_loop_test(tc, what_was_moved_is_not_lost, 0, 2);
	tcase_add_loop_test(tc, large_files_are_compared, 0, 2);
	tcase_add_test(tc, those_in_use_stay);
	tcase_add_test(tc, a_list_has_them_if_asked);
	tcase_add_test(tc, earlier_versions_give_way);
	tcase_add_test(tc, a_conversation_goes_on);
	tcase_add_test(tc, an_owner_has_one_table_of_versions);
	tcase_add_loop_test(tc, a_list_of_what_it_had_is_checked, 0, 6);
	tcase_add_test(tc, an_owner_without_one_is_refused);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("files_conversation", add_tests);
}
