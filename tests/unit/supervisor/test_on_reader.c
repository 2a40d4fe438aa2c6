/*
 * Tests of supervisor/on_reader: what a reader says is checked before it is
 * believed, and belongs to the file that is being read. The list is a stand-in.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/servers/servers.h"
#include "supervisor/handlers.h"
#include "tests/unit/unit.h"

static struct servers servers;
static struct server_file file;
static struct server last;
static struct buffer told;

struct server *
server_rows_add(struct servers *list, const struct server_file *of,
    uint64_t line, uint64_t column, const char *name)
{
	ck_assert_ptr_eq(list, &servers);
	ck_assert_ptr_eq(of, &file);
	free(last.command);
	free(last.args.data);
	free(last.env.data);
	free(last.url);
	free(last.headers.data);
	free(last.allow.data);
	free(last.deny.data);
	free(last.cwd);
	free(last.description);
	free(last.why);
	last = (struct server){ .line = line, .column = column };
	list->count++;
	buffer_printf(&told, "add %d:%d %s\n", (int)line, (int)column, name);
	return &last;
}

static int trusted = 1;

int
server_judge_is_stranger(
    const struct servers *list, const struct server_file *of)
{
	ck_assert_ptr_eq(list, &servers);
	ck_assert_ptr_eq(of, &file);
	return !trusted;
}

void
server_rows_bound(struct servers *list, struct server *server)
{
	ck_assert_ptr_eq(list, &servers);
	ck_assert_ptr_eq(server, &last);
	buffer_add_text(&told, "bound\n");
}

void
servers_file_ended(struct servers *list, int parsed)
{
	ck_assert_ptr_eq(list, &servers);
	buffer_printf(&told, "end %d\n", parsed);
}

void
servers_reader_failed(struct servers *list, const char *fmt, ...)
{
	char text[ERR_TEXT_SIZE];
	va_list ap;

	ck_assert_ptr_eq(list, &servers);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buffer_printf(&told, "fail: %s\n", text);
}

static void
begin(void)
{
	servers = (struct servers){ .current = &file };
	buffer_reset(&told);
}

/* A row with these bytes, which may have NULs. */
static struct ipc_entry
row_of(const char *args, size_t args_len, const char *env, size_t env_len)
{
	return (struct ipc_entry){ .line = 3, .column = 5, .name = "n",
		.command = "c", .cwd = "/", .description = "d",
		.args = { (const uint8_t *)args, args_len },
		.env = { (const uint8_t *)env, env_len } };
}

UNIT_TEST(believes_a_good_row)
{
	struct ipc_entry row = row_of("a\0\0b\0", 5, "A\0x\0B\0\0", 7);

	begin();
	row.disabled = 1;
	row.narrowed = 1;
	row.allow = (struct ipc_bytes){ (const uint8_t *)"x\0y*", 5 };
	row.deny = (struct ipc_bytes){ (const uint8_t *)"z", 2 };
	supervisor_on_entry(&servers, &row);
	ck_assert_str_eq(told.data, "add 3:5 n\nbound\n");
	ck_assert_int_eq(last.state, SERVER_TAKEN);
	ck_assert_str_eq(last.command, "c");
	ck_assert_uint_eq(last.args.len, 5);
	ck_assert_mem_eq(last.args.data, "a\0\0b\0", 5);
	ck_assert_uint_eq(last.env.len, 7);
	ck_assert_mem_eq(last.env.data, "A\0x\0B\0\0", 7);
	ck_assert_str_eq(last.cwd, "/");
	ck_assert_str_eq(last.description, "d");
	ck_assert_int_eq(last.disabled, 1);
	ck_assert_int_eq(last.narrowed, 1);
	ck_assert_uint_eq(last.allow.len, 5);
	ck_assert_mem_eq(last.allow.data, "x\0y*", 5);
	ck_assert_uint_eq(last.deny.len, 2);
	ck_assert_mem_eq(last.deny.data, "z", 2);
	ck_assert_int_eq(last.remote, 0);
}

#define NONSENSE "fail: protocol violation by the reader: "

static const struct {
	const char *args;
	size_t args_len;
	const char *env;
	size_t env_len;
	const char *told;
} bad[] = {
	{ "a", 1, "", 0, NONSENSE "arguments that are not text\n" },
	{ "a\0b", 3, "", 0, NONSENSE "arguments that are not text\n" },
	{ "\xff\0", 2, "", 0, NONSENSE "arguments that are not text\n" },
	{ "", 0, "A", 1, NONSENSE "malformed environment\n" },
	{ "", 0, "A\0", 2, NONSENSE "malformed environment\n" },
	{ "", 0, "A\0x\0B\0", 6, NONSENSE "malformed environment\n" },
	{ "", 0, "\0x\0", 3, NONSENSE "malformed environment\n" },
	{ "", 0, "A=B\0x\0", 6, NONSENSE "malformed environment\n" },
	{ "", 0, "A\0\xff\0", 4, NONSENSE "malformed environment\n" },
};

