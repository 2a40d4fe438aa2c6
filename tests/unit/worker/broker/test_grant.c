/*
 * Tests of worker/broker/grant and on_relay: what a relay may ask, judged
 * by its channel alone, and what it may not, which costs only itself.
 */
#include "broker_play.h"

static struct play_server gh;

UNIT_TEST(refuses_what_is_not_allowed)
{
	int relay;

	play_start();
	play_define("fs");
	relay = play_grant_of("fs", 3, "", 0);
	play_call(relay, 1, "gh");
	play_expect_refused(
	    relay, 1, "unknown server \"gh\"; there are \"fs\"");
	play_list(relay, 2, "g\nh\x1b");
	play_expect_refused(relay, 2, "unknown server \"g\\x0ah\\x1b\"; ");
	play_load(relay, 3, "gh");
	play_expect_refused(relay, 3, "unknown server \"gh\"; ");
	play_end();
}

/* Its tools may be listed, which starts it; to call them takes loading. */
UNIT_TEST(lists_tools_of_what_is_not_loaded)
{
	int relay;

	play_start();
	relay = play_grant_of("gh", 3, "", 0);
	play_list(relay, 1, "gh");
	play_serve(&gh);
	play_hear(&gh);
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"tools\":[{\"name\":\"a\"}]}}");
	play_expect_result(
	    relay, 1, "{\"tools\":[{\"name\":\"a\"}],\"aliases\":[\"a\"]}");
	play_call(relay, 2, "gh");
	play_expect_refused(relay, 2, "server \"gh\" is configured but not "
	    "loaded in this call: name it in \"servers\", or await "
	    "runtime.load_server(\"gh\")");
	play_list(relay, 3, "fs");
	play_expect_refused(relay, 3, "unknown server \"fs\"; ");
	play_end();
}

