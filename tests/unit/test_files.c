/*
 * Tests of the real caisson-files, its argument, behind its real lockdown: what
 * is kept, for which owner and how long, and the answers to the supervisor.
 */
#include "files_play.h"

#define NAME_50 "12345678901234567890123456789012345678901234567890"

static struct play play;

START_TEST(only_its_user_can_read_it)
{
	auto_free char *path = NULL;
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	play_start(&play);
	play_keep(&play, "", "a.txt", "hello", 1);
	play_end(&play);
	dir = opendir(play_folder);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		path = play_path(entry->d_name);
		ck_assert_int_eq(stat(path, &st), 0);
		ck_assert_uint_eq(st.st_mode, S_IFREG | S_IRUSR | S_IWUSR);
		/* Names of users are no names of files. */
		ck_assert_ptr_null(strstr(entry->d_name, "a.txt"));
		free(mem_take(&path));
	}
	closedir(dir);
	ck_assert_uint_eq(play_count_kept(), 1);
	ck_assert_uint_eq(play_count("t"), 0);
}
END_TEST

/* Of each size that travels in another way. */
START_TEST(gives_back_what_it_keeps)
{
	static const size_t sizes[] = { 0, 1, 4096, IPC_INLINE_MAX,
		IPC_INLINE_MAX + 1, 3 * MIB + 17 };
	size_t size = sizes[_i];
	auto_free char *text = mem_alloc(size + 1);
	size_t n;

	for (n = 0; n < size; n++)
		text[n] = (char)('a' + n % 23);
	play_start(&play);
	play_keep(&play, "", "some file", text, 1);
	play_expect_text(&play, "", "some file", 1, text);
	play_end(&play);
	play_start(&play);
	play_expect_text(&play, "", "some file", 1, text);
	play_end(&play);
}
END_TEST

static const char *const names[] = { "plain", "with spaces ", "-rf", "--",
	"...", "..x", ".hidden", "gr\xc3\xbc\xc3\x9f" "e \xe2\x9c\x93",
	"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.txt", "a\\b", "%s%n", "'\"`$(x)",
	"lock", "t0123456789abcdef", "0123456789abcdef", "\xc2\xa0",
	NAME_50 NAME_50 NAME_50 NAME_50 NAME_50 "12345" };

START_TEST(takes_any_name_of_text)
{
	const char *name = names[_i];

	play_start(&play);
	play_keep(&play, "", name, "one", 1);
	play_keep(&play, "", name, "two", 2);
	play_expect_text(&play, "", name, 2, "two");
	play_remove(&play, "", name, 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 2);
	play_expect_none(&play, "");
	play_end(&play);
}
END_TEST

static const char *const bad_names[] = { ".", "..", "/", "a/b", "../x",
	"/etc/passwd", "a\nb", "\x1b[31m", "a\x7f", "\xc2\x80", "\xc2\x9f",
	"\xff", "a\xc3", "\xed\xa0\x80", "\t" };

START_TEST(refuses_names_that_are_no_text)
{
	const char *name = bad_names[_i];

	play_start(&play);
	play_add(&play, "", name, "x", 1);
	play_expect_done(&play, 1, FILE_FAULT_NAME, name, 0);
	play_expect_unknown(&play, "", name, 0);
	play_remove(&play, "", name, 0);
	play_expect_done(&play, 4, FILE_FAULT_UNKNOWN, name, 0);
	ck_assert_uint_eq(play_count_kept(), 0);
	play_end(&play);
}
END_TEST

