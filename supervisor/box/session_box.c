/*
 * A box for a session: it stays when its code has ended, and runs the code of
 * the next call. The end of the code is what the relay reports; that of the box
 * is what the kernel reports, as for each box.
 */
#include <signal.h>

#include "../../common/base/clock.h"
#include "box.h"

int
boxes_check_sessions(const struct boxes *boxes, struct err *err)
{
	if (boxes->runtime->sessions == NULL)
		return err_set(err, "containers have no sessions: leave out "
		    "the argument session, or set CAISSON_RUNTIME=native");
	return 0;
}

int
box_check_session(const struct box *box, struct err *err)
{
	if (!box->boxes->runtime->sessions->stays(box))
		return err_set(err, "boxes without namespaces, or without a "
		    "/proc of their own, have no sessions: leave out the "
		    "argument session");
	return 0;
}

void
box_forget(struct box *box)
{
	box->end.exited = false;
	box->end.exit_code = box->end.signal = 0;
	box->end.at = (struct timespec){ 0 };
	box->end.cpu_us = box->session.threads = box->session.late = 0;
	box->files.out_full = box->files.data_full = (struct box_full){ 0 };
	box_output_reset(&box->output);
}

void
box_interrupt(struct box *box)
{
	box->boxes->runtime->sessions->signal(box, SIGINT);
	/* It may have stopped itself. */
	box_release(box);
}

void
box_end_others(struct box *box)
{
	box->session.clear_ms = clock_ms();
	box->boxes->runtime->sessions->clear(box);
}

int
box_is_settled(struct box *box, int *late)
{
	uint64_t most = (uint64_t)BOX_CLEAR_LOOKS * BOX_CLEAR_MS;

	*late = 0;
	if (box->session.clear_ms == 0 ||
	    box->boxes->runtime->sessions->cleared(box))
		return 1;
	*late = clock_ms() - box->session.clear_ms > BOX_CLEAR_PATIENCE * most;
	return 0;
}

uint64_t
box_used_us(const struct box *box)
{
	const struct runtime_sessions *sessions = box->boxes->runtime->sessions;
	uint64_t used_us = sessions == NULL ? 0 : sessions->used_us(box);

	/* It may be less where the cgroup cannot be read. */
	return used_us > box->session.used_us ?
	    used_us - box->session.used_us : 0;
}

uint64_t
box_bytes(const struct box *box)
{
	return box->boxes->runtime->sessions->bytes(box);
}

void
box_hold(struct box *box)
{
	box->boxes->runtime->sessions->signal(box, SIGSTOP);
}

void
box_release(struct box *box)
{
	box->boxes->runtime->sessions->signal(box, SIGCONT);
}
