/*
 * caisson memory and caisson saved-tools: what is kept between calls, for the
 * user to look at and to remove. Models wrote all of it: what a terminal would
 * act on, or not show, is escaped. Runs in the supervisor; the store opens the
 * file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/json_span.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/utf8.h"
#include "../peers/broker.h"
#include "../peers/store.h"
#include "../process/process.h"
#include "command.h"

struct kept {
	struct event_base *base;
	struct store *keeper;
	struct channel *store;
	const struct command *command;
	size_t listed;
	int status;
};

/* What is printed */

static int
kept_is_about_tools(const struct kept *kept)
{
	return kept->command->task >= COMMAND_TOOLS_LIST;
}

/* Which escape means this character differs above U+FFFF. */
static void
kept_print_escape(const struct kept *kept, FILE *out, unsigned int code)
{
	unsigned int above = code - 0x10000;

	if (code < 0x10000)
		fprintf(out, "\\u%04x", code);
	else if (kept_is_about_tools(kept))
		fprintf(out, "\\U%08x", code);
	else
		fprintf(out, "\\u%04x\\u%04x", 0xd800 | above >> 10,
		    0xdc00 | (above & 0x3ff));
}

/*
 * Text that a model wrote, where a terminal may be: what it would obey, and
 * what is invisible, is escaped. In strings of Python, and of JSON, the
 * escape means the same.
 */
static void
kept_print_to(
    const struct kept *kept, FILE *out, const char *text, size_t len)
{
	unsigned int code;
	size_t size;

	while (len > 0) {
		size = utf8_unseen(text, len, &code);
		if (size == 0 || *text == '\n' || *text == '\t') {
			fputc(*text, out);
			size = 1;
		} else {
			kept_print_escape(kept, out, code);
		}
		text += size;
		len -= size;
	}
}

static void
kept_print(const struct kept *kept, const char *text, size_t len)
{
	kept_print_to(kept, stdout, text, len);
}

static void
kept_end(struct kept *kept, int status)
{
	kept->status = status;
	fflush(stdout);
	event_base_loopexit(kept->base, NULL);
}

static void
kept_fail(struct kept *kept, const char *why)
{
	fputs("caisson: ", stderr);
	kept_print_to(kept, stderr, why, strlen(why));
	fputc('\n', stderr);
	kept_end(kept, 1);
}

/* It is not there. */
static void
kept_miss(struct kept *kept)
{
	kept_fail(kept, kept_is_about_tools(kept)
	        ? "there is no saved tool of this name ('caisson saved-tools "
	          "list' shows all)"
	        : "there is no memory of this key ('caisson memory list' "
	          "shows all)");
}

/* The member of an entry; empty where there is none. */
static struct json_span
kept_member(struct json_span entry, const char *name)
{
	struct json_span value = { "", 0 };

	json_span_get(entry, name, &value);
	return value;
}

/* A string without its quotes. */
static void
kept_print_inner(const struct kept *kept, struct json_span string)
{
	if (string.len >= 2)
		kept_print(kept, string.p + 1, string.len - 2);
}

static void
kept_print_entry(const struct kept *kept, struct json_span entry)
{
	int tools = kept_is_about_tools(kept);
	struct json_span when =
	    kept_member(entry, tools ? "saved_at" : "updated_at");
	struct json_span bytes = kept_member(entry, "bytes");

	kept_print_inner(kept, when);
	printf(" %8.*s ", (int)bytes.len, bytes.p);
	if (tools) {
		kept_print_inner(kept, kept_member(entry, "name"));
		if (kept_member(entry, "ignored").len > 0)
			fputs(" (ignored: calls cannot import this name)",
			    stdout);
		fputs(": ", stdout);
		kept_print_inner(kept, kept_member(entry, "description"));
	} else {
		/* With quotes: a key may end in a space. */
		struct json_span key = kept_member(entry, "key");

		kept_print(kept, key.p, key.len);
	}
	putchar('\n');
}

/* Asking */

static enum kept_kind
kept_kind(const struct kept *kept)
{
	return kept_is_about_tools(kept) ? KEPT_TOOLS : KEPT_MEMORIES;
}

static int
kept_send_list(struct kept *kept, const char *after, size_t len,
    struct err *err)
{
	struct ipc_show show = { .kind = kept_kind(kept),
		.after = { (const uint8_t *)after, len } };

	return channel_send_show(kept->store, &show, err);
}

/* Whether a key or a name can be one of what is kept. */
static int
kept_check_name(const struct kept *kept, const char *name, struct err *err)
{
	size_t len = strlen(name);
	int good = len > 0 && utf8_valid(name, len);

	if (!kept_is_about_tools(kept) && (!good || len > MEMORY_KEY_MAX))
		return err_set(err, "a key is a text of 1 to %lu bytes of "
		    "UTF-8", MEMORY_KEY_MAX);
	if (kept_is_about_tools(kept) && (!good || len > SAVED_TOOL_NAME_MAX))
		return err_set(err, "the name of a tool is a text of 1 to %d "
		    "bytes of UTF-8", SAVED_TOOL_NAME_MAX);
	return 0;
}

static int
kept_send_show(struct kept *kept, const char *name, struct err *err)
{
	struct ipc_show show = { .kind = kept_kind(kept),
		.name = { (const uint8_t *)name, strlen(name) } };

	if (kept_check_name(kept, name, err) == -1)
		return -1;
	return channel_send_show(kept->store, &show, err);
}

