/*
 * caisson servers test: starts each configured server and prints its tools or
 * its error, for people, in the order of the configuration, with a count at the
 * end. Files and entries that are not used have their lines, too, with the
 * cause. Names of tools are chosen by servers, so they are escaped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../../common/suggest.h"
#include "../../options/text/colour.h"
#include "../../front/tools/tool.h"
#include "../../peers/broker.h"
#include "../../servers/in_force/server_mask.h"
#include "../../servers/servers.h"
#include "../../process/process.h"
#include "../../options/text/json_report.h"
#include "../../run/run.h"
#include "../shared/command.h"

#define SERVERS_TRY_WIDTH 8 /* length of the longest status */

/* The output for a server, or for a file that is not used. */
struct servers_try_answer {
	const char *asked; /* name of the server; NULL: not a server */
	struct buffer text; /* empty until the server has answered */
};

struct servers_try {
	struct event_base *base;
	struct in_force *config;
	struct broker *broker;
	struct in_force_waiter waiter;
	const struct buffer *only; /* names to test; NULL: all */
	const char *named; /* the one that the user has named; NULL: none */
	struct err *unknown; /* set if no server has that name */
	struct buffer *destructive; /* as in command.h; NULL: not requested */
	struct servers_try_answer *answers; /* in configuration order */
	size_t count;
	size_t printed;
	size_t open; /* servers without an answer */
	size_t servers; /* servers asked, or failed before */
	size_t asked;
	size_t works;
	uint64_t tools; /* of working servers */
	uint64_t bytes; /* of their definitions */
	uint64_t ours;  /* of those of Caisson */
	size_t refused; /* files that cannot be used at all */
	size_t skipped; /* files and entries not used on purpose */
	bool broken; /* some could not be asked */
	bool json;  /* print one JSON object, at the end */
};

/* Adds the status of a server or file, before its name. */
static void
servers_try_add_word(struct buffer *text, const char *word)
{
	enum colour colour = strcmp(word, "ok") == 0 ? COLOUR_GOOD :
	    strcmp(word, "skipped") == 0               ? COLOUR_NOTE :
	                                                 COLOUR_BAD;

	colour_add(text, colour, word, SERVERS_TRY_WIDTH);
	buffer_add_text(text, " ");
}

/* Adds a sentence that may contain lines of a server. */
static void
servers_try_add_reason(struct buffer *text, const char *reason)
{
	size_t len = strcspn(reason, "\n");

	shown_add(text, reason, len);
	while (reason[len] == '\n') {
		reason += len + 1;
		len = strcspn(reason, "\n");
		buffer_add_text(text, "\n         ");
		shown_add(text, reason, len);
	}
	buffer_add_text(text, "\n");
}

static void
servers_try_add_tools(
    struct buffer *text, uint64_t count, const char *tools, size_t len)
{
	const char *tool;

	buffer_printf(text, "%llu tool%s\n", (unsigned long long)count,
	    count == 1 ? "" : "s");
	TEXT_LIST_EACH (tool, tools, len) {
		buffer_add_text(text, "         ");
		shown_add_quoted(text, tool, REFUSED_REASON_MAX);
		buffer_add_text(text, "\n");
	}
}

/* Appends the answer of a server for programs. */
static void
servers_try_json_answer(struct buffer *text, const struct broker_answer *answer)
{
	int works = answer->reason[0] == '\0';
	const char *tool;

	json_report_open(text, NULL, '{');
	json_report_text(text, "name", answer->name);
	json_report_text(text, "state", works ? "ok" : "failed");
	json_report_text(text, "reason", works ? NULL : answer->reason);
	json_report_number(text, "count", answer->count);
	json_report_number(text, "bytes", answer->bytes);
	json_report_open(text, "tools", '[');
	TEXT_LIST_EACH (tool, answer->tools, answer->tools_len)
		json_report_text(text, NULL, tool);
	json_report_close(text, ']');
	json_report_close(text, '}');
}

/* Appends why an entry or a file was not asked, and the path of the file. */
static void
servers_try_json_skipped(struct buffer *text, const char *state,
    const char *name, const char *path, const char *why)
{
	json_report_open(text, NULL, '{');
	json_report_text(text, "name", name);
	json_report_text(text, "state", state);
	json_report_text(text, "path", path);
	json_report_text(text, "reason", why);
	json_report_close(text, '}');
}

/* Returns the output for a server that was asked. */
static struct servers_try_answer *
servers_try_place(struct servers_try *try, const char *name)
{
	size_t i;

	for (i = 0; i < try->count; i++)
		if (try->answers[i].asked != NULL &&
		    strcmp(try->answers[i].asked, name) == 0)
			return &try->answers[i];
	fatal("an answer of a server that was not asked");
}

