/*
 * A box for a session: it stays when its code has ended, and runs the code of
 * the next call. The end of the code is what the relay reports; that of the box
 * is what the kernel reports, as for each box. Runs in the supervisor.
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "../../common/base/clock.h"
#include "../../common/base/mem.h"
#include "shared/box.h"

int
box_may_keep(const struct boxes *boxes, struct err *err)
{
	if (boxes->runtime->stays == NULL)
		return err_set(err, "containers have no sessions: leave out "
		    "the argument session, or set CAISSON_RUNTIME=native");
	return 0;
}

int
box_is_kept(const struct box *box, struct err *err)
{
	if (!box->boxes->runtime->stays(box))
		return err_set(err, "boxes without namespaces, or without a "
		    "/proc of their own, have no sessions: leave out the "
		    "argument session");
	return 0;
}

void
box_forget(struct box *box)
{
	box->exited = 0;
	box->exit_code = box->signal = 0;
	box->threads = box->late = box->cpu_us = 0;
	box->ended = (struct timespec){ 0 };
	box_calls_reset(&box->calls);
	box_whole_reset(&box->whole);
	buffer_reset(&box->notes);
	free(box->out.data);
	free(box->errors.data);
	box->out = box->errors = (struct call_stream){ 0 };
	pictures_reset(&box->pictures);
}

void
box_interrupt(struct box *box)
{
	box->boxes->runtime->signal(box, SIGINT);
	/* It may have stopped itself. */
	box_release(box);
}

void
box_end_others(struct box *box)
{
	box->clear_ms = clock_ms();
	box->boxes->runtime->clear(box);
}

int
box_is_settled(struct box *box, int *late)
{
	uint64_t most = (uint64_t)BOX_CLEAR_LOOKS * BOX_CLEAR_MS;

	*late = 0;
	if (box->clear_ms == 0 || box->boxes->runtime->cleared(box))
		return 1;
	*late = clock_ms() - box->clear_ms > BOX_CLEAR_PATIENCE * most;
	return 0;
}

uint64_t
box_bytes(const struct box *box)
{
	return box->boxes->runtime->bytes(box);
}

void
box_hold(struct box *box)
{
	box->boxes->runtime->signal(box, SIGSTOP);
}

void
box_release(struct box *box)
{
	box->boxes->runtime->signal(box, SIGCONT);
}

void
box_on_round(struct box *box, const struct ipc_round *round,
    struct call_stream *out, struct call_stream *errors,
    struct box_calls *calls)
{
	const struct runtime *runtime = box->boxes->runtime;
	uint64_t used_us;

	if (!box->kept ||
	    (box->state != BOX_RUNNING && box->state != BOX_ENDING)) {
		free(out->data);
		free(errors->data);
		box_calls_reset(calls);
		box_fail(box, "protocol violation by the relay: it reports the "
		    "end of code that does not run");
		return;
	}
	box->round = 1;
	box->out = *out;
	box->errors = *errors;
	box->calls = *calls;
	box->threads = round->threads;
	box->late = round->late;
	if (box->state == BOX_RUNNING) {
		box->state = BOX_READY;
		box->exited = 1;
		box->exit_code = (int)round->exit;
		clock_gettime(CLOCK_MONOTONIC, &box->ended);
		used_us = runtime->used_us(box);
		box->cpu_us = used_us - box->used_us;
		box->used_us = used_us;
		box_end_others(box);
	}
	box_on_progress(box);
}
