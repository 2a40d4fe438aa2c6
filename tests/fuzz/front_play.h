/*
 * What is around supervisor/front in its fuzz targets: a client whose lines are
 * checked, the configuration, and calls that end when the target says so.
 */
#ifndef TESTS_FUZZ_FRONT_PLAY_H
#define TESTS_FUZZ_FRONT_PLAY_H

#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "fuzz.h"
#include "supervisor/front/front.h"
#include "supervisor/peers/broker.h"
#include "supervisor/run/pool.h"
#include "supervisor/servers/in_force/in_force.h"
#include "supervisor/servers/in_force/server_names.h"

#define PLAY_CALLS 64
/* Bytes of a line of the client, and of code. */
#define PLAY_LINE (4 * KIB)
#define PLAY_CODE 1000

static struct play_call {
	struct call_result result;
	struct request request;
	call_concluded *concluded;
	void *ctx;
} play_calls[PLAY_CALLS];
static size_t play_ncalls;

struct call *
call_new(struct runs *runs, struct request *request, call_concluded *concluded,
    void *ctx, struct err *err)
{
	struct play_call *call = &play_calls[play_ncalls];

	FUZZ_ASSERT(request->code != NULL && request->code_len <= PLAY_CODE);
	if (play_ncalls == PLAY_CALLS) {
		request_reset(request);
		err_set(err, "too many");
		return NULL;
	}
	play_ncalls++;
	*call = (struct play_call){ .request = *request,
		.concluded = concluded,
		.ctx = ctx };
	memset(request, 0, sizeof(*request));
	return (struct call *)(void *)call;
}

/* No server asks anything here. */
void
call_answer(struct call *, struct json_span, const char *)
{
}

void
broker_tell_roots(struct broker *, uint64_t)
{
}

void
call_cancel(struct call *call, const char *why)
{
	struct play_call *play = (struct play_call *)(void *)call;

	FUZZ_ASSERT(play >= play_calls && play < play_calls + play_ncalls);
	FUZZ_ASSERT(strlen(why) > 0);
}

/* Ends all calls. */
static inline void
play_conclude(void)
{
	size_t n;

	for (n = 0; n < play_ncalls; n++) {
		play_calls[n].result = (struct call_result){
			.status = CALL_SUCCESS,
			.exited = 1 };
		request_reset(&play_calls[n].request);
		play_calls[n].concluded(
		    play_calls[n].ctx, &play_calls[n].result);
	}
	play_ncalls = 0;
}

void
in_force_share(struct in_force *config)
{
}

void
in_force_forget(struct in_force *config)
{
}

void
in_force_refresh(struct in_force *config, struct in_force_waiter *waiter)
{
	waiter->ready(waiter->ctx);
}

void
in_force_cancel(struct in_force *config, struct in_force_waiter *waiter)
{
}

int
server_names_any(
    const struct in_force *config, const struct server_texts *allowed)
{
	return 0;
}

void
server_names_settle(char **names, size_t *len, struct in_force *config,
    const struct server_texts *allowed)
{
}

int
server_names_check(const char *names, size_t len, struct in_force *config,
    const struct server_texts *allowed, int ours, struct err *err)
{
	return len > 0 ? err_set(err, "there are none") : 0;
}

void
runs_begin(struct runs *runs)
{
}

void
runs_look_drained(struct runs *runs)
{
}

/* The client */

static struct buffer play_sent;

/* Whole lines, each of them JSON. */
static inline void
play_send(void *ctx, struct buffer *lines, const struct mcp_about *about)
{
	const char *p = lines->data;
	const char *end = p + lines->len;
	struct json_span value;

	FUZZ_ASSERT(ctx == &play_sent);
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		FUZZ_ASSERT(newline != NULL);
		FUZZ_ASSERT(json_span_parse(p, (size_t)(newline - p), &value,
				NULL) == 0);
		p = newline + 1;
	}
	buffer_add(&play_sent, lines->data, lines->len);
	buffer_reset(lines);
}

static inline int
play_busy(void *ctx)
{
	FUZZ_ASSERT(ctx == &play_sent);
	return play_sent.len > 16 * MIB;
}

static struct options play_options = { .tools = 7,
	.runtime = (char[]){ "native" },
	.timeout = 30,
	.max_timeout = 120,
	.arguments = 7,
	.max_code = PLAY_CODE,
	.max_output = 65536 };
static const struct runtime play_runtime = { .name = "native" };
static struct boxes play_boxes = { .runtime = &play_runtime };
static struct runs play_runs = { .options = &play_options,
	.boxes = &play_boxes };
static struct owner play_owner = { .name = "", .scope = "" };

static inline struct mcp *
play_open(void)
{
	static const struct mcp_door door = { play_send, play_busy,
		&play_sent, NULL };

	return mcp_new(&play_runs, &play_owner, &door);
}

/* Says bytes, in pieces as a pipe gives them. */
static inline void
play_say(struct mcp *mcp, struct lines *lines, const char *data, size_t size)
{
	size_t room, n;

	while (size > 0) {
		char *to = lines_room(lines, &room);

		n = size < room ? size : room;
		memcpy(to, data, n);
		lines_added(lines, n);
		mcp_on_lines(mcp, lines);
		data += n;
		size -= n;
	}
}

/* Ends calls and session, the way the program does or all at once. */
static inline void
play_close(struct mcp **mcp, int orderly)
{
	if (orderly) {
		mcp_on_drain(*mcp);
		play_conclude();
		mcp_free(mcp);
	} else {
		mcp_on_end(*mcp, MCP_DISCONNECTED);
		mcp_free(mcp);
		while (play_ncalls > 0)
			request_reset(&play_calls[--play_ncalls].request);
	}
	buffer_reset(&play_sent);
}

#endif