/*
 * Prints the answers in order, up to the first missing one; with all set, every
 * answer.
 */
static void
servers_try_print(struct servers_try *try, int all)
{
	if (try->json)
		return;
	for (; try->printed < try->count; try->printed++) {
		struct servers_try_answer *answer = &try->answers[try->printed];

		if (answer->text.len > 0)
			fputs(answer->text.data, stdout);
		else if (!all)
			break;
	}
	fflush(stdout);
}

/* All of it, and, where it could not be finished, why. */
static void
servers_try_print_json(const struct servers_try *try, const char *why)
{
	auto_buffer struct buffer out = { 0 };
	size_t i;

	json_report_open(&out, "servers", '[');
	for (i = 0; i < try->count; i++)
		if (try->answers[i].text.len > 0)
			json_report_raw(&out, NULL, try->answers[i].text.data,
			    try->answers[i].text.len);
	json_report_close(&out, ']');
	json_report_number(&out, "works", try->works);
	json_report_number(&out, "failed", try->servers - try->works);
	json_report_number(&out, "tools", try->tools);
	json_report_number(&out, "bytes", try->bytes);
	json_report_text(&out, "error", why);
	json_report_print(&out);
}

static void
servers_try_print_count(const struct servers_try *try)
{
	if (try->json) {
		servers_try_print_json(try, NULL);
		return;
	}
	printf("%zu server%s: %zu work%s", try->servers,
	    try->servers == 1 ? "" : "s", try->works,
	    try->works == 1 ? "s" : "");
	if (try->works < try->servers)
		printf(", %zu failed", try->servers - try->works);
	if (try->refused > 0)
		printf("; %zu file%s refused", try->refused,
		    try->refused == 1 ? "" : "s");
	if (try->skipped > 0)
		printf("; %zu skipped", try->skipped);
	if (try->works < try->asked)
		fputs("; --log-level debug shows all that servers that ended "
		      "wrote to standard error", stdout);
	putchar('\n');
	if (try->bytes > 0)
		printf("%llu tool%s, %.1f kB of definitions: %.1f kB for a "
		       "client of Caisson\n",
		    (unsigned long long)try->tools, try->tools == 1 ? "" : "s",
		    (double)try->bytes / 1000, (double)try->ours / 1000);
}

static void
servers_try_end(struct servers_try *try)
{
	event_base_loopexit(try->base, NULL);
}

static void
servers_try_on_stopped(void *ctx)
{
	servers_try_end(ctx);
}

/* Adds pairs of server and tool; all of its tools if names are missing. */
static void
servers_try_add_destructive(
    struct servers_try *try, const struct broker_answer *answer)
{
	const char *tool;

	TEXT_LIST_EACH (tool, answer->destructive, answer->destructive_len) {
		text_list_add(try->destructive, answer->name);
		text_list_add(try->destructive, tool);
	}
	if (answer->more_destructive > 0) {
		text_list_add(try->destructive, answer->name);
		text_list_add(try->destructive, "*");
	}
}

static void
servers_try_add_answer(struct buffer *text, const struct broker_answer *answer)
{
	int works = answer->reason[0] == '\0';

	servers_try_add_word(text, works ? "ok" : "FAILED");
	shown_add_quoted(text, answer->name, REFUSED_REASON_MAX);
	buffer_add_text(text, ": ");
	if (works)
		servers_try_add_tools(text, answer->count, answer->tools,
		    answer->tools_len);
	else
		servers_try_add_reason(text, answer->reason);
}

/*
 * Returns why a server has failed, without values that may be secrets, and
 * where its command was searched for; empty: it has not.
 */
static char *
servers_try_reason(
    const struct servers_try *try, const struct broker_answer *answer)
{
	const struct server *server = in_force_find(
	    try->config, answer->name, strlen(answer->name));
	auto_buffer struct buffer set = { 0 }, masked = { 0 };

	if (server == NULL || answer->reason[0] == '\0')
		return mem_strdup(answer->reason);
	server_mask_gather(&set, server, environ);
	mask_text(&masked, &set, answer->reason, strlen(answer->reason),
	    SIZE_MAX);
	if (server->program == NULL && server->searched != NULL)
		buffer_printf(&masked, "; searched: %s", server->searched);
	return buffer_take(&masked, NULL);
}

