/*
 * Tests of the real caisson-store, its argument, behind its real lockdown: that
 * it needs nothing that it has given up, keeps what it has promised, and
 * outlives every relay that violates the protocol.
 */
#include <stdio.h>

#include "small_disk.h"
#include "store_play.h"

START_TEST(makes_its_files_private)
{
	auto_free char *path = NULL;
	struct stat st;

	play_start();
	play_end();
	path = play_path("caisson.db");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFREG | S_IRUSR | S_IWUSR);
}
END_TEST

START_TEST(a_violation_costs_its_sender)
{
	int relay;

	play_start();
	relay = play_grant();
	ck_assert_int_eq(send(relay, "nonsense", 8, 0), 8);
	play_expect_end(relay);
	close(play_grant());
	play_end();
}
END_TEST

/* Requests, as a relay makes them */

static struct ipc_bytes
bytes_of(const char *text)
{
	return (struct ipc_bytes){ (const uint8_t *)text, strlen(text) };
}

static struct ipc_blob
blob_of(const char *text, size_t len)
{
	return (struct ipc_blob){ (const uint8_t *)text, len, -1 };
}

static void
save_value(int relay, uint64_t id, const char *value, size_t len)
{
	struct ipc_save_memory save = { .id = id,
		.key = bytes_of("k"),
		.value = blob_of(value, len),
		.metadata = bytes_of("{}") };

	play_send(relay, IPC_SAVE_MEMORY, &save);
}

static void
save(int relay, uint64_t id, const char *value)
{
	save_value(relay, id, value, strlen(value));
}

static void
load(int relay, uint64_t id)
{
	struct ipc_load_memory message = { .id = id, .whole = 1,
		.key = bytes_of("k") };

	play_send(relay, IPC_LOAD_MEMORY, &message);
}

/* Waits for an answer in which this stands; returns it all. */
static char *
expect_answer(int relay, uint64_t id, const char *part)
{
	struct err err;
	char *json;

	ck_assert_int_eq(play_receive(relay), IPC_ANSWER);
	ck_assert_uint_eq(play_msg.answer.id, id);
	json = ipc_blob_copy(&play_msg.answer.payload, &err);
	ipc_message_close(IPC_ANSWER, &play_msg);
	ck_assert_msg(strstr(json, part) != NULL, "%s", json);
	return json;
}

static void
expect_part(int relay, uint64_t id, const char *part)
{
	free(expect_answer(relay, id, part));
}

static void
expect_denied(int relay, uint64_t id, const char *part)
{
	ck_assert_int_eq(play_receive(relay), IPC_DENIED);
	ck_assert_uint_eq(play_msg.denied.id, id);
	ck_assert_msg(strstr(play_msg.denied.reason, part) != NULL, "%s",
	    play_msg.denied.reason);
}

static void
expect_shown(const char *part)
{
	auto_free char *json = NULL;
	struct err err;

	ck_assert_int_eq(play_receive(play_supervisor), IPC_SHOWN);
	ck_assert_str_eq(play_msg.shown.reason, "");
	json = ipc_blob_copy(&play_msg.shown.payload, &err);
	ipc_message_close(IPC_SHOWN, &play_msg);
	ck_assert_msg(strstr(json, part) != NULL, "%s", json);
}

