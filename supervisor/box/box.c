/*
 * One box with its relay: see box.h. There is one ending. In the end, the pipes
 * of each box are drained and its status is known; a request to end it only
 * makes that happen earlier. Runs in the supervisor, which holds no descriptor
 * through which a byte of the code can reach it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/clock.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "shared/box.h"
#include "shared/language.h"
#include "../process/process.h"

static void
box_set_timer(struct box *box, unsigned long ms)
{
	const struct timeval tv = clock_timeval(ms);

	event_add(box->timer, &tv);
}

/* Notifies the owner; the box is not used afterwards. */
static void
box_tell(struct box *box)
{
	/* Its launcher may still report the reason. */
	if (box->relay_over && box->box_over && !box->telling)
		box->over = 1;
	box->changed(box->ctx);
}

void
box_set_building(struct box *box)
{
	reaper_hold();
	box->building = 1;
	box->telling = 1;
}

void
box_set_built(struct box *box)
{
	if (box->building)
		reaper_release();
	box->building = 0;
}

/* Ending it */

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

	box_set_timer(box, boxes->times.drain + boxes->runtime->end_ms);
}

/* Marks it as ended: only output in the pipes may still come. */
static void
box_set_ending(struct box *box)
{
	if (box->state == BOX_ENDING)
		return;
	box->state = BOX_ENDING;
	box_limit_end(box);
}

/* Its code has ended: kills leftover processes. */
static void
box_clear(struct box *box)
{
	box->leavings = 0;
	box_kill(box);
	box_limit_end(box);
}

void
box_set_draining(struct box *box)
{
	box_set_ending(box);
}

void
box_end(struct box *box)
{
	if (box->leavings)
		box_clear(box);
	if (box->state == BOX_ENDING)
		return;
	box->killed = 1;
	box_set_ending(box);
	box_kill(box);
}

static void __attribute__((format(printf, 2, 0)))
box_set_failure(struct box *box, const char *fmt, va_list ap)
{
	if (box->failure == NULL)
		box->failure = mem_vprintf(fmt, ap);
	box->killed = 1;
	box_end(box);
}

void
box_spoil(struct box *box, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	box_set_failure(box, fmt, ap);
	va_end(ap);
}

void
box_fail(struct box *box, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	box_set_failure(box, fmt, ap);
	va_end(ap);
	box_tell(box);
}

/* The end was not reported in time: sets the missing parts. */
static void
box_give_up(struct box *box)
{
	if (!box->relay_over)
		log_error("box %lu: the relay did not drain in time",
		    box->number);
	if (!box->box_over)
		log_error("box %lu: it did not end in time", box->number);
	if (!box->box_over)
		box_spoil(box, "the box could not be ended in time");
	else if (!box->relay_over)
		box_spoil(box, "the code has ended, but its relay did not "
		    "pass on the output in time");
	box->relay_over = 1;
	box->box_over = 1;
	box->stuck = 1;
	if (box->inside != NULL)
		box->boxes->runtime->give_up(box);
	box->telling = 0;
	box_set_built(box);
}

/*
 * Its relay is lost. If it was given code and did not report that it has sent
 * it to the box, it may have: then no other box must run it.
 */
static void
box_lose_relay(struct box *box, const char *how)
{
	reaper_kill(box->relay_process);
	box->unsure = box->execution != 0 && !box->ran;
	if (box->unsure)
		box_spoil(box, "the relay of this execution %s, and it is "
		    "unknown whether the code ran: check what it has done "
		    "before you run it again", how);
	else
		box_spoil(box, "the relay of this execution %s", how);
}

static void
box_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct box *box = arg;

	(void)fd;
	(void)what;
	if (box->leavings) {
		box_clear(box);
		return;
	}
	if (box->state == BOX_ENDING)
		box_give_up(box);
	else if (box->state == BOX_TAKEN && box->ready)
		box_lose_relay(box, "hangs");
	else
		box_spoil(box, "the box was not ready within %u s",
		    box->boxes->times.start / 1000);
	box_tell(box);
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

	return box->leavings && boxes->unready == 0 &&
	    !boxes->user.busy(boxes->user.ctx);
}

void
box_free(struct box **boxp)
{
	struct box *box = mem_take(boxp);

	if (box == NULL)
		return;
	box_set_built(box);
	box->boxes->unready -= !box->ready;
	loop_event_free(&box->timer);
	channel_free(&box->relay);
	if (box->inside != NULL)
		box->boxes->runtime->free(box, box_may_linger(box));
	/* A relay without a channel exits. */
	if (box->relay_over && !box->stuck)
		reaper_leave_ending(&box->relay_process);
	reaper_forget(&box->relay_process);
	box_facts_free(&box->facts);
	fd_close(&box->workspace);
	fd_close(&box->left);
	fd_close(&box->data);
	free(box->failure);
	box_calls_reset(&box->calls);
	box_whole_reset(&box->whole);
	buffer_reset(&box->notes);
	free(box->start_errors);
	free(box->out.data);
	free(box->errors.data);
	pictures_reset(&box->pictures);
	progress_reset(&box->progress);
	buffer_reset(&box->had);
	free(box);
}