START_TEST(counts_versions)
{
	play_start(&play);
	play_keep(&play, "", "b", "1", 1);
	play_keep(&play, "", "a", "22", 1);
	play_keep(&play, "", "b", "333", 2);
	play_end(&play);
	play_start(&play);
	play_keep(&play, "", "b", "4444", 3);
	play_list(&play, "", 0);
	play_expect_filed(&play, 2, "a", 1, 2);
	play_expect_filed(&play, 2, "b", 3, 4);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_list(&play, "", 1);
	play_expect_filed(&play, 2, "a", 1, 2);
	play_expect_filed(&play, 2, "b", 1, 1);
	play_expect_filed(&play, 2, "b", 2, 3);
	play_expect_filed(&play, 2, "b", 3, 4);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_fetch(&play, "", "b", 2);
	play_expect_filed(&play, 3, "b", 2, 3);
	ck_assert_int_eq(play_receive(play.supervisor), IPC_FILE_FETCHED);
	ipc_message_close(IPC_FILE_FETCHED, &play_msg);
	play_expect_done(&play, 3, FILE_FAULT_NONE, "", 0);
	play_expect_unknown(&play, "", "b", 4);
	play_remove(&play, "", "b", 2);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_expect_unknown(&play, "", "b", 2);
	play_remove(&play, "", "b", 2);
	play_expect_done(&play, 4, FILE_FAULT_UNKNOWN, "b", 0);
	/* The next one is larger than what is left. */
	play_keep(&play, "", "b", "5", 4);
	play_remove(&play, "", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 4);
	play_remove(&play, "", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 0);
	ck_assert_uint_eq(play_count_kept(), 0);
	play_end(&play);
}
END_TEST

START_TEST(reports_when_and_what_it_is)
{
	uint64_t before = (uint64_t)time(NULL);

	play_start(&play);
	play_add(&play, "", "x.csv", "a,b\n", 4);
	play_expect_filed(&play, 1, "x.csv", 1, 4);
	ck_assert_str_eq(play_msg.filed.type, "text/csv");
	ck_assert_uint_ge(play_msg.filed.since, before);
	ck_assert_uint_le(play_msg.filed.since, (uint64_t)time(NULL));
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_add(&play, "", "y.txt", "%PDF-1.7\n", 9);
	play_expect_filed(&play, 1, "y.txt", 1, 9);
	ck_assert_str_eq(play_msg.filed.type, "application/pdf");
	play_end(&play);
}
END_TEST

