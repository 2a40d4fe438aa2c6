/*
 * Tests of supervisor/front/answer/answer: the exact text and the exact
 * structured form of every way in which a call can end, in every output mode,
 * read back with a JSON library.
 */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"
#include "supervisor/run/run.h"
#include "supervisor/front/answer/answer.h"
#include "supervisor/front/tools/tool.h"
#include "supervisor/box/native/native.h"

/* A stream as it stands in the tables: text, and a cut when dropped. */
struct stream {
	const char *text;
	size_t head;
	uint64_t dropped;
};

/* All of it was kept. */
#define ALL(text) { text, 0, 0 }

struct ending {
	enum call_status status;
	int exited, exit_code, signal;
	const char *error;
	struct stream out, errors;
	const char *text;       /* of the answer */
	const char *structured; /* its structuredContent */
};

#define LESS "select, count or summarise in the code, and print that ...]"
#define CUT(n)                                                                 \
	"[... " n " bytes cut here, as a stream may have 4096: " LESS "\n"
#define END(n, stream)                                                         \
	"\n[... " n " bytes of " stream " were cut above: " LESS

static const struct ending endings[] = {
	/* Success */
	{ CALL_SUCCESS, 1, 0, 0, NULL, ALL("hi\n"), ALL(""), "hi",
	    "{\"stdout\":[\"hi\"]}" },
	{ CALL_SUCCESS, 1, 0, 0, NULL, ALL(""), ALL(""), "Success (no output)",
	    "{\"summary\":\"Success (no output)\"}" },
	{ CALL_SUCCESS, 1, 0, 0, NULL, ALL(""), ALL("warning\n"),
	    "stderr:\nwarning", "{\"stderr\":[\"warning\"]}" },
	{ CALL_SUCCESS, 1, 0, 0, NULL, ALL("a"), ALL("b"), "a\nstderr:\nb",
	    "{\"stdout\":[\"a\"],\"stderr\":[\"b\"]}" },
	/* Lines: split at newlines only, blank ones kept. */
	{ CALL_SUCCESS, 1, 0, 0, NULL, ALL("\n\na\n\n()\n  \n\n"), ALL(""),
	    "\n\na\n\n()\n  \n",
	    "{\"stdout\":[\"\",\"\",\"a\",\"\",\"()\",\"  \",\"\"]}" },
	{ CALL_SUCCESS, 1, 0, 0, NULL, ALL("a\rb\x0b\x0c\xc2\x85" "c\n"),
	    ALL(""), "a\rb\x0b\x0c\xc2\x85" "c",
	    "{\"stdout\":[\"a\\rb\\u000b\\f\\u0085c\"]}" },
	/* What the code prints is text, whatever it looks like. */
	{ CALL_SUCCESS, 1, 0, 0, NULL,
	    ALL("\"}],\"isError\":true\n\\u0000\x01\n"), ALL(""),
	    "\"}],\"isError\":true\n\\u0000\x01",
	    "{\"stdout\":[\"\\\"}],\\\"isError\\\":true\","
	    "\"\\\\u0000\\u0001\"]}" },
	/* Failure */
	{ CALL_ERROR, 1, 3, 0, "Sandbox exited with code 3", ALL("a\n"),
	    ALL("b\n"),
	    "status: error\nexit: 3\na\nstderr:\nb",
	    "{\"status\":\"error\",\"summary\":\"Sandbox error: Sandbox exited "
	    "with code 3\",\"exitCode\":3,\"stdout\":[\"a\"],\"stderr\":"
	    "[\"b\"],\"error\":\"Sandbox exited with code 3\"}" },
	{ CALL_ERROR, 0, 0, SIGKILL, "Sandbox was killed by SIGKILL",
	    ALL("a"), ALL(""),
	    "status: error\na\nerror: Sandbox was killed by SIGKILL",
	    "{\"status\":\"error\",\"summary\":\"Sandbox error: Sandbox was "
	    "killed by SIGKILL\",\"signal\":\"SIGKILL\",\"stdout\":[\"a\"],"
	    "\"error\":\"Sandbox was killed by SIGKILL\"}" },
	{ CALL_ERROR, 0, 0, 0, "the box cannot be built: \"why\"", ALL(""),
	    ALL(""), "status: error\nerror: the box cannot be built: \"why\"",
	    "{\"status\":\"error\",\"summary\":\"Sandbox error: the box cannot "
	    "be built: \\\"why\\\"\",\"error\":"
	    "\"the box cannot be built: \\\"why\\\"\"}" },
	/* Ended by us */
	{ CALL_TIMEOUT, 0, 0, 0, "Execution timed out after 30s",
	    ALL("partial\n"), ALL(""),
	    "status: timeout\npartial\nerror: Execution timed out after 30s",
	    "{\"status\":\"timeout\",\"summary\":\"Timeout: execution exceeded "
	    "30s\",\"stdout\":[\"partial\"],\"error\":\"Execution timed out "
	    "after 30s\",\"timeoutSeconds\":30}" },
	{ CALL_CANCELLED, 0, 0, 0, "Caisson is shutting down", ALL("a\n"),
	    ALL("b\n"),
	    "status: cancelled\na\nstderr:\nb\n"
	    "error: Caisson is shutting down",
	    "{\"status\":\"cancelled\",\"summary\":\"Sandbox error: Caisson is "
	    "shutting down\",\"stdout\":[\"a\"],\"stderr\":[\"b\"],"
	    "\"error\":\"Caisson is shutting down\"}" },
	/* Cut output: what stood on both sides was never one line. */
	{ CALL_SUCCESS, 1, 0, 0, NULL, { "headtail\n", 4, 100 }, ALL(""),
	    "head\n" CUT("100") "tail" END("100", "stdout"),
	    "{\"stdout\":[\"head\",\"tail\"],\"truncated\":{\"stdout\":100}}" },
	{ CALL_SUCCESS, 1, 0, 0, NULL, ALL(""), { "head\n\ntail", 5, 7 },
	    "stderr:\nhead\n" CUT("7") "\ntail" END("7", "stderr"),
	    "{\"stderr\":[\"head\",\"\",\"tail\"],"
	    "\"truncated\":{\"stderr\":7}}" },
	{ CALL_SUCCESS, 1, 0, 0, NULL, { "tail", 0, 7 }, { "head", 4, 8 },
	    CUT("7") "tail\nstderr:\nhead\n"
	    "[... 8 bytes cut here, as a stream may have 4096: " LESS
	    END("7", "stdout") END("8", "stderr"),
	    "{\"stdout\":[\"tail\"],\"stderr\":[\"head\"],"
	    "\"truncated\":{\"stdout\":7,\"stderr\":8}}" },
	{ CALL_ERROR, 1, 1, 0, "Sandbox exited with code 1", ALL(""),
	    { "ab", 1, 9000000000000000000 },
	    "status: error\nexit: 1\nstderr:\na\n" CUT("9000000000000000000")
	    "b" END("9000000000000000000", "stderr"),
	    "{\"status\":\"error\",\"summary\":\"Sandbox error: Sandbox exited "
	    "with code 1\",\"exitCode\":1,\"stderr\":[\"a\",\"b\"],\"error\":"
	    "\"Sandbox exited with code 1\","
	    "\"truncated\":{\"stderr\":9000000000000000000}}" },
};

