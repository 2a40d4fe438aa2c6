/*
 * Tests of worker/gateway/http_parser: which requests are understood, in which
 * pieces they come, and that what two servers could read differently is
 * refused.
 */
#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/gateway/check.h"
#include "worker/gateway/route.h"

#define auto_http __attribute__((cleanup(http_parser_free)))

#define BODY_MAX 1000

/* The start of a request that lacks nothing but the empty line. */
#define POST "POST /mcp HTTP/1.1\r\nHost: a\r\n"

/* Describes what was read, one line per request. */
static void
describe(struct buffer *log, struct http_parser *parser)
{
	const struct http_head *head = http_parser_head(parser);
	const struct buffer *body = http_parser_body(parser);
	size_t i;

	buffer_printf(log, "%s %s", head->method, head->target);
	for (i = 0; i < HTTP_FIELDS; i++)
		if (head->fields[i] != NULL)
			buffer_printf(log, " %zu=%s", i, head->fields[i]);
	buffer_printf(log, "%s%s [%.*s]\n", head->last ? " last" : "",
	    head->expects ? " expects" : "", (int)body->len,
	    body->len > 0 ? body->data : "");
}

/* Reads the text in pieces of this size. */
static void
read_pieces(struct buffer *log, const char *text, size_t len, size_t piece)
{
	auto_http struct http_parser *parser = http_parser_new(BODY_MAX);
	const struct http_fault *fault;
	size_t at = 0, used, n;

	for (;;) {
		n = len - at < piece ? len - at : piece;
		switch (http_parser_read(parser, text + at, n, &used)) {
		case HTTP_MORE:
			ck_assert_uint_eq(used, n);
			if (at + n == len) {
				buffer_add_text(log,
				    http_parser_begun(parser) ? "more" : "");
				return;
			}
			break;
		case HTTP_HEAD:
			break;
		case HTTP_END:
			describe(log, parser);
			http_parser_next(parser);
			break;
		case HTTP_BAD:
			fault = http_parser_fault(parser);
			buffer_printf(
			    log, "%d %s", fault->status, fault->reason);
			return;
		}
		at += used;
	}
}

/* Checks what is read from it, whole and in pieces of 1, 2, 3 … bytes. */
static void
check_bytes(const char *text, size_t len, const char *want)
{
	size_t piece;

	for (piece = 1; piece <= len; piece += piece < 9 ? 1 : len / 3) {
		auto_buffer struct buffer log = { 0 };

		read_pieces(&log, text, len, piece);
		ck_assert_str_eq(log.data == NULL ? "" : log.data, want);
	}
}

static void
check(const char *text, const char *want)
{
	check_bytes(text, strlen(text), want);
}

UNIT_TEST(requests_are_read)
{
	check("GET / HTTP/1.1\r\nHost: a:1\r\n\r\n", "GET / 8=a:1 []\n");
	check("DELETE /mcp?x HTTP/1.1\r\nhost:a\r\nX-Y:\t z \r\n\r\n",
	    "DELETE /mcp?x 8=a []\n");
	check(POST "Content-Length: 5\r\n\r\nhello",
	    "POST /mcp 4=5 8=a [hello]\n");
	check(POST "Content-Length: 0\r\n\r\n", "POST /mcp 4=0 8=a []\n");
	check(POST "Transfer-Encoding: CHUNKED\r\n\r\n"
	    "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
	    "POST /mcp 8=a 14=CHUNKED [hello]\n");
	check("PUT /mcp HTTP/1.1\r\nHost: a\r\n\r\n", "PUT /mcp 8=a []\n");
	check("GET / HTTP/1.0\r\n\r\n", "GET / last []\n");
}

UNIT_TEST(requests_follow_each_other)
{
	check(POST "Content-Length: 2\r\n\r\nab\r\n\r\n"
	    "GET /b HTTP/1.1\r\nHost: a\r\n\r\n" POST
	    "Transfer-Encoding: chunked\r\n\r\n1\r\nc\r\n0\r\n\r\n"
	    "GET /d HTTP",
	    "POST /mcp 4=2 8=a [ab]\nGET /b 8=a []\n"
	    "POST /mcp 8=a 14=chunked [c]\nmore");
}

