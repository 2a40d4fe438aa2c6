/*
 * Tests of worker/broker/archive: what the store has of a list of tools is told
 * without starting the server, what the broker learns is kept there, and a
 * store that is of no use costs no more than that.
 */
#include "broker_play.h"

#define ANSWER(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id "," rest "}"
#define ONE(name) "\"result\":{\"tools\":[{\"name\":\"" name "\"}]}"
#define LIST(name)                                                             \
	"{\"tools\":[{\"name\":\"" name "\"}],\"aliases\":[\"" name "\"]}"

static const char changed[] = "{\"jsonrpc\":\"2.0\",\"method\":"
    "\"notifications/tools/list_changed\"}";

static struct play_server gh;
static int relay;
static int store;

/* The broker asks for the store: there is none. */
static void
lend_none(void)
{
	struct ipc_lists lists = { .store = -1 };

	play_expect(play_supervisor, IPC_WANT_LISTS);
	play_send(play_supervisor, IPC_LISTS, &lists);
}

/* The broker asks for the store: it gets this channel, or a closed one. */
static void
lend(int dead)
{
	struct ipc_lists lists;
	int pair[2];

	play_expect(play_supervisor, IPC_WANT_LISTS);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	ck_assert_int_eq(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
	store = pair[0];
	if (dead)
		fd_close(&store);
	lists.store = pair[1];
	play_send(play_supervisor, IPC_LISTS, &lists);
}

/* An execution that has loaded nothing asks what is remembered. */
static void
start(void)
{
	play_start();
	relay = play_grant_of("gh", 3, "", 0);
	play_recall(relay, 1, "gh");
}

static void
is_print(const struct ipc_bytes *fingerprint)
{
	static const char wanted[FINGERPRINT_SIZE] = "gh";

	ck_assert_uint_eq(fingerprint->len, FINGERPRINT_SIZE);
	ck_assert_mem_eq(fingerprint->data, wanted, FINGERPRINT_SIZE);
}

static void
expect_recall(void)
{
	play_expect(store, IPC_RECALL);
	is_print(&play_msg.recall.fingerprint);
}

static void
expect_retain(const char *list, const char *info)
{
	play_expect(store, IPC_RETAIN);
	is_print(&play_msg.retain.fingerprint);
	play_expect_blob(&play_msg.retain.list, list);
	ck_assert_uint_eq(play_msg.retain.info.len, strlen(info));
	if (info[0] != '\0')
		ck_assert_mem_eq(
		    play_msg.retain.info.data, info, strlen(info));
	ipc_message_close(IPC_RETAIN, &play_msg);
}

static void
tell(const char *list)
{
	static const uint8_t fingerprint[FINGERPRINT_SIZE] = "gh";
	struct ipc_recalled recalled = {
		.fingerprint = { fingerprint, FINGERPRINT_SIZE },
		.list = { (const uint8_t *)list, strlen(list), -1 } };

	play_send(store, IPC_RECALLED, &recalled);
}

/* The server is started and says its one tool. */
static void
serve(const char *first_id, const char *name)
{
	auto_free char *asked = mem_printf(
	    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/list\"}",
	    first_id);
	auto_free char *answer = mem_printf(
	    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":"
	    "[{\"name\":\"%s\"}]}}", first_id, name);

	play_expect_line(&gh, asked);
	play_say(&gh, answer);
}

START_TEST(kept_lists_are_used)
{
	start();
	play_recall(relay, 2, "gh");
	lend(0);
	expect_recall();
	tell(LIST("a"));
	play_expect_result(relay, 1, LIST("a"));
	play_expect_result(relay, 2, LIST("a"));
	/* From now on the broker has it. */
	play_recall(relay, 3, "gh");
	play_expect_result(relay, 3, LIST("a"));
	/* A request without "remembered" gets the list of the server. */
	play_list(relay, 4, "gh");
	play_serve(&gh);
	serve("2", "b");
	play_expect_result(relay, 4, LIST("b"));
	expect_retain(LIST("b"), "");
	play_end();
}
END_TEST

START_TEST(what_is_learnt_is_kept)
{
	start();
	lend(0);
	expect_recall();
	tell("");
	play_launch(play_expect_want("gh"), &gh);
	play_greet_with(&gh, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
	    "\"serverInfo\":{\"name\":\"G\",\"version\":\"1.0\"}}}");
	play_hear(&gh);
	serve("2", "a");
	play_expect_result(relay, 1, LIST("a"));
	expect_retain(LIST("a"), "\"G\"\"1.0\"");
	play_end();
}
END_TEST

/* Nothing of an old list is kept while the new one is unknown. */
START_TEST(what_has_changed_is_not_kept)
{
	play_renewal_ms = 500;
	start();
	lend(0);
	expect_recall();
	tell("");
	play_serve(&gh);
	serve("2", "a");
	play_expect_result(relay, 1, LIST("a"));
	expect_retain(LIST("a"), "");
	play_say(&gh, changed);
	expect_retain("", "");
	serve("3", "a");
	expect_retain(LIST("a"), "");
	play_end();
}
END_TEST

/* A call that lists tools does not wait for the store. */
START_TEST(is_kept_when_there_is_a_store)
{
	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_list(relay, 1, "gh");
	serve("2", "a");
	play_expect_result(relay, 1, LIST("a"));
	lend(0);
	expect_retain(LIST("a"), "");
	play_end();
}
END_TEST

static const char *const rubbish[] = { "x", "[]", "{}", "{\"tools\":[]}",
	"{\"tools\":{},\"aliases\":[]}", "{\"tools\":[],\n\"aliases\":[]}",
	"{\"tools\":[],\"aliases\":[]}}", "{\"tools\":[],\"aliases\":[]" };

START_TEST(malformed_lists_are_not_used)
{
	start();
	lend(0);
	expect_recall();
	tell(rubbish[_i]);
	play_serve(&gh);
	serve("2", "a");
	play_expect_result(relay, 1, LIST("a"));
	expect_retain(LIST("a"), "");
	play_end();
}
END_TEST

/* It is absent; it exits; it is silent; it violates the protocol. */
START_TEST(a_store_of_no_use)
{
	if (_i == 2)
		play_lists_wait_ms = 3000;
	start();
	if (_i == 4)
		lend_none();
	else
		lend(_i == 0);
	if (_i > 0 && _i < 4)
		expect_recall();
	if (_i == 1)
		fd_close(&store);
	if (_i == 3)
		ck_assert_int_eq(send(store, "abc", 3, 0), 3);
	play_serve(&gh);
	serve("2", "a");
	play_expect_result(relay, 1, LIST("a"));
	play_die(&gh, "exited with code 0");
	play_sync_supervisor();
	/* It is still known here, and the store is left alone for a while. */
	play_recall(relay, 2, "gh");
	play_expect_result(relay, 2, LIST("a"));
	play_remove("gh");
	play_define_as("gh", "gh", "anew");
	play_define("fs");
	play_sync_supervisor();
	play_list_servers(relay, 3);
	play_expect(relay, IPC_RESULT);
	play_end();
}
END_TEST

/* The supervisor that offers no store has logged why: this is no error. */
START_TEST(a_store_that_is_not_there_is_no_mishap)
{
	char text[4096] = "";
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	play_log = fileno(file);
	start();
	if (_i == 0)
		lend_none();
	else
		lend(1);
	play_serve(&gh);
	serve("2", "a");
	play_expect_result(relay, 1, LIST("a"));
	play_end();
	ck_assert_int_ge(pread(play_log, text, sizeof(text) - 1, 0), 0);
	ck_assert_msg(
	    strstr(text, "cannot send to the store") == NULL, "%s", text);
	fclose(file);
}
END_TEST

START_TEST(goes_on_without_a_store)
{
	play_lists_wait_ms = 500;
	start();
	play_expect(play_supervisor, IPC_WANT_LISTS);
	play_serve(&gh);
	serve("2", "a");
	play_expect_result(relay, 1, LIST("a"));
	play_end();
}
END_TEST

/* Who waits for the store may go, and so may the server. */
START_TEST(waiting_grants_may_end)
{
	int other;

	start();
	lend(0);
	expect_recall();
	other = play_grant_of("gh", 3, "", 0);
	play_recall(other, 1, "gh");
	play_sync(other);
	close(relay);
	play_remove("gh");
	play_expect_refused(
	    other, 1, "server \"gh\" is no longer configured");
	tell(LIST("a"));
	play_define("gh");
	play_recall(other, 2, "gh");
	play_expect_result(other, 2, LIST("a"));
	play_end();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, kept_lists_are_used);
	tcase_add_test(tc, what_is_learnt_is_kept);
	tcase_add_test(tc, what_has_changed_is_not_kept);
	tcase_add_test(tc, is_kept_when_there_is_a_store);
	tcase_add_loop_test(
	    tc, malformed_lists_are_not_used, 0, UNIT_COUNT(rubbish));
	tcase_add_loop_test(tc, a_store_of_no_use, 0, 5);
	tcase_add_loop_test(
	    tc, a_store_that_is_not_there_is_no_mishap, 0, 2);
	tcase_add_test(tc, goes_on_without_a_store);
	tcase_add_test(tc, waiting_grants_may_end);
}

int
main(void)
{
	return unit_run("archive", add_tests);
}