/* All that it ever does, with bytes that travel by memfd, twice. */
START_TEST(needs_nothing_it_gave_up)
{
	struct ipc_delete_memory delete = { .id = 4, .key = bytes_of("k") };
	struct ipc_list_memories list = { .id = 5 };
	struct ipc_save_tool tool = { .id = 6, .name = "f", .about = "",
		.source = blob_of("def f(): 1", 10) };
	struct ipc_load_tool load_tool = { .id = 7, .name = "f" };
	struct ipc_list_saved_tools tools = { .id = 8, .after = "" };
	auto_free char *value = mem_alloc(100 * KIB + 1);
	int relay, n;

	memset(value, '1', 100 * KIB);
	for (n = 0; n < 2; n++) {
		play_start();
		relay = play_grant();
		save_value(relay, 1, value, 100 * KIB);
		expect_part(relay, 1, "\"key\":\"k\"");
		load(relay, 2);
		expect_part(relay, 2, value);
		play_send(relay, IPC_LIST_MEMORIES, &list);
		expect_part(relay, 5, "{\"entries\":[{\"key\":\"k\"");
		play_send(relay, IPC_DELETE_MEMORY, &delete);
		expect_part(relay, 4, "true");
		play_send(relay, IPC_SAVE_TOOL, &tool);
		tool.source.fd = -1;
		expect_part(relay, 6, "\"name\":\"f\"");
		play_send(relay, IPC_LOAD_TOOL, &load_tool);
		expect_part(relay, 7, "\"source\":\"def f(): 1\"");
		play_send(relay, IPC_LIST_SAVED_TOOLS, &tools);
		expect_part(relay, 8, "\"more\":false");
		close(relay);
		play_end();
	}
}
END_TEST

START_TEST(notifies_the_user)
{
	struct ipc_show list = { .scope = "", .kind = KEPT_MEMORIES };
	struct ipc_show show = { .scope = "", .name = bytes_of("k") };
	struct ipc_drop drop = { .scope = "", .name = bytes_of("k") };
	struct ipc_drop all = { .scope = "", .which = KEPT_DROP_ALL };
	struct ipc_show tools = { .scope = "", .kind = KEPT_TOOLS };
	struct ipc_show tool = { .scope = "", .kind = KEPT_TOOLS,
		.name = bytes_of("f") };
	struct ipc_drop drop_tool = { .scope = "", .kind = KEPT_TOOLS,
		.name = bytes_of("f") };
	int relay;

	play_start();
	relay = play_grant();
	save(relay, 1, "[7]");
	expect_part(relay, 1, "\"k\"");
	play_send(play_supervisor, IPC_SHOW, &list);
	expect_shown("{\"entries\":[{\"key\":\"k\"");
	play_send(play_supervisor, IPC_SHOW, &show);
	expect_shown("\"value\":[7]}");
	play_send(play_supervisor, IPC_DROP, &drop);
	expect_shown("true");
	play_send(play_supervisor, IPC_DROP, &drop);
	expect_shown("false");
	play_send(play_supervisor, IPC_DROP, &all);
	expect_shown("0");
	play_send(play_supervisor, IPC_SHOW, &tools);
	expect_shown("{\"entries\":[]");
	play_send(play_supervisor, IPC_SHOW, &tool);
	expect_shown("null");
	play_send(play_supervisor, IPC_DROP, &drop_tool);
	expect_shown("false");
	close(relay);
	play_end();
}
END_TEST

#define NAME(text)                                                             \
	{                                                                      \
		(const uint8_t *)(text), sizeof(text) - 1                      \
	}

/* The supervisor is trusted: where it does not make sense, nothing is lost. */
static const struct {
	struct ipc_show show;
	struct ipc_drop drop;
	int shows;
} unclear[] = {
	{ .drop = { .scope = "", .which = KEPT_DROP_ONE } },
	{ .drop = { .scope = "", .which = KEPT_DROP_ALL, .name = NAME("k") } },
	{ .drop = { .scope = "", .which = KEPT_DROP_IGNORED } },
	{ .drop = { .scope = "", .kind = KEPT_TOOLS, .name = NAME("\xff") } },
	{ .drop = { .scope = "", .kind = KEPT_TOOLS, .name = NAME("a\0b") } },
	{ .show = { .scope = "",
	    .kind = KEPT_TOOLS, .name = NAME("\xff") }, .shows = 1 },
	{ .show = { .scope = "",
	    .kind = KEPT_TOOLS, .after = NAME("\xff") }, .shows = 1 },
};

