/*
 * Tests of the real caisson-gateway, its argument: what its clients and its
 * supervisor see of each other.
 */
#include "gateway_play.h"

#define POST_OF(more, body)                                                    \
	"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"  \
	"Accept: application/json, text/event-stream\r\n" more "\r\n" body
#define POST POST_OF("Content-Length: 2\r\n", "{}")

#define ANSWER(body, len)                                                      \
	"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"                \
	"Content-Length: " len "\r\n\r\n" body

#define ERROR(message)                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,"         \
	"\"message\":\"" message "\"}}"

/* Compares bytes of a message. */
static void
check_bytes(const struct ipc_bytes *bytes, const char *want)
{
	ck_assert_uint_eq(bytes->len, strlen(want));
	ck_assert_int_eq(memcmp(bytes->data, want, bytes->len), 0);
}

START_TEST(a_request_is_passed_on)
{
	int client, guest;

	start_local();
	client = connect_client();
	say(client, POST_OF("Mcp-Session-Id: 12ab\r\n"
	    "MCP-Protocol-Version: v\r\nMcp-Method: m\r\n"
	    "Mcp-Name: n\r\nMcp-Param-A: b\r\n"
	    "Content-Length: 5\r\n", "[1,2]"));
	expect(supervisor, IPC_HELLO);
	ck_assert_uint_eq(msg.hello.local, 1);
	ck_assert_uint_eq(msg.hello.token.len, 0);
	ck_assert_ptr_nonnull(strstr(msg.hello.address, "user "));
	guest = welcome();
	expect(guest, IPC_ASK);
	ck_assert_uint_eq(msg.ask.request, 1);
	ck_assert_uint_eq(msg.ask.method, HTTP_POST);
	ck_assert_uint_eq(msg.ask.streams, 1);
	ck_assert_str_eq(msg.ask.session, "12ab");
	check_bytes(&msg.ask.version, "v");
	check_bytes(&msg.ask.mcp_method, "m");
	check_bytes(&msg.ask.mcp_name, "n");
	check_bytes(&msg.ask.params, "Mcp-Param-A: b\n");
	ck_assert_uint_eq(msg.ask.body.len, 5);
	ck_assert_int_eq(memcmp(msg.ask.body.data, "[1,2]", 5), 0);
	reply(guest, 1, 200, "{}");
	hear_all(client, "{}", ANSWER("{}", "2"));
	close(client);
	close(guest);
	stop();
}
END_TEST