/* Loading answers at once, starts the server, and is of this grant only. */
UNIT_TEST(loads_a_server)
{
	int one, two;

	play_start();
	one = play_grant_of("gh", 3, "", 0);
	two = play_grant_of("gh", 3, "", 0);
	play_load(one, 1, "gh");
	play_expect_result(one, 1, "{\"name\":\"gh\",\"alias\":\"gh\","
	    "\"description\":\"does things\",\"loaded\":true}");
	play_serve(&gh);
	play_call(two, 1, "gh");
	play_expect_refused(two, 1, "server \"gh\" is configured but");
	play_call(one, 2, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_end();
}

/* Loads a server, whatever its description is. */
static void
play_load_any(int relay, const char *name)
{
	play_load(relay, 90, name);
	play_expect(relay, IPC_RESULT);
	ipc_message_close(IPC_RESULT, &play_msg);
}

/* What runs already may be used; a server counts once, however often. */
UNIT_TEST(starts_sixteen_servers)
{
	auto_buffer struct buffer names = { 0 };
	int relay, other, n;

	play_start();
	for (n = 0; n <= GRANT_STARTS_MAX; n++) {
		auto_free char *name = mem_printf("s%d", n);

		play_define_as(name, name, "");
		buffer_add(&names, name, strlen(name) + 1);
	}
	buffer_add(&names, "gh", 3);
	other = play_grant_of("gh", 3, "gh", 3);
	play_serve(&gh);
	relay = play_grant_of(names.data, names.len, names.data, 3);
	for (n = 1; n < GRANT_STARTS_MAX; n++) {
		auto_free char *name = mem_printf("s%d", n);

		play_load_any(relay, name);
	}
	play_load_any(relay, "s16");
	play_call(relay, 91, "s16");
	play_expect_refused(relay, 91, "server \"s16\" is not started: this "
	    "execution has started 16 servers, which is the maximum");
	play_list(relay, 92, "s16");
	play_expect_refused(relay, 92, "server \"s16\" is not started: ");
	play_load_any(relay, "gh");
	play_call(relay, 94, "gh");
	play_expect_line(&gh, PLAY_CALLED("2"));
	close(other);
	play_end();
}

/*
 * Where a call names more than may be started, none is started ahead: the code
 * may use any of them.
 */
UNIT_TEST(starts_none_of_too_many_ahead)
{
	auto_buffer struct buffer names = { 0 };
	int relay, n;

	play_start();
	for (n = 0; n <= GRANT_STARTS_MAX; n++) {
		auto_free char *name = mem_printf("s%d", n);

		play_define_as(name, name, "");
		buffer_add(&names, name, strlen(name) + 1);
	}
	relay = play_grant_of(names.data, names.len, names.data, names.len);
	play_call(relay, 91, "s16");
	(void)play_expect_want("s16");
	play_call(relay, 92, "s0");
	(void)play_expect_want("s0");
	play_end();
}

UNIT_TEST(lists_servers)
{
	int relay;

	play_start();
	play_define_as("a \"b\"", "a_b_", "");
	/* "away" is allowed, but not there. */
	relay = play_grant_of("a \"b\"\0away\0gh", 14, "gh", 3);
	play_list_servers(relay, 9);
	play_expect_result(relay, 9, "[{\"name\":\"a \\\"b\\\"\",\"alias\":"
	    "\"a_b_\",\"description\":\"\",\"loaded\":false},{\"name\":\"gh\","
	    "\"alias\":\"gh\",\"description\":\"does things\","
	    "\"loaded\":true}]");
	play_load(relay, 10, "away");
	play_expect_refused(
	    relay, 10, "server \"away\" is no longer configured");
	play_end();
}

/* As many as there may be, some of which are removed and defined anew. */
UNIT_TEST(lists_many_servers)
{
	auto_buffer struct buffer names = { 0 }, json = { 0 };
	int relay, n;

	play_start();
	for (n = 0; n < CONFIG_SERVERS_MAX; n++) {
		auto_free char *name = mem_printf("s%d", n * 7 % 1000);

		buffer_add(&names, name, strlen(name) + 1);
		play_define(name);
		if (n % 3 > 0)
			play_remove(name);
		if (n % 3 > 1)
			play_define(name);
		if (n % 3 != 1)
			buffer_printf(&json, "%s{\"name\":\"%s\",\"alias\":"
			    "\"%s\",\"description\":\"does things\",\"loaded\":"
			    "false}", n > 0 ? "," : "[", name, name);
	}
	buffer_add_text(&json, "]");
	relay = play_grant_of(names.data, names.len, "", 0);
	for (n = 0; n < 200; n++) {
		play_list_servers(relay, 1);
		play_expect_result(relay, 1, json.data);
	}
	play_end();
}

UNIT_TEST(refuses_too_many_requests)
{
	uint64_t id;
	int relay;

	play_start();
	relay = play_grant();
	play_serve(&gh);
	for (id = 1; id <= REQUESTS_MAX; id++) {
		play_call(relay, id, "gh");
		play_hear(&gh);
	}
	play_call(relay, id, "gh");
	play_expect_refused(relay, id, "128 requests of this execution are "
	    "in flight already");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	play_expect_result(relay, 1, "{}");
	play_call(relay, id, "gh");
	play_hear(&gh);
	play_end();
}

/* A relay that breaks a rule: its grant ends, the others do not notice. */
static void
expect_broken(int bad, int good)
{
	play_expect_closed(bad);
	play_list_servers(good, 1);
	play_expect(good, IPC_RESULT);
	close(bad);
	play_end();
}

UNIT_TEST(a_number_under_way_is_not_used_again)
{
	int bad, good;

	play_start();
	bad = play_grant();
	good = play_grant();
	play_serve(&gh);
	play_call(bad, 1, "gh");
	play_hear(&gh);
	play_list_servers(bad, 1);
	expect_broken(bad, good);
}

/* Nothing of ours puts two messages into one, or half of one. */
UNIT_TESTS(what_is_passed_on_is_json, 9)
{
	static const char *const arguments[] = { "", "[]", "{},{}", "{}\n{}",
		"{\n}", "{\r}", "{\"a\":NaN}", "{\"a\":\"\xff\"}", "{" };
	int bad, good;

	play_start();
	bad = play_grant();
	good = play_grant();
	play_call_with(bad, 1, "gh", arguments[_i], strlen(arguments[_i]));
	expect_broken(bad, good);
}

UNIT_TESTS(the_name_of_a_tool_is_json, 4)
{
	static const char *const names[] = { "12", "\"a", "\"a\"\n",
		"\"a\",\"b\":\"c\"" };
	struct ipc_call_tool call = { .id = 1, .server = "gh",
		.arguments = { (const uint8_t *)"{}", 2, -1 } };
	int bad, good;

	play_start();
	bad = play_grant();
	good = play_grant();
	call.tool = (struct ipc_bytes){ (const uint8_t *)names[_i],
		strlen(names[_i]) };
	play_send(bad, IPC_CALL_TOOL, &call);
	expect_broken(bad, good);
}

UNIT_TEST(garbage_ends_a_grant)
{
	int bad, good;

	play_start();
	bad = play_grant();
	good = play_grant();
	ck_assert_int_eq(send(bad, "abc", 3, 0), 3);
	expect_broken(bad, good);
}

/* A server that runs, of which only some tools may be used from now on. */
static int
serve_narrowed(struct ipc_define *define)
{
	int relay;

	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_define_whole(define);
	play_sync_supervisor();
	return relay;
}

/* Whatever the box says, and however it writes the name. */
UNIT_TEST(calls_what_is_listed_where_tools_are_narrowed)
{
	struct ipc_define define = { .name = "gh", .alias = "gh",
		.description = "", .deny = { (const uint8_t *)"other", 6 } };
	int relay = serve_narrowed(&define);

	play_call(relay, 1, "gh");
	play_expect_refused(relay, 1, "server \"gh\": its tool \"talk\" is "
	    "not in its list, and the configuration of the server "
	    "restricts its tools by name");
	play_end();
}

static void
play_cancel(int relay, uint64_t id)
{
	struct ipc_cancel_call cancel = { .id = id };

	play_send(relay, IPC_CANCEL_CALL, &cancel);
}

/* Of what waits for the start, and of a list that others wait for, too. */
UNIT_TEST(cancels_what_is_not_sent)
{
	uint64_t link;
	int relay;

	play_start();
	relay = play_grant();
	link = play_expect_want("gh");
	play_call(relay, 1, "gh");
	play_list(relay, 2, "gh");
	play_list(relay, 3, "gh");
	play_cancel(relay, 1);
	play_expect_refused(relay, 1, "it was cancelled");
	ck_assert_uint_eq(play_msg.refused.reached, 0);
	play_launch(link, &gh);
	play_greet(&gh);
	play_hear(&gh);
	play_cancel(relay, 2);
	play_expect_refused(relay, 2, "it was cancelled");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"tools\":[]}}");
	play_expect_result(relay, 3, "{\"tools\":[],\"aliases\":[]}");
	play_end();
}