START_TEST(ends_where_the_supervisor_is_unclear)
{
	struct ipc_show list = { .scope = "", .kind = KEPT_MEMORIES };
	struct ipc_show show = unclear[_i].show;
	struct ipc_drop drop = unclear[_i].drop;
	int relay, status;

	play_start();
	relay = play_grant();
	save(relay, 1, "[7]");
	expect_part(relay, 1, "\"k\"");
	if (unclear[_i].shows)
		play_send(play_supervisor, IPC_SHOW, &show);
	else
		play_send(play_supervisor, IPC_DROP, &drop);
	ck_assert_int_eq(waitpid(play_pid, &status, 0), play_pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), FATAL_EXIT_STATUS);
	close(play_supervisor);
	close(relay);
	play_start();
	play_send(play_supervisor, IPC_SHOW, &list);
	expect_shown("{\"entries\":[{\"key\":\"k\"");
	play_end();
}
END_TEST

/* What no relay of ours would send, though the catalogue could carry it. */
static const char *const malformed[] = { "", "1 2", "{", "\n1", "1\r", "nul",
	"\"\xff\"", "[1e]" };

START_TEST(values_must_be_json_on_one_line)
{
	int relay, other;

	play_start();
	other = play_grant();
	relay = play_grant();
	save(relay, 1, malformed[_i]);
	play_expect_end(relay);
	load(other, 1);
	expect_part(other, 1, "null");
	close(other);
	play_end();
}
END_TEST

START_TEST(texts_must_be_utf8)
{
	struct ipc_load_memory load_bad = { .id = 1,
		.key = bytes_of("\xff") };
	struct ipc_save_memory save_bad = { .id = 1,
		.key = bytes_of("\xed\xa0\x80"),
		.value = blob_of("1", 1) };
	struct ipc_save_memory metadata_bad = { .id = 1,
		.key = bytes_of("k"),
		.value = blob_of("1", 1),
		.metadata = bytes_of("[]") };
	struct ipc_save_tool tool_bad = { .id = 1, .name = "f", .about = "",
		.source = blob_of("\xff", 1) };
	auto_free char *digits = mem_printf("{\"a\":%05000d}", 0);
	struct ipc_save_memory number_bad = { .id = 1,
		.key = bytes_of("k"),
		.value = blob_of("1", 1) };
	struct {
		enum ipc_type type;
		void *message;
	} bad[] = { { IPC_LOAD_MEMORY, &load_bad },
		{ IPC_SAVE_MEMORY, &save_bad },
		{ IPC_SAVE_MEMORY, &metadata_bad },
		{ IPC_SAVE_MEMORY, &number_bad },
		{ IPC_SAVE_TOOL, &tool_bad } };
	size_t n;
	int relay;

	memset(strchr(digits, '0'), '7', 5000);
	number_bad.metadata = bytes_of(digits);
	play_start();
	for (n = 0; n < UNIT_COUNT(bad); n++) {
		relay = play_grant();
		play_send(relay, bad[n].type, bad[n].message);
		play_expect_end(relay);
	}
	relay = play_grant();
	load(relay, 1);
	expect_part(relay, 1, "null");
	close(relay);
	play_end();
}
END_TEST

static void
save_tool(int relay, uint64_t id, const char *name)
{
	struct ipc_save_tool tool = { .id = id, .name = name, .about = "",
		.source = blob_of("x", 1) };

	play_send(relay, IPC_SAVE_TOOL, &tool);
}

