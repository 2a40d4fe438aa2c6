/*
 * The life of a box with its relay: see box.h. There is one ending. In the end,
 * the pipes of each box are drained and its status is known; a request to end
 * it only makes that happen earlier. Runs in the supervisor, which holds no
 * descriptor through which a byte of the code can reach it.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "../../common/base/loop.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../process/process.h"
#include "box.h"

/* What follows from an event; returns whether the owner is told. */
typedef int box_action(struct box *box, const struct box_told *told);

static box_action box_launch, box_watch, box_build, box_tell_owner,
    box_kill_late, box_be_told, box_ask, box_start_run, box_violate, box_rest,
    box_refuse_rest, box_drain, box_lose_channel, box_begin_end, box_settle,
    box_take_status, box_be_gone, box_take, box_kill_all, box_hasten,
    box_take_failure, box_be_late, box_be_late_taken, box_give_up;

#define ALWAYS(action)                                                         \
	{ action, action, action, action, action, action, action }

/* The life of every box: what each event leads to. NULL: nothing. */
static box_action *const box_actions[BOX_EVENTS][BOX_PHASES] = {
	/* BUILDING, READY, TAKEN, RUNNING, RESTING, ENDING, OVER */
	[BOX_ON_LAUNCHED] = { box_launch },
	[BOX_ON_WATCHED] = ALWAYS(box_watch),
	[BOX_ON_BUILT] = ALWAYS(box_build),
	[BOX_ON_PROCESS] = { box_tell_owner, box_tell_owner, box_tell_owner,
	    box_tell_owner, box_tell_owner, box_kill_late, box_kill_late },
	[BOX_ON_TOLD] = ALWAYS(box_be_told),
	[BOX_ON_ASKED] = ALWAYS(box_ask),
	[BOX_ON_RUNNING] = { box_violate, box_violate, box_start_run,
	    box_violate, box_violate, box_start_run, box_start_run },
	[BOX_ON_PROGRESS] = ALWAYS(box_tell_owner),
	[BOX_ON_PROGRAM_ENDED] = { box_refuse_rest, box_refuse_rest,
	    box_refuse_rest, box_rest, box_refuse_rest, box_rest, box_rest },
	[BOX_ON_DRAINED] = ALWAYS(box_drain),
	[BOX_ON_RELAY_ENDED] = ALWAYS(box_lose_channel),
	[BOX_ON_DYING] = { box_begin_end, box_begin_end, box_begin_end,
	    box_begin_end, box_begin_end },
	[BOX_ON_INIT_GONE] = ALWAYS(box_settle),
	[BOX_ON_STATUS] = ALWAYS(box_take_status),
	[BOX_ON_GONE] = ALWAYS(box_be_gone),
	[BOX_ON_CODE] = { box_take, box_take, NULL, NULL, box_take },
	[BOX_ON_END] = { box_kill_all, box_kill_all, box_kill_all,
	    box_kill_all, box_kill_all, box_hasten, box_hasten },
	[BOX_ON_FAILED] = ALWAYS(box_take_failure),
	[BOX_ON_TIME] = { box_be_late, NULL, box_be_late_taken, NULL, NULL,
	    box_give_up, box_give_up },
};

static void
box_live(struct box *box, enum box_event event, const struct box_told *told)
{
	box_action *action = box_actions[event][box->phase];

	box->known |= told->known;
	if (action == NULL || !action(box, told) || told->untold)
		return;
	/* Its launcher may still report the reason. */
	if (box_knows(box, BOX_IS_DRAINED) && box_knows(box, BOX_HAS_STATUS) &&
	    box->launch.phase == BOX_LAUNCH_OVER)
		box->phase = BOX_OVER;
	box->changed(box->ctx);
}

static int
box_tell_owner(struct box *, const struct box_told *)
{
	return 1;
}

static int
box_hear(struct box *box, enum box_event event, struct err *err)
{
	const struct runtime *runtime = box->boxes->runtime;

	return runtime->hear == NULL ? 0 : runtime->hear(box, event, err);
}

/* Its start */

static int
box_launch(struct box *box, const struct box_told *)
{
	reaper_hold();
	box->launch.phase = BOX_LAUNCH_HELD;
	return 0;
}

static int
box_watch(struct box *box, const struct box_told *)
{
	if (box->launch.phase != BOX_LAUNCH_HELD)
		return 0;
	reaper_release();
	box->launch.phase = BOX_LAUNCH_WATCHED;
	return 0;
}