UNIT_TEST(few_empty_lines_come_before_a_request)
{
	check("\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
	    "\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
	    "GET / 8=a []\nGET / 8=a []\n");
	check("\r\n\r\n\r\n\r\n\r\n",
	    "400 too many empty lines are before the request");
}

UNIT_TEST(fields_are_kept)
{
	check("GET / HTTP/1.1\r\nHost: a\r\nAccept: b\r\nACCEPT: c\r\n"
	    "Authorization: Bearer d\r\nconnection: keep-alive, Close\r\n"
	    "Expect: 100-Continue\r\nMcp-Session-Id: e\r\n"
	    "Mcp-Param-Region: f g\r\n\r\n",
	    "GET / 0=b, c 1=Bearer d 2=keep-alive, Close 6=100-Continue 8=a "
	    "11=e last expects []\n");
}

#define NO_FIRST "400 the first line is not one of HTTP"
#define NO_LINE "400 a line of the request does not end with CR LF"
#define NO_NAME "400 a field has no name before its colon"
#define CONTROL "400 a field contains a control character"
#define BARE_CR "400 a line of the request contains a bare CR"
#define TWICE "400 a field that must be unique was sent twice"
#define NO_LENGTH "400 Content-Length is not a number"
#define NO_CHUNK "400 a chunk does not begin with its size and CR LF"
#define NO_CHUNK_END "400 a chunk does not end with CR LF"
#define TOO_LARGE                                                              \
	"413 the body of the request is too large: at most 1000 bytes are "    \
	"read; the setting max_code raises this limit"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