/* One that has not begun yet is only forgotten. */
UNIT_TEST(forgets_what_has_not_begun)
{
	int relay, other;
	uint64_t link;

	play_start();
	relay = play_grant();
	other = play_grant();
	link = play_expect_want("gh");
	play_call(relay, 1, "gh");
	play_sync(relay);
	close(relay);
	play_call(other, 1, "gh");
	play_sync(other);
	play_launch(link, &gh);
	play_greet(&gh);
	play_expect_line(&gh, PLAY_CALLED("2"));
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
	play_expect_result(other, 1, "{}");
	play_end();
}

/* Says a result of 15 MiB for the call of this number. */
static void
say_much(uint64_t id)
{
	auto_buffer struct buffer line = { 0 };

	buffer_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"result\":"
	    "{\"text\":\"", (unsigned int)id);
	memset(buffer_reserve(&line, 15 * MIB), 'x', 15 * MIB);
	line.len += 15 * MIB;
	buffer_add_text(&line, "\"}}");
	play_say(&gh, line.data);
}

/*
 * Answers that a relay does not read are bounded. The small ones fill the
 * socket; behind them there is room for four large ones.
 */
UNIT_TEST(bounds_what_is_not_read)
{
	const uint64_t small = 600;
	uint64_t id;
	int relay;

	play_start();
	relay = play_grant();
	play_serve(&gh);
	for (id = 1; id <= small; id++)
		play_list_servers(relay, id);
	for (; id <= small + 5; id++) {
		play_call(relay, id, "gh");
		play_hear(&gh);
		say_much(id - small + 1);
	}
	play_list_servers(relay, id);
	for (id = 1; id <= small + 4; id++) {
		play_expect(relay, IPC_RESULT);
		ck_assert_uint_eq(play_msg.result.id, id);
		ipc_message_close(IPC_RESULT, &play_msg);
	}
	play_expect(relay, IPC_REFUSED);
	ck_assert_uint_eq(play_msg.refused.id, id);
	ck_assert_uint_eq(play_msg.refused.reached, 2);
	ck_assert_ptr_nonnull(strstr(play_msg.refused.reason, " bytes of "
	    "answers have not been read yet; at most 67108864 may wait"));
	play_expect_result(relay, id + 1, "[{\"name\":\"gh\",\"alias\":"
	    "\"gh\",\"description\":\"does things\",\"loaded\":true}]");
	play_end();
}