static int
box_build(struct box *box, const struct box_told *told)
{
	box->known |= BOX_IS_BUILT;
	box->facts.runtime = box->boxes->runtime;
	box->facts.detail = told->detail;
	box->facts.weak = told->weak != NULL ? told->weak :
	    box->facts.runtime->weak;
	if (told->out_dir != NULL)
		box->files.out_dir = fd_take(told->out_dir);
	if (told->data != NULL)
		box->files.data = fd_take(told->data);
	return 0;
}

/* It can get code at once, if all that is needed is known. */
static void
box_check_ready(struct box *box)
{
	const unsigned int all = BOX_IS_BUILT | BOX_HAS_ASKED;

	if (box->phase != BOX_BUILDING || (box->known & all) != all ||
	    box->launch.phase != BOX_LAUNCH_OVER)
		return;
	box->phase = BOX_READY;
	event_del(box->timer);
}

static int
box_be_told(struct box *box, const struct box_told *told)
{
	box_watch(box, told);
	box->launch.phase = BOX_LAUNCH_OVER;
	if (told->why != NULL)
		box_spoil(box, "%s the box: %s", channel_blame(told->why),
		    told->why->text);
	if (!box_knows(box, BOX_IS_BUILT)) {
		box->known |= BOX_HAS_STATUS;
		box_spoil(box, "the box exited while it was built");
	}
	box_check_ready(box);
	return 1;
}

/* Its relay shows for the first time that its interpreter runs. */
static void
box_set_asked(struct box *box, enum box_event event)
{
	struct err err;

	if (box_knows(box, BOX_HAS_ASKED))
		return;
	box->known |= BOX_HAS_ASKED;
	box->boxes->unready--;
	if (box_hear(box, event, &err) == -1)
		box_spoil(box, "%s", err.text);
}

static int
box_ask(struct box *box, const struct box_told *)
{
	box_set_asked(box, BOX_ON_ASKED);
	box_check_ready(box);
	return 1;
}

/* Its code */

int
box_run(struct box *box, struct ipc_start *start,
    const struct box_streams *streams, int *grant, struct err *err)
{
	box->relay.streams = streams;
	start->out_copy = streams == NULL ? -1 : IPC_LEND(streams->out);
	start->errors_copy = streams == NULL ? -1 : IPC_LEND(streams->errors);
	box->relay.served = *grant != -1;
	start->broker = fd_take(grant);
	start->session = (box->how & BOX_SESSION) != 0;
	box->session.ended = false;
	if (channel_send_start(box->relay.channel, start, err) == -1)
		return -1;
	box->relay.execution = start->execution;
	progress_begin(&box->output.progress, (int)start->progress);
	box->relay.stores = start->stored != 0 ? STORE_FETCHES_MAX : 0;
	box_report(box, BOX_ON_CODE, NULL);
	return 0;
}

static int
box_take(struct box *box, const struct box_told *)
{
	/* A relay that waits passes it on as fast as it drains pipes. */
	loop_set_timer(box->timer, box->phase == BOX_BUILDING ?
	    box->boxes->times.start : box->boxes->times.drain);
	box->phase = BOX_TAKEN;
	return 0;
}

/* No process is left: the relay sends DONE when it has the end of the code. */
static void
box_finish_relay(struct box *box)
{
	struct ipc_finish finish = { 0 };
	struct err err;

	/* If that fails, the relay has ended, which will be reported. */
	if (box->relay.channel != NULL && !box_knows(box, BOX_IS_DRAINED))
		channel_send_finish(box->relay.channel, &finish, &err);
}

static int
box_start_run(struct box *box, const struct box_told *)
{
	box_set_asked(box, BOX_ON_RUNNING);
	box->known |= BOX_HAS_RUN;
	if (box->phase == BOX_TAKEN) {
		box->phase = BOX_RUNNING;
		event_del(box->timer);
	}
	if (box_knows(box, BOX_INIT_IS_GONE))
		box_finish_relay(box);
	return 1;
}

static int
box_violate(struct box *box, const struct box_told *)
{
	box_spoil(box, "protocol violation by the relay: it reports code that "
	    "it was not sent");
	return 1;
}

static int
box_refuse_rest(struct box *box, const struct box_told *told)
{
	free(told->out->data);
	free(told->errors->data);
	box_calls_reset(told->calls);
	box_spoil(box, "protocol violation by the relay: it reports the end of "
	    "code that does not run");
	return 1;
}