static const struct {
	const char *text;
	const char *want;
} refused[] = {
	/* The first line */
	{ "GET /\r\n\r\n", NO_FIRST },
	{ "GET / \r\n\r\n", NO_FIRST },
	{ "GET  / HTTP/1.1\r\n\r\n", NO_FIRST },
	{ "GET\t/ HTTP/1.1\r\n\r\n", NO_FIRST },
	{ "GET / x HTTP/1.1\r\n\r\n", NO_FIRST },
	{ "GET /\x7f HTTP/1.1\r\n\r\n", NO_FIRST },
	{ "GET /\xc3\xa4 HTTP/1.1\r\n\r\n", NO_FIRST },
	{ " GET / HTTP/1.1\r\n\r\n", NO_FIRST },
	{ "G(T / HTTP/1.1\r\n\r\n", NO_FIRST },
	{ "GET / http/1.1\r\n\r\n", NO_FIRST },
	{ "\x16", NO_FIRST },
	{ "\x80", NO_FIRST },
	{ "GET / HTTP/1.1 \r\n\r\n", NO_FIRST },
	{ "GET / HTTP/2.0\r\n\r\n", "505 only HTTP/1.1 is understood" },
	{ "GET / HTTP/1.2\r\n\r\n", "505 only HTTP/1.1 is understood" },
	{ "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
	    "400 the target of the request is not a path" },
	{ "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
	    "400 the target of the request is not a path" },
	{ "GET / HTTP/1.1\n", NO_LINE },
	{ "GET / HTTP/1.1\r\nHost: a\n\n", NO_LINE },
	{ "\n", NO_LINE },
	{ "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", BARE_CR },
	{ "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n", BARE_CR },
	/* Fields */
	{ "GET / HTTP/1.1\r\nHost : a\r\n\r\n", NO_NAME },
	{ "GET / HTTP/1.1\r\n Host: a\r\n\r\n", NO_NAME },
	{ "GET / HTTP/1.1\r\nHost: a\r\n\tb\r\n\r\n", NO_NAME },
	{ "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", NO_NAME },
	{ "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", NO_NAME },
	{ "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", NO_NAME },
	{ "GET / HTTP/1.1\r\nHost: a\r\nX[]: b\r\n\r\n", NO_NAME },
	{ "GET / HTTP/1.1\r\nHost: a\x01\r\n\r\n", CONTROL },
	{ "GET / HTTP/1.1\r\nHost: a\r\nX: \x7f\r\n\r\n", CONTROL },
	{ "GET / HTTP/1.1\r\n\r\n", "400 the request has no Host" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", TWICE },
	{ POST "Mcp-Session-Id: 1\r\nMcp-Session-Id: 2\r\n\r\n", TWICE },
	{ POST "Authorization: b\r\nauthorization: b\r\n\r\n", TWICE },
	{ "GET / HTTP/1.1\r\nHost: a\r\nExpect: cake\r\n\r\n",
	    "417 only 100-continue can be expected" },
	/* The length of the body */
	{ POST "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", TWICE },
	{ POST "Content-Length: 2\r\nContent-Length: 3\r\n\r\nab", TWICE },
	{ POST "Content-Length: 2, 2\r\n\r\nab", NO_LENGTH },
	{ POST "Content-Length: +2\r\n\r\nab", NO_LENGTH },
	{ POST "Content-Length: -2\r\n\r\nab", NO_LENGTH },
	{ POST "Content-Length: 0x2\r\n\r\nab", NO_LENGTH },
	{ POST "Content-Length: 2 2\r\n\r\nab", NO_LENGTH },
	{ POST "Content-Length:\r\n\r\n", NO_LENGTH },
	{ POST "Content-Length: 9999999999999999\r\n\r\n", NO_LENGTH },
	{ POST "Content-Length: 1001\r\n\r\n", TOO_LARGE },
	{ POST "Content-Length: 999999999999999\r\n\r\n", TOO_LARGE },
	{ POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "400 the request has both Content-Length and Transfer-Encoding" },
	{ POST "Transfer-Encoding: gzip, chunked\r\n\r\n",
	    "501 of Transfer-Encoding only chunked is understood" },
	{ POST "Transfer-Encoding: chunked, chunked\r\n\r\n",
	    "501 of Transfer-Encoding only chunked is understood" },
	{ POST "Transfer-Encoding: xchunked\r\n\r\n",
	    "501 of Transfer-Encoding only chunked is understood" },
	{ POST "Transfer-Encoding:\r\n\r\n",
	    "501 of Transfer-Encoding only chunked is understood" },
	{ POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n",
	    TWICE },
	{ POST "Transfer-Encoding : chunked\r\n\r\n", NO_NAME },
	{ POST "Transfer-Encoding: \x0b" "chunked\r\n\r\n", CONTROL },
	{ "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "400 HTTP/1.0 has no Transfer-Encoding" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
	    "400 only a POST or PUT may have a body here" },
	{ "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "400 only a POST or PUT may have a body here" },
	/* Chunks */
	{ CHUNKED "\r\n", NO_CHUNK },
	{ CHUNKED "-1\r\n", NO_CHUNK },
	{ CHUNKED "0x1\r\na\r\n", NO_CHUNK },
	{ CHUNKED "1;a=b\r\na\r\n", NO_CHUNK },
	{ CHUNKED " 1\r\na\r\n", NO_CHUNK },
	{ CHUNKED "1 \r\na\r\n", NO_CHUNK },
	{ CHUNKED "1\na\n0\n\n", NO_CHUNK },
	{ CHUNKED "000000001\r\n", NO_CHUNK },
	{ CHUNKED "100000000\r\n", NO_CHUNK },
	{ CHUNKED "1\r\nab\r\n", NO_CHUNK_END },
	{ CHUNKED "1\r\na\n", NO_CHUNK_END },
	{ CHUNKED "0\r\nX: y\r\n\r\n", NO_CHUNK_END },
	{ CHUNKED "3e9\r\n", TOO_LARGE },
	{ CHUNKED "ffffffff\r\n", TOO_LARGE },
	{ CHUNKED "5\r\nabcde\r\n3e4\r\n", TOO_LARGE },
};

UNIT_TESTS(ambiguous_requests_are_refused, sizeof(refused) / sizeof(refused[0]))
{
	check(refused[_i].text, refused[_i].want);
}

UNIT_TEST(a_nul_is_refused)
{
	static const char first[] = "GET /\0 HTTP/1.1\r\n\r\n";
	static const char field[] = "GET / HTTP/1.1\r\nHost: a\0\r\n\r\n";
	static const char name[] = "GET / HTTP/1.1\r\nHo\0st: a\r\n\r\n";

	check_bytes(first, sizeof(first) - 1, NO_FIRST);
	check_bytes(field, sizeof(field) - 1, CONTROL);
	check_bytes(name, sizeof(name) - 1, NO_NAME);
}

/* Reads a head with a field of this length, n times. */
static void
check_large(size_t len, size_t times, const char *want)
{
	auto_buffer struct buffer text = { 0 };
	auto_buffer struct buffer log = { 0 };
	size_t i;

	buffer_add_text(&text, "GET / HTTP/1.1\r\nHost: a\r\n");
	for (i = 0; i < times; i++) {
		buffer_add_text(&text, "X: ");
		memset(buffer_reserve(&text, len), 'x', len);
		text.len += len;
		buffer_add_text(&text, "\r\n");
	}
	buffer_add_text(&text, "\r\n");
	read_pieces(&log, text.data, text.len, text.len);
	ck_assert_str_eq(log.data, want);
}

UNIT_TEST(large_heads_are_refused)
{
	check_large(10, HTTP_FIELDS_MAX - 1, "GET / 8=a []\n");
	check_large(10, HTTP_FIELDS_MAX, "431 the request has too many fields");
	check_large(HTTP_HEAD_MAX - 100, 1, "GET / 8=a []\n");
	check_large(HTTP_HEAD_MAX, 1,
	    "431 the fields of the request are too long");
	check_large(HTTP_HEAD_MAX / 2, 2,
	    "431 the fields of the request are too long");
}

static const struct {
	const char *list;
	const char *element;
	int want;
} lists[] = {
	{ NULL, "a", 0 },
	{ "", "a", 0 },
	{ "a", "a", 1 },
	{ "text/html, application/JSON", "application/json", 1 },
	{ "text/html,application/json;q=0.9", "application/json", 1 },
	{ "application/json;q=0", "application/json", 0 },
	{ "application/json ; x=1; q=0.000", "application/json", 0 },
	{ "application/json;q=0, b", "b", 1 },
	{ "application/jsonp", "application/json", 0 },
	{ ", ,a", "a", 1 },
	{ "a;q=0, a", "a", 1 },
};

UNIT_TESTS(lists_are_searched, sizeof(lists) / sizeof(lists[0]))
{
	ck_assert_int_eq(http_list_has(lists[_i].list, lists[_i].element),
	    lists[_i].want);
}

/* Which heads are passed on. */

#define HEAD "Host: a\r\n"
#define JSON "Content-Type: application/json\r\n"

static const struct {
	const char *head;
	int status; /* 0: it is passed on */
} judged[] = {
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON, 0 },
	{ "POST /mcp?x HTTP/1.1\r\nHost: A:80\r\n" JSON "Accept: */*\r\n", 0 },
	{ "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:7\r\n" JSON, 0 },
	{ "POST /mcp HTTP/1.1\r\nHost: [::1]:7\r\n" JSON, 0 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD
	    "Content-Type: Application/JSON ; charset=utf-8\r\n", 0 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Origin: https://a\r\n", 0 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Origin: https://page\r\n", 0 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON
	    "Authorization: bearer  x\r\n", 0 },
	{ "GET /mcp HTTP/1.1\r\n" HEAD "Accept: text/event-stream\r\n", 0 },
	{ "DELETE /mcp HTTP/1.1\r\n" HEAD, 0 },
	{ "OPTIONS /mcp HTTP/1.1\r\n" HEAD "Origin: http://a\r\n", 204 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Authorization: Basic x\r\n",
	    401 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Authorization: Bearer\r\n", 401 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON
	    "Authorization: Bearer x y\r\n", 401 },
	{ "POST /mcp HTTP/1.1\r\nHost: b\r\n" JSON, 403 },
	{ "POST /mcp HTTP/1.1\r\nHost: 1.2.3.4.b\r\n" JSON, 403 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Origin: http://b\r\n", 403 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Origin: ftp://a\r\n", 403 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Origin: null\r\n", 403 },
	{ "OPTIONS /mcp HTTP/1.1\r\n" HEAD "Origin: http://b\r\n", 403 },
	{ "GET / HTTP/1.1\r\n" HEAD, 404 },
	{ "GET /mcp/ HTTP/1.1\r\n" HEAD, 404 },
	{ "GET //mcp HTTP/1.1\r\n" HEAD, 404 },
	{ "PUT /mcp HTTP/1.1\r\n" HEAD, 405 },
	{ "HEAD /mcp HTTP/1.1\r\n" HEAD, 405 },
	{ "GET /mcp HTTP/1.1\r\n" HEAD "Accept: text/html\r\n", 406 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Accept: text/html\r\n", 406 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD, 415 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD "Content-Type: text/plain\r\n", 415 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD
	    "Content-Type: text/plain;, application/json\r\n", 415 },
	{ "POST /mcp HTTP/1.1\r\n" HEAD JSON "Content-Encoding: gzip\r\n",
	    415 },
};

UNIT_TESTS(heads_are_judged, UNIT_COUNT(judged))
{
	static const struct check check = {
		"a localhost", "https://page", 1, 0 };
	auto_free char *text = mem_printf("%s\r\n", judged[_i].head);
	struct http_head head = { 0 };
	struct http_fault fault = { 0 };

	ck_assert_int_eq(http_head_read(&head, text, strlen(text), &fault), 0);
	ck_assert_msg(check_head(&check, &head, &fault) ==
	        (judged[_i].status == 0 ? 0 : -1) &&
	        fault.status == judged[_i].status,
	    "%s: %d", text, fault.status);
	http_head_free(&head);
}

UNIT_TEST(answers_say_what_there_is)
{
	auto_buffer struct buffer methods = { 0 };
	const struct route *route = route_find("DELETE", "/mcp?x");
	size_t len;

	route_add(&methods, ROUTE_METHODS, "/mcp?x");
	ck_assert_str_eq(methods.data, "GET, POST, DELETE");
	ck_assert_str_eq(route_say(ROUTE_METHODS, "/mcp?x"),
	    "only GET, POST and DELETE are understood");
	ck_assert_str_eq(
	    route_say(ROUTE_PATHS, "/"),
	    "the only paths here are /mcp, /mcp/events and /files/");
	ck_assert_str_eq(
	    route_say(ROUTE_BODIES, "/"),
	    "only a POST or PUT may have a body here");
	ck_assert_str_eq(route_rest(route, "/mcp?x", &len), "?x");
	ck_assert_uint_eq(len, 2);
}

/* Another user at the socket, or any client of TCP. */
UNIT_TESTS(strangers_need_a_token, 2)
{
	static const struct check check = { "", "", 0, 0 };
	auto_free char *text =
	    mem_printf("POST /mcp HTTP/1.1\r\n" HEAD JSON "%s\r\n",
	        _i == 0 ? "" : "Authorization: Bearer x\r\n");
	struct http_head head = { 0 };
	struct http_fault fault = { 0 };

	ck_assert_int_eq(http_head_read(&head, text, strlen(text), &fault), 0);
	ck_assert_int_eq(check_head(&check, &head, &fault), _i == 0 ? -1 : 0);
	ck_assert_int_eq(fault.status, _i == 0 ? 401 : 0);
	http_head_free(&head);
}
