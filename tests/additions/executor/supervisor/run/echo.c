/*
 * An example of an executor: answers code that begins with "#echo " with the
 * rest of it. Runs in the supervisor.
 */
#include <string.h>

#include <event2/event.h>

#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "supervisor/run/call_parts.h"

static int
echo_accepts(const struct runs *, const struct request *request)
{
	return request->code_len > 6 && memcmp(request->code, "#echo ", 6) == 0;
}

/* The next turn of the loop: no call ends while it is started. */
static void
echo_on_turn(int fd, short what, void *ctx)
{
	(void)fd, (void)what;
	call_advance(ctx, CALL_OVER);
}

static void
echo_start(struct call *call)
{
	call->result.out.len = call->request.code_len - 6;
	call->result.out.data =
	    mem_dup(call->request.code + 6, call->result.out.len);
	call->inside = evtimer_new(call->runs->base, echo_on_turn, call);
	loop_set_timer(call->inside, 0);
	call_advance(call, CALL_RUNS);
}

static int
echo_cancel(struct call *call, int gently)
{
	return (void)call, (void)gently, 0; /* it ends in this turn anyway */
}

static void
echo_free(struct call *call)
{
	event_free(call->inside);
}

const struct executor executor_echo = { "echo", echo_accepts, echo_start,
	echo_cancel, NULL, echo_free };
