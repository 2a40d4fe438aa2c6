/*
 * caisson servers --try: starts every configured server and prints its tools,
 * or what is wrong with it, for a person to read: in the order of the
 * configuration, with a closing count. Names of tools come from servers: they
 * are escaped. Runs in the supervisor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/limits.h"
#include "../common/log.h"
#include "../common/mem.h"
#include "broker.h"
#include "option_value.h"
#include "servers.h"
#include "supervisor.h"

/* What is to be printed of one server. */
struct servers_try_answer {
	char *name;
	struct buffer text; /* empty until it has answered */
};

struct servers_try {
	struct supervisor *sv;
	struct config_waiter waiter;
	struct servers_try_answer *answers; /* as the configuration has them */
	size_t count;
	size_t most; /* for which there is room */
	size_t printed;
	size_t open; /* servers that have not answered yet */
	size_t works;
	int broken; /* they could not all be asked */
};

/* A sentence, in which lines that a server wrote may stand. */
static void
servers_try_add_reason(struct buffer *text, const char *reason)
{
	size_t len = strcspn(reason, "\n");

	option_value_add_sentence(text, reason, len);
	while (reason[len] == '\n') {
		reason += len + 1;
		len = strcspn(reason, "\n");
		buffer_add_text(text, "\n         ");
		option_value_add_sentence(text, reason, len);
	}
	buffer_add_text(text, "\n");
}

static void
servers_try_add_tools(
    struct buffer *text, uint64_t count, const char *tools, size_t len)
{
	size_t at;

	buffer_printf(text, "%llu tool%s\n", (unsigned long long)count,
	    count == 1 ? "" : "s");
	for (at = 0; at < len; at += strlen(tools + at) + 1) {
		buffer_add_text(text, "         ");
		option_value_add_escaped(
		    text, tools + at, REFUSED_REASON_MAX);
		buffer_add_text(text, "\n");
	}
}

/* The place of a server, a new one where it has none. */
static struct servers_try_answer *
servers_try_place(struct servers_try *try, const char *name)
{
	size_t i;

	for (i = 0; i < try->count; i++)
		if (strcmp(try->answers[i].name, name) == 0)
			return &try->answers[i];
	if (try->count == try->most)
		fatal("an answer of a server that was not asked");
	try->answers[try->count].name = mem_strdup(name);
	return &try->answers[try->count++];
}

/* Prints those whose turn it is; with all set, every answer there is. */
static void
servers_try_print(struct servers_try *try, int all)
{
	for (; try->printed < try->count; try->printed++) {
		struct servers_try_answer *answer =
		    &try->answers[try->printed];

		if (answer->text.len > 0)
			fputs(answer->text.data, stdout);
		else if (!all)
			break;
	}
	fflush(stdout);
}

static void
servers_try_print_count(const struct servers_try *try)
{
	printf("%zu server%s: %zu work%s", try->count,
	    try->count == 1 ? "" : "s", try->works,
	    try->works == 1 ? "s" : "");
	if (try->works < try->count)
		printf(", %zu failed; --log-level debug shows all that "
		       "servers wrote to standard error",
		    try->count - try->works);
	putchar('\n');
}

static void
servers_try_end(struct servers_try *try)
{
	event_base_loopexit(try->sv->base, NULL);
}

static void
servers_try_on_stopped(void *ctx)
{
	servers_try_end(ctx);
}

/* One server has answered. */
static void
servers_try_on_tried(void *ctx, const char *name, uint64_t count,
    const char *tools, size_t tools_len, const char *reason)
{
	struct servers_try *try = ctx;
	struct buffer *text = &servers_try_place(try, name)->text;
	int works = reason[0] == '\0';

	buffer_printf(text, "%-8s ", works ? "ok" : "FAILED");
	option_value_add_escaped(text, name, REFUSED_REASON_MAX);
	buffer_add_text(text, ": ");
	if (works)
		servers_try_add_tools(text, count, tools, tools_len);
	else
		servers_try_add_reason(text, reason);
	try->works += (size_t)works;
	servers_try_print(try, 0);
	try->open--;
	if (try->open > 0)
		return;
	servers_try_print_count(try);
	broker_stop(try->sv->broker, servers_try_on_stopped, try);
}

/* Nothing more can come of it. */
static void
servers_try_break(struct servers_try *try, const char *why)
{
	servers_try_print(try, 1);
	printf("FAILED   %s\n", why);
	if (try->open > 0)
		servers_try_print_count(try);
	try->broken = 1;
	servers_try_end(try);
}

static void
servers_try_on_gone(void *ctx)
{
	servers_try_break(
	    ctx, "the process that speaks with the servers died");
}

/* The servers in force, in the order in which their files have them. */
static void
servers_try_list(struct servers_try *try)
{
	const struct config *config = try->sv->config;
	const struct servers *servers = config_servers(config);
	const struct server *server;
	size_t i;

	try->open = try->most = config_count(config);
	try->answers = mem_alloc(try->most * sizeof(*try->answers));
	TAILQ_FOREACH (server, &servers->list, entry)
		if (config_find(config, server->name, strlen(server->name)) ==
		    server)
			servers_try_place(try, server->name);
	for (i = 0; i < try->most; i++)
		servers_try_place(try, config_at(config, i)->name);
}

/* Servers whose command is nowhere need not be asked; they are, though. */
static void
servers_try_on_configured(void *ctx)
{
	struct servers_try *try = ctx;
	struct err err;

	servers_try_list(try);
	if (try->open == 0) {
		printf("No servers are configured ('caisson --print-config' "
		       "tells where they may be).\n");
		servers_try_end(try);
	} else if (broker_try(try->sv->broker, servers_try_on_tried,
	               servers_try_on_gone, try, &err) == -1) {
		servers_try_break(try, err.text);
	}
}

static void
servers_try_free(struct servers_try *try)
{
	size_t i;

	for (i = 0; i < try->count; i++) {
		free(try->answers[i].name);
		buffer_reset(&try->answers[i].text);
	}
	free(try->answers);
}

int
servers_try_run(struct supervisor *sv)
{
	struct servers_try try = { .sv = sv };
	int status;

	try.waiter.ready = servers_try_on_configured;
	try.waiter.ctx = &try;
	config_refresh(sv->config, &try.waiter);
	event_base_dispatch(sv->base);
	reaper_finish(SHUTDOWN_REAP_MS);
	broker_free(&sv->broker);
	config_free(&sv->config);
	event_base_free(sv->base);
	status = try.broken || try.works < try.count;
	servers_try_free(&try);
	return status;
}