/* One execution neither chooses any name nor takes all places. */
START_TEST(saved_tools_are_bounded)
{
	struct ipc_load_tool load_bad = { .id = 1, .name = "a b" };
	struct ipc_drop all = { .scope = "", .kind = KEPT_TOOLS,
		.which = KEPT_DROP_ALL };
	char name[] = "f00";
	int relay, n;

	play_start();
	relay = play_grant();
	save_tool(relay, 1, "a b");
	expect_denied(relay, 1, "must be a Python identifier");
	play_send(relay, IPC_LOAD_TOOL, &load_bad);
	expect_part(relay, 1, "null");
	for (n = 0; n < SAVED_TOOLS_NEW_MAX; n++) {
		name[1] = (char)('0' + n / 10);
		name[2] = (char)('0' + n % 10);
		save_tool(relay, 1, name);
		expect_part(relay, 1, name);
	}
	save_tool(relay, 2, "more");
	expect_denied(relay, 2, "one execution can add at most 50 saved tools");
	save_tool(relay, 3, "f00");
	expect_part(relay, 3, "f00");
	close(relay);
	relay = play_grant();
	save_tool(relay, 1, "more");
	expect_part(relay, 1, "more");
	play_send(play_supervisor, IPC_DROP, &all);
	expect_shown("51");
	close(relay);
	play_end();
}
END_TEST

/* Behind its lockdown, too, the store lives with a disk that is full. */
START_TEST(a_full_disk_is_no_end)
{
	auto_free char *value = mem_alloc(MIB + 1);
	struct ipc_delete_memory delete = { .id = 3, .key = bytes_of("k") };
	struct ipc_drop all = { .scope = "", .which = KEPT_DROP_ALL };
	int relay;

	if (!small_disk_make(play_folder, "size=3m,mode=0700"))
		return;
	memset(value, '1', MIB);
	play_start_with(STATE_MAX_MAX);
	relay = play_grant();
	save_value(relay, 1, value, MIB * 3 / 4);
	expect_part(relay, 1, "\"k\"");
	small_disk_fill(play_folder);
	save_value(relay, 2, value, MIB);
	expect_denied(relay, 2, "the disk is full or its quota is used up");
	play_send(relay, IPC_DELETE_MEMORY, &delete);
	expect_part(relay, 3, "true");
	save_value(relay, 4, value, 10000);
	expect_part(relay, 4, "\"k\"");
	close(relay);
	play_end();
	/* Started again, as by a command of the user. */
	play_start_with(STATE_MAX_MAX);
	play_send(play_supervisor, IPC_DROP, &all);
	expect_shown("1");
	play_end();
	small_disk_remove(play_folder);
}
END_TEST

/* So many are more than a socket and the store hold. */
#define UNREAD_SIZE (64 * KIB)
#define UNREAD_COUNT 1600

/* A relay that asks and does not read costs itself alone. */
START_TEST(a_relay_that_does_not_read_is_denied)
{
	auto_free char *value = mem_alloc(UNREAD_SIZE + 1);
	struct ipc_load_memory message = { .whole = 1, .key = bytes_of("k") };
	unsigned int denied = 0;
	enum ipc_type type;
	int relay, other;

	memset(value, '1', UNREAD_SIZE);
	play_start();
	relay = play_grant();
	other = play_grant();
	save_value(relay, 1, value, UNREAD_SIZE);
	expect_part(relay, 1, "\"k\"");
	for (message.id = 1; message.id <= UNREAD_COUNT; message.id++)
		play_send(relay, IPC_LOAD_MEMORY, &message);
	load(other, 1);
	expect_part(other, 1, "\"value\":1111");
	for (message.id = 1; message.id <= UNREAD_COUNT; message.id++) {
		type = play_receive(relay);
		denied += type == IPC_DENIED;
		ipc_message_close(type, &play_msg);
	}
	ck_assert_uint_gt(denied, 0);
	load(relay, 1);
	expect_part(relay, 1, "\"value\":1111");
	close(relay);
	close(other);
	play_end();
}
END_TEST

