/*
 * Tests of supervisor/command/stored: what is asked of the store for each
 * command, and what a person sees of the answers, of which a model wrote every
 * word. The store is a stand-in that answers at once.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/loop.h"
#include "common/mem.h"
#include "supervisor/peers/broker.h"
#include "supervisor/peers/store.h"
#include "supervisor/supervisor.h"
#include "unit.h"
#include "supervisor/process/process.h"
#include "supervisor/command/command.h"

static struct event_base *base;
static struct command command;
static store_shown *listener;
static void *listener_ctx;
#define NO_MEMORY(key)                                                         \
	"caisson: memory \"" key "\": there is no memory of this key "         \
	"('caisson memory list' shows all)\n"
#define NO_TOOL(name)                                                          \
	"caisson: saved tool \"" name "\": there is no saved tool of this "    \
	"name ('caisson saved-tools list' shows all)\n"

static const char *no_store;         /* why there is none */
static int never_kept;               /* there is no state directory */
static const char *const *answers;   /* those that come, in their order */
static const char *reason = "";      /* why the last one does not */
static struct buffer asked;          /* type and name of each request */

/* In the place of the other files */

char *
owner_flag_again(const struct command *of)
{
	ck_assert_ptr_nonnull(of);
	return mem_strdup("");
}

struct channel *
store_channel(struct store *store, struct err *err)
{
	ck_assert_ptr_null(store);
	if (no_store == NULL)
		/* It is never looked into. */
		return (struct channel *)(void *)&command;
	err_set(err, "%s", no_store);
	return NULL;
}

int
store_may_hold(const struct store *store)
{
	ck_assert_ptr_null(store);
	return !never_kept;
}

void
store_listen(struct store *store, store_shown *shown, void *ctx)
{
	(void)store;
	listener = shown;
	listener_ctx = ctx;
}

static void
note(const char *type, const void *name, size_t len)
{
	buffer_printf(&asked, "%s ", type);
	buffer_add(&asked, name, len);
	buffer_add_text(&asked, ";");
}

static void
note_show(const struct ipc_show *show)
{
	static const char *const names[KEPT_KINDS][2] = {
		[KEPT_MEMORIES] = { "show_memories", "show_memory" },
		[KEPT_TOOLS] = { "show_tools", "show_tool" },
	};
	int one = show->name.len > 0;
	const struct ipc_bytes *name = one ? &show->name : &show->after;

	ck_assert_str_eq(show->scope, "o");
	ck_assert(!one || show->after.len == 0);
	note(names[show->kind][one], name->data, name->len);
}

static void
note_drop(const struct ipc_drop *drop)
{
	static const char *const names[KEPT_KINDS][2] = {
		[KEPT_MEMORIES] = { "drop_memories", "drop_memory" },
		[KEPT_TOOLS] = { "drop_tools", "drop_tool" },
	};
	int one = drop->which == KEPT_DROP_ONE;

	ck_assert_str_eq(drop->scope, "o");
	ck_assert_int_eq(drop->name.len > 0, one);
	if (drop->which == KEPT_DROP_IGNORED)
		note("drop_tools", "ignored", 7);
	else
		note(names[drop->kind][one], drop->name.data, drop->name.len);
}

int
channel_send(
    struct channel *channel, enum ipc_type type, void *msg, struct err *err)
{
	const char *answer;

	(void)channel;
	(void)err;
	if (type == IPC_SHOW)
		note_show(msg);
	else
		note_drop(msg);
	answer = answers == NULL || *answers == NULL ? NULL : *answers++;
	if (answer != NULL)
		listener(listener_ctx, answer, strlen(answer), "");
	else
		listener(listener_ctx, "", 0, reason);
	return 0;
}

void
store_free(struct store **store)
{
	*store = NULL;
}

void
broker_free(struct broker **broker)
{
	*broker = NULL;
}

void
in_force_free(struct in_force **config)
{
	*config = NULL;
}

void
reaper_finish(unsigned int ms)
{
	(void)ms;
}

/* Runs a command. Returns its status, and what it printed to both streams. */
static int
run(enum command_task task, const char *operand, const char *const *told,
    struct buffer *seen)
{
	char path[] = "/tmp/test_kept.XXXXXX";
	int fd = mkstemp(path), status;
	int out = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);

	unlink(path);
	buffer_reset(&asked);
	buffer_add_text(&asked, "");
	answers = told;
	base = loop_new(0);
	command = (struct command){ .task = task,
		.word = task >= COMMAND_TOOLS_LIST ? "tools" : "memory",
		.operand = operand };
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	status = stored_run(base, NULL, "o", &command);
	event_base_free(base);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	seen->len = (size_t)pread(fd, buffer_reserve(seen, 65536), 65536, 0);
	buffer_add(seen, "", 0);
	close(fd);
	close(out);
	close(errors);
	return status;
}