/* One server has answered. */
static void
servers_try_on_tried(void *ctx, const struct broker_answer *told)
{
	struct servers_try *try = ctx;
	auto_free char *reason = servers_try_reason(try, told);
	struct broker_answer shown = *told;
	const struct broker_answer *answer = &shown;
	struct buffer *text = &servers_try_place(try, answer->name)->text;
	int works = answer->reason[0] == '\0';

	shown.reason = reason;
	if (try->json)
		servers_try_json_answer(text, answer);
	else
		servers_try_add_answer(text, answer);
	if (try->destructive != NULL)
		servers_try_add_destructive(try, answer);
	try->works += (size_t)works;
	try->tools += answer->count;
	try->bytes += answer->bytes;
	servers_try_print(try, 0);
	try->open--;
	if (try->open > 0)
		return;
	servers_try_print_count(try);
	broker_stop(try->broker, servers_try_on_stopped, try);
}

/* The broker has failed: no more answers will come. */
static void
servers_try_break(struct servers_try *try, const char *why)
{
	if (try->json) {
		servers_try_print_json(try, why);
	} else {
		servers_try_print(try, 1);
		colour_print(stdout, COLOUR_BAD, "FAILED", SERVERS_TRY_WIDTH);
		printf(" %s\n", why);
		if (try->open > 0)
			servers_try_print_count(try);
	}
	try->broken = 1;
	servers_try_end(try);
}

static void
servers_try_on_gone(void *ctx)
{
	servers_try_break(ctx, "the process that speaks with the servers died");
}

/* Begins the text of an entry that is not asked: "FAILED name: ". */
static struct buffer *
servers_try_begin(struct servers_try *try, const char *word, const char *name)
{
	struct buffer *text = &try->answers[try->count++].text;

	servers_try_add_word(text, word);
	shown_add_quoted(text, name, CONFIG_PATH_MAX);
	buffer_add_text(text, ": ");
	return text;
}

/* Ends it with the cause and its position in the file. */
static void
servers_try_add_cause(struct buffer *text, const struct server *server)
{
	shown_add(text, server->why, strlen(server->why));
	buffer_add_text(text, " (");
	shown_add_quoted(text, server->file->path, CONFIG_PATH_MAX);
	buffer_printf(text, ":%llu:%llu)\n", (unsigned long long)server->line,
	    (unsigned long long)server->column);
}

/* Handles an entry of a file: asked, failed already, or left out on purpose. */
static void
servers_try_add_entry(struct servers_try *try, const struct server *server)
{
	const struct servers *servers = in_force_servers(try->config);
	int skipped = server_judge_is_stranger(servers, server->file) ||
	    (server->state == SERVER_SKIPPED && !server->unsupported);

	if (server->state == SERVER_TAKEN) {
		try->answers[try->count++].asked = server->name;
		try->asked++;
		try->servers++;
		return;
	}
	if (try->json)
		servers_try_json_skipped(&try->answers[try->count++].text,
		    skipped ? "skipped" : "failed", server->name,
		    server->file->path, server->why);
	else
		servers_try_add_cause(servers_try_begin(try,
		    skipped ? "skipped" : "FAILED",
		    server->name[0] == '\0' ? server->file->path :
		                              server->name),
		    server);
	try->skipped += (size_t)skipped;
	try->servers += (size_t)!skipped;
}

/* Adds a refused file, unless it belongs to an untrusted project. */
static void
servers_try_add_file(struct servers_try *try, const struct server_file *file)
{
	const struct servers *servers = in_force_servers(try->config);
	const struct server *row = server_faults_row(servers, file);
	int refused = !server_judge_is_stranger(servers, file);
	const char *path = file->path == NULL ? file->source->name : file->path;
	struct buffer *text;

	try->refused += (size_t)refused;
	try->skipped += (size_t)!refused;
	if (try->json) {
		servers_try_json_skipped(&try->answers[try->count++].text,
		    refused ? "refused" : "skipped", NULL, path,
		    row != NULL ? row->why : file->why);
		return;
	}
	text = servers_try_begin(try, refused ? "REFUSED" : "skipped", path);
	if (row != NULL)
		buffer_printf(text, "line %llu, column %llu: ",
		    (unsigned long long)row->line,
		    (unsigned long long)row->column);
	servers_try_add_reason(text, row != NULL ? row->why : file->why);
}

/* Returns the maximum number of answers. */
static size_t
servers_try_most(const struct servers *servers)
{
	const struct server_file *file;
	const struct server *server;
	size_t n = 0;

	TAILQ_FOREACH (file, &servers->files, entry)
		n++;
	TAILQ_FOREACH (server, &servers->list, entry)
		n++;
	return n;
}

