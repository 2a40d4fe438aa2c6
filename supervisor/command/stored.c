/*
 * caisson memory, caisson saved-tools and caisson calls: list, show and remove
 * data that is stored between calls. Models have written all of it, so control
 * characters and invisible ones are escaped. Calls that run are no data yet:
 * the running Caissons list them (sessions/calls.c). Runs in the supervisor;
 * the store opens the file.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/json/json_span.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/utf8.h"
#include "../options/options.h"
#include "../options/text/json_report.h"
#include "../peers/broker.h"
#include "../peers/store.h"
#include "../process/process.h"
#include "../run/run.h"
#include "sessions/running.h"
#include "shared/command.h"

struct stored;

/* A command: what it asks the store, and what it does with the answer. */
struct stored_verb {
	enum stored_kind kind;
	int (*send)(struct stored *stored, struct err *err);
	void (*answer)(struct stored *stored, struct json_span answer);
	/* The answer if nothing was ever stored: no directory is created. */
	const char *none;
	enum stored_drop which; /* those that it removes */
	bool lists;
};

struct stored {
	struct event_base *base;
	struct store *keeper;
	struct channel *store;
	const struct command *command;
	const struct stored_verb *verb;
	const char *scope;   /* of whose items */
	struct buffer running; /* calls that run: an array of JSON */
	struct buffer *json; /* the output, printed at the end; NULL: text */
	size_t listed;
	int status;
};

/* Output: a model has written the texts */

static const struct {
	const char *these; /* in messages */
	const char *all;   /* the list with --json */
	const char *id;    /* of an entry: its member */
} stored_kinds[] = {
	[STORED_MEMORIES] = { "memories", "memories", "key" },
	[STORED_TOOLS] = { "saved tools", "tools", "name" },
	[STORED_EXECUTIONS] = { "calls", "calls", "id" },
};

static int
stored_is_about_tools(const struct stored *stored)
{
	return stored->verb->kind == STORED_TOOLS;
}

static int
stored_is_about_calls(const struct stored *stored)
{
	return stored->verb->kind == STORED_EXECUTIONS;
}

static void
stored_print(const struct stored *stored, const char *text, size_t len)
{
	json_report_put(stdout, text, len, stored_is_about_tools(stored));
}

static void
stored_end(struct stored *stored, int status)
{
	stored->status = status;
	if (stored->json != NULL && status == 0)
		json_report_print(stored->json);
	fflush(stdout);
	event_base_loopexit(stored->base, NULL);
}

static void
stored_fail(struct stored *stored, const char *why)
{
	fputs("caisson: ", stderr);
	json_report_put(stderr, why, strlen(why), 1);
	fputc('\n', stderr);
	stored_end(stored, 1);
}

/* The entry does not exist. */
static void
stored_miss(struct stored *stored)
{
	auto_free char *flag = owner_flag_again(stored->command);
	auto_free char *why = mem_printf(stored_is_about_calls(stored) ?
	    "call %s: there is no such call ('caisson calls list%s' shows "
	    "those that are kept)" : stored_is_about_tools(stored) ?
	    "saved tool \"%s\": there is no saved tool of this name ('caisson "
	    "saved-tools list%s' shows all)" :
	    "memory \"%s\": there is no memory of this key ('caisson memory "
	    "list%s' shows all)", stored->command->operand, flag);

	stored_fail(stored, why);
}

/* Returns the member of an entry; empty if there is none. */
static struct json_span
stored_member(struct json_span entry, const char *name)
{
	struct json_span value = { "", 0 };

	json_span_get(entry, name, &value);
	return value;
}

/* Prints a string without its quotes. */
static void
stored_print_inner(const struct stored *stored, struct json_span string)
{
	if (string.len >= 2)
		stored_print(stored, string.p + 1, string.len - 2);
}

/* Prints a member in a column of so many characters; "-" for none. */
static void
stored_print_column(struct json_span entry, const char *name, int width)
{
	struct json_span value = stored_member(entry, name);
	int quote = value.len > 0 && value.p[0] == '"';

	if (value.len == 0 || json_span_kind(value) == JSON_SPAN_NULL)
		value = (struct json_span){ "-", 1 };
	printf("%*.*s ", width, (int)value.len - 2 * quote, value.p + quote);
}