static struct options options = {
	.max_output = 4096, .tools = 1, .structured = true,
};

static const enum answer_mode modes[] = { ANSWER_COMPACT, ANSWER_TOON,
	ANSWER_JSON };

static struct call_stream
make_stream(const struct stream *stream)
{
	size_t len = strlen(stream->text);

	return (struct call_stream){ (char *)stream->text, len,
		stream->dropped > 0 ? stream->head : len, stream->dropped };
}

/* What its runtime says of the box; the text is that of the test. */
static struct native_facts facts;

static struct call_result
make_result(const struct ending *ending)
{
	return (struct call_result){ .status = ending->status,
		.exited = ending->exited,
		.exit_code = ending->exit_code,
		.signal = ending->signal,
		.error = (char *)ending->error,
		.timeout = 30,
		.facts = { &native_runtime, &facts, NULL },
		.out = make_stream(&ending->out),
		.errors = make_stream(&ending->errors) };
}

static json_t *
read_json(const char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (json == NULL)
		ck_abort_msg("%s: %s", error.text, text);
	return json;
}

/* The answer as a client reads it; one line. */
static json_t *
answer(const struct call_result *result)
{
	struct answer_style style = answer_style(&options);
	auto_buffer struct buffer line = { 0 };

	answer_add(&line, result, &style);
	ck_assert_ptr_null(memchr(line.data, '\n', line.len));
	ck_assert_uint_eq(strlen(line.data), line.len);
	return read_json(line.data);
}