#define TALK(type)                                                             \
	"{\"name\":\"talk\",\"inputSchema\":{\"properties\":{\"n\":{\"type\":" \
	"\"" type "\"}}}}"
#define TALKS(id, type)                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"tools\":["           \
	TALK(type) "]}}"
#define CALLED(id, n)                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\","        \
	"\"params\":{\"name\":\"t\\u0061lk\",\"arguments\":{\"n\":" n "}"

static void
expect_called(const char *wanted)
{
	const char *line = play_hear(&gh);

	if (strncmp(line, wanted, strlen(wanted)) != 0)
		ck_assert_str_eq(line, wanted);
}

static void
expect_unfit(int relay, uint64_t id, const char *words)
{
	play_expect(relay, IPC_REFUSED);
	ck_assert_uint_eq(play_msg.refused.id, id);
	ck_assert_uint_eq(play_msg.refused.unfit, 1);
	ck_assert_uint_eq(play_msg.refused.reached, 0);
	ck_assert_int_eq(strncmp(play_msg.refused.reason, words,
	    strlen(words)), 0);
	ipc_message_close(IPC_REFUSED, &play_msg);
}

/* A server with its list; returns the channel of the relay. */
static int
serve_listed(void)
{
	int relay;

	play_start();
	relay = play_grant();
	play_serve(&gh);
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, TALKS("2", "integer"));
	play_expect_result(relay, 1, "{\"tools\":[" TALK("integer") "],"
	    "\"aliases\":[\"talk\"]}");
	return relay;
}

/* What the list refuses is not sent, unless the next list takes it. */
UNIT_TEST(judges_arguments)
{
	int relay = serve_listed();

	play_call_with(relay, 2, "gh", "{\"n\":\"7\"}", 9);
	expect_called(CALLED("3", "7"));
	play_call_with(relay, 3, "gh", "{\"n\":\"x\"}", 9);
	expect_unfit(relay, 3,
	    "argument \"n\" is \"x\", and must be an integer");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/tools/list_changed\"}");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}");
	play_hear(&gh);
	play_call_with(relay, 4, "gh", "{\"n\":\"8\"}", 9);
	expect_called(CALLED("4", "8"));
	play_call_with(relay, 5, "gh", "{\"n\":\"x\"}", 9);
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":"
	    "\"tools/list\"}");
	play_say(&gh, TALKS("5", "string"));
	expect_called(CALLED("6", "\"x\""));
	play_call_with(relay, 6, "gh", "{\"n\":1e2}", 9);
	expect_unfit(relay, 6, "argument \"n\" is 1e2, and must be a string");
	play_end();
}

/* Starts a server that has tools. */
static void
serve_tools(void)
{
	play_launch(play_expect_want("gh"), &gh);
	play_greet_with(&gh, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":"
	    "{\"tools\":{}}}}");
	play_hear(&gh);
}

