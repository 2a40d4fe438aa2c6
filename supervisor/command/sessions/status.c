/*
 * caisson status: what the running Caissons of our user do now, and for whom.
 * Runs as a command, which asks each Caisson at its socket; one that does not
 * answer is left out.
 */
#include <stdio.h>
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/json/json_span.h"
#include "../../../common/role.h"
#include "../../../common/stored_kind.h"
#include "../../options/options.h"
#include "../../options/text/json_report.h"
#include "../shared/command.h"
#include "running.h"

struct status_asked {
	struct buffer *json; /* NULL: it is printed */
	size_t count;
};

/* Returns a member as text, which the caller frees; null is our user. */
static char *
status_text(struct json_span facts, const char *name)
{
	struct json_span value = { "null", 4 };
	struct err err;
	size_t len;
	char *text;

	json_span_get(facts, name, &value);
	text = json_span_string(value, &len, &err);
	if (text != NULL)
		return text;
	return json_span_kind(value) == JSON_SPAN_NULL ?
	    mem_strdup(OWNER_FLAG_USER) : mem_dup(value.p, value.len);
}

/* Prints members of a row, each after a word. */
static void
status_print_row(struct json_span facts, const char *const *words)
{
	size_t i;

	for (i = 0; words[i] != NULL; i += 2) {
		auto_free char *text = status_text(facts, words[i + 1]);
		auto_buffer struct buffer shown = { 0 };

		shown_add(&shown, text, strlen(text));
		printf("%s%s", words[i], shown.data);
	}
	putchar('\n');
}

static void
status_print_rows(
    struct json_span facts, const char *name, const char *const *words)
{
	struct json_span rows = { "[]", 2 }, row;
	struct json_span_walk walk;

	json_span_get(facts, name, &rows);
	walk = json_span_walk(rows);
	while (json_span_next_element(&walk, &row))
		status_print_row(row, words);
}

static void
status_print(struct json_span facts)
{
	static const char *const self[] = { ", since ", "since", ": clients ",
		"clients", ", boxes ", "boxes", ", calls ", "running",
		", waiting ", "waiting", NULL };
	static const char *const call[] = { "  call ", "id", ", ", "language",
		", ", "status", " since ", "asked_at", ", for ", "owner",
		NULL };
	static const char *const session[] = { "  session ", "name", ", ",
		"language", ", calls ", "calls", ", for ", "owner", NULL };
	static const char *const server[] = { "  server ", "name", ", for ",
		"owner", NULL };

	status_print_row(facts, self);
	status_print_rows(facts, "calls", call);
	status_print_rows(facts, "sessions", session);
	status_print_rows(facts, "servers", server);
}

static int
status_ask(void *ctx, int fd, const char *, pid_t process, struct err *err)
{
	const struct ipc_ask_running ask = { .self = 1,
		.owner = SCOPE_ALL,
		.end = "" };
	struct status_asked *asked = ctx;
	auto_buffer struct buffer list = { 0 };
	struct json_span facts;

	if (running_ask(fd, &ask, &list, err) == -1 ||
	    json_span_parse(list.data, list.len, &facts, err) == -1)
		return -1;
	asked->count++;
	if (asked->json == NULL) {
		printf("process %d", (int)process);
		status_print(facts);
		return 0;
	}
	json_report_open(asked->json, NULL, '{');
	json_report_number(asked->json, "process", (uint64_t)process);
	/* All but the brackets. */
	buffer_printf(asked->json, ", %.*s", (int)facts.len - 2, facts.p + 1);
	json_report_close(asked->json, '}');
	return 0;
}

int
status_run(struct command_setup *setup, struct err *err)
{
	auto_buffer struct buffer json = { 0 };
	struct status_asked asked = {
		.json = options_json(setup->options) ? &json : NULL };
	auto_fd int dir = -1;
	int status;

	role_enter(ROLE_OPERATOR, 0);
	if (asked.json != NULL)
		json_report_open(&json, "processes", '[');
	status = running_ask_all(setup->options, setup->envp, "figures",
	    status_ask, &asked, &dir, err);
	if (status != -1 && asked.json != NULL) {
		json_report_close(&json, ']');
		json_report_print(&json);
	} else if (status == 0 && asked.count == 0) {
		printf("No Caisson of this user serves, and none has run a "
		    "call.\n");
	}
	return status;
}