/* A box without an owner has changed. */
static void
box_on_dropped(void *ctx)
{
	struct box *box = ctx;
	struct boxes *boxes = box->boxes;

	if (box->building)
		return;
	LIST_REMOVE(box, entry);
	box_free(&box);
	boxes->user.gone(boxes->user.ctx);
}

void
box_drop(struct box **boxp)
{
	struct box *box = mem_take(boxp);

	if (box == NULL)
		return;
	channel_free(&box->relay);
	box->relay_over = 1;
	if (!box->building) {
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

/* The ends of its processes */

/* The end of its channel is what counts. */
static void
box_on_relay_ended(void *ctx, const struct child_end *end)
{
	struct box *box = ctx;

	(void)end;
	box->relay_process = NULL;
}

void
box_on_ended(struct box *box, const struct box_end *end)
{
	clock_gettime(CLOCK_MONOTONIC, &box->ended);
	box->exited = end->exited;
	if (box->exited)
		box->exit_code = end->status;
	else
		box->signal = end->status;
	box->cpu_us = end->cpu_us;
	box->peak_kib = end->peak_kib;
	if (end->cause != BOX_CAUSE_CODE)
		box->cause = end->cause;
	if (!box->exited && box->signal == 0)
		box_spoil(box, "the exit status of the code is unknown");
	/* If init killed the box, only the end of init tells the cause. */
	box->box_over = !end->more || box->signal != SIGKILL || box->killed;
	box_set_ending(box);
	box->leavings =
	    end->rests && !box->killed && box->signal != SIGKILL;
	if (box->leavings)
		box_set_timer(box, box->boxes->times.leavings);
	else
		box_kill(box);
	box_tell(box);
}

void
box_on_gone(struct box *box, enum box_cause cause, int over)
{
	if (cause != BOX_CAUSE_CODE)
		box->cause = cause;
	box->gone = 1;
	if (over)
		box->box_over = 1;
	box_tell(box);
}

void
box_set_over(struct box *box)
{
	box->box_over = 1;
}

void
box_on_progress(struct box *box)
{
	box_tell(box);
}

/* Reports of its start */

/* Returns whether it can get code at once. */
static void
box_check_ready(struct box *box)
{
	if (box->state != BOX_STARTING || !box->ready || !box->boxed ||
	    box->telling)
		return;
	box->state = BOX_READY;
	event_del(box->timer);
}

void
box_on_changed(struct box *box)
{
	/* The rest of the box was killed before this process was known. */
	if (box->state == BOX_ENDING)
		box_kill(box);
	box_tell(box);
}

void
box_on_stood(struct box *box, const struct box_facts *facts)
{
	box->boxed = 1;
	box->facts = *facts;
}

int
box_open_workspace(int left, struct err *err)
{
	auto_fd int workspace =
	    openat(left, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat inner, outer;

	if (workspace == -1 || fstat(left, &inner) == -1 ||
	    fstat(workspace, &outer) == -1)
		return err_sys(err, "open /workspace");
	/* Nothing contains a file system whose box has ended. */
	if (inner.st_dev == outer.st_dev)
		return err_set(err, "the box has ended");
	return fd_take(&workspace);
}

void
box_on_workspace(struct box *box, int *workspace)
{
	box->workspace = fd_take(workspace);
}

void
box_on_directories(struct box *box, int *left, int *data)
{
	box->left = fd_take(left);
	box->data = fd_take(data);
}

void
box_set_told(struct box *box)
{
	box->telling = 0;
	box_set_built(box);
	box_check_ready(box);
}

void
box_on_told(struct box *box, const struct err *why)
{
	box->telling = 0;
	box_set_built(box);
	if (why != NULL)
		box_spoil(
		    box, "%s the box: %s", channel_blame(why), why->text);
	if (!box->boxed) {
		box->box_over = 1;
		box_spoil(box, "the box exited while it was built");
	}
	box_check_ready(box);
	box_tell(box);
}

static void
box_set_ready(struct box *box)
{
	const struct runtime *runtime = box->boxes->runtime;

	if (!box->ready && runtime->began != NULL)
		runtime->began(box);
	box->boxes->unready -= !box->ready;
	box->ready = 1;
}

void
box_on_ready(struct box *box)
{
	const struct runtime *runtime = box->boxes->runtime;
	struct err err;

	box_set_ready(box);
	if (runtime->framed && box->state != BOX_ENDING &&
	    runtime->ready(box, &err) == -1)
		box_spoil(box, "%s", err.text);
	box_check_ready(box);
	box_tell(box);
}

/* No process is left: the relay sends DONE when it has the end of the code. */
static void
box_finish_relay(struct box *box)
{
	struct ipc_finish finish = { 0 };
	struct err err;

	/* If that fails, the relay has ended, which will be reported. */
	if (box->relay != NULL && !box->relay_over)
		channel_send_finish(box->relay, &finish, &err);
}

void
box_on_running(struct box *box)
{
	if (box->state == BOX_STARTING || box->state == BOX_READY) {
		box_fail(box, "protocol violation by the relay: it reports "
		    "code that it was not sent");
		return;
	}
	box_set_ready(box);
	box->ran = 1;
	if (box->state == BOX_TAKEN) {
		box->state = BOX_RUNNING;
		event_del(box->timer);
	}
	if (box->init_ended)
		box_finish_relay(box);
	box_tell(box);
}

void
box_on_store_wanted(struct box *box)
{
	const struct boxes_user *user = &box->boxes->user;
	struct ipc_store store = { .reason = "" };
	struct err why, err;

	if (box->may_store == 0) {
		box_fail(box, "protocol violation by the relay: it may not ask "
		    "for the store");
		return;
	}
	box->may_store--;
	store.store = user->store(user->ctx, box->execution, &why);
	if (store.store == -1)
		store.reason = why.text;
	if (channel_send_store(box->relay, &store, &err) == -1)
		box_fail(box, "the relay cannot be given the store: %s",
		    err.text);
}

void
box_on_init_ended(struct box *box)
{
	box->init_ended = 1;
	/* The code may end before its relay reports that it runs. */
	if (box->ran)
		box_finish_relay(box);
}

/* The relay has ended: the end of the box may be known now. */
static void
box_on_relay_over(struct box *box)
{
	const struct runtime *runtime = box->boxes->runtime;

	box->relay_over = 1;
	if (runtime->settle(box))
		return;
	if (runtime->framed)
		box_set_draining(box);
	box_tell(box);
}

void
box_whole_reset(struct box_whole *whole)
{
	free(mem_take(&whole->out));
	free(mem_take(&whole->errors));
	*whole = (struct box_whole){ 0 };
}

void
box_calls_reset(struct box_calls *calls)
{
	free(mem_take(&calls->waiting));
	free(mem_take(&calls->told));
}

void
box_on_drained(struct box *box, struct call_stream *out,
    struct call_stream *errors, struct box_calls *calls)
{
	if (box->round) {
		/* It ended between two programs: the first has its streams. */
		free(out->data);
		free(errors->data);
		box_calls_reset(calls);
	} else {
		box->calls = *calls;
		box->out = *out;
		box->errors = *errors;
	}
	box_on_relay_over(box);
}

static void
box_on_relay_closed(void *ctx, const struct err *why)
{
	struct box *box = ctx;

	channel_free(&box->relay);
	if (!box->relay_over) {
		box->relay_over = 1;
		if (why != NULL)
			box_spoil(box, "%s the relay: %s", channel_blame(why),
			    why->text);
		else
			box_lose_relay(box, "exited");
		box->unsure = box->execution != 0 && !box->ran;
		if (box->ran && box->served && !box->round)
			box->calls.told = mem_strdup("unknown, as the process "
			    "that counts them exited");
		box_on_relay_over(box);
		return;
	}
	box_tell(box);
}

/* Starting it */

/*
 * Makes four pipes, or three: the relay's ends and the box's ends. A box whose
 * language is an image has no frames, and a framed one no output of its own.
 */
static int
box_make_pipes(int framed, int plain, struct box_pipes *relay,
    struct box_pipes *box, struct err *err)
{
	int *const pairs[4][2] = { { &box->control_in, &relay->control_out },
		{ &relay->control_in, &box->control_out },
		{ &relay->out, &box->out },
		{ &relay->errors, &box->errors } };
	int pair[2];
	size_t i;

	for (i = 0; i < 4; i++) {
		if (pairs[i][0] == (plain ? &relay->control_in :
		                       framed ? &relay->out : NULL))
			continue;
		if (pipe2(pair, O_CLOEXEC) == -1)
			return err_sys(err, "make a pipe");
		*pairs[i][0] = pair[0];
		*pairs[i][1] = pair[1];
	}
	/* The relay may not change flags, so its ends get theirs here. */
	return (!plain && fd_begin_nonblock(relay->control_in, err) == -1) ||
	        fd_begin_nonblock(relay->control_out, err) == -1 ||
	        (relay->out != -1 &&
	            fd_begin_nonblock(relay->out, err) == -1) ||
	        fd_begin_nonblock(relay->errors, err) == -1 ? -1 : 0;
}

static void
box_close_pipes(struct box_pipes *pipes)
{
	fd_close(&pipes->control_in);
	fd_close(&pipes->control_out);
	fd_close(&pipes->out);
	fd_close(&pipes->errors);
}

static int
box_start_relay(struct box *box, struct box_pipes *pipes, struct err *err)
{
	struct boxes *boxes = box->boxes;
	struct channel_ends ends =
	    worker_ends(ROLE_RELAY, box_on_relay_closed, box);
	struct ipc_prepare prepare = { .log_level = log_level_get(),
		.output_max = boxes->options->max_output,
		.whole_max = options_output_kept(boxes->options),
		.marked = (uint64_t)box->marked };
	auto_fd int pidfd = -1;

	box->relay = worker_start(boxes->base, &ends, box->number,
	    identity_relay(), -1, &pidfd, err);
	if (box->relay == NULL)
		return -1;
	box->relay_process = reaper_watch_idly(
	    boxes->base, &pidfd, box_on_relay_ended, box);
	reaper_keep_running(box->relay_process);
	prepare.control_in = fd_take(&pipes->control_in);
	prepare.control_out = fd_take(&pipes->control_out);
	prepare.out = fd_take(&pipes->out);
	prepare.errors = fd_take(&pipes->errors);
	if (box->prompt)
		channel_hold(box->relay);
	return channel_send_prepare(box->relay, &prepare, err);
}

/*
 * Starts the box first, as that takes longer. The relay reads from the first
 * byte on.
 */
static int
box_start(struct box *box, struct err *err)
{
	struct box_pipes relay = { -1, -1, -1, -1 };
	struct box_pipes pipes = { -1, -1, -1, -1 };
	int failed = box_make_pipes(box->boxes->runtime->framed,
	    box->language->image != NULL, &relay, &pipes, err) == -1 ||
	    box->boxes->runtime->start(box, &pipes, err) == -1 ||
	    box_start_relay(box, &relay, err) == -1;

	box_close_pipes(&relay);
	box_close_pipes(&pipes);
	return failed ? -1 : 0;
}

struct box *
box_new(struct boxes *boxes, const struct language *language, int how,
    box_changed *changed, void *ctx, struct err *err)
{
	struct box *box = mem_alloc(sizeof(*box));

	box->boxes = boxes;
	box->number = ++boxes->started;
	box->workspace = box->left = box->data = -1;
	box->uid = identity_box(box->number);
	boxes->unready++;
	box->language = language;
	box->own = (how & BOX_OWN) != 0;
	box->kept = (how & BOX_KEPT) != 0;
	box->prompt = (how & BOX_PROMPT) != 0;
	box->changed = changed;
	box->ctx = ctx;
	box->timer = evtimer_new(boxes->base, box_on_timer, box);
	box_set_timer(box, box->boxes->times.start);
	/*
	 * Processes already started find their channel closed, and are killed.
	 */
	if (box_start(box, err) == -1)
		box_free(&box);
	return box;
}

void
box_give(struct box *box, box_changed *changed, void *ctx)
{
	box->changed = changed;
	box->ctx = ctx;
}

int
box_alive(const struct box *box)
{
	return box->boxes->runtime->alive(box);
}

int
box_current(const struct box *box)
{
	return box->boxes->runtime->current(box);
}

void
boxes_want(struct boxes *boxes)
{
	boxes->runtime->want(boxes);
}

int
boxes_awaited(const struct boxes *boxes)
{
	return boxes->runtime->awaited(boxes);
}

void
boxes_rest(struct boxes *boxes)
{
	boxes->runtime->rest(boxes);
}

int
box_run(
    struct box *box, struct ipc_start *start, int *grant, struct err *err)
{
	box->served = *grant != -1;
	start->broker = fd_take(grant);
	start->kept = box->kept != 0;
	box->round = 0;
	if (channel_send_start(box->relay, start, err) == -1)
		return -1;
	box->execution = start->execution;
	progress_begin(&box->progress, (int)start->progress);
	box->may_store = start->stored != 0 ? STORE_FETCHES_MAX : 0;
	/* A relay that waits passes it on as fast as it drains pipes. */
	box_set_timer(box, box->state == BOX_READY ?
	    box->boxes->times.drain : box->boxes->times.start);
	box->state = BOX_TAKEN;
	return 0;
}