static void
box_keep_output(struct box *box, const struct box_told *told)
{
	box->output.out = *told->out;
	box->output.errors = *told->errors;
	box->output.calls = *told->calls;
}

static int
box_rest(struct box *box, const struct box_told *told)
{
	if (!(box->how & BOX_SESSION) || box->session.ended)
		return box_refuse_rest(box, told);
	box->session.ended = true;
	box_keep_output(box, told);
	box->session.threads = told->program->threads;
	box->session.late = told->program->late;
	if (box->phase != BOX_RUNNING)
		return 1;
	box->phase = BOX_RESTING;
	box->end.exited = true;
	box->end.exit_code = (int)told->program->exit;
	clock_gettime(CLOCK_MONOTONIC, &box->end.at);
	box->end.cpu_us = box_used_us(box);
	box->session.used_us += box->end.cpu_us;
	box_end_others(box);
	return 1;
}

void
box_on_store_wanted(struct box *box)
{
	const struct boxes_user *user = &box->boxes->user;
	struct ipc_store store = { .reason = "" };
	struct err why, err;

	if (box->relay.stores == 0) {
		box_fail(box, "protocol violation by the relay: it may not ask "
		    "for the store");
		return;
	}
	box->relay.stores--;
	store.store = user->store(user->ctx, box->relay.execution, &why);
	if (store.store == -1)
		store.reason = why.text;
	if (channel_send_store(box->relay.channel, &store, &err) == -1)
		box_fail(box, "the relay cannot be given the store: %s",
		    err.text);
}

/* Its end */

static void
box_kill(struct box *box)
{
	if (box->inside != NULL)
		box->boxes->runtime->kill(box);
}

/* All stages of the end must fit: each has a limit of its own. */
static void
box_limit_end(struct box *box)
{
	const struct boxes *boxes = box->boxes;

	loop_set_timer(box->timer, boxes->times.drain + boxes->runtime->end_ms);
}

/* Only output in the pipes may still come. */
static int
box_begin_end(struct box *box, const struct box_told *)
{
	if (box_has_ended(box))
		return 0;
	box->phase = BOX_ENDING;
	box_limit_end(box);
	return 0;
}

static int
box_kill_all(struct box *box, const struct box_told *told)
{
	box->known |= BOX_IS_KILLED;
	box_begin_end(box, told);
	box_kill(box);
	return 0;
}

/* The rest of the box was killed before this process was known. */
static int
box_kill_late(struct box *box, const struct box_told *)
{
	box_kill(box);
	return 1;
}

/* Its code has ended: kills leftover processes. */
static int
box_hasten(struct box *box, const struct box_told *)
{
	if (!box_knows(box, BOX_HAS_LEFTOVERS))
		return 0;
	box->known &= ~(unsigned int)BOX_HAS_LEFTOVERS;
	box_kill(box);
	box_limit_end(box);
	return 0;
}

void
box_end(struct box *box)
{
	box_report(box, BOX_ON_END, NULL);
}

static int
box_take_failure(struct box *box, const struct box_told *told)
{
	if (box->failure == NULL)
		box->failure = told->failure;
	else
		free(told->failure);
	box->known |= BOX_IS_KILLED;
	box_end(box);
	return 1;
}

static int
box_be_late(struct box *box, const struct box_told *)
{
	box_spoil(box, "the box was not ready within %u s",
	    box->boxes->times.start / 1000);
	return 1;
}

/*
 * Its relay is lost. Returns whether it is unknown if the code ran: the relay
 * was given it, and did not report that it has sent it to the box. Then no
 * other box must run it.
 */
static int
box_doubt(struct box *box)
{
	if (box->relay.execution == 0 || box_knows(box, BOX_HAS_RUN))
		return 0;
	if (box->fault == BOX_FAULT_OTHER)
		box->fault = BOX_FAULT_UNSURE;
	return 1;
}

static void
box_lose_relay(struct box *box, const char *how)
{
	reaper_kill(box->relay.process);
	if (!box_doubt(box)) {
		box_spoil(box, "the relay of this execution %s", how);
		return;
	}
	box_spoil(box, "the relay of this execution %s, and it is unknown "
	    "whether the code ran: check what it has done before you run it "
	    "again", how);
}

static int
box_be_late_taken(struct box *box, const struct box_told *told)
{
	if (!box_knows(box, BOX_HAS_ASKED))
		return box_be_late(box, told);
	box_lose_relay(box, "hangs");
	return 1;
}