/* The one text, in the one piece of content. */
static const char *
text_of(json_t *json)
{
	json_t *content = json_object_get(json, "content");
	json_t *piece = json_array_get(content, 0);

	ck_assert_uint_eq(json_array_size(content), 1);
	ck_assert_uint_eq(json_object_size(piece), 2);
	ck_assert_str_eq(
	    json_string_value(json_object_get(piece, "type")), "text");
	return json_string_value(json_object_get(piece, "text"));
}

static void
is_structured(json_t *json, const char *wanted)
{
	json_t *expected = read_json(wanted);
	json_t *found = json_object_get(json, "structuredContent");
	auto_free char *text = json_dumps(found, JSON_COMPACT);

	ck_assert_msg(
	    json_equal(found, expected), "%s\nis not %s", text, wanted);
	json_decref(expected);
}

UNIT_TESTS(says_how_a_call_ended, UNIT_COUNT(endings))
{
	const struct ending *ending = &endings[_i];
	struct call_result result = make_result(ending);
	json_t *json = answer(&result);

	ck_assert_str_eq(text_of(json), ending->text);
	is_structured(json, ending->structured);
	ck_assert(json_is_boolean(json_object_get(json, "isError")));
	ck_assert_int_eq(json_is_true(json_object_get(json, "isError")),
	    ending->status != CALL_SUCCESS);
	/* No box stood: nothing is claimed about one. */
	ck_assert_uint_eq(json_object_size(json), 4);
	ck_assert_ptr_null(json_object_get(
	    json_object_get(json, "_meta"), "caisson/isolation"));
	json_decref(json);
}

/* Output with pictures, each behind *; the pieces of content, "#" an image. */
static const struct {
	const char *out, *content[8];
	uint64_t dropped;
	size_t head;
	enum call_status status;
} shown[] = {
	{ "L\n*", { "L", "#", "note: n" }, 0, 0, CALL_SUCCESS },
	{ "a\nL\n*b\nM\n*c\n", { "a\nL", "#", "b\nM", "#", "c\nnote: n" },
	    0, 0, CALL_SUCCESS },
	{ "L\n*M\n*", { "L", "#", "M", "#", "note: n" }, 0, 0, CALL_SUCCESS },
	{ "L\n*", { "status: timeout\nL", "#", "error: e\nnote: n" }, 0, 0,
	    CALL_TIMEOUT },
	{ "L\n*tM\n*u", { "L", "#", CUT("3") "tM", "#", "u" END("3", "stdout")
	    "\nnote: n" }, 3, 2, CALL_SUCCESS },
};

static struct call_result
make_shown(int i, struct buffer *out)
{
	struct call_result result = { .status = shown[i].status,
		.timeout = 30, .notes = (char *)"n", .notes_len = 2 };
	const char *p;

	if (result.status != CALL_SUCCESS)
		result.error = (char *)"e";
	for (p = shown[i].out; *p != '\0'; p++) {
		if (*p != '*') {
			buffer_add(out, p, 1);
			continue;
		}
		result.pictures.one[result.pictures.count++] =
		    (struct call_picture){ .kind = PICTURE_WEBP,
			.data = (char *)"QUJD", .len = 4, .at = out->len };
	}
	result.out = (struct call_stream){ out->data, out->len,
		shown[i].dropped > 0 ? shown[i].head : out->len,
		shown[i].dropped };
	return result;
}

static void
is_image(json_t *piece)
{
	ck_assert_uint_eq(json_object_size(piece), 3);
	ck_assert_str_eq(json_string_value(
	    json_object_get(piece, "type")), "image");
	ck_assert_str_eq(json_string_value(
	    json_object_get(piece, "data")), "QUJD");
	ck_assert_str_eq(json_string_value(
	    json_object_get(piece, "mimeType")), "image/webp");
}