static void
stored_print_call(const struct stored *stored, struct json_span entry)
{
	if (stored->listed == 0)
		printf("%-24s %-9s %8s tools %-10s %-16s id\n", "asked",
		    "outcome", "ms", "language", "owner");
	stored_print_column(entry, "asked_at", -24);
	stored_print_column(entry, "status", -9);
	stored_print_column(entry, "duration_ms", 8);
	stored_print_column(entry, "tool_calls", 5);
	stored_print_column(entry, "language", -10);
	stored_print_column(entry, "owner", -16);
	stored_print_inner(stored, stored_member(entry, "id"));
	putchar('\n');
}

static void
stored_print_entry(const struct stored *stored, struct json_span entry)
{
	int tools = stored_is_about_tools(stored);
	struct json_span when =
	    stored_member(entry, tools ? "saved_at" : "updated_at");
	struct json_span bytes = stored_member(entry, "bytes");

	if (command_has(&stored->command->flags, COMMAND_FLAG_NAMES)) {
		stored_print_inner(stored, stored_member(entry,
		    stored_kinds[stored->verb->kind].id));
		putchar('\n');
		return;
	}
	if (stored_is_about_calls(stored)) {
		stored_print_call(stored, entry);
		return;
	}
	stored_print_inner(stored, when);
	printf(" %8.*s ", (int)bytes.len, bytes.p);
	if (tools) {
		stored_print_inner(stored, stored_member(entry, "name"));
		if (stored_member(entry, "ignored").len > 0)
			fputs(" (ignored: calls cannot import this name)",
			    stdout);
		fputs(": ", stdout);
		stored_print_inner(stored, stored_member(entry, "description"));
	} else {
		/* In quotes, because a key may end in a space. */
		struct json_span key = stored_member(entry, "key");

		stored_print(stored, key.p, key.len);
	}
	putchar('\n');
}

/* Requests */

static int
stored_send_page(struct stored *stored, const char *after, size_t len,
    struct err *err)
{
	struct ipc_show show = { .kind = stored->verb->kind,
		.scope = stored->scope,
		.after = { (const uint8_t *)after, len } };

	return channel_send_show(stored->store, &show, err);
}

static int
stored_send_list(struct stored *stored, struct err *err)
{
	return stored_send_page(stored, "", 0, err);
}

/* Checks that the key or the name of the command can exist, and sets it. */
static int
stored_set_name(
    const struct stored *stored, struct ipc_bytes *named, struct err *err)
{
	const char *name = stored->command->operand;
	size_t len = strlen(name);
	size_t most = stored_is_about_tools(stored) ? SAVED_TOOL_NAME_MAX :
	    MEMORY_KEY_MAX;
	auto_buffer struct buffer shown = { 0 };

	*named = (struct ipc_bytes){ (const uint8_t *)name, len };
	if (len > 0 && len <= most && utf8_valid(name, len))
		return 0;
	buffer_add_text(&shown, "\"");
	shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
	return err_set(err, "%s\" cannot be the %s: it has 1 to %zu bytes of "
	    "UTF-8", shown.data, stored_is_about_tools(stored) ?
	    "name of a saved tool" : "key of a memory", most);
}

static int
stored_send_show(struct stored *stored, struct err *err)
{
	struct ipc_show show = { .kind = stored->verb->kind,
		.scope = stored->scope };

	if (stored_set_name(stored, &show.name, err) == -1)
		return -1;
	return channel_send_show(stored->store, &show, err);
}

static int
stored_send_drop(struct stored *stored, struct err *err)
{
	struct ipc_drop drop = { .kind = stored->verb->kind,
		.which = stored->verb->which, .scope = stored->scope };

	if (drop.which == STORED_DROP_ONE &&
	    stored_set_name(stored, &drop.name, err) == -1)
		return -1;
	return channel_send_drop(stored->store, &drop, err);
}

/* Answers */

static void
stored_on_cleared(struct stored *stored, struct json_span count)
{
	if (stored->json != NULL)
		json_report_raw(stored->json, "removed", count.p, count.len);
	else
		printf("%.*s removed\n", (int)count.len, count.p);
	stored_end(stored, 0);
}