static int
box_has_unread(int pipe)
{
	int bytes;

	return ioctl(pipe, FIONREAD, &bytes) == 0 && bytes > 0;
}

/*
 * Returns whether the relay may be waiting for a slow reader of its output, now
 * or at the last look: that reader may have emptied a pipe just now.
 */
static int
box_awaits_reader(struct box *box)
{
	const struct box_streams *streams = box->relay.streams;
	int before = box->relay.unread;

	if (box_knows(box, BOX_IS_DRAINED) || streams == NULL)
		return 0;
	box->relay.unread = box_has_unread(streams->out) ||
	    box_has_unread(streams->errors);
	return before || box->relay.unread;
}

/* The end was not reported in time: sets the missing parts. */
static int
box_give_up(struct box *box, const struct box_told *told)
{
	unsigned int known = box->known;

	if (known & BOX_HAS_LEFTOVERS)
		return box_hasten(box, told);
	if (box_awaits_reader(box)) {
		box_limit_end(box);
		return 0;
	}
	if (!(known & BOX_IS_DRAINED))
		log_error("box %lu: the relay did not drain in time",
		    box->number);
	if (!(known & BOX_HAS_STATUS))
		log_error("box %lu: it did not end in time", box->number);
	if (!(known & BOX_HAS_STATUS))
		box_spoil(box, "the box could not be ended in time");
	else if (!(known & BOX_IS_DRAINED))
		box_spoil(box, "the code has ended, but its relay did not pass "
		    "on the output in time");
	box->known |= BOX_IS_DRAINED | BOX_HAS_STATUS | BOX_IS_STUCK;
	if (box->inside != NULL)
		box_hear(box, BOX_ON_TIME, NULL);
	box_watch(box, told);
	box->launch.phase = BOX_LAUNCH_OVER;
	return 1;
}

/*
 * Without pipes it gets no more code: its process is ending, of which process 1
 * then tells the cause, or has only closed them.
 */
static void
box_await_end(struct box *box)
{
	box->phase = BOX_ENDING;
	box->known |= BOX_HAS_LEFTOVERS;
	loop_set_timer(box->timer, box->boxes->times.leftovers);
}

/* The end of its relay: that of the box may be known now. */
static int
box_end_relay(struct box *box)
{
	box->known |= BOX_IS_DRAINED;
	if (box_hear(box, BOX_ON_DRAINED, NULL) == 1)
		return 0;
	if (box->boxes->runtime->framed)
		box_report(box, BOX_ON_DYING, NULL);
	if (box->phase == BOX_RESTING)
		box_await_end(box);
	return 1;
}

static int
box_drain(struct box *box, const struct box_told *told)
{
	if (box->session.ended) {
		/* It ended between two programs: the first has its streams. */
		free(told->out->data);
		free(told->errors->data);
		box_calls_reset(told->calls);
	} else
		box_keep_output(box, told);
	return box_end_relay(box);
}

static int
box_lose_channel(struct box *box, const struct box_told *told)
{
	unsigned int known = box->known;

	channel_free(&box->relay.channel);
	if (known & BOX_IS_DRAINED)
		return 1;
	box->known |= BOX_IS_DRAINED;
	if (told->why == NULL)
		box_lose_relay(box, "exited");
	else
		box_spoil(box, "%s the relay: %s", channel_blame(told->why),
		    told->why->text);
	box_doubt(box);
	if ((known & BOX_HAS_RUN) && box->relay.served && !box->session.ended)
		box->output.calls.told = mem_strdup("unknown, as the process "
		    "that counts them exited");
	return box_end_relay(box);
}

static int
box_settle(struct box *box, const struct box_told *)
{
	box->known |= BOX_INIT_IS_GONE;
	/* The code may end before its relay reports that it runs. */
	if (box_knows(box, BOX_HAS_RUN))
		box_finish_relay(box);
	return 0;
}

static int
box_take_status(struct box *box, const struct box_told *told)
{
	enum box_cause cause = box->end.cause;
	int killed;

	box->end = *told->end;
	if (box->end.cause == BOX_CAUSE_CODE)
		box->end.cause = cause;
	clock_gettime(CLOCK_MONOTONIC, &box->end.at);
	if (!box->end.exited && box->end.signal == 0)
		box_spoil(box, "the exit status of the code is unknown");
	killed = box_knows(box, BOX_IS_KILLED) != 0;
	/* If init killed the box, only the end of init tells the cause. */
	if (!told->gone_follows || box->end.signal != SIGKILL || killed)
		box->known |= BOX_HAS_STATUS;
	box_begin_end(box, told);
	if (told->rests && !killed && box->end.signal != SIGKILL) {
		box->known |= BOX_HAS_LEFTOVERS;
		loop_set_timer(box->timer, box->boxes->times.leftovers);
	} else {
		box->known &= ~(unsigned int)BOX_HAS_LEFTOVERS;
		box_kill(box);
	}
	return 1;
}