UNIT_TESTS(has_pictures_among_the_text, UNIT_COUNT(shown))
{
	auto_buffer struct buffer out = { 0 };
	struct call_result result = make_shown(_i, &out);
	json_t *json = answer(&result), *piece;
	json_t *content = json_object_get(json, "content");
	size_t n;

	json_array_foreach (content, n, piece) {
		ck_assert_ptr_nonnull(shown[_i].content[n]);
		if (strcmp(shown[_i].content[n], "#") == 0)
			is_image(piece);
		else
			ck_assert_str_eq(json_string_value(json_object_get(
			    piece, "text")), shown[_i].content[n]);
	}
	ck_assert_ptr_null(shown[_i].content[n]);
	json_decref(json);
}

/* Files: lines for the model, and links where the client supports them. */
UNIT_TESTS(links_to_files, 2)
{
	struct call_file kept[] = {
		{ (char *)"a b.csv", (char *)"text/csv", 1, 1234,
		    NULL, NULL, 0 },
		{ (char *)"-x", (char *)"image/png", 3, 7, NULL, NULL, 0 },
	};
	struct call_result result = { .status = CALL_SUCCESS,
		.out = { (char *)"hi\n", 3, 3, 0 },
		.files = { .one = kept, .count = 2 } };
	struct answer_style style = { .word = "compact",
		.max_output = 4096,
		.linking = _i };
	auto_buffer struct buffer text = { 0 };
	json_t *json, *content, *link;

	answer_add(&text, &result, &style);
	json = json_loads(text.data, 0, NULL);
	content = json_object_get(json, "content");
	ck_assert_uint_eq(json_array_size(content), _i ? 3 : 1);
	ck_assert_str_eq(json_string_value(json_object_get(
	    json_array_get(content, 0), "text")), _i == 1 ? "hi\n"
	    "file: a b.csv (1 kB)\nfile: -x (7 bytes, version 3)" :
	    "hi\nfile: a b.csv (1 kB) "
	    "resource://caisson/files/a%20b.csv?version=1\n"
	    "file: -x (7 bytes, version 3) "
	    "resource://caisson/files/-x?version=3");
	link = json_array_get(content, 2);
	if (_i == 1) {
		ck_assert_uint_eq(json_object_size(link), 5);
		ck_assert_str_eq(json_string_value(
		    json_object_get(link, "type")), "resource_link");
		ck_assert_str_eq(json_string_value(
		    json_object_get(link, "uri")),
		    "resource://caisson/files/-x?version=3");
		ck_assert_str_eq(json_string_value(
		    json_object_get(link, "name")), "-x");
		ck_assert_str_eq(json_string_value(
		    json_object_get(link, "mimeType")), "image/png");
		ck_assert_int_eq(json_integer_value(
		    json_object_get(link, "size")), 7);
	}
	json_decref(json);
}

UNIT_TEST(lists_files_among_the_fields)
{
	struct call_file kept = { (char *)"a b", (char *)"text/csv", 2, 1,
		NULL, NULL, 0 };
	struct call_result result = { .status = CALL_SUCCESS,
		.files = { .one = &kept, .count = 1 } };
	struct answer_style style = { .word = "compact",
		.max_output = 4096,
		.structured = true };
	auto_buffer struct buffer text = { 0 };
	json_t *json, *fields;

	answer_add(&text, &result, &style);
	json = json_loads(text.data, 0, NULL);
	fields = json_object_get(json, "structuredContent");
	ck_assert_str_eq(json_string_value(json_array_get(
	    json_object_get(fields, "files"), 0)),
	    "resource://caisson/files/a%20b?version=2");
	json_decref(json);
}

/* Every field, in the modes that show them all */

/* The line where a stream was cut. */
#define NOTE(n)                                                                \
	"[... " n " bytes cut here, as a stream may have 4096: " LESS

