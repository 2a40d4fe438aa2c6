/*
 * caisson servers --try: starts every configured server and prints its tools,
 * or what is wrong with it, for a person to read. Names of tools come from
 * servers: they are escaped. Runs in the supervisor.
 */
#include <stdio.h>
#include <string.h>

#include "../common/limits.h"
#include "../common/utf8.h"
#include "broker.h"
#include "option_value.h"
#include "supervisor.h"

struct servers_try {
	struct supervisor *sv;
	struct config_waiter waiter;
	size_t open; /* servers that have not answered yet */
	size_t failures;
};

static void
servers_try_print(const char *text)
{
	auto_buffer struct buffer shown = { 0 };

	option_value_add_escaped(&shown, text, REFUSED_REASON_MAX);
	fputs(shown.data, stdout);
}

/* A sentence, in which lines of a server's standard error may stand. */
static void
servers_try_print_reason(const char *reason)
{
	const char *end = reason + strlen(reason);
	char escape[UTF8_ESCAPE_SIZE];
	unsigned int code;
	size_t size;

	while (reason < end) {
		size = utf8_unseen(reason, (size_t)(end - reason), &code);
		if (size == 0) {
			putchar(*reason++);
			continue;
		}
		utf8_escape(code, escape);
		fputs(code == '\n' ? "\n         " : escape, stdout);
		reason += size;
	}
	putchar('\n');
}

static void
servers_try_print_tools(uint64_t count, const char *tools, size_t len)
{
	size_t at;

	printf("%llu tool%s\n", (unsigned long long)count,
	    count == 1 ? "" : "s");
	for (at = 0; at < len; at += strlen(tools + at) + 1) {
		fputs("         ", stdout);
		servers_try_print(tools + at);
		putchar('\n');
	}
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

	printf("%-8s ", reason[0] == '\0' ? "ok" : "FAILED");
	servers_try_print(name);
	fputs(": ", stdout);
	if (reason[0] == '\0') {
		servers_try_print_tools(count, tools, tools_len);
	} else {
		servers_try_print_reason(reason);
		try->failures++;
	}
	fflush(stdout);
	try->open--;
	if (try->open == 0)
		broker_stop(try->sv->broker, servers_try_on_stopped, try);
}

static void
servers_try_on_gone(void *ctx)
{
	struct servers_try *try = ctx;

	printf("FAILED   the process that speaks with the servers died\n");
	try->failures++;
	servers_try_end(try);
}

/* Servers whose command is nowhere need not be asked; they are, though. */
static void
servers_try_on_configured(void *ctx)
{
	struct servers_try *try = ctx;
	struct err err;

	try->open = config_count(try->sv->config);
	if (try->open == 0) {
		printf("No servers are configured ('caisson --print-config' "
		       "tells where they may be).\n");
		servers_try_end(try);
	} else if (broker_try(try->sv->broker, servers_try_on_tried,
	               servers_try_on_gone, try, &err) == -1) {
		printf("FAILED   %s\n", err.text);
		try->failures++;
		servers_try_end(try);
	}
}

int
servers_try_run(struct supervisor *sv)
{
	struct servers_try try = { .sv = sv };

	try.waiter.ready = servers_try_on_configured;
	try.waiter.ctx = &try;
	config_refresh(sv->config, &try.waiter);
	event_base_dispatch(sv->base);
	reaper_finish(SHUTDOWN_REAP_MS);
	broker_free(&sv->broker);
	config_free(&sv->config);
	event_base_free(sv->base);
	return try.failures == 0 ? 0 : 1;
}