/* Another one has a file of the same name, none, or all of another name. */
START_TEST(owners_are_apart)
{
	static const char *const owners[] = { "", "a", "A", "a ", "ab", "b" };
	const char *owner;
	size_t n;

	play_start(&play);
	for (n = 0; n < UNIT_COUNT(owners); n++) {
		owner = owners[n];
		play_expect_unknown(&play, owner, "x", 0);
		play_expect_none(&play, owner);
		play_remove(&play, owner, "x", 0);
		play_expect_done(&play, 4, FILE_FAULT_UNKNOWN, "x", 0);
		play_remove(&play, owner, "", 0);
		play_expect_done(&play, 4, FILE_FAULT_NONE, "", 0);
		play_keep(&play, owner, "x", owner, 1);
	}
	for (n = 0; n < UNIT_COUNT(owners); n++)
		play_expect_text(&play, owners[n], "x", 1, owners[n]);
	play_remove(&play, "a", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_expect_none(&play, "a");
	play_expect_text(&play, "b", "x", 1, "b");
	play_end(&play);
}
END_TEST

START_TEST(bytes_are_bounded_for_all_together)
{
	auto_free char *half = mem_alloc(MIB);

	play_start_for(&play, FILES_MAX_MIN, 1);
	play_add(&play, "", "x", half, MIB + 0);
	play_expect_filed(&play, 1, "x", 1, MIB);
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	play_add(&play, "b", "y", "1", 1);
	play_expect_done(&play, 1, FILE_FAULT_QUOTA, "y", 0);
	/* One without bytes takes nothing. */
	play_keep(&play, "b", "y", "", 1);
	play_remove(&play, "", "x", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_keep(&play, "b", "y", "1", 2);
	half = mem_resize(half, MIB + 1);
	play_add(&play, "b", "z", half, MIB + 1);
	play_expect_done(&play, 1, FILE_FAULT_LARGE, "z", 0);
	play_end(&play);
}
END_TEST

/* Returns whether a file of this size is kept; else its owner has no room. */
static int
has_room(const char *owner, const char *name, size_t len)
{
	auto_free char *bytes = mem_alloc(len + 1);

	play_add(&play, owner, name, bytes, len);
	if (play_receive(play.supervisor) == IPC_TASK_DONE) {
		ck_assert_uint_eq(
		    play_msg.task_done.fault, FILE_FAULT_SHARE);
		return 0;
	}
	play_expect_done(&play, 1, FILE_FAULT_NONE, "", 0);
	return 1;
}

/* Each has half of what the others leave, and our user all of it. */
START_TEST(owners_share_the_room)
{
	struct ipc_list_usage list = { .task = 9 };

	play_start_for(&play, 4 * MIB, 1);
	ck_assert(!has_room("a", "x", 2 * MIB + 1));
	ck_assert(has_room("a\nid", "x", MIB));
	ck_assert(has_room("a", "x", MIB));
	ck_assert(!has_room("a\nother", "x", 1));
	ck_assert(!has_room("b", "x", MIB + 1));
	ck_assert(has_room("b", "x", MIB));
	ck_assert(!has_room("b", "y", 1));
	ck_assert(has_room("c", "x", MIB / 2));
	ck_assert(has_room("", "x", MIB / 2));
	play_send(play.supervisor, IPC_LIST_USAGE, &list);
	for (int n = 0; n < 4; n++) {
		ck_assert_int_eq(play_receive(play.supervisor), IPC_USED);
		if (play_msg.used.owner[0] == 'a') {
			ck_assert_uint_eq(play_msg.used.files, 2);
			ck_assert_uint_eq(play_msg.used.bytes, 2 * MIB);
			ck_assert_uint_eq(play_msg.used.bytes_most, MIB);
		} else if (play_msg.used.owner[0] == '\0') {
			ck_assert_uint_eq(play_msg.used.bytes, MIB / 2);
			ck_assert_uint_eq(play_msg.used.bytes_most, MIB / 2);
		}
	}
	play_expect_done(&play, 9, FILE_FAULT_NONE, "", 0);
	play_end(&play);
}
END_TEST

/* A thousand of one owner; of another one there can be more. */
START_TEST(files_of_an_owner_are_bounded)
{
	struct head head = { .version = 1, .owner = "a",
		.type = "text/plain" };
	char id[17];
	int n;

	head.since = (uint64_t)time(NULL);
	for (n = 1; n < FILES_COUNT_MAX; n++) {
		snprintf(id, sizeof(id), "%016x", n);
		snprintf(head.name, sizeof(head.name), "%d", n);
		play_forge(id, &head, "");
	}
	play_start(&play);
	play_keep(&play, "a", "x", "last", 1);
	play_add(&play, "a", "y", "", 0);
	play_expect_done(&play, 1, FILE_FAULT_COUNT, "y", 0);
	play_keep(&play, "b", "y", "", 1);
	/* All fit into the channel, more than once, before any is read. */
	for (n = 0; n < 6; n++)
		play_list(&play, "a", 1);
	for (n = 0; n < 6 * (FILES_COUNT_MAX + 1); n++)
		ck_assert_int_ne(play_receive(play.supervisor), IPC_TYPES);
	play_remove(&play, "a", "x", 1);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_keep(&play, "a", "y", "", 1);
	play_remove(&play, "a", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", FILES_COUNT_MAX);
	play_end(&play);
}
END_TEST

/* Of two places that are left, an owner has one, and our user the other. */
START_TEST(files_of_all_owners_are_bounded)
{
	struct head head = { .version = 1, .name = "x", .type = "text/plain" };
	char id[17];
	int n;

	head.since = (uint64_t)time(NULL);
	for (n = 2; n < FILES_ALL_MAX; n++) {
		snprintf(id, sizeof(id), "%016x", n);
		snprintf(head.owner, sizeof(head.owner), "%d", n);
		play_forge(id, &head, "");
	}
	play_start(&play);
	play_keep(&play, "a", "x", "", 1);
	play_add(&play, "b", "x", "", 0);
	play_expect_done(&play, 1, FILE_FAULT_SHARE, "x", 0);
	play_keep(&play, "", "x", "", 1);
	play_add(&play, "", "y", "", 0);
	play_expect_done(&play, 1, FILE_FAULT_SHARE, "y", 0);
	play_remove(&play, "2", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_keep(&play, "", "y", "", 1);
	play_end(&play);
}
END_TEST

START_TEST(old_files_are_removed)
{
	uint64_t now = (uint64_t)time(NULL);
	struct head head = { .version = 1, .size = 3, .owner = "", .name = "x",
		.type = "text/plain", .since = now - 2 * 24 * 60 * 60 };

	play_forge("0000000000000001", &head, "old");
	head.version = 2;
	head.since = now - 60;
	play_forge("0000000000000002", &head, "new");
	if (_i == 0) {
		/* At the start. */
		play_start_for(&play, MIB, 1);
		play_list(&play, "", 1);
	} else {
		/* Later: one that comes to be too old. */
		play_start_for(&play, MIB, 3);
		play_list(&play, "", 1);
		play_expect_filed(&play, 2, "x", 1, 3);
		play_expect_filed(&play, 2, "x", 2, 3);
		play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
		head.version = 3;
		head.since = now - 4 * 24 * 60 * 60;
		play_forge("0000000000000003", &head, "old");
		head.version = 4;
		head.since = now + 60;
		play_forge("0000000000000004", &head, "odd");
		play_list(&play, "", 1);
		play_expect_filed(&play, 2, "x", 1, 3);
	}
	play_expect_filed(&play, 2, "x", 2, 3);
	if (_i == 1)
		play_expect_filed(&play, 2, "x", 4, 3);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	ck_assert_uint_eq(play_count_kept(), _i == 0 ? 1 : 3);
	play_end(&play);
}
END_TEST

/* Links name them: also after all of a name are removed, or too old. */
START_TEST(a_version_is_not_given_again)
{
	struct head head = { .version = 7, .since = 1, .owner = "", .name = "a",
		.type = "text/plain", .size = 3 };

	play_start_for(&play, MIB, 1);
	play_keep(&play, "", "a", "1", 1);
	play_keep(&play, "", "a", "2", 2);
	play_remove(&play, "", "a", 2);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	play_keep(&play, "", "a", "3", 3);
	play_remove(&play, "", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 2);
	play_end(&play);
	play_start_for(&play, MIB, 1);
	play_keep(&play, "", "a", "4", 4);
	play_forge("0000000000000001", &head, "old");
	play_expect_unknown(&play, "", "a", 7);
	play_keep(&play, "", "a", "8", 8);
	play_keep(&play, "", "b", "1", 1);
	play_keep(&play, "other", "a", "1", 1);
	play_expect_unknown(&play, "", "a", 3);
	play_expect_unknown(&play, "", "a", 7);
	play_end(&play);
}
END_TEST

/* Without a table, or with one that is damaged, files are kept all the same. */
START_TEST(a_damaged_table_costs_nothing_else)
{
	DIR *dir;
	struct dirent *entry;
	int fd;

	play_start(&play);
	play_keep(&play, "", "a", "1", 1);
	play_remove(&play, "", "a", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 1);
	ck_assert_uint_eq(play_count("v"), 1);
	dir = opendir(play_folder);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != 'v')
			continue;
		ck_assert_int_eq(unlinkat(dirfd(dir), entry->d_name, 0), 0);
		if (_i == 0)
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_WRONLY | O_CREAT,
		    0600);
		while (lseek(fd, 0, SEEK_CUR) < FILES_VERSIONS * 8)
			ck_assert_int_eq(write(fd, "\xff", 1), 1);
		close(fd);
	}
	closedir(dir);
	play_keep(&play, "", "a", "2", 1);
	play_end(&play);
}
END_TEST

/* Files that are damaged, or no files of ours at all. */
START_TEST(what_is_not_ours_is_left_alone)
{
	struct head head = { .version = 1, .since = (uint64_t)time(NULL),
		.owner = "", .name = "x", .type = "text/plain", .size = 3 };
	auto_free char *folder = play_path("0000000000000007");
	auto_free char *fifo = play_path("0000000000000008");
	auto_free char *link = play_path("0000000000000009");
	auto_free char *foreign = play_path("notes");
	auto_free char *half = play_path("000000000000000a");

	play_forge("0000000000000001", &head, "two");
	play_forge("0000000000000002", &head, "to");
	play_forge("0000000000000003", &head, "three");
	head.version = 0;
	play_forge("0000000000000004", &head, "two");
	head.version = 1;
	head.name[0] = '\0';
	play_forge("0000000000000005", &head, "two");
	strcpy(head.name, "../x");
	play_forge("0000000000000006", &head, "two");
	play_forge("notes", &head, "mine");
	play_forge("000000000000000a", &head, "");
	ck_assert_int_eq(truncate(half, 100), 0);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(symlink("0000000000000001", link), 0);
	play_start_for(&play, MIB, 1);
	play_list(&play, "", 1);
	play_expect_filed(&play, 2, "x", 1, 3);
	play_expect_done(&play, 2, FILE_FAULT_NONE, "", 0);
	play_keep(&play, "", "x", "four", 2);
	play_remove(&play, "", "", 0);
	play_expect_done(&play, 4, FILE_FAULT_NONE, "", 2);
	ck_assert_uint_eq(play_count_kept(), 10);
	ck_assert_int_eq(access(foreign, F_OK), 0);
	play_end(&play);
}
END_TEST

START_TEST(cuts_off_a_supervisor_that_is_unclear)
{
	static const struct ipc_bytes lists[] = {
		{ (const uint8_t *)"ab", 2 },
		{ (const uint8_t *)"a\0\0", 3 },
	};
	struct ipc_deliver deliver = { .task = 1, .owner = "" };
	int porter;

	play_start(&play);
	if (_i < 2) {
		porter = play_pair(&deliver.porter);
		deliver.names = lists[_i];
		play_send(play.supervisor, IPC_DELIVER, &deliver);
		play_expect_parted(porter);
	} else if (_i == 2) {
		play_remove(&play, "", "", 1);
	} else {
		ck_assert_int_eq(send(play.supervisor, "nonsense", 8, 0), 8);
	}
	play_expect_fatal(&play);
}
END_TEST

/* The directory is gone: each task fails, and the process goes on. */
START_TEST(a_removed_directory_is_reported)
{
	play_start(&play);
	play_expect_none(&play, "");
	play_remove_folder();
	play_add(&play, "", "x", "1", 1);
	play_expect_done(&play, 1, FILE_FAULT_FOLDER, "x", 0);
	play_end(&play);
	ck_assert_int_eq(mkdir(play_folder, 0700), 0);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_test(tc, only_its_user_can_read_it);
	tcase_add_loop_test(tc, gives_back_what_it_keeps, 0, 6);
	tcase_add_loop_test(
	    tc, takes_any_name_of_text, 0, UNIT_COUNT(names));
	tcase_add_loop_test(tc, refuses_names_that_are_no_text, 0,
	    UNIT_COUNT(bad_names));
	tcase_add_test(tc, counts_versions);
	tcase_add_test(tc, reports_when_and_what_it_is);
	tcase_add_test(tc, owners_are_apart);
	tcase_add_test(tc, bytes_are_bounded_for_all_together);
	tcase_add_test(tc, owners_share_the_room);
	tcase_add_test(tc, files_of_an_owner_are_bounded);
	tcase_add_test(tc, files_of_all_owners_are_bounded);
	tcase_add_loop_test(tc, old_files_are_removed, 0, 2);
	tcase_add_test(tc, a_version_is_not_given_again);
	tcase_add_loop_test(tc, a_damaged_table_costs_nothing_else, 0, 2);
	tcase_add_test(tc, what_is_not_ours_is_left_alone);
	tcase_add_loop_test(
	    tc, cuts_off_a_supervisor_that_is_unclear, 0, 4);
	tcase_add_test(tc, a_removed_directory_is_reported);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("files", add_tests);
}