static const struct {
	struct ending ending; /* its text is that of toon */
	const char *servers;
	size_t servers_len;
} blocks[] = {
	{ { CALL_SUCCESS, 1, 0, 0, NULL, ALL("hi\n42\n"), ALL(""),
	    "```toon\nstatus: success\nsummary: Success\nexitCode: 0\n"
	    "stdout[2]: hi,\"42\"\n```",
	    "{\"status\":\"success\",\"summary\":\"Success\",\"exitCode\":0,"
	    "\"stdout\":[\"hi\",\"42\"]}" }, NULL, 0 },
	/* Lines of every kind, and the names of servers. */
	{ { CALL_SUCCESS, 1, 0, 0, NULL,
	    ALL("\na: b\n  c\n- d\n\"e\"\n\\\n()\nf, g\r\n"
		"\xef\xbf\xbd"),
	    ALL("null\n\n"),
	    "```toon\nstatus: success\nsummary: Success\nexitCode: 0\n"
	    "servers[3]: gh,\"a,b\",\"1\"\n"
	    "stdout[9]: \"\",\"a: b\",\"  c\",\"- d\",\"\\\"e\\\"\",\"\\\\\","
	    "(),\"f, g\\r\",\xef\xbf\xbd\nstderr[2]: \"null\",\"\"\n```",
	    "{\"status\":\"success\",\"summary\":\"Success\",\"exitCode\":0,"
	    "\"servers\":[\"gh\",\"a,b\",\"1\"],"
	    "\"stdout\":[\"\",\"a: b\",\"  c\",\"- d\",\"\\\"e\\\"\",\"\\\\\","
	    "\"()\",\"f, g\\r\",\"\xef\xbf\xbd\"],"
	    "\"stderr\":[\"null\",\"\"]}" },
	    "gh\0a,b\0" "1", 9 },
	/* Failure */
	{ { CALL_ERROR, 1, 3, 0, "Sandbox exited with code 3", ALL("a\n"),
	    ALL(""),
	    "```toon\nstatus: error\n"
	    "summary: \"Sandbox error: Sandbox exited with code 3\"\n"
	    "exitCode: 3\nstdout[1]: a\n"
	    "error: Sandbox exited with code 3\n```",
	    "{\"status\":\"error\",\"summary\":\"Sandbox error: Sandbox exited "
	    "with code 3\",\"exitCode\":3,\"stdout\":[\"a\"],"
	    "\"error\":\"Sandbox exited with code 3\"}" }, NULL, 0 },
	{ { CALL_ERROR, 0, 0, SIGKILL, "killed", ALL(""), ALL(""),
	    "```toon\nstatus: error\nsummary: \"Sandbox error: killed\"\n"
	    "signal: SIGKILL\nerror: killed\n```",
	    "{\"status\":\"error\",\"summary\":\"Sandbox error: killed\","
	    "\"signal\":\"SIGKILL\",\"error\":\"killed\"}" }, NULL, 0 },
	{ { CALL_TIMEOUT, 0, 0, 0, "Execution timed out after 30s", ALL(""),
	    ALL(""),
	    "```toon\nstatus: timeout\n"
	    "summary: \"Timeout: execution exceeded 30s\"\n"
	    "error: Execution timed out after 30s\ntimeoutSeconds: 30\n```",
	    "{\"status\":\"timeout\",\"summary\":\"Timeout: execution "
	    "exceeded 30s\",\"error\":\"Execution timed out after 30s\","
	    "\"timeoutSeconds\":30}" }, NULL, 0 },
	/* The text shows where it was cut, the structured form is output. */
	{ { CALL_SUCCESS, 1, 0, 0, NULL, { "headtail\n", 4, 100 },
	    { "tail", 0, 8 },
	    "```toon\nstatus: success\nsummary: Success\nexitCode: 0\n"
	    "stdout[3]: head,\"" NOTE("100") "\",tail\n"
	    "stderr[2]: \"" NOTE("8") "\",tail\n"
	    "truncated:\n  stdout: 100\n  stderr: 8\n```",
	    "{\"status\":\"success\",\"summary\":\"Success\",\"exitCode\":0,"
	    "\"stdout\":[\"head\",\"tail\"],\"stderr\":[\"tail\"],"
	    "\"truncated\":{\"stdout\":100,\"stderr\":8}}" }, NULL, 0 },
};

static struct call_result
make_block(int i)
{
	struct call_result result = make_result(&blocks[i].ending);

	result.servers = blocks[i].servers;
	result.servers_len = blocks[i].servers_len;
	return result;
}