/* Returns whether it is reported: all are, or those that are named. */
static int
servers_try_is_wanted(
    const struct servers_try *try, const struct server *server)
{
	if (try->named != NULL)
		return strcmp(try->named, server->name) == 0;
	return try->only == NULL || (server->state == SERVER_TAKEN &&
	        text_list_has(try->only, server->name));
}

/* Lists files and their entries, in the order of the configuration. */
static void
servers_try_list(struct servers_try *try)
{
	const struct servers *servers = in_force_servers(try->config);
	const struct server_file *file;
	const struct server *server;

	try->answers = mem_alloc(
	    (servers_try_most(servers) + 1) * sizeof(*try->answers));
	TAILQ_FOREACH (file, &servers->files, entry) {
		if (file->state == SERVER_FILE_REFUSED) {
			if (try->only == NULL && try->named == NULL)
				servers_try_add_file(try, file);
			continue;
		}
		TAILQ_FOREACH (server, &servers->list, entry)
			if (server->file == file &&
			    servers_try_is_wanted(try, server))
				servers_try_add_entry(try, server);
	}
	try->open = try->asked;
}

/* None has the name that the user has named. */
static void
servers_try_finish_unknown(struct servers_try *try)
{
	struct suggest suggest = suggest_start(try->named);
	const struct server *server;

	TAILQ_FOREACH (server, &in_force_servers(try->config)->list, entry)
		suggest_try(&suggest, server->name);
	command_no_server("server", &suggest, try->unknown);
	try->broken = true;
	servers_try_end(try);
}

/* No server can be asked: only the files are reported. */
static void
servers_try_finish_unasked(struct servers_try *try)
{
	if (try->count == 0 && !try->json) {
		printf("No servers are configured ('caisson servers list' "
		       "lists the places for them).\n");
	} else {
		servers_try_print(try, 1);
		servers_try_print_count(try);
	}
	servers_try_end(try);
}

/* Names the servers that may take long to start. */
static void
servers_try_tell_wait(const struct servers_try *try)
{
	auto_buffer struct buffer names = { 0 };
	const char *comma = "";
	size_t i;

	for (i = 0; i < try->count; i++) {
		if (try->answers[i].asked == NULL)
			continue;
		buffer_add_text(&names, comma);
		shown_add_quoted(&names, try->answers[i].asked,
		    REFUSED_REASON_MAX);
		comma = ", ";
	}
	command_tell_wait(names.data);
}

/* Servers whose program is missing are asked, too, for their error. */
static void
servers_try_on_configured(void *ctx)
{
	struct servers_try *try = ctx;
	struct err err;

	servers_try_list(try);
	if (try->count == 0 && try->named != NULL)
		servers_try_finish_unknown(try);
	else if (try->open == 0)
		servers_try_finish_unasked(try);
	else if (broker_try(try->broker, try->only, servers_try_on_tried,
	             servers_try_on_gone, try, &err) == -1)
		servers_try_break(try, err.text);
	else {
		servers_try_tell_wait(try);
		servers_try_print(try, 0);
	}
}

static void
servers_try_free(struct servers_try *try)
{
	size_t i;

	for (i = 0; i < try->count; i++)
		buffer_reset(&try->answers[i].text);
	free(try->answers);
}

/* Returns the exit status. */
static int
servers_try_do(struct servers_try *try)
{
	try->waiter.ready = servers_try_on_configured;
	try->waiter.ctx = try;
	in_force_refresh(try->config, &try->waiter);
	event_base_dispatch(try->base);
	servers_try_free(try);
	return try->broken || try->works < try->servers || try->refused > 0 ||
	    (try->named != NULL && try->works == 0);
}

int
servers_try_run(struct event_base *base, struct in_force *config,
    struct broker *broker, uint64_t ours, const struct buffer *only,
    struct buffer *destructive, int json)
{
	struct servers_try try = { .base = base,
		.json = json,
		.config = config,
		.broker = broker,
		.ours = ours,
		.only = only,
		.destructive = destructive };

	return servers_try_do(&try);
}

int
servers_test_run(struct command_setup *setup, struct err *)
{
	const char *name = setup->options->command.operand;
	struct buffer only = { .data = (char *)name,
		.len = name == NULL ? 0 : strlen(name) + 1 };
	struct err unknown = { 0 };
	struct servers_try try = { .base = setup->base,
		.json = options_json(setup->options),
		.config = setup->config,
		.broker = setup->runs->peers.broker,
		.ours = tools_shown_size(setup->options),
		.only = name == NULL ? NULL : &only,
		.named = name,
		.unknown = &unknown };
	int status = servers_try_do(&try);

	return unknown.text[0] == '\0' ? status : command_end(-1, &unknown);
}