/* Killed at any moment: what was answered is kept, and the file is well. */
START_TEST(what_was_answered_outlives_a_kill)
{
	auto_free char *part = NULL;
	char value[16];
	int relay, n, last;

	for (n = 1; n <= 20; n++) {
		play_start();
		relay = play_grant();
		load(relay, 1);
		part = mem_printf(n == 1 ? "null" : "\"value\":%d}", n - 1);
		expect_part(relay, 1, part);
		free(mem_take(&part));
		snprintf(value, sizeof(value), "%d", n);
		save(relay, 2, value);
		expect_part(relay, 2, "\"k\"");
		/* More is under way when it ends. */
		for (last = 0; last < 20; last++)
			save(relay, 3, value);
		kill(play_pid, SIGKILL);
		waitpid(play_pid, NULL, 0);
		close(play_supervisor);
		close(relay);
	}
}
END_TEST

/* A file that cannot be used stays; each request is denied with the cause. */
START_TEST(a_bad_file_is_reported)
{
	auto_free char *path = play_path("caisson.db");
	struct ipc_show tools = { .scope = "", .kind = KEPT_TOOLS };
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	struct stat st;
	int relay;

	ck_assert_int_eq(write(fd, "something else", 14), 14);
	close(fd);
	play_start();
	relay = play_grant();
	save(relay, 1, "1");
	expect_denied(relay, 1, "it is damaged or not a database of Caisson");
	load(relay, 2);
	expect_denied(relay, 2, path);
	play_send(play_supervisor, IPC_SHOW, &tools);
	ck_assert_int_eq(play_receive(play_supervisor), IPC_SHOWN);
	ck_assert_ptr_nonnull(strstr(play_msg.shown.reason, path));
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 14);
	/* The user has mended it: no new process is needed. */
	ck_assert_int_eq(unlink(path), 0);
	save(relay, 3, "1");
	expect_part(relay, 3, "\"k\"");
	close(relay);
	play_end();
}
END_TEST

/* Two programs at once: each sees what the other has saved. */
START_TEST(two_share_a_folder)
{
	int relays[2], supervisors[2], n;
	pid_t pids[2];

	for (n = 0; n < 2; n++) {
		play_start();
		supervisors[n] = play_supervisor;
		pids[n] = play_pid;
		relays[n] = play_grant();
	}
	for (n = 0; n < 20; n++) {
		char value[16];

		snprintf(value, sizeof(value), "%d", n);
		save(relays[n % 2], 1, value);
		expect_part(relays[n % 2], 1, "\"k\"");
		load(relays[1 - n % 2], 2);
		snprintf(value, sizeof(value), "\"value\":%d}", n);
		expect_part(relays[1 - n % 2], 2, value);
	}
	for (n = 0; n < 2; n++) {
		close(relays[n]);
		play_supervisor = supervisors[n];
		play_pid = pids[n];
		play_end();
	}
}
END_TEST

/* The broker's channel: what it has kept it gets, in order. */