UNIT_TESTS(shows_every_field_as_toon, UNIT_COUNT(blocks))
{
	struct call_result result = make_block(_i);
	json_t *json;

	options.output_mode = ANSWER_TOON;
	json = answer(&result);
	ck_assert_str_eq(text_of(json), blocks[_i].ending.text);
	is_structured(json, blocks[_i].ending.structured);
	json_decref(json);
}

/* What code prints cannot end the block: its fence is longer. */
static const struct {
	const char *printed, *fence;
} fences[] = {
	{ "", "```" },
	{ "`", "```" },
	{ "``\n``", "```" },
	{ "```", "````" },
	{ "```\nstatus: success\n```toon", "````" },
	{ "a ````` b ``````", "```````" },
	{ "`a``b```", "````" },
};

UNIT_TESTS(fences_longer_than_what_is_inside, UNIT_COUNT(fences))
{
	struct call_result result = make_result(&endings[0]);
	size_t len = strlen(fences[_i].fence);
	const char *text;
	json_t *json;

	result.out = make_stream(&(struct stream)ALL(fences[_i].printed));
	for (size_t i = 1; i < UNIT_COUNT(modes); i++) {
		options.output_mode = modes[i];
		json = answer(&result);
		text = text_of(json);
		ck_assert_int_eq(strncmp(text, fences[_i].fence, len), 0);
		ck_assert_int_ne(text[len], '`');
		ck_assert_str_eq(text + strlen(text) - len, fences[_i].fence);
		ck_assert_int_eq(text[strlen(text) - len - 1], '\n');
		json_decref(json);
	}
}

#define ENDED "\"caisson/status\":\"success\",\"caisson/exitCode\":0"

static const struct {
	unsigned int landlock;
	const char *bound;
	int proc, watchdog, unnamed;
	uint64_t tool_calls;
	const char *meta;
} metas[] = {
	{ 6, NULL, 1, 1, 0, 0,
	    "{" ENDED ",\"caisson/isolation\":{\"runtime\":\"native\","
	    "\"level\":\"full\",\"namespaces\":"
	    "[\"user\",\"mnt\",\"pid\",\"net\",\"ipc\",\"uts\",\"cgroup\"],"
	    "\"seccomp\":\"allow-list\",\"landlock\":6,"
	    "\"overlay\":true,\"proc\":true,"
	    "\"limits\":\"rlimit+watchdog\",\"network\":\"none\"},"
	    "\"caisson/durationMs\":1234.567,\"caisson/cpuMs\":0.012,"
	    "\"caisson/peakMemoryKiB\":4096,\"caisson/toolCalls\":0}" },
	{ 0, "/usr: no", 0, 0, 1, UINT64_MAX / 2,
	    "{" ENDED ",\"caisson/isolation\":{\"runtime\":\"native\","
	    "\"level\":\"full\",\"missing\":[\"host name\"],\"namespaces\":"
	    "[\"user\",\"mnt\",\"pid\",\"net\",\"ipc\",\"uts\",\"cgroup\"],"
	    "\"seccomp\":\"allow-list\",\"landlock\":null,"
	    "\"overlay\":false,\"proc\":false,"
	    "\"limits\":\"rlimit\",\"network\":\"none\"},"
	    "\"caisson/durationMs\":1234.567,\"caisson/cpuMs\":0.012,"
	    "\"caisson/peakMemoryKiB\":4096,"
	    "\"caisson/toolCalls\":9223372036854775807}" },
};

UNIT_TESTS(reports_what_was_in_force, UNIT_COUNT(metas))
{
	struct call_result result = make_result(&endings[0]);
	json_t *json, *expected = read_json(metas[_i].meta);

	result.boxed = 1;
	facts.landlock = metas[_i].landlock;
	facts.bound = metas[_i].bound;
	facts.proc = metas[_i].proc;
	facts.watchdog = metas[_i].watchdog;
	facts.unnamed = metas[_i].unnamed;
	result.duration_us = 1234567;
	result.cpu_us = 12;
	result.peak_kib = 4096;
	result.tool_calls = metas[_i].tool_calls;
	json = answer(&result);
	ck_assert(json_equal(json_object_get(json, "_meta"), expected));
	json_decref(json);
	json_decref(expected);
}