static int
kept_send_drop_one(struct kept *kept, const char *name, struct err *err)
{
	struct ipc_drop drop = { .kind = kept_kind(kept),
		.which = KEPT_DROP_ONE,
		.name = { (const uint8_t *)name, strlen(name) } };

	if (kept_check_name(kept, name, err) == -1)
		return -1;
	return channel_send_drop(kept->store, &drop, err);
}

static int
kept_send_drop(struct kept *kept, enum kept_drop which, struct err *err)
{
	struct ipc_drop drop = { .kind = kept_kind(kept), .which = which };

	return channel_send_drop(kept->store, &drop, err);
}

static int
kept_send(struct kept *kept, struct err *err)
{
	const struct command *command = kept->command;

	switch (command->task) {
	case COMMAND_MEMORY_SHOW:
	case COMMAND_TOOLS_SHOW:
		return kept_send_show(kept, command->operand, err);
	case COMMAND_MEMORY_REMOVE:
	case COMMAND_TOOLS_REMOVE:
		return kept_send_drop_one(kept, command->operand, err);
	case COMMAND_MEMORY_CLEAR:
	case COMMAND_TOOLS_CLEAR:
		return kept_send_drop(kept, KEPT_DROP_ALL, err);
	case COMMAND_TOOLS_PRUNE:
		return kept_send_drop(kept, KEPT_DROP_IGNORED, err);
	default:
		return kept_send_list(kept, "", 0, err);
	}
}

/* Answers */

/* One page of a list; asks for the next one behind its last entry. */
static void
kept_on_page(struct kept *kept, struct json_span page)
{
	struct json_span_walk walk =
	    json_span_walk(kept_member(page, "entries"));
	struct json_span entry = { "", 0 };
	auto_free char *last = NULL;
	struct err err;
	size_t len;

	while (json_span_next_element(&walk, &entry)) {
		kept_print_entry(kept, entry);
		kept->listed++;
	}
	if (json_span_kind(kept_member(page, "more")) != JSON_SPAN_TRUE) {
		if (kept->listed == 0)
			printf("Nothing is kept.\n");
		kept_end(kept, 0);
		return;
	}
	last = json_span_string(kept_member(entry,
	    kept_is_about_tools(kept) ? "name" : "key"), &len, &err);
	if (last == NULL || kept_send_list(kept, last, len, &err) == -1)
		kept_fail(kept, err.text);
}

static void
kept_on_one(struct kept *kept, struct json_span one)
{
	struct json_span value = kept_member(one, "value");
	auto_free char *source = NULL;
	struct err err;
	size_t len;

	if (json_span_kind(one) != JSON_SPAN_OBJECT) {
		kept_miss(kept);
		return;
	}
	if (!kept_is_about_tools(kept)) {
		kept_print(kept, value.p, value.len);
		putchar('\n');
	} else {
		source = json_span_string(
		    kept_member(one, "source"), &len, &err);
		if (source != NULL)
			kept_print(kept, source, len);
	}
	kept_end(kept, 0);
}

static void
kept_on_answer(struct kept *kept, struct json_span answer)
{
	switch (kept->command->task) {
	case COMMAND_MEMORY_SHOW:
	case COMMAND_TOOLS_SHOW:
		kept_on_one(kept, answer);
		return;
	case COMMAND_MEMORY_REMOVE:
	case COMMAND_TOOLS_REMOVE:
		if (json_span_kind(answer) == JSON_SPAN_TRUE)
			kept_end(kept, 0);
		else
			kept_miss(kept);
		return;
	case COMMAND_MEMORY_CLEAR:
	case COMMAND_TOOLS_CLEAR:
	case COMMAND_TOOLS_PRUNE:
		printf("%.*s removed\n", (int)answer.len, answer.p);
		kept_end(kept, 0);
		return;
	default:
		kept_on_page(kept, answer);
		return;
	}
}

static void
kept_on_shown(void *ctx, const char *payload, size_t len, const char *reason)
{
	struct kept *kept = ctx;
	struct json_span answer;
	struct err err;

	if (reason[0] != '\0')
		kept_fail(kept, reason);
	else if (json_span_parse(payload, len, &answer, &err) == -1)
		kept_fail(kept, err.text);
	else
		kept_on_answer(kept, answer);
}

/* Where nothing was ever kept, no directory is made to look into. */
static const char *
kept_answer_of_nothing(enum command_task task)
{
	switch (task) {
	case COMMAND_MEMORY_SHOW:
	case COMMAND_TOOLS_SHOW:
		return "null";
	case COMMAND_MEMORY_REMOVE:
	case COMMAND_TOOLS_REMOVE:
		return "false";
	case COMMAND_MEMORY_CLEAR:
	case COMMAND_TOOLS_CLEAR:
	case COMMAND_TOOLS_PRUNE:
		return "0";
	default:
		return "{}";
	}
}

static void
kept_ask(struct kept *kept)
{
	struct err err;

	kept->store = store_channel(kept->keeper, &err);
	store_listen(kept->keeper, kept_on_shown, kept);
	if (kept->store == NULL || kept_send(kept, &err) == -1)
		kept_fail(kept, err.text);
}

int
kept_run(struct event_base *base, struct store *store,
    const struct command *command)
{
	struct kept kept = { .base = base,
		.keeper = store,
		.command = command };
	const char *nothing = kept_answer_of_nothing(kept.command->task);

	if (store_may_hold(store))
		kept_ask(&kept);
	else
		kept_on_shown(&kept, nothing, strlen(nothing), "");
	event_base_dispatch(base);
	return kept.status;
}