/* A server that has tools is asked for its list before the first call. */
UNIT_TEST(judges_arguments_of_what_nobody_has_listed)
{
	int relay;

	play_start();
	relay = play_grant();
	serve_tools();
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}");
	play_hear(&gh);
	play_call_with(relay, 1, "gh", "{\"n\":\"x\"}", 9);
	play_call_with(relay, 2, "gh", "{\"n\":\"7\"}", 9);
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
	    "\"tools/list\"}");
	play_say(&gh, TALKS("2", "integer"));
	expect_unfit(relay, 1,
	    "argument \"n\" is \"x\", and must be an integer");
	expect_called(CALLED("3", "7"));
	play_end();
}

/*
 * A tool that an old list has not is looked for in the next one, and not called
 * if its schema cannot be used; one that the next one has not is the server's.
 */
UNIT_TEST(judges_no_tool_by_a_list_that_is_old)
{
	int relay;

	play_start();
	relay = play_grant();
	serve_tools();
	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{"
	    "\"tools\":[{\"name\":\"other\"}]}}");
	play_expect_result(relay, 1, "{\"tools\":[{\"name\":\"other\"}],"
	    "\"aliases\":[\"other\"]}");
	play_call_with(relay, 2, "gh", "{\"n\":\"x\"}", 9);
	expect_called(CALLED("3", "\"x\""));
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/tools/list_changed\"}");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}");
	play_hear(&gh);
	play_call_with(relay, 3, "gh", "{\"n\":\"x\"}", 9);
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":"
	    "\"tools/list\"}");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{"
	    "\"tools\":[{\"name\":\"talk\",\"inputSchema\":1}]}}");
	play_expect_refused(relay, 3, "server \"gh\": its tool \"talk\" "
	    "cannot be used: its inputSchema is not an object, or nested too "
	    "deeply");
	play_end();
}

/* A call that comes before the server runs waits for the list, too. */
UNIT_TEST(judges_arguments_before_the_first_start)
{
	int relay;

	play_start();
	relay = play_grant();
	play_call_with(relay, 1, "gh", "{\"n\":\"x\"}", 9);
	play_call_with(relay, 2, "gh", "{\"n\":\"7\"}", 9);
	serve_tools();
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
	    "\"tools/list\"}");
	play_say(&gh, TALKS("2", "integer"));
	expect_unfit(relay, 1,
	    "argument \"n\" is \"x\", and must be an integer");
	expect_called(CALLED("3", "7"));
	play_end();
}

/* A server whose list is known and in doubt, and a call that does not fit. */
static int
doubt(void)
{
	int relay = serve_listed();

	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/tools/list_changed\"}");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}");
	play_hear(&gh);
	play_call_with(relay, 2, "gh", "{\"n\":\"x\"}", 9);
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
	    "\"tools/list\"}");
	return relay;
}

/* Whatever goes wrong with the next list: it says what it said. */
UNIT_EACH(judges_by_the_known_list, 3)
{
	int relay = doubt();

	if (_i == 0)
		play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{"
		    "\"code\":-1,\"message\":\"not now\"}}");
	else if (_i == 1)
		play_close(&gh);
	expect_unfit(relay, 2,
	    "argument \"n\" is \"x\", and must be an integer");
	play_end();
}

/* A tool that has left the list is not called where tools are restricted. */
UNIT_TEST(judges_by_the_rules_of_a_new_list)
{
	struct ipc_define define = { .name = "gh", .alias = "gh",
		.description = "", .deny = { (const uint8_t *)"other", 6 } };
	int relay = serve_narrowed(&define);

	play_list(relay, 1, "gh");
	play_hear(&gh);
	play_say(&gh, TALKS("2", "integer"));
	play_expect_result(relay, 1, "{\"tools\":[" TALK("integer") "],"
	    "\"aliases\":[\"talk\"]}");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/tools/list_changed\"}");
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}");
	play_hear(&gh);
	play_call_with(relay, 2, "gh", "{\"n\":\"x\"}", 9);
	play_hear(&gh);
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{"
	    "\"tools\":[]}}");
	play_expect_refused(relay, 2, "server \"gh\": its tool \"talk\" is "
	    "not in its list, and the configuration of the server "
	    "restricts its tools by name");
	play_end();
}