#define MEMORY(key)                                                            \
	"{\"key\":" key ",\"metadata\":{},\"bytes\":12,\"version\":1,"         \
	"\"created_at\":\"then\",\"updated_at\":\"now\"}"
#define TOOL(name, about)                                                      \
	"{\"name\":\"" name "\",\"description\":\"" about "\",\"bytes\":3,"    \
	"\"saved_at\":\"now\"}"

static const struct {
	enum command_task task;
	const char *operand;
	const char *answers[3];
	const char *asked, *seen;
	int status;
} cases[] = {
	{ COMMAND_MEMORY_LIST, NULL, { "{\"entries\":[],\"more\":false}" },
	    "show_memories ;", "Nothing is kept.\n", 0 },
	{ COMMAND_MEMORY_LIST, NULL,
	    { "{\"entries\":[" MEMORY("\"a\"") "," MEMORY("\"b\\u0000\"")
	      "],\"more\":true}",
	        "{\"entries\":[" MEMORY("\"c\xc2\x9b\x7f\"")
	        "],\"more\":false}" },
	    "show_memories ;show_memories b",
	    "now       12 \"a\"\nnow       12 \"b\\u0000\"\n"
	    "now       12 \"c\\u009b\\u007f\"\n", 0 },
	{ COMMAND_MEMORY_SHOW, "k",
	    { "{\"key\":\"k\",\"value\":{\"a\": \"\\u001b\xc2\x9b\"}}" },
	    "show_memory k;", "{\"a\": \"\\u001b\\u009b\"}\n", 0 },
	/* What turns text around, or is not seen. */
	{ COMMAND_MEMORY_LIST, NULL,
	    { "{\"entries\":[" MEMORY("\"\xe2\x80\xae" "a\xe2\x81\xa6\"") ","
	      MEMORY("\"b\xe2\x80\x8b\xef\xbb\xbf\xd8\x9c\"")
	      "],\"more\":false}" }, "show_memories ;",
	    "now       12 \"\\u202ea\\u2066\"\n"
	    "now       12 \"b\\u200b\\ufeff\\u061c\"\n", 0 },
	{ COMMAND_MEMORY_SHOW, "k",
	    { "{\"key\":\"k\",\"value\":\"\xe2\x80\xa8\xf3\xa0\x81\x81\"}" },
	    "show_memory k;", "\"\\u2028\\udb40\\udc41\"\n", 0 },
	{ COMMAND_TOOLS_LIST, NULL,
	    { "{\"entries\":[" TOOL("f", "Do\xe2\x80\xa9 it.")
	      "],\"more\":false}" },
	    "show_tools ;", "now        3 f: Do\\u2029 it.\n", 0 },
	{ COMMAND_TOOLS_SHOW, "f",
	    { "{\"source\":\"'\\u202e\\udb40\\udc41 \\u00e9\"}" },
	    "show_tool f;", "'\\u202e\\U000e0041 \xc3\xa9", 0 },
	{ COMMAND_MEMORY_SHOW, "k", { "null" }, "show_memory k;",
	    NO_MEMORY("k"), 1 },
	{ COMMAND_MEMORY_SHOW, "", { NULL }, "",
	    "caisson: \"\" cannot be the key of a memory: it has 1 to 4096 "
	    "bytes of UTF-8\n", 1 },
	{ COMMAND_MEMORY_SHOW, "\xff", { NULL }, "",
	    "caisson: \"\\xff\" cannot be the key of a memory: it has 1 to "
	    "4096 bytes of UTF-8\n", 1 },
	{ COMMAND_MEMORY_REMOVE, "k", { "true" }, "drop_memory k;", "", 0 },
	{ COMMAND_MEMORY_REMOVE, "k", { "false" }, "drop_memory k;",
	    NO_MEMORY("k"), 1 },
	{ COMMAND_MEMORY_CLEAR, NULL, { "12" }, "drop_memories ;",
	    "12 removed\n", 0 },
	{ COMMAND_TOOLS_LIST, NULL,
	    { "{\"entries\":[" TOOL("f", "Does\\u001b it.") "],\"more\":true}",
	        "{\"entries\":[" TOOL("g", "") "],\"more\":false}" },
	    "show_tools ;show_tools f;",
	    "now        3 f: Does\\u001b it.\nnow        3 g: \n", 0 },
	{ COMMAND_TOOLS_SHOW, "f",
	    { "{\"name\":\"f\",\"source\":\"def f():\\n\\t'\\u001b\\u009b'\\n\""
	      "}" },
	    "show_tool f;", "def f():\n\t'\\u001b\\u009b'\n", 0 },
	{ COMMAND_TOOLS_SHOW, "f", { "null" }, "show_tool f;",
	    NO_TOOL("f"), 1 },
	{ COMMAND_TOOLS_REMOVE, "f", { "true" }, "drop_tool f;", "", 0 },
	{ COMMAND_TOOLS_CLEAR, NULL, { "12" }, "drop_tools ;",
	    "12 removed\n", 0 },
	{ COMMAND_TOOLS_PRUNE, NULL, { "3" }, "drop_tools ignored;",
	    "3 removed\n", 0 },
	{ COMMAND_TOOLS_LIST, NULL,
	    { "{\"entries\":[{\"name\":\"a\\u001b\",\"description\":\"b\","
	      "\"bytes\":3,\"saved_at\":\"now\",\"ignored\":true}],"
	      "\"more\":false}" }, "show_tools ;",
	    "now        3 a\\u001b (ignored: calls cannot import this name): "
	    "b\n", 0 },
	{ COMMAND_TOOLS_REMOVE, "", { NULL }, "",
	    "caisson: \"\" cannot be the name of a saved tool: it has 1 to 128 "
	    "bytes of UTF-8\n", 1 },
	{ COMMAND_TOOLS_LIST, NULL, { "{\"entries\":" }, "show_tools ;",
	    NULL, 1 },
	{ COMMAND_TOOLS_LIST, NULL, { "[1]" }, "show_tools ;",
	    "Nothing is kept.\n", 0 },
	{ COMMAND_MEMORY_LIST, NULL, { "{\"entries\":[5],\"more\":true}" },
	    "show_memories ;", NULL, 1 },
	{ COMMAND_MEMORY_SHOW, "k", { "[]" }, "show_memory k;", NULL, 1 },
};

