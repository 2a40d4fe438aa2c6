/*
 * One box with its relay: see box.h. There is one ending: whatever ends a box,
 * it becomes "its pipes are drained and its status is known"; any request to
 * end it only hastens that. Runs in the supervisor, which holds no descriptor
 * through which a byte of the code can reach it. Of the box it reads two
 * numbers, which process 1 writes and the code cannot change.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/box_step.h"
#include "../../common/box_usage.h"
#include "../../common/clock.h"
#include "../../common/fd.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "box.h"
#include "cgroup.h"
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
	/* The channel of the launcher may still bring FAILED, a reason. */
	if (box->relay_over && box->box_over && box->channel == NULL)
		box->over = 1;
	box->changed(box->ctx);
}

/* All of its processes that we shall ever be told of are watched. */
static void
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
	/* Until the launcher has told us of the others, they die with it. */
	reaper_kill(box->launcher);
	reaper_kill(box->init);
	/* A guard must not be killed: it ends the rest. */
	reaper_end(box->code);
	if (box->weak == NULL || box->code == NULL)
		group_kill(box->group);
}

/* What has been started is over: only drained bytes may still come. */
static void
box_set_ending(struct box *box)
{
	if (box->state == BOX_ENDING)
		return;
	box->state = BOX_ENDING;
	box_set_timer(box, box->boxes->times.drain);
}