static int
lister(void)
{
	struct ipc_lister msg;
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	ck_assert_int_eq(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
	msg.broker = pair[1];
	play_send(play_supervisor, IPC_LISTER, &msg);
	return pair[0];
}

static void
retain(int broker, const char *name, const char *list, size_t len)
{
	struct ipc_retain msg = {
		.fingerprint = { (const uint8_t *)name, FINGERPRINT_SIZE },
		.info = { (const uint8_t *)"v1", 2 },
		.list = { (const uint8_t *)list, len, -1 } };

	play_send(broker, IPC_RETAIN, &msg);
}

static void
recall(int broker, const char *name, const char *list, size_t len)
{
	struct ipc_recall msg = {
		.fingerprint = { (const uint8_t *)name, FINGERPRINT_SIZE } };
	auto_free char *copy = NULL;

	play_send(broker, IPC_RECALL, &msg);
	ck_assert_int_eq(play_receive(broker), IPC_RECALLED);
	ck_assert_mem_eq(
	    play_msg.recalled.fingerprint.data, name, FINGERPRINT_SIZE);
	ck_assert_uint_eq(play_msg.recalled.info.len, len > 0 ? 2 : 0);
	ck_assert_uint_eq(play_msg.recalled.list.len, len);
	copy = ipc_blob_copy(&play_msg.recalled.list, NULL);
	ck_assert_ptr_nonnull(copy);
	ck_assert_mem_eq(copy, list, len);
	ipc_message_close(IPC_RECALLED, &play_msg);
}

START_TEST(keeps_lists_of_tools)
{
	static const char a[FINGERPRINT_SIZE] = "a", b[FINGERPRINT_SIZE] = "b";
	auto_free char *large = mem_alloc(MIB);
	int broker, other;

	memset(large, 'x', MIB);
	play_start();
	broker = lister();
	recall(broker, a, "", 0);
	retain(broker, a, "{}", 2);
	retain(broker, b, large, MIB);
	recall(broker, a, "{}", 2);
	recall(broker, b, large, MIB);
	close(broker);
	play_end();
	/* The broker may die, or be replaced. */
	play_start();
	close(lister());
	broker = lister();
	recall(broker, a, "{}", 2);
	other = lister();
	play_expect_end(broker);
	broker = other;
	recall(broker, b, large, MIB);
	retain(broker, b, "", 0);
	recall(broker, b, "", 0);
	ck_assert_int_eq(send(broker, "nonsense", 8, 0), 8);
	play_expect_end(broker);
	broker = lister();
	recall(broker, a, "{}", 2);
	close(broker);
	play_end();
}
END_TEST

/* A disk may be slow, and the program may end meanwhile. */
START_TEST(keeps_what_was_sent_before_the_end)
{
	char name[FINGERPRINT_SIZE] = "a";
	int broker, n;

	play_start();
	broker = lister();
	recall(broker, name, "", 0);
	ck_assert_int_eq(kill(play_pid, SIGSTOP), 0);
	for (n = 0; n < 20; n++) {
		name[1] = (char)n;
		retain(broker, name, "{}", 2);
	}
	ck_assert_int_eq(shutdown(play_supervisor, SHUT_RDWR), 0);
	close(broker);
	ck_assert_int_eq(kill(play_pid, SIGCONT), 0);
	play_end();
	play_start();
	broker = lister();
	for (n = 0; n < 20; n++) {
		name[1] = (char)n;
		recall(broker, name, "{}", 2);
	}
	close(broker);
	play_end();
}
END_TEST

START_TEST(a_damaged_file_costs_the_lists)
{
	static const char a[FINGERPRINT_SIZE] = "a";
	auto_free char *path = play_path("caisson.db");
	FILE *file = fopen(path, "w");
	int broker;

	fputs("this is no database, but it is long enough to be one", file);
	fclose(file);
	play_start();
	broker = lister();
	recall(broker, a, "", 0);
	retain(broker, a, "{}", 2);
	recall(broker, a, "", 0);
	close(broker);
	play_end();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_test(tc, makes_its_files_private);
	tcase_add_test(tc, a_violation_costs_its_sender);
	tcase_add_test(tc, needs_nothing_it_gave_up);
	tcase_add_test(tc, notifies_the_user);
	tcase_add_loop_test(tc, ends_where_the_supervisor_is_unclear, 0,
	    UNIT_COUNT(unclear));
	tcase_add_loop_test(
	    tc, values_must_be_json_on_one_line, 0, UNIT_COUNT(malformed));
	tcase_add_test(tc, texts_must_be_utf8);
	tcase_add_test(tc, saved_tools_are_bounded);
	tcase_add_test(tc, a_full_disk_is_no_end);
	tcase_add_test(tc, a_relay_that_does_not_read_is_denied);
	tcase_add_test(tc, what_was_answered_outlives_a_kill);
	tcase_add_test(tc, a_bad_file_is_reported);
	tcase_add_test(tc, two_share_a_folder);
	tcase_add_test(tc, keeps_lists_of_tools);
	tcase_add_test(tc, keeps_what_was_sent_before_the_end);
	tcase_add_test(tc, a_damaged_file_costs_the_lists);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("store", add_tests);
}