START_TEST(a_person_sees_it)
{
	auto_buffer struct buffer seen = { 0 };
	int status =
	    run(cases[_i].task, cases[_i].operand, cases[_i].answers, &seen);

	if (cases[_i].seen != NULL)
		ck_assert_str_eq(seen.data, cases[_i].seen);
	else
		ck_assert_str_ne(seen.data, "");
	ck_assert_int_eq(strncmp(asked.data, cases[_i].asked,
	    strlen(cases[_i].asked)), 0);
	ck_assert_int_eq(status, cases[_i].status);
}
END_TEST

START_TEST(failures_of_the_store_are_printed)
{
	auto_buffer struct buffer seen = { 0 };

	reason = "\x1b: its disk is full";
	ck_assert_int_eq(run(COMMAND_MEMORY_CLEAR, NULL, NULL, &seen), 1);
	ck_assert_str_eq(seen.data, "caisson: \\u001b: its disk is full\n");
	buffer_reset(&seen);
	no_store = "there is no place";
	ck_assert_int_eq(run(COMMAND_TOOLS_LIST, NULL, NULL, &seen), 1);
	ck_assert_str_eq(seen.data, "caisson: there is no place\n");
}
END_TEST

static const struct {
	enum command_task task;
	const char *seen;
	int status;
} empty_cases[] = {
	{ COMMAND_MEMORY_LIST, "Nothing is kept.\n", 0 },
	{ COMMAND_TOOLS_LIST, "Nothing is kept.\n", 0 },
	{ COMMAND_MEMORY_CLEAR, "0 removed\n", 0 },
	{ COMMAND_TOOLS_CLEAR, "0 removed\n", 0 },
	{ COMMAND_TOOLS_PRUNE, "0 removed\n", 0 },
	{ COMMAND_MEMORY_SHOW, NO_MEMORY("x"), 1 },
	{ COMMAND_TOOLS_REMOVE, NO_TOOL("x"), 1 },
};

/* Then no store is started, which would make the directory. */
START_TEST(nothing_is_made_to_look_into)
{
	auto_buffer struct buffer seen = { 0 };

	never_kept = 1;
	ck_assert_int_eq(run(empty_cases[_i].task, "x", NULL, &seen),
	    empty_cases[_i].status);
	ck_assert_str_eq(seen.data, empty_cases[_i].seen);
	ck_assert_uint_eq(asked.len, 0);
	ck_assert_ptr_null(listener);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, a_person_sees_it, 0, UNIT_COUNT(cases));
	tcase_add_test(tc, failures_of_the_store_are_printed);
	tcase_add_loop_test(tc, nothing_is_made_to_look_into, 0,
	    UNIT_COUNT(empty_cases));
}

int
main(void)
{
	return unit_run("kept", add_tests);
}