/* Its code has ended; what it has left gets no more time. */
static void
box_clear(struct box *box)
{
	box->leavings = 0;
	box_kill(box);
	box_set_timer(box, box->boxes->times.drain);
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

/* The end was not reported in time: what is missing is given up. */
static void
box_give_up(struct box *box)
{
	if (!box->relay_over)
		log_error("box %lu: the relay did not drain in time",
		    box->number);
	if (!box->box_over)
		log_error("box %lu: it did not end in time", box->number);
	if (!box->relay_over || !box->box_over)
		box_spoil(box, "the box could not be ended in time");
	box->relay_over = 1;
	box->box_over = 1;
	channel_free(&box->channel);
	box_set_built(box);
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
	else
		box_spoil(box, "the box was not ready within %u s",
		    box->boxes->times.start / 1000);
	box_tell(box);
}

/*
 * Off the path: whatever still lives is killed and reaped later. The kernel
 * takes long to take apart what is killed, and calls that run would share the
 * processors with it; while boxes are being built that comes to the same.
 */
static void
box_forget_processes(struct box *box)
{
	const struct boxes *boxes = box->boxes;

	if (box->leavings && boxes->unready == 0 &&
	    !boxes->user.busy(boxes->user.ctx))
		reaper_leave(&box->init);
	reaper_forget(&box->code);
	reaper_forget(&box->init);
	reaper_forget(&box->launcher);
	reaper_forget(&box->relay_process);
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
	channel_free(&box->channel);
	box_forget_processes(box);
	group_free(&box->group);
	fd_close(&box->usage);
	free(box->failure);
	free(box->weak);
	free(box->bound);
	free(box->waiting);
	free(box->out.data);
	free(box->errors.data);
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
	box_free(&box);
	boxes->dropped--;
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
	box->boxes->dropped++;
	box_end(box);
}

/* The ends of its processes */

static void
box_on_launcher_ended(void *ctx, const struct child_end *end)
{
	struct box *box = ctx;

	(void)end;
	box->launcher = NULL;
}

/* Whether that matters its channel tells. */
static void
box_on_relay_ended(void *ctx, const struct child_end *end)
{
	struct box *box = ctx;

	(void)end;
	box->relay_process = NULL;
}

static void
box_take_usage(struct box *box, const struct rusage *usage)
{
	box->cpu_us = (uint64_t)usage->ru_utime.tv_sec * 1000000 +
	    (uint64_t)usage->ru_utime.tv_usec +
	    (uint64_t)usage->ru_stime.tv_sec * 1000000 +
	    (uint64_t)usage->ru_stime.tv_usec;
	box->peak_kib = (uint64_t)usage->ru_maxrss;
}

/*
 * What init has seen of all processes of the box, if that is more: the kernel
 * tells exactly what the code and the children that it waited for have used.
 */
static void
box_take_seen_usage(struct box *box)
{
	struct box_usage usage;

	if (pread(box->usage, &usage, sizeof(usage), 0) != sizeof(usage))
		return;
	if (usage.cpu_us > box->cpu_us)
		box->cpu_us = usage.cpu_us;
	if (usage.peak_kib > box->peak_kib)
		box->peak_kib = usage.peak_kib;
}

/* Process 1 of the box has ended, and every other process before it. */
static void
box_on_init_ended(void *ctx, const struct child_end *end)
{
	struct box *box = ctx;

	box->init = NULL;
	if (box->group == NULL)
		box_take_seen_usage(box);
	if (end->code == CLD_EXITED && end->status >= BOX_EXIT_MEMORY &&
	    end->status <= BOX_EXIT_LOOSE)
		box->init_exit = end->status;
	if (box->code == NULL)
		box->box_over = 1;
	box_tell(box);
}

/* What the whole box used, where a group has counted it. */
static void
box_take_group_usage(struct box *box)
{
	struct group_usage usage;
	struct err err;

	if (box->group == NULL)
		return;
	if (group_read(box->group, &usage, &err) == -1) {
		log_error("box %lu: its cgroup: %s", box->number, err.text);
		return;
	}
	box->out_of_memory = usage.out_of_memory;
	box->cpu_us = usage.cpu_us;
	if (usage.peak_kib > 0)
		box->peak_kib = usage.peak_kib;
}

/*
 * Whether what the code has left behind may have a moment to end. Mostly there
 * is nothing: then the box has nothing to do any more, and is left to itself.
 */
static int
box_may_rest(const struct box *box)
{
	return !box->killed && box->init != NULL && box->group == NULL &&
	    box->signal != SIGKILL;
}

/* The code has ended: its exact status; what it left behind ends with it. */
static void
box_on_code_ended(void *ctx, const struct child_end *end)
{
	struct box *box = ctx;

	box->code = NULL;
	clock_gettime(CLOCK_MONOTONIC, &box->ended);
	box_take_usage(box, &end->usage);
	box_take_seen_usage(box);
	box_take_group_usage(box);
	box->exited = end->code == CLD_EXITED;
	if (box->exited)
		box->exit_code = end->status;
	else
		box->signal = end->status;
	if (!box->exited && box->signal == 0)
		box_spoil(box, "the end of the code is not known");
	/* When init has ended the box, only the end of init tells why. */
	box->box_over =
	    box->init == NULL || box->signal != SIGKILL || box->killed;
	/* A guard that was killed has ended nothing. */
	if (box->weak != NULL && box->signal == SIGKILL)
		reaper_kill_orphans();
	box_set_ending(box);
	box->leavings = box_may_rest(box);
	if (box->leavings)
		box_set_timer(box, box->boxes->times.leavings);
	else
		box_kill(box);
	box_tell(box);
}

/* Its start, as it is told of */

/* Whether it can be handed code at once. */
static void
box_check_ready(struct box *box)
{
	if (box->state != BOX_STARTING || !box->ready || box->code == NULL ||
	    box->channel != NULL)
		return;
	box->state = BOX_READY;
	event_del(box->timer);
}

/* Its processes are watched, or code is NULL: says so to the launcher. */
static int
box_adopt(struct box *box, struct err *err)
{
	struct ipc_adopted adopted = { 0 };

	box_set_built(box);
	if (box->code == NULL) {
		box->box_over = 1;
		return err_wrap(err, "protocol violation by the box");
	}
	if (channel_send_adopted(box->channel, &adopted, err) == -1)
		return err_wrap(err, "the box cannot be adopted");
	return 0;
}

void
box_on_forked(struct box *box, int *launcher)
{
	struct err err;

	box->unforked = 0;
	box->launcher = reaper_watch(
	    box->boxes->base, launcher, box_on_launcher_ended, box, &err);
	if (box->launcher == NULL)
		box_spoil(box, "protocol violation by the box: %s", err.text);
	/* It was not known yet when the rest of the box was killed. */
	if (box->state == BOX_ENDING)
		box_kill(box);
	box_tell(box);
}

/* What was told of a box that stands. */
static void
box_take_facts(struct box *box, const struct ipc_started *started)
{
	box->boxed = 1;
	box->landlock = (unsigned int)started->landlock;
	if (started->bound[0] != '\0')
		box->bound = mem_strdup(started->bound);
	box->proc = (int)started->proc;
	box->watchdog = (int)started->watchdog;
	box->unnamed = (int)started->unnamed;
	box->grouped = box->group != NULL;
}

void
box_on_started(struct box *box, struct ipc_started *started)
{
	struct event_base *base = box->boxes->base;
	struct err err;

	box->init = reaper_watch(
	    base, &started->init, box_on_init_ended, box, &err);
	box->code = box->init == NULL ? NULL : reaper_watch(
	    base, &started->code, box_on_code_ended, box, &err);
	if (box_adopt(box, &err) == -1) {
		box_spoil(box, "%s", err.text);
	} else {
		box_take_facts(box, started);
	}
	/* They were not known yet when the rest of the box was killed. */
	if (box->state == BOX_ENDING)
		box_kill(box);
	box_tell(box);
}

/*
 * At the weaker level the supervisor's child is the guard, which ends as the
 * code does. A guard that nobody watches has not been told that it may live.
 */
void
box_on_guarded(
    struct box *box, int *guard, unsigned int landlock, char *weak)
{
	struct err err;
	int adopted;

	free(box->weak);
	box->weak = weak;
	box->code = reaper_watch(
	    box->boxes->base, guard, box_on_code_ended, box, &err);
	if (box->code != NULL) {
		reaper_finish_with(box->code, BOX_GUARD_END);
		box->boxed = 1;
		box->landlock = landlock;
		box->grouped = box->group != NULL;
	}
	adopted = box_adopt(box, &err);
	if (adopted == -1)
		box_spoil(box, "%s", err.text);
	if (box->state == BOX_ENDING && box->code != NULL)
		box_kill(box);
	box_tell(box);
}

/*
 * The launcher and all that it started have let go of the channel: either the
 * interpreter runs now, or there is no box and never will be.
 */
static void
box_on_channel_closed(void *ctx, const struct err *why)
{
	struct box *box = ctx;

	channel_free(&box->channel);
	box_set_built(box);
	if (why != NULL)
		box_spoil(box, "protocol violation by the box: %s", why->text);
	if (!box->boxed) {
		box->box_over = 1;
		box_spoil(box, "the box ended before it stood");
	}
	box_check_ready(box);
	box_tell(box);
}

void
box_on_ready(struct box *box)
{
	box->boxes->unready -= !box->ready;
	box->ready = 1;
	box_check_ready(box);
	box_tell(box);
}

void
box_on_running(struct box *box)
{
	if (box->state == BOX_STARTING || box->state == BOX_READY) {
		box_fail(box, "protocol violation by the relay: code that it "
		    "was not given runs");
		return;
	}
	box->ran = 1;
	if (box->state == BOX_TAKEN) {
		box->state = BOX_RUNNING;
		event_del(box->timer);
	}
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
box_on_drained(struct box *box, struct call_stream *out,
    struct call_stream *errors, uint64_t tool_calls, char *waiting)
{
	box->waiting = waiting;
	box->out = *out;
	box->errors = *errors;
	box->tool_calls = tool_calls;
	box->relay_over = 1;
	box_tell(box);
}

static void
box_on_relay_closed(void *ctx, const struct err *why)
{
	struct box *box = ctx;

	channel_free(&box->relay);
	if (!box->relay_over) {
		box->relay_over = 1;
		if (why != NULL)
			box_spoil(
			    box, "protocol violation by the relay: %s",
			    why->text);
		else
			box_spoil(box, "the relay of this execution died");
	}
	box_tell(box);
}

/* Starting it */

struct channel *
box_start_launcher(struct box *box, struct err *err)
{
	struct boxes *boxes = box->boxes;
	struct channel_ends ends =
	    worker_ends(ROLE_BOX, box_on_channel_closed, box);
	auto_fd int pidfd = -1;

	if (boxes->cgroup != NULL) {
		box->group = group_new(boxes->cgroup, box->number, err);
		if (box->group == NULL)
			return NULL;
	}
	box->channel = launcher_start(
	    boxes, &ends, box->number, box->own, box->group, &pidfd, err);
	if (box->channel == NULL)
		return NULL;
	box->unforked = pidfd == -1;
	if (pidfd != -1) {
		box->launcher = reaper_watch(
		    boxes->base, &pidfd, box_on_launcher_ended, box, err);
		if (box->launcher == NULL)
			return NULL;
	}
	reaper_hold();
	box->building = 1;
	return box->channel;
}

/* The four pipes: the relay's ends and the box's ends. */
static int
box_make_pipes(
    struct box_pipes *relay, struct box_pipes *box, struct err *err)
{
	int *const pairs[4][2] = { { &box->control_in, &relay->control_out },
		{ &relay->control_in, &box->control_out },
		{ &relay->out, &box->out },
		{ &relay->errors, &box->errors } };
	int pair[2];
	size_t i;

	for (i = 0; i < 4; i++) {
		if (pipe2(pair, O_CLOEXEC) == -1)
			return err_sys(err, "make a pipe");
		*pairs[i][0] = pair[0];
		*pairs[i][1] = pair[1];
	}
	/* The relay may not change flags: its ends come as it needs them. */
	return fd_set_nonblock(relay->control_in, 1, err) == -1 ||
	        fd_set_nonblock(relay->control_out, 1, err) == -1 ||
	        fd_set_nonblock(relay->out, 1, err) == -1 ||
	        fd_set_nonblock(relay->errors, 1, err) == -1 ? -1 : 0;
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
		.output_max = boxes->options->max_output };
	auto_fd int pidfd = -1;

	box->relay = worker_start(boxes->base, &ends, box->number,
	    identity_relay(), -1, &pidfd, err);
	if (box->relay == NULL)
		return -1;
	box->relay_process = reaper_watch(
	    boxes->base, &pidfd, box_on_relay_ended, box, err);
	if (box->relay_process == NULL)
		return -1;
	prepare.control_in = fd_take(&pipes->control_in);
	prepare.control_out = fd_take(&pipes->control_out);
	prepare.out = fd_take(&pipes->out);
	prepare.errors = fd_take(&pipes->errors);
	return channel_send_prepare(box->relay, &prepare, err);
}

static int
box_make_usage(struct box *box, struct err *err)
{
	box->usage = ipc_make_counts(sizeof(struct box_usage), err);
	return box->usage == -1 ? -1 : 0;
}

/* The relay takes the shorter time, and reads from the first byte on. */
static int
box_start(struct box *box, struct err *err)
{
	struct box_pipes relay = { -1, -1, -1, -1 };
	struct box_pipes pipes = { -1, -1, -1, -1 };
	int failed = box_make_pipes(&relay, &pipes, err) == -1 ||
	    box_make_usage(box, err) == -1 ||
	    box->boxes->runtime->start(box, &pipes, err) == -1 ||
	    box_start_relay(box, &relay, err) == -1;

	box_close_pipes(&relay);
	box_close_pipes(&pipes);
	return failed ? -1 : 0;
}

struct box *
box_new(struct boxes *boxes, int own, box_changed *changed, void *ctx,
    struct err *err)
{
	struct box *box = mem_alloc(sizeof(*box));

	box->boxes = boxes;
	box->number = ++boxes->started;
	boxes->unready++;
	box->own = own;
	box->changed = changed;
	box->ctx = ctx;
	box->usage = -1;
	box->timer = evtimer_new(boxes->base, box_on_timer, box);
	box_set_timer(box, box->boxes->times.start);
	/* Whatever was started finds its channel closed, and is killed. */
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
	return reaper_alive(box->code) && reaper_alive(box->relay_process) &&
	    (box->init == NULL ? box->weak != NULL : reaper_alive(box->init));
}

int
box_run(struct box *box, struct ipc_start *start, int *session,
    struct err *err)
{
	start->session = fd_take(session);
	if (channel_send_start(box->relay, start, err) == -1)
		return -1;
	box->execution = start->execution;
	box->may_store = start->stored != 0 ? STORE_FETCHES_MAX : 0;
	box->state = BOX_TAKEN;
	box_set_timer(box, box->boxes->times.start);
	return 0;
}
