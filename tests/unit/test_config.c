/*
 * Tests of worker/reader/config: whole files, good and bad, and the rows that
 * they become, each with line, column and sentence.
 */
#include <string.h>

#include "common/buffer.h"
#include "common/mem.h"
#include "unit.h"
#include "worker/reader/config.h"

static struct buffer told;

/* Texts with a NUL behind each, as "a|b|". */
static void
tell_texts(const struct ipc_bytes *bytes)
{
	size_t i;

	for (i = 0; i < bytes->len; i++)
		buffer_printf(&told, "%c",
		    bytes->data[i] == '\0' ? '|' : bytes->data[i]);
}

static void
tell_server(void *ctx, struct ipc_server *row)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_printf(&told, "%d:%d %s%s%s: %s ", (int)row->line,
	    (int)row->column, row->name, row->remote ? " remote" : "",
	    row->disabled ? " disabled" : "", row->command);
	tell_texts(&row->args);
	buffer_add_text(&told, " ");
	tell_texts(&row->env);
	buffer_printf(&told, " %s %s\n", row->cwd, row->description);
}

static void
tell_rejected(void *ctx, struct ipc_rejected *row)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_printf(&told, "%d:%d %s! %s\n", (int)row->line,
	    (int)row->column, row->name, row->reason);
}

static const char *
read_text(const char *data, size_t len)
{
	struct config_sink sink = { tell_server, tell_rejected, &told };

	buffer_reset(&told);
	buffer_add_text(&told, "");
	config_read(data, len, &sink);
	return told.data;
}

#define ONE "{\"command\":\"a\"}"
#define NO_MEMBER "1:1 ! the file has no member \"mcpServers\" (nor "          \
	"\"servers\"), so it defines no server\n"
#define NO_OBJECT "1:1 ! the file must be one JSON object, such as "           \
	"{\"mcpServers\": {\"name\": {\"command\": \"npx\"}}}\n"

static const struct {
	const char *text;
	const char *rows;
} files[] = {
	/* Good ones */
	{ "{\"mcpServers\":{}}", "" },
	{ "{\"mcpServers\":{\"a\":" ONE "}}", "1:16 a: a    \n" },
	{ "{\"servers\":{\"a\":" ONE "}}", "1:13 a: a    \n" },
	{ "{\"mcp_servers\":{\"a\":" ONE "}}", "1:17 a: a    \n" },
	{ "{\"context_servers\":{\"a\":" ONE "}}", "1:21 a: a    \n" },
	{ "{\"x\":1,\"mcpServers\":{\"a\":" ONE "},\"y\":[]}",
	    "1:22 a: a    \n" },
	{ "{\"servers\":{\"b\":" ONE "},\"mcpServers\":{\"a\":" ONE "}}",
	    "1:48 a: a    \n1:13 b: a    \n" },
	{ "{\n  // one\n  \"mcpServers\": { /* two\n */\n    \"a\": "
	  "{ \"command\": \"x\", },\n  },\n}\n",
	    "5:5 a: x    \n" },
	{ "\xef\xbb\xbf{\"mcpServers\":{\"a\":" ONE "}}", "1:16 a: a    \n" },
	{ "{/* \xc3\xa9\xff */\"mcpServers\":{\"a\":" ONE "}}",
	    "1:24 a: a    \n" },
	{ "{\"mcpServers\":{\"a\":" ONE ",\"a\":" ONE "}}",
	    "1:16 a: a    \n1:36 a: a    \n" },
	/* An entry that is wrong costs itself alone. */
	{ "{\"mcpServers\":{\n\"a\":" ONE ",\n\"b\":{\"command\":1},\n\"c\":"
	  ONE "}}",
	    "2:1 a: a    \n3:16 b! \"command\" must be a string\n"
	    "4:1 c: a    \n" },
	{ "{\"servers\":5,\"mcpServers\":{\"a\":" ONE "}}",
	    "1:28 a: a    \n"
	    "1:12 ! \"servers\" must be an object whose members are "
	    "servers, such as {\"name\": {\"command\": \"npx\"}}\n" },
	{ "{\"servers\":{},\"servers\":{}}",
	    "1:25 ! \"servers\" stands in the file more than once: make "
	    "one of them\n" },
	/* Files that are wrong as a whole */
	{ "{}", NO_MEMBER },
	{ "{\"command\":\"a\"}", NO_MEMBER },
	{ "[]", NO_OBJECT },
	{ "\"x\"", NO_OBJECT },
	{ "", "1:1 ! the text is empty where a value should be\n" },
	{ " \n ", "2:2 ! the text ends where a value should be\n" },
	{ "{\n  \"mcpServers\": {\n    \"a\" 5\n}}",
	    "3:9 ! '5' where a colon should be\n" },
	{ "{\"\xc3\xa9\" 5}", "1:6 ! '5' where a colon should be\n" },
	{ "{\"mcpServers\":{\"a\":" ONE "}",
	    "1:36 ! the text ends where a comma or } should be\n" },
	{ "{} x", "1:4 ! 'x' where the end should be\n" },
	{ "{\"a\":01}", "1:7 ! a digit behind a leading zero\n" },
	{ "{\"\xff\":1}", "1:3 ! bytes that are not UTF-8\n" },
	{ "{\"a\":\"\n\"}", "1:7 ! a control character that is not "
	    "escaped\n" },
	{ "{\n /* x", "2:2 ! a comment begins with /* and never ends: close "
	    "it with */\n" },
	{ "{'a':1}", "1:2 ! ''' where a name in quotes should be\n" },
	{ "{\" at byte 1\":x}",
	    "1:15 ! 'x' where a value should be\n" },
};

