/*
 * Tests of worker/broker/link/questions: for whom a server asks, and how long
 * its calls wait meanwhile.
 */
#include <time.h>

#include "common/ask_client.h"
#include "../server_play.h"

static struct play_server gh;

#define FORM                                                                   \
	"\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\","     \
	"\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}"

static void
ask(int id, const char *what)
{
	auto_free char *line = mem_printf(
	    "{\"jsonrpc\":\"2.0\",\"id\":%d,%s}", id, what);

	play_say(&gh, line);
}

static void
expect_asked(uint64_t number, uint64_t execution, const char *params)
{
	play_expect(play_supervisor, IPC_ASK_CLIENT);
	ck_assert_uint_eq(play_msg.ask_client.question, number);
	ck_assert_uint_eq(play_msg.ask_client.execution, execution);
	play_expect_blob(&play_msg.ask_client.params, params);
	ipc_message_close(IPC_ASK_CLIENT, &play_msg);
}

static void
answer(uint64_t number, uint64_t execution, const char *result)
{
	struct ipc_client_answered answered = { .question = number,
		.execution = execution,
		.result = { (const uint8_t *)result, strlen(result), -1 },
		.reason = "no one answers" };

	play_send(play_supervisor, IPC_CLIENT_ANSWERED, &answered);
}

/* A grant of this execution and client, whose call is with the server. */
static int
call(uint64_t execution, uint64_t client, const char *line)
{
	int relay;

	play_execution = execution;
	play_client = client;
	relay = play_grant_of("gh\0fs", 6, "gh", 3);
	play_call(relay, 1, "gh");
	if (line[22] == '2') /* its first one */
		play_serve(&gh);
	play_expect_line(&gh, line);
	return relay;
}

static void
begin(void)
{
	play_asks = ASK_CLIENT_ALL;
	play_start();
	play_define("fs");
}

/* Two calls, 2 of the execution 7 and 3 of 8, of these clients. */
static const struct {
	uint64_t clients[2];
	const char *related;
	uint64_t execution; /* that it is asked of; 0: none */
} relations[] = {
	{ { 1, 2 }, "", 0 },
	{ { 0, 0 }, "", 0 },
	{ { 1, 1 }, "", 8 },
	{ { 1, 2 }, "\"relatedRequestId\":2,", 7 },
	{ { 0, 0 }, "\"relatedRequestId\":\"3\",", 8 },
	{ { 1, 2 }, "\"relatedRequestId\":1,", 0 },
	{ { 1, 2 }, "\"relatedRequestId\":9,", 0 },
	{ { 1, 2 }, "\"relatedRequestId\":2,\"relatedRequestId\":3,", 0 },
};

UNIT_TESTS(knows_for_whom, UNIT_COUNT(relations))
{
	auto_free char *what = mem_printf("%s" FORM, relations[_i].related);

	begin();
	call(7, relations[_i].clients[0], PLAY_CALLED("2"));
	call(8, relations[_i].clients[1], PLAY_CALLED("3"));
	ask(5, what);
	if (relations[_i].execution == 0) {
		play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":"
		    "{\"code\":-32603,\"message\":\"it is not known for whom: "
		    "no call is in flight, or calls of several clients "
		    "are\"}}");
	} else {
		expect_asked(1, relations[_i].execution, "{\"message\":"
		    "\"gh asks: m\",\"requestedSchema\":{\"type\":\"object\","
		    "\"properties\":{}}}");
		/* That of an earlier broker, whose numbers were the same. */
		answer(1, 9, "{\"action\":\"cancel\"}");
		answer(1, relations[_i].execution, "{\"action\":\"decline\"}");
		play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":5,"
		    "\"result\":{\"action\":\"decline\"}}");
	}
	play_end();
}

UNIT_TEST(an_address_has_an_id)
{
	begin();
	call(7, 0, PLAY_CALLED("2"));
	ask(5, "\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\","
	    "\"message\":\"m\",\"url\":\"https://a\"}");
	expect_asked(1, 7, "{\"message\":\"gh asks: m\",\"mode\":\"url\","
	    "\"url\":\"https://a\",\"elicitationId\":\"caisson-1\"}");
	play_end();
}

/* Only a server that has got the roots of this client. */
UNIT_TEST(hears_that_roots_change)
{
	struct ipc_roots_changed changed = { .client = 2 };

	begin();
	call(7, 1, PLAY_CALLED("2"));
	changed.client = 1;
	play_send(play_supervisor, IPC_ROOTS_CHANGED, &changed);
	ask(5, "\"method\":\"roots/list\"");
	expect_asked(1, 7, "{}");
	answer(1, 7, "{\"roots\":[]}");
	play_expect_line(
	    &gh, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"roots\":[]}}");
	changed.client = 2;
	play_send(play_supervisor, IPC_ROOTS_CHANGED, &changed);
	ask(6, "\"method\":\"ping\"");
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}");
	changed.client = 1;
	play_send(play_supervisor, IPC_ROOTS_CHANGED, &changed);
	play_expect_line(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/roots/list_changed\"}");
	play_end();
}

static uint64_t
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec;
}

/* Lets play_wait_ms pass. */
static void
pass(int relay, uint64_t id)
{
	if (id == 2) {
		play_load(relay, 100, "fs");
		play_expect(relay, IPC_RESULT);
		play_expect_want("fs");
	}
	play_call(relay, id, "fs");
	play_expect_refused(relay, id, "server \"fs\" is still");
}

#define UNANSWERED(id)                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":-32603,"       \
	"\"message\":\"no one answers\"}}"

/*
 * A call waits for its client, not for its server: three questions at once are
 * one wait, by which all that it may take is longer.
 */
UNIT_TESTS(calls_wait_for_the_client, 2)
{
	static const char *const lines[] = { UNANSWERED("1"), UNANSWERED("2"),
		UNANSWERED("3") };
	uint64_t before, n;
	int relay;

	play_wait_ms = 15000;
	play_start_ms = 1000000;
	play_tool_seconds = 20;
	play_tool_ceiling = 30;
	begin();
	relay = call(7, 0, PLAY_CALLED("2"));
	before = seconds();
	for (n = 1; n <= 3; n++) {
		ask((int)n, FORM);
		play_expect(play_supervisor, IPC_ASK_CLIENT);
		ipc_message_close(IPC_ASK_CLIENT, &play_msg);
	}
	pass(relay, 2);
	if (_i == 0) { /* longer than the call may take */
		pass(relay, 3);
		pass(relay, 4);
	}
	for (n = 1; n <= 3; n++) {
		answer(n, 7, "");
		play_expect_line(&gh, lines[n - 1]);
	}
	pass(relay, 5);
	if (_i == 0) {
		answer_call(&gh, 2, relay, 1);
	} else {
		play_say(&gh, "{\"jsonrpc\":\"2.0\",\"method\":"
		    "\"notifications/progress\",\"params\":{"
		    "\"progressToken\":2,\"progress\":1}}");
		play_expect_refused(relay, 1, "server \"gh\" did not answer "
		    "the call of its tool \"talk\" within 30 seconds, the "
		    "maximum even with progress reports");
		ck_assert_uint_eq(seconds() - before, 15 + 30);
	}
	play_end();
}