UNIT_TESTS(refuses_a_bad_row, UNIT_COUNT(bad))
{
	struct ipc_entry row = row_of(bad[_i].args, bad[_i].args_len,
	    bad[_i].env, bad[_i].env_len);

	begin();
	supervisor_on_entry(&servers, &row);
	ck_assert_str_eq(told.data, bad[_i].told);
	ck_assert_uint_eq(servers.count, 0);
}

static const struct {
	const char *tools;
	size_t len;
} bad_tools[] = {
	{ "a", 1 }, { "", 1 }, { "a\0\0b", 5 }, { "\xff", 2 },
};

UNIT_TESTS(refuses_tools_that_are_none, 2 * UNIT_COUNT(bad_tools))
{
	struct ipc_entry row = row_of("", 0, "", 0);
	struct ipc_bytes tools = {
		(const uint8_t *)bad_tools[_i / 2].tools, bad_tools[_i / 2].len
	};

	begin();
	if (_i % 2 == 0)
		row.allow = tools;
	else
		row.deny = tools;
	supervisor_on_entry(&servers, &row);
	ck_assert_str_eq(told.data, NONSENSE "tools that are none\n");
	ck_assert_uint_eq(servers.count, 0);
}

UNIT_TEST(a_remote_one_has_a_url_and_headers)
{
	struct ipc_entry row = row_of("", 0, "H\0v\0", 4);

	begin();
	row.command = "http://x/";
	row.remote = CONFIG_SSE;
	supervisor_on_entry(&servers, &row);
	ck_assert_str_eq(told.data, "add 3:5 n\nbound\n");
	ck_assert_int_eq(last.remote, CONFIG_SSE);
	ck_assert_str_eq(last.url, "http://x/");
	ck_assert_str_eq(last.command, "");
	ck_assert_uint_eq(last.env.len, 0);
	ck_assert_uint_eq(last.headers.len, 4);
	ck_assert_mem_eq(last.headers.data, "H\0v\0", 4);
}

/* The author of the folder does not affect the user's files. */
UNIT_TEST(strangers_are_counted_apart)
{
	struct ipc_entry row = row_of("a\0", 2, "A\0x\0", 4);
	struct ipc_rejected rejected = { .line = 1, .column = 1,
		.name = "n", .reason = "r" };
	int n;

	begin();
	trusted = 0;
	servers.strangers = CONFIG_SERVERS_MAX - 2;
	supervisor_on_entry(&servers, &row);
	ck_assert_ptr_null(last.args.data);
	ck_assert_ptr_null(last.env.data);
	ck_assert_ptr_null(last.command);
	supervisor_on_rejected(&servers, &rejected);
	supervisor_on_entry(&servers, &row);
	supervisor_on_rejected(&servers, &rejected);
	for (n = 0; n < 2; n++)
		ck_assert_ptr_nonnull(strstr(told.data, "fail: the files of "
		    "the current directory have more than 1000 entries "
		    "together\n"));
	trusted = 1;
	servers.count = 2 * CONFIG_SERVERS_MAX - 1;
	servers.strangers = CONFIG_SERVERS_MAX;
	supervisor_on_entry(&servers, &row);
	ck_assert_int_eq(last.state, SERVER_TAKEN);
}

UNIT_TEST(nothing_comes_of_no_file)
{
	struct ipc_entry row = row_of("", 0, "", 0);
	struct ipc_rejected rejected = { .line = 1, .column = 1,
		.name = "n", .reason = "r" };
	struct ipc_end_of_file end = { 0 };

	begin();
	servers.current = NULL;
	supervisor_on_entry(&servers, &row);
	supervisor_on_rejected(&servers, &rejected);
	supervisor_on_end_of_file(&servers, &end);
	ck_assert_str_eq(told.data, NONSENSE "a server of no file\n"
	    NONSENSE "too many rejections\n" NONSENSE "the end of no file\n");
}

UNIT_TEST(rows_are_counted)
{
	struct ipc_entry row = row_of("", 0, "", 0);
	struct ipc_rejected rejected = { .line = 1, .column = 1,
		.name = "n", .reason = "r" };

	begin();
	servers.current_rows = CONFIG_ENTRIES_MAX;
	supervisor_on_entry(&servers, &row);
	servers.current_rows = 2 * CONFIG_ENTRIES_MAX;
	supervisor_on_rejected(&servers, &rejected);
	ck_assert_str_eq(told.data, NONSENSE "too many servers\n"
	    NONSENSE "too many rejections\n");
	/* Too many in all is no protocol violation. */
	begin();
	supervisor_on_entry(&servers, &row);
	ck_assert_str_eq(told.data, "add 3:5 n\nbound\n");
}