/* For programs, in every mode. */
static const struct {
	struct ending ending;
	const char *meta;
} ends[] = {
	{ { CALL_SUCCESS, 1, 0, 0, NULL, ALL("hi\n"), ALL(""), NULL, NULL },
	    "{" ENDED ",\"caisson/servers\":[\"gh\"]}" },
	{ { CALL_ERROR, 1, 3, 0, "exited", { "a", 1, 7 }, { "b", 0, 8 }, NULL,
	    NULL },
	    "{\"caisson/status\":\"error\",\"caisson/exitCode\":3,"
	    "\"caisson/servers\":[\"gh\"],"
	    "\"caisson/truncated\":{\"stdout\":7,\"stderr\":8}}" },
	{ { CALL_ERROR, 0, 0, SIGKILL, "killed", ALL(""), ALL(""), NULL, NULL },
	    "{\"caisson/status\":\"error\",\"caisson/signal\":\"SIGKILL\","
	    "\"caisson/servers\":[\"gh\"]}" },
	{ { CALL_TIMEOUT, 0, 0, 0, "late", ALL(""), ALL(""), NULL, NULL },
	    "{\"caisson/status\":\"timeout\",\"caisson/timeoutSeconds\":30,"
	    "\"caisson/servers\":[\"gh\"]}" },
};

UNIT_TESTS(tells_programs_how_it_ended, UNIT_COUNT(modes) * UNIT_COUNT(ends))
{
	const int row = _i % (int)UNIT_COUNT(ends);
	struct call_result result = make_result(&ends[row].ending);
	json_t *json, *expected = read_json(ends[row].meta);

	result.servers = "gh";
	result.servers_len = 3;
	options.structured = false;
	options.output_mode = modes[_i / (int)UNIT_COUNT(ends)];
	json = answer(&result);
	ck_assert(json_equal(json_object_get(json, "_meta"), expected));
	/* Hosts differ in which of the two they show the model. */
	ck_assert_int_eq(json_object_get(json, "structuredContent") == NULL,
	    options.output_mode == ANSWER_COMPACT);
	json_decref(json);
	json_decref(expected);
}

/* The session of a call, and what its answer says of it. */
#define NEW "new, as there was none of this name since Caisson started"
#define LOST(why) "; it has ended: " why "; its state is lost, and the next "  \
	"call of this name begins a new one"

static const struct {
	struct call_session session;
	const char *text;
} sessions[] = {
	{ { .calls = 1 }, NEW },
	{ { .calls = 1, .earlier = "why" },
	    "new, as the one before has ended: why" },
	{ { .calls = 2, .age_ms = 999 }, "call 2, under 1 s old" },
	{ { .calls = 3, .age_ms = 1000 }, "call 3, 1 s old" },
	{ { .calls = 1, .threads = 1, .threaded = 1 },
	    NEW "; 1 thread still runs" },
	{ { .calls = 1, .threads = 2, .threaded = 1 },
	    NEW "; 2 threads still run" },
	{ { .calls = 1, .threads = 1 },
	    NEW "; 1 thread is stopped until the next call" },
	{ { .calls = 1, .threads = 2 },
	    NEW "; 2 threads are stopped until the next call" },
	{ { .calls = 1, .late = 1 },
	    NEW "; output between two calls was dropped (1 byte)" },
	{ { .calls = 1, .late = 100 },
	    NEW "; output between two calls was dropped (100 bytes)" },
	{ { .calls = 1, .interrupted = 1 },
	    NEW "; the code was interrupted, the state is kept" },
	{ { .calls = 1, .interrupted = 1, .ended = "why" }, NEW LOST("why") },
	{ { .calls = 1, .ended = "why" }, NEW LOST("why") },
};