START_TEST(files_become_rows)
{
	/* Exact, so that ASan sees a byte too far. */
	size_t len = strlen(files[_i].text);
	auto_free char *exact = mem_resize(NULL, len);

	if (len > 0)
		memcpy(exact, files[_i].text, len);
	ck_assert_str_eq(read_text(exact, len), files[_i].rows);
}
END_TEST

START_TEST(no_bytes_are_an_empty_file)
{
	ck_assert_str_eq(read_text(NULL, 0),
	    "1:1 ! the text is empty where a value should be\n");
}
END_TEST

START_TEST(entries_are_counted)
{
	auto_buffer struct buffer text = { 0 };
	const char *p;
	int n, rows = 0;

	buffer_add_text(&text, "{\"mcpServers\":{\n");
	for (n = 0; n < CONFIG_ENTRIES_MAX + 3; n++)
		buffer_printf(&text, "\"%d\":" ONE ",\n", n);
	buffer_add_text(&text, "}}");
	p = read_text(text.data, text.len);
	while ((p = strchr(p, '\n')) != NULL && p[1] != '\0') {
		rows++;
		p++;
	}
	ck_assert_int_eq(rows, CONFIG_ENTRIES_MAX);
	ck_assert_ptr_nonnull(strstr(told.data, "\n502:1 ! more than 500 "
	    "servers in one file: this one and those behind it are left "
	    "out\n"));
}
END_TEST

/* A row fits into a packet, whatever the file has. */
START_TEST(long_names_are_cut_between_characters)
{
	auto_buffer struct buffer text = { 0 };
	auto_buffer struct buffer wanted = { 0 };
	int n;

	buffer_add_text(&text, "{\"mcpServers\":{\"");
	for (n = 0; n < 100; n++)
		buffer_add_text(&text, "\xc3\xa9");
	buffer_add_text(&text, "\":" ONE "}}");
	read_text(text.data, text.len);
	buffer_add_text(&wanted, "1:16 ! the name of a server has 200 bytes, "
	    "at most 128 are possible\n");
	ck_assert_str_eq(told.data, wanted.data);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, files_become_rows, 0, UNIT_COUNT(files));
	tcase_add_test(tc, no_bytes_are_an_empty_file);
	tcase_add_test(tc, entries_are_counted);
	tcase_add_test(tc, long_names_are_cut_between_characters);
}

int
main(void)
{
	return unit_run("config", add_tests);
}