START_TEST(requests_of_a_connection_are_answered_in_turn)
{
	int client, guest;

	start_local();
	client = connect_client();
	say(client, POST POST POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	reply(guest, 1, 200, "{}");
	expect(guest, IPC_ASK);
	reply(guest, 2, 202, "");
	expect(guest, IPC_ASK);
	ck_assert_uint_eq(msg.ask.request, 3);
	reply(guest, 3, 200, "[]");
	hear_all(client, "{}", ANSWER("{}", "2"));
	hear_all(client, "\r\n\r\n",
	    "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
	hear_all(client, "[]", ANSWER("[]", "2"));
	close(client);
	close(guest);
	stop();
}
END_TEST

START_TEST(large_bodies_arrive)
{
	auto_free char *body = mem_alloc(BODY_MAX + 1);
	auto_free char *head = mem_printf(
	    POST_OF("Content-Length: %d\r\n", ""), BODY_MAX);
	auto_free char *copy = NULL;
	auto_free char *heard = NULL;
	struct err err;
	int client, guest;

	memset(body, 'x', BODY_MAX);
	start_local();
	client = connect_client();
	say(client, head);
	say(client, body);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	copy = ipc_blob_copy(&msg.ask.body, &err);
	fd_close(&msg.ask.body.fd);
	ck_assert_uint_eq(msg.ask.body.len, BODY_MAX);
	ck_assert_int_eq(memcmp(copy, body, BODY_MAX), 0);
	reply(guest, 1, 200, body);
	heard = hear(client, "\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(heard, "Content-Length: 100000\r\n"));
	free(mem_take(&heard));
	say(client, POST);
	expect(guest, IPC_ASK);
	close(client);
	expect(guest, IPC_LEFT);
	close(guest);
	stop();
}
END_TEST

START_TEST(a_body_that_is_too_large_is_refused)
{
	auto_free char *much = mem_alloc(BODY_MAX + 1);
	int client;

	memset(much, 'x', BODY_MAX);
	start_local();
	client = connect_client();
	say(client, POST_OF("Content-Length: 100001\r\n", ""));
	/* The client sends on, and still gets its answer. */
	say(client, much);
	hear_all(client, NULL,
	    "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n"
	    "Content-Type: application/json\r\nContent-Length: 171\r\n\r\n"
	    ERROR("the body of the request is too large: at most 100000 bytes "
	          "are read; the setting max_code raises this limit"));
	close(client);
	stop();
}
END_TEST

START_TEST(the_client_is_asked_to_go_on)
{
	int client, guest;

	start_local();
	client = connect_client();
	say(client, POST_OF(
	    "Content-Length: 2\r\nExpect: 100-continue\r\n", ""));
	hear_all(client, "\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n");
	say(client, "{}");
	guest = expect_guest();
	expect(guest, IPC_ASK);
	reply(guest, 1, 200, "{}");
	hear_all(client, "{}", ANSWER("{}", "2"));
	close(client);
	close(guest);
	stop();
}
END_TEST

START_TEST(events_are_streamed)
{
	int client, guest;

	start_local();
	client = connect_client();
	say(client, POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	begin_stream(guest, 1);
	hear_all(client, "\r\n\r\n",
	    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	    "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n");
	send_event(guest, 1, "{\"a\":1}", 0);
	hear_all(client, "\n\n\r\n", "f\r\ndata: {\"a\":1}\n\n\r\n");
	send_event(guest, 1, "{}", 1);
	hear_all(client, "0\r\n\r\n", "a\r\ndata: {}\n\n\r\n0\r\n\r\n");
	say(client, POST);
	expect(guest, IPC_ASK);
	ck_assert_uint_eq(msg.ask.request, 2);
	close(client);
	close(guest);
	stop();
}
END_TEST

START_TEST(old_clients_get_a_stream_that_ends_with_the_connection)
{
	int client, guest;

	start_local();
	client = connect_client();
	say(client, "GET /mcp HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n");
	guest = expect_guest();
	expect(guest, IPC_ASK);
	ck_assert_uint_eq(msg.ask.method, HTTP_GET);
	begin_stream(guest, 1);
	send_event(guest, 1, "{}", 1);
	hear_all(client, NULL,
	    "HTTP/1.1 200 OK\r\nConnection: close\r\n"
	    "Content-Type: text/event-stream\r\n"
	    "X-Accel-Buffering: no\r\n\r\ndata: {}\n\n");
	close(client);
	close(guest);
	stop();
}
END_TEST

/* Whether it waits for an answer or reads events. */
START_TEST(a_client_that_leaves_is_reported)
{
	int client, guest;

	start_local();
	client = connect_client();
	say(client, POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	if (_i == 1)
		begin_stream(guest, 1);
	if (_i == 2)
		shutdown(client, SHUT_WR);
	else
		close(client);
	expect(guest, IPC_LEFT);
	ck_assert_uint_eq(msg.left.request, 1);
	/* What was on its way to it is dropped. */
	if (_i == 1)
		send_event(guest, 1, "{}", 1);
	else
		reply(guest, 1, 200, "{}");
	close(client);
	client = connect_client();
	say(client, POST);
	expect(guest, IPC_ASK);
	ck_assert_uint_eq(msg.ask.request, 2);
	close(client);
	close(guest);
	stop();
}
END_TEST

/* Tokens */

#define WITH_TOKEN(token)                                                      \
	POST_OF("Authorization: " token "\r\nContent-Length: 2\r\n", "{}")

START_TEST(guests_are_distinguished_by_their_tokens)
{
	int one, two, again, guest, other;

	start(0, "", 0);
	one = connect_client();
	say(one, WITH_TOKEN("Bearer first"));
	expect(supervisor, IPC_HELLO);
	ck_assert_uint_eq(msg.hello.local, 0);
	check_bytes(&msg.hello.token, "first");
	guest = welcome();
	expect(guest, IPC_ASK);
	two = connect_client();
	say(two, WITH_TOKEN("bearer  second"));
	expect(supervisor, IPC_HELLO);
	check_bytes(&msg.hello.token, "second");
	other = welcome();
	expect(other, IPC_ASK);
	ck_assert_uint_eq(msg.ask.request, 1);
	again = connect_client();
	say(again, WITH_TOKEN("Bearer first"));
	expect(guest, IPC_ASK);
	ck_assert_uint_eq(msg.ask.request, 2);
	reply(guest, 2, 200, "{}");
	reply(other, 1, 200, "[]");
	hear_all(again, "{}", ANSWER("{}", "2"));
	hear_all(two, "[]", ANSWER("[]", "2"));
	close(one);
	close(two);
	close(again);
	close(guest);
	close(other);
	stop();
}
END_TEST

static const struct {
	const char *request;
	const char *reason;
} unknown[] = {
	{ POST, "a token is required: Authorization: Bearer TOKEN" },
	{ WITH_TOKEN("Basic first"),
	    "Authorization must be \\\"Bearer\\\" and a token" },
	{ WITH_TOKEN("Bearer"),
	    "Authorization must be \\\"Bearer\\\" and a token" },
	{ WITH_TOKEN("Bearer a b"),
	    "Authorization must be \\\"Bearer\\\" and a token" },
	{ WITH_TOKEN("Bearer \xc3\xa4"),
	    "Authorization must be \\\"Bearer\\\" and a token" },
};

/* Also for other users at a Unix socket. */
START_TEST(without_a_token_nothing_is_asked)
{
	auto_free char *heard = NULL;
	int client;

	start(_i % 2, "", getuid() + 1);
	client = connect_client();
	say(client, unknown[_i].request);
	heard = hear(client, "}}");
	ck_assert_ptr_nonnull(
	    strstr(heard, "HTTP/1.1 401 Unauthorized\r\n"));
	ck_assert_ptr_nonnull(strstr(heard, _i == 0 ?
	        "WWW-Authenticate: Bearer\r\n" :
	        "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n"));
	ck_assert_ptr_nonnull(strstr(heard, unknown[_i].reason));
	close(client);
	stop();
}
END_TEST

START_TEST(a_guest_can_be_turned_away)
{
	struct ipc_turn_away away = { .status = 429,
		.seconds = 9,
		.reason = "later" };
	auto_free char *heard = NULL;
	int client;

	start(0, "", 0);
	client = connect_client();
	say(client, WITH_TOKEN("Bearer guess"));
	expect(supervisor, IPC_HELLO);
	away.visit = msg.hello.visit;
	send_to(supervisor, IPC_TURN_AWAY, &away);
	heard = hear(client, ERROR("later"));
	ck_assert_ptr_nonnull(strstr(heard, "429 Too Many Requests\r\n"));
	ck_assert_ptr_nonnull(strstr(heard, "Retry-After: 9\r\n"));
	/* The next one asks again. */
	say(client, WITH_TOKEN("Bearer guess"));
	expect(supervisor, IPC_HELLO);
	ck_assert_uint_ne(msg.hello.visit, away.visit);
	close(client);
	stop();
}
END_TEST

START_TEST(a_token_can_be_revoked)
{
	auto_free char *heard = NULL;
	auto_free char *rest = NULL;
	int client, reader, guest;

	start(0, "", 0);
	client = connect_client();
	reader = connect_client();
	say(reader, WITH_TOKEN("Bearer t"));
	guest = expect_guest();
	expect(guest, IPC_ASK);
	begin_stream(guest, 1);
	say(client, WITH_TOKEN("Bearer t"));
	expect(guest, IPC_ASK);
	close(guest);
	heard = hear(client, "}}");
	ck_assert_ptr_nonnull(strstr(heard, " 401 Unauthorized\r\n"));
	rest = hear(reader, "0\r\n\r\n");
	say(client, WITH_TOKEN("Bearer t"));
	expect(supervisor, IPC_HELLO);
	close(client);
	close(reader);
	stop();
}
END_TEST

/* The next request is read while those of the lost guest are answered. */
START_TEST(a_guest_can_be_lost_while_requests_wait)
{
	int one, two, guest;

	start_local();
	one = connect_client();
	say(one, POST POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	two = connect_client();
	say(two, POST POST);
	expect(guest, IPC_ASK);
	close(guest);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	expect(guest, IPC_ASK);
	reply(guest, 1, 200, "{}");
	reply(guest, 2, 200, "{}");
	free(hear(one, "{}"));
	free(hear(two, "{}"));
	close(one);
	close(two);
	close(guest);
	stop();
}
END_TEST

START_TEST(a_client_that_does_not_read_events_is_disconnected)
{
	auto_free char *much = mem_alloc(HTTP_EVENTS_UNSENT_MAX + MIB);
	enum ipc_type type;
	int client, guest;

	memset(much, 'x', HTTP_EVENTS_UNSENT_MAX + MIB - 1);
	start_local();
	client = connect_client();
	say(client, POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	begin_stream(guest, 1);
	send_event(guest, 1, much, 0);
	send_event(guest, 1, "{}", _i);
	if (_i == 0)
		expect(guest, IPC_LEFT);
	close(client);
	client = connect_client();
	say(client, POST);
	type = receive(guest);
	/* Its end may have been seen before the last event. */
	if (_i == 1 && type == IPC_LEFT)
		type = receive(guest);
	ck_assert_int_eq(type, IPC_ASK);
	close(client);
	close(guest);
	stop();
}
END_TEST

/* Bytes that come before the answer: the end of their client is noticed. */
START_TEST(a_client_that_resets_is_noticed)
{
	int client, other, guest;

	start_local();
	client = connect_client();
	say(client, POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	begin_stream(guest, 1);
	say(client, POST);
	/* The gateway has read that when it has served another one. */
	other = connect_client();
	say(other, POST);
	expect(guest, IPC_ASK);
	close(other);
	expect(guest, IPC_LEFT);
	ck_assert_uint_eq(msg.left.request, 2);
	/* It has not read what was sent to it, so this is a reset. */
	close(client);
	expect(guest, IPC_LEFT);
	ck_assert_uint_eq(msg.left.request, 1);
	close(guest);
	stop();
}
END_TEST

/*
 * Where clients have sent too much that is not complete, the one that has sent
 * most is refused, and not the one that sends next.
 */
START_TEST(the_largest_body_is_refused)
{
	enum { PART = 8 * MIB, CLIENTS = HTTP_BODIES_MAX / PART - 1 };
	auto_free char *much = mem_alloc(PART + 1);
	auto_free char *heard = NULL;
	int clients[CLIENTS];
	int other, guest, i;

	body_max = 2 * PART;
	memset(much, 'x', PART);
	start_local();
	for (i = 0; i < CLIENTS; i++) {
		clients[i] = connect_client();
		say(clients[i], POST_OF("Content-Length: 16000000\r\n", ""));
		say(clients[i], much);
	}
	say(clients[1], much + PART - MIB);
	other = connect_client();
	say(other, POST_OF("Content-Length: 7864320\r\n", ""));
	say(other, much + PART - 7864320);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	ck_assert_uint_eq(msg.ask.body.len, 7864320);
	fd_close(&msg.ask.body.fd);
	heard = hear(clients[1], "\r\n");
	ck_assert_str_eq(heard, "HTTP/1.1 503 Service Unavailable\r\n");
	for (i = 0; i < CLIENTS; i++)
		close(clients[i]);
	close(other);
	close(guest);
	stop();
	body_max = BODY_MAX;
}
END_TEST

START_TEST(a_client_may_not_send_far_ahead)
{
	auto_free char *much = mem_alloc(HTTP_AHEAD_MAX + PIPE_CHUNK + 1);
	int client, guest;

	memset(much, 'x', HTTP_AHEAD_MAX + PIPE_CHUNK);
	start_local();
	client = connect_client();
	say(client, POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	say(client, much);
	expect(guest, IPC_LEFT);
	close(client);
	close(guest);
	stop();
}
END_TEST

/* Requests that are not passed on */

#define HEAD "Host: a\r\nContent-Length: 0\r\n"
#define JSON "Content-Type: application/json\r\n"

static const struct {
	const char *request;
	const char *status;
} refused[] = {
	{ "POST /mcp HTTP/1.1\r\nHost: b\r\n" JSON "Content-Length: 0\r\n\r\n",
	    "403 Forbidden" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Origin: http://b\r\n\r\n",
	    "403 Forbidden" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Origin: null\r\n\r\n",
	    "403 Forbidden" },
	{ "OPTIONS /mcp HTTP/1.1\r\n" HEAD "Origin: http://b\r\n\r\n",
	    "403 Forbidden" },
	{ "GET / HTTP/1.1\r\n" HEAD "\r\n", "404 Not Found" },
	{ "GET /mcp/ HTTP/1.1\r\n" HEAD "\r\n", "404 Not Found" },
	{ "GET //mcp HTTP/1.1\r\n" HEAD "\r\n", "404 Not Found" },
	{ "PUT /mcp HTTP/1.1\r\n" HEAD "\r\n", "405 Method Not Allowed" },
	{ "HEAD /mcp HTTP/1.1\r\n" HEAD "\r\n", "405 Method Not Allowed" },
	{ "GET /mcp HTTP/1.1\r\n" HEAD "Accept: text/html\r\n\r\n",
	    "406 Not Acceptable" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Accept: text/html\r\n\r\n",
	    "406 Not Acceptable" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD "\r\n", "415 Unsupported Media Type" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD "Content-Type: text/plain\r\n\r\n",
	    "415 Unsupported Media Type" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Content-Encoding: gzip\r\n\r\n",
	    "415 Unsupported Media Type" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Mcp-Session-Id: ../x\r\n\r\n",
	    "404 Not Found" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Transfer-Encoding: chunked\r\n"
	    "\r\n0\r\n\r\nGET /mcp HTTP/1.1\r\n" HEAD "\r\n",
	    "400 Bad Request" },
	{ "nonsense\r\n\r\n", "400 Bad Request" },
	{ "POST /mcp HTTP/1.1\r\n" HEAD
	    "Content-Type: text/plain;, application/json\r\n\r\n",
	    "415 Unsupported Media Type" },
	/* The beginning of TLS */
	{ "\x16\x03\x01\x02", "400 Bad Request" },
};

START_TEST(what_is_not_right_is_refused)
{
	auto_free char *want =
	    mem_printf("HTTP/1.1 %s\r\n", refused[_i].status);
	auto_free char *heard = NULL;
	int client;

	start(1, "a localhost:80", getuid());
	client = connect_client();
	say(client, refused[_i].request);
	heard = hear(client, "}}");
	ck_assert_msg(strncmp(heard, want, strlen(want)) == 0, "%s", heard);
	close(client);
	stop();
}
END_TEST

START_TEST(values_that_are_too_long_are_refused)
{
	auto_free char *value = mem_alloc(HTTP_VALUE_MAX + 2);
	auto_free char *request = NULL;
	auto_free char *heard = NULL;
	int client, other, guest;

	memset(value, 'x', HTTP_VALUE_MAX + 1);
	request = mem_printf(POST_OF(
	    "Mcp-Name: %s\r\nContent-Length: 2\r\n", "{}"), value);
	start_local();
	other = connect_client();
	say(other, POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	client = connect_client();
	say(client, request);
	heard = hear(client, "}}");
	ck_assert_ptr_nonnull(strstr(heard, "HTTP/1.1 431 "));
	/* Others of the guest are not touched. */
	reply(guest, 1, 200, "{}");
	hear_all(other, "{}", ANSWER("{}", "2"));
	close(client);
	close(other);
	close(guest);
	stop();
}
END_TEST

START_TEST(pages_of_accepted_origins_may_ask)
{
	auto_free char *heard = NULL;
	auto_free char *second = NULL;
	int client, guest;

	start(1, "a", getuid());
	client = connect_client();
	say(client, "OPTIONS /mcp HTTP/1.1\r\nHost: a\r\n"
	    "Origin: https://page.example\r\n\r\n");
	heard = hear(client, "\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(heard, "HTTP/1.1 204 No Content\r\n"));
	ck_assert_ptr_nonnull(strstr(heard,
	    "Access-Control-Allow-Origin: https://page.example\r\n"));
	ck_assert_ptr_nonnull(strstr(heard, "Access-Control-Allow-Headers: "));
	say(client, POST_OF("Origin: http://a\r\nContent-Length: 2\r\n", "{}"));
	guest = expect_guest();
	expect(guest, IPC_ASK);
	reply(guest, 1, 200, "{}");
	second = hear(client, "{}");
	ck_assert_ptr_nonnull(
	    strstr(second, "Access-Control-Allow-Origin: http://a\r\n"));
	close(client);
	close(guest);
	stop();
}
END_TEST

START_TEST(draining_ends_after_the_present_requests)
{
	struct ipc_drain drain = { 0 };
	int idle, client, guest;

	start_local();
	idle = connect_client();
	client = connect_client();
	say(client, POST);
	guest = expect_guest();
	expect(guest, IPC_ASK);
	send_to(supervisor, IPC_DRAIN, &drain);
	free(hear(idle, NULL));
	reply(guest, 1, 200, "{}");
	hear_all(client, NULL,
	    "HTTP/1.1 200 OK\r\nConnection: close\r\n"
	    "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
	close(idle);
	idle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(
	    connect(idle, (struct sockaddr *)&address, address_len), -1);
	close(idle);
	close(client);
	/* After the last connection it ends by itself. */
	expect(supervisor, IPC_TYPES);
	close(guest);
	stop();
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_test(tc, a_client_that_resets_is_noticed);
	tcase_add_test(tc, a_client_may_not_send_far_ahead);
	tcase_add_test(tc, the_largest_body_is_refused);
	tcase_add_test(tc, a_request_is_passed_on);
	tcase_add_test(tc, requests_of_a_connection_are_answered_in_turn);
	tcase_add_test(tc, large_bodies_arrive);
	tcase_add_test(tc, a_body_that_is_too_large_is_refused);
	tcase_add_test(tc, the_client_is_asked_to_go_on);
	tcase_add_test(tc, events_are_streamed);
	tcase_add_test(
	    tc, old_clients_get_a_stream_that_ends_with_the_connection);
	tcase_add_loop_test(tc, a_client_that_leaves_is_reported, 0, 3);
	tcase_add_test(tc, guests_are_distinguished_by_their_tokens);
	tcase_add_loop_test(tc, without_a_token_nothing_is_asked, 0,
	    sizeof(unknown) / sizeof(unknown[0]));
	tcase_add_test(tc, a_guest_can_be_turned_away);
	tcase_add_test(tc, a_token_can_be_revoked);
	tcase_add_test(tc, a_guest_can_be_lost_while_requests_wait);
	tcase_add_loop_test(tc,
	    a_client_that_does_not_read_events_is_disconnected, 0, 2);
	tcase_add_test(tc, values_that_are_too_long_are_refused);
	tcase_add_loop_test(tc, what_is_not_right_is_refused, 0,
	    sizeof(refused) / sizeof(refused[0]));
	tcase_add_test(tc, pages_of_accepted_origins_may_ask);
	tcase_add_test(tc, draining_ends_after_the_present_requests);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		program = argv[1];
	return unit_run("gateway", add);
}