UNIT_TESTS(describes_its_session, UNIT_COUNT(sessions))
{
	struct call_result result = make_result(&endings[0]);
	auto_free char *wanted =
	    mem_printf("hi\nsession: %s", sessions[_i].text);
	json_t *json, *meta;

	result.boxed = 1;
	result.session = sessions[_i].session;
	result.session.name = "a";
	json = answer(&result);
	ck_assert_str_eq(text_of(json), wanted);
	/* Nothing is claimed of its memory, unless that is known. */
	meta = json_object_get(json, "_meta");
	ck_assert_ptr_null(json_object_get(meta, "caisson/peakMemoryKiB"));
	meta = json_object_get(meta, "caisson/session");
	ck_assert_int_eq(json_is_true(json_object_get(meta, "fresh")),
	    sessions[_i].session.calls == 1);
	ck_assert_int_eq(json_is_true(json_object_get(meta, "kept")),
	    sessions[_i].session.ended == NULL);
	json_decref(json);
	result.peak_kib = 7;
	json = answer(&result);
	meta = json_object_get(json, "_meta");
	ck_assert_int_eq(json_integer_value(json_object_get(meta,
	    "caisson/peakMemoryKiB")), 7);
	json_decref(json);
}

/* The facts about the isolation in an answer of a session. */
static char *
isolation_of(const struct call_result *result, char **told)
{
	struct answer_style style = answer_style(&options);
	auto_buffer struct buffer line = { 0 };
	json_t *json;
	char *text;

	style.isolation = told;
	answer_add(&line, result, &style);
	json = read_json(line.data);
	text = json_dumps(json_object_get(json_object_get(json, "_meta"),
	    "caisson/isolation"), JSON_COMPACT);
	json_decref(json);
	return text;
}

UNIT_TEST(reports_the_isolation_once)
{
	struct call_result result = make_result(&endings[0]);
	auto_free char *told = NULL, *first = NULL, *again = NULL;
	auto_free char *other = NULL;

	result.boxed = 1;
	facts.landlock = 6;
	first = isolation_of(&result, &told);
	again = isolation_of(&result, &told);
	ck_assert_ptr_nonnull(strstr(first, "\"landlock\":6"));
	ck_assert_str_eq(again, "{\"runtime\":\"native\",\"level\":\"full\"}");
	facts.landlock = 0;
	other = isolation_of(&result, &told);
	ck_assert_ptr_nonnull(strstr(other, "\"landlock\":null"));
	free(again);
	again = isolation_of(&result, &told);
	ck_assert_str_eq(again, "{\"runtime\":\"native\",\"level\":\"full\"}");
}

#define BUSY                                                                   \
	"{\"status\":\"error\",\"summary\":\"Sandbox error: busy: "            \
	"\\\"3\\\" wait\",\"error\":\"busy: \\\"3\\\" wait\"}"

static const struct {
	enum answer_mode mode;
	const char *status, *message, *text, *structured;
} refusals[] = {
	{ ANSWER_COMPACT, "validation_error", "code is missing",
	    "status: validation_error\nerror: code is missing",
	    "{\"status\":\"validation_error\",\"summary\":\"code is missing\","
	    "\"error\":\"code is missing\"}" },
	{ ANSWER_COMPACT, "error", "busy: \"3\" wait",
	    "status: error\nerror: busy: \"3\" wait", BUSY },
	{ ANSWER_TOON, "validation_error", "code is missing",
	    "```toon\nstatus: validation_error\nsummary: code is missing\n"
	    "error: code is missing\n```",
	    "{\"status\":\"validation_error\","
	    "\"summary\":\"code is missing\","
	    "\"error\":\"code is missing\"}" },
	{ ANSWER_TOON, "error", "busy: \"3\" wait",
	    "```toon\nstatus: error\n"
	    "summary: \"Sandbox error: busy: \\\"3\\\" wait\"\n"
	    "error: \"busy: \\\"3\\\" wait\"\n```", BUSY },
};

UNIT_TESTS(says_why_nothing_ran, UNIT_COUNT(refusals))
{
	auto_buffer struct buffer line = { 0 };
	struct answer_style style;
	json_t *json;

	options.output_mode = refusals[_i].mode;
	style = answer_style(&options);
	answer_add_refusal(
	    &line, refusals[_i].status, refusals[_i].message, &style);
	ck_assert_ptr_null(strchr(line.data, '\n'));
	json = read_json(line.data);
	ck_assert_str_eq(text_of(json), refusals[_i].text);
	is_structured(json, refusals[_i].structured);
	ck_assert_str_eq(json_string_value(json_object_get(
	    json_object_get(json, "_meta"), "caisson/status")),
	    refusals[_i].status);
	ck_assert(json_is_true(json_object_get(json, "isError")));
	json_decref(json);
}