static int
box_be_gone(struct box *box, const struct box_told *told)
{
	if (told->cause != BOX_CAUSE_CODE)
		box->end.cause = told->cause;
	box->known |= BOX_IS_GONE;
	return 1;
}

/* Its owner */

void
box_give(struct box *box, box_changed *changed, void *ctx)
{
	box->changed = changed;
	box->ctx = ctx;
}

int
box_alive(const struct box *box)
{
	const struct runtime *runtime = box->boxes->runtime;

	return reaper_alive(box->relay.process) &&
	    (runtime->alive == NULL || runtime->alive(box));
}

int
box_current(const struct box *box)
{
	const struct runtime_templates *templates =
	    box->boxes->runtime->templates;

	/* An engine keeps an image while a container of it exists. */
	return templates == NULL || templates->current(box);
}

/*
 * Returns whether its processes may end by themselves. The kernel takes long to
 * tear down a killed process, which would slow down running calls. While boxes
 * are being built, it makes no difference.
 */
static int
box_may_linger(const struct box *box)
{
	const struct boxes *boxes = box->boxes;

	return box_knows(box, BOX_HAS_LEFTOVERS) &&
	    box_knows(box, BOX_HAS_STATUS) && boxes->unready == 0 &&
	    !boxes->user.busy(boxes->user.ctx);
}

void
box_free(struct box **boxp)
{
	struct box *box = mem_take(boxp);

	if (box == NULL)
		return;
	box_report(box, BOX_ON_WATCHED, NULL);
	box->boxes->count--;
	box->boxes->unready -= !box_knows(box, BOX_HAS_ASKED);
	loop_event_free(&box->timer);
	channel_free(&box->relay.channel);
	if (box->inside != NULL)
		box->boxes->runtime->free(box, box_may_linger(box));
	/* A relay without a channel exits. */
	if ((box->known & (BOX_IS_DRAINED | BOX_IS_STUCK)) == BOX_IS_DRAINED)
		reaper_leave_ending(&box->relay.process);
	reaper_forget(&box->relay.process);
	box_facts_free(&box->facts);
	fd_close(&box->files.workspace);
	fd_close(&box->files.out_dir);
	fd_close(&box->files.data);
	buffer_reset(&box->files.synced);
	free(box->failure);
	free(box->claim.errors);
	box_output_reset(&box->output);
	progress_reset(&box->output.progress);
	free(box);
}

/* A box without an owner has changed. */
static void
box_on_dropped(void *ctx)
{
	struct box *box = ctx;
	struct boxes *boxes = box->boxes;

	if (box->launch.phase == BOX_LAUNCH_HELD)
		return;
	LIST_REMOVE(box, entry);
	box_free(&box);
	boxes->user.dropped_gone(boxes->user.ctx);
}

void
box_drop(struct box **boxp)
{
	struct box *box = mem_take(boxp);

	if (box == NULL)
		return;
	channel_free(&box->relay.channel);
	box->known |= BOX_IS_DRAINED;
	if (box->launch.phase != BOX_LAUNCH_HELD) {
		box_free(&box);
		return;
	}
	box_give(box, box_on_dropped, box);
	LIST_INSERT_HEAD(&box->boxes->dropped, box, entry);
	box_end(box);
}

void
boxes_free_dropped(struct boxes *boxes)
{
	struct box *box;

	while (!LIST_EMPTY(&boxes->dropped)) {
		box = LIST_FIRST(&boxes->dropped);
		LIST_REMOVE(box, entry);
		box_free(&box);
	}
}

void
boxes_init(struct boxes *boxes, struct event_base *base,
    const struct options *options)
{
	boxes->base = base;
	boxes->options = options;
	boxes->runtime = runtime_find(options->runtime);
	boxes->report = box_live;
	boxes->times = (struct box_times){ BOX_START_MS, BOX_DRAIN_MS,
		BOX_LEFTOVERS_MS, BOX_HANG_MS };
}