static void
stored_end_list(struct stored *stored)
{
	int none = stored->listed == 0 &&
	    !command_has(&stored->command->flags, COMMAND_FLAG_NAMES);

	if (stored->json != NULL)
		json_report_close(stored->json, ']');
	else if (none && stored_is_about_calls(stored))
		puts("No calls run, and none are kept.");
	else if (none)
		printf("No %s of %s are kept.\n",
		    stored_kinds[stored->verb->kind].these,
		    *stored->scope == '\0' ? "the user" : stored->scope);
	stored_end(stored, 0);
}

/* Prints the entries of an array. Returns the last one; len 0: none. */
static struct json_span
stored_print_all(struct stored *stored, struct json_span entries)
{
	struct json_span_walk walk = json_span_walk(entries);
	struct json_span entry = { "", 0 };

	while (json_span_next_element(&walk, &entry)) {
		if (stored->json != NULL)
			json_report_raw(stored->json, NULL, entry.p, entry.len);
		else
			stored_print_entry(stored, entry);
		stored->listed++;
	}
	return entry;
}

/* Prints one page of a list, and requests the page after its last entry. */
static void
stored_on_page(struct stored *stored, struct json_span page)
{
	struct json_span entry =
	    stored_print_all(stored, stored_member(page, "entries"));
	auto_free char *last = NULL;
	struct err err;
	size_t len;

	if (json_span_kind(stored_member(page, "more")) != JSON_SPAN_TRUE) {
		stored_end_list(stored);
		return;
	}
	last = json_span_string(stored_member(
	    entry, stored_kinds[stored->verb->kind].id), &len, &err);
	if (last == NULL || stored_send_page(stored, last, len, &err) == -1)
		stored_fail(stored, err.text);
}

/* A memory or a tool for --json. */
static void
stored_report_one(struct stored *stored, struct json_span one)
{
	const char *what = stored_is_about_tools(stored) ? "source" : "value";
	struct json_span value = stored_member(one, what);

	json_report_text(stored->json,
	    stored_is_about_tools(stored) ? "name" : "key",
	    stored->command->operand);
	json_report_raw(stored->json, what, value.p, value.len);
}

static void
stored_on_one(struct stored *stored, struct json_span one)
{
	struct json_span value = stored_member(one, "value");
	auto_free char *source = NULL;
	struct err err;
	size_t len;

	if (json_span_kind(one) != JSON_SPAN_OBJECT) {
		stored_miss(stored);
		return;
	}
	if (stored->json != NULL) {
		stored_report_one(stored, one);
	} else if (!stored_is_about_tools(stored)) {
		stored_print(stored, value.p, value.len);
		putchar('\n');
	} else {
		source = json_span_string(
		    stored_member(one, "source"), &len, &err);
		if (source != NULL)
			stored_print(stored, source, len);
	}
	stored_end(stored, 0);
}

/* Prints the call of the command, if it runs or one is kept. */
static void
stored_on_call(struct stored *stored, struct json_span one)
{
	struct json_span_walk walk = json_span_walk((struct json_span){
	    stored->running.data, stored->running.len });
	struct json_span entry, name, value;

	while (json_span_next_element(&walk, &entry))
		if (json_span_is(stored_member(entry, "id"),
		        stored->command->operand))
			one = entry;
	if (json_span_kind(one) != JSON_SPAN_OBJECT) {
		stored_miss(stored);
		return;
	}
	walk = json_span_walk(one);
	while (json_span_next_member(&walk, &name, &value)) {
		size_t len;
		auto_free char *key = json_span_string(name, &len, NULL);
		auto_free char *text = json_span_string(value, &len, NULL);

		if (stored->json != NULL) {
			json_report_raw(stored->json, key, value.p, value.len);
			continue;
		}
		printf("%s:%c", key, strncmp(key, "std", 3) == 0 &&
		        text != NULL ? '\n' : ' ');
		stored_print(stored, text != NULL ? text : value.p,
		    text != NULL ? len : value.len);
		putchar('\n');
	}
	stored_end(stored, 0);
}

static void
stored_on_removed(struct stored *stored, struct json_span answer)
{
	if (json_span_kind(answer) != JSON_SPAN_TRUE) {
		stored_miss(stored);
		return;
	}
	if (stored->json != NULL)
		json_report_number(stored->json, "removed", 1);
	stored_end(stored, 0);
}

static void
stored_on_shown(void *ctx, const char *payload, size_t len, const char *reason)
{
	struct stored *stored = ctx;
	struct json_span answer;
	struct err err;

	if (reason[0] != '\0')
		stored_fail(stored, reason);
	else if (json_span_parse(payload, len, &answer, &err) == -1)
		stored_fail(stored, err.text);
	else
		stored->verb->answer(stored, answer);
}

static void
stored_ask(struct stored *stored)
{
	struct err err;

	stored->store = store_channel(stored->keeper, &err);
	store_listen(stored->keeper, stored_on_shown, stored);
	if (stored->store == NULL || stored->verb->send(stored, &err) == -1)
		stored_fail(stored, err.text);
}

/* The commands */

static int
stored_run(struct command_setup *setup, struct stored_verb *verb,
    struct err *err)
{
	const struct command *command = &setup->options->command;
	struct store *store = setup->runs->peers.store;
	struct stored stored = { .base = setup->base, .keeper = store,
		.command = command, .verb = verb };
	auto_buffer struct buffer json = { 0 };
	int calls = stored_is_about_calls(&stored);
	int status = calls ?
	    calls_begin(setup, &stored.scope, &stored.running, err) :
	    owner_flag_begin(setup, stored_kinds[verb->kind].these,
	        &stored.scope, err);

	if (status == -1 || (status != 0 && !calls))
		return status;
	if (options_json(setup->options)) {
		stored.json = &json;
		if (verb->lists)
			json_report_open(
			    &json, stored_kinds[verb->kind].all, '[');
	}
	if (calls && verb->lists)
		stored_print_all(&stored, (struct json_span){
		    stored.running.data, stored.running.len });
	if (store_may_hold(store))
		stored_ask(&stored);
	else
		stored_on_shown(&stored, verb->none, strlen(verb->none), "");
	event_base_dispatch(stored.base);
	buffer_reset(&stored.running);
	return stored.status != 0 ? stored.status : status;
}

#define STORED_LIST stored_send_list, stored_on_page, "{}", 0, true
#define STORED_SHOW stored_send_show, stored_on_one, "null", 0, false
#define STORED_DROP(WHICH, answer, none)                                       \
	stored_send_drop, answer, none, STORED_DROP_##WHICH, false
#define STORED_REMOVE STORED_DROP(ONE, stored_on_removed, "false")
#define STORED_CLEAR STORED_DROP(ALL, stored_on_cleared, "0")

#define STORED_COMMAND(run, ...)                                               \
	COMMAND_DEFINE(                                                        \
	    run, stored_run(setup, &(struct stored_verb){ __VA_ARGS__ }, err))

STORED_COMMAND(memory_list_run, STORED_MEMORIES, STORED_LIST)
STORED_COMMAND(memory_show_run, STORED_MEMORIES, STORED_SHOW)
STORED_COMMAND(memory_remove_run, STORED_MEMORIES, STORED_REMOVE)
STORED_COMMAND(memory_clear_run, STORED_MEMORIES, STORED_CLEAR)
STORED_COMMAND(calls_list_run, STORED_EXECUTIONS, STORED_LIST)
STORED_COMMAND(calls_show_run, STORED_EXECUTIONS, stored_send_show,
    stored_on_call, "null", 0, false)
STORED_COMMAND(saved_tools_list_run, STORED_TOOLS, STORED_LIST)
STORED_COMMAND(saved_tools_show_run, STORED_TOOLS, STORED_SHOW)
STORED_COMMAND(saved_tools_remove_run, STORED_TOOLS, STORED_REMOVE)
STORED_COMMAND(saved_tools_clear_run, STORED_TOOLS, STORED_CLEAR)
STORED_COMMAND(saved_tools_prune_run, STORED_TOOLS,
    STORED_DROP(IGNORED, stored_on_cleared, "0"))
