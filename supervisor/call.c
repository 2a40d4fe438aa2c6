/*
 * One execution: the state machine. A call waits for a place, starts a relay
 * and a box, runs, ends and is concluded once. There is one ending: success,
 * error, timeout and cancel all become "the pipes of the box are drained and
 * its status is known"; deadlines and cancels only hasten that. Runs in the
 * supervisor; reads nothing but messages of its own workers.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/box_step.h"
#include "../common/fd.h"
#include "../common/log.h"
#include "../common/mem.h"
#include "broker.h"
#include "cgroup.h"
#include "server_names.h"
#include "store.h"
#include "supervisor.h"

enum call_state {
	CALL_WAITING,  /* for a place */
	CALL_STARTING, /* the box is being built */
	CALL_RUNNING,  /* the box has the code: the deadline runs */
	CALL_ENDING,   /* the box is dead or being killed */
};

/* Why a call ends, when not by itself. The first cause stands. */
enum call_cause {
	CALL_BY_ITSELF,
	CALL_BY_DEADLINE,
	CALL_BY_CANCEL,
	CALL_BY_FAILURE, /* ours, the box's, or the relay's */
};

struct call {
	TAILQ_ENTRY(call) entry;
	struct supervisor *sv;
	unsigned long number;
	enum call_state state;
	enum call_cause cause;
	struct run_python run; /* the code until it is handed over */
	call_concluded *concluded;
	void *ctx;
	struct event *timer; /* of the state: queue, start, deadline, drain */
	struct timespec began;
	struct channel *relay;
	struct channel *box;
	struct child *relay_process;
	struct child *launcher;
	struct child *init; /* process 1 of the box */
	struct child *code_process;
	struct group *group; /* limits the box as a whole, or NULL */
	int building;   /* the box may still tell us of its processes */
	int ran;        /* the box has asked for the code */
	int stored;     /* the relay has asked for the store */
	int relay_over; /* drained, or gone */
	int box_over;   /* its status is known, or there never was one */
	int init_exit;  /* the status of an init that ended the box, or 0 */
	char *waiting;  /* which calls of tools had no answer; NULL: none */
	int out_of_memory; /* all of the box together, as its group says */
	struct call_result result;
};

static void call_admit(struct supervisor *sv);
static void call_kill_box(struct call *call);

/* Time */

static struct timeval
call_ms(unsigned long ms)
{
	return (struct timeval){ (time_t)(ms / 1000),
		(suseconds_t)(ms % 1000 * 1000) };
}

static void
call_set_timer(struct call *call, unsigned long ms)
{
	struct timeval tv = call_ms(ms);

	event_add(call->timer, &tv);
}

static uint64_t
call_elapsed_us(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)((now.tv_sec - since->tv_sec) * 1000000 +
	    (now.tv_nsec - since->tv_nsec) / 1000);
}

/* Accessors for the runtimes */

struct supervisor *
call_supervisor(struct call *call)
{
	return call->sv;
}

unsigned long
call_number(const struct call *call)
{
	return call->number;
}

unsigned int
call_timeout(const struct call *call)
{
	return call->run.timeout;
}

int
call_allows_weak(const struct call *call)
{
	return call->sv->options.allow_weak_isolation != 0;
}

/* Conclusion */

/* All processes of the box that we shall ever be told of are watched. */
static void
call_set_built(struct call *call)
{
	if (call->building)
		reaper_release();
	call->building = 0;
}

static void
call_free(struct call *call)
{
	call_set_built(call);
	loop_event_free(&call->timer);
	channel_free(&call->relay);
	channel_free(&call->box);
	/* Off the path: whatever still lives is killed and reaped later. */
	reaper_forget(&call->code_process);
	reaper_forget(&call->init);
	reaper_forget(&call->launcher);
	reaper_forget(&call->relay_process);
	group_free(&call->group);
	free(call->result.error);
	free(call->waiting);
	free(call->result.weak);
	free(call->result.bound);
	free(call->result.out.data);
	free(call->result.errors.data);
	run_python_reset(&call->run);
	free(call);
}

static void
call_set_error(struct call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
call_set_error(struct call *call, const char *fmt, ...)
{
	va_list ap;

	free(call->result.error);
	va_start(ap, fmt);
	call->result.error = mem_vprintf(fmt, ap);
	va_end(ap);
}

/* The box ended before it had the code: its end is not that of the code. */
static void
call_judge_interpreter(struct call *call)
{
	struct call_result *result = &call->result;
	const char *python = call->sv->options.python;

	result->status = CALL_ERROR;
	if (result->signal != 0) {
		auto_free char *name = answer_signal(result->signal);

		call_set_error(call, "%s was killed by %s before it took "
		    "the code", python, name);
	} else {
		call_set_error(call, "%s ended with code %d before it took "
		    "the code: is it a Python 3 interpreter "
		    "(MCP_BRIDGE_PYTHON)?", python, result->exit_code);
	}
}

/* The box as a whole wanted more memory than there is. */
static void
call_judge_memory(struct call *call)
{
	uint64_t limit = call->sv->options.memory;
	int whole = limit % MIB == 0;

	call->result.status = CALL_ERROR;
	call->result.signal = 0; /* that was the limit: no news */
	call_set_error(call, "Sandbox ran out of memory (limit %llu %s): "
	    "keep less at a time, or raise MCP_BRIDGE_MEMORY",
	    (unsigned long long)(whole ? limit / MIB : limit),
	    whole ? "MiB" : "bytes");
}

/* The status of a call that nobody ended: what the code made of itself. */
static void
call_judge_code(struct call *call)
{
	struct call_result *result = &call->result;

	result->status = CALL_ERROR;
	if (result->signal == SIGKILL &&
	    (call->out_of_memory || call->init_exit == BOX_EXIT_MEMORY)) {
		call_judge_memory(call);
	} else if (result->signal == SIGKILL && call->init_exit != 0) {
		result->signal = 0; /* that was init: no news */
		call_set_error(call, "Sandbox was ended: its memory could not "
		    "be watched");
	} else if (!call->ran) {
		call_judge_interpreter(call);
	} else if (result->signal != 0) {
		auto_free char *name = answer_signal(result->signal);

		call_set_error(call, "Sandbox was killed by %s", name);
	} else if (result->exit_code != 0) {
		call_set_error(call, "Sandbox exited with code %d",
		    result->exit_code);
	} else {
		result->status = CALL_SUCCESS;
	}
}

static void
call_judge(struct call *call)
{
	switch (call->cause) {
	case CALL_BY_ITSELF:
		call_judge_code(call);
		return;
	case CALL_BY_DEADLINE:
		call->result.status = CALL_TIMEOUT;
		call_set_error(call, "Execution timed out after %us%s%s",
		    call->run.timeout,
		    call->waiting != NULL ? "; it waited for " : "",
		    call->waiting != NULL ? call->waiting : "");
		return;
	case CALL_BY_CANCEL:
		call->result.status = CALL_CANCELLED;
		return;
	case CALL_BY_FAILURE:
		call->result.status = CALL_ERROR;
		return;
	}
}

/* Takes the call out of its list. */
static void
call_unlist(struct call *call)
{
	struct supervisor *sv = call->sv;

	if (call->state == CALL_WAITING) {
		TAILQ_REMOVE(&sv->waiting, call, entry);
		sv->nwaiting--;
	} else {
		TAILQ_REMOVE(&sv->running, call, entry);
		sv->nrunning--;
	}
}

/* The one ending of every call. */
static void
call_conclude(struct call *call)
{
	struct supervisor *sv = call->sv;

	call_unlist(call);
	call_judge(call);
	if (call->result.signal != 0 && call->cause != CALL_BY_ITSELF)
		call->result.signal = 0; /* that was us: no news */
	log_debug("call %lu concluded", call->number);
	call->concluded(call->ctx, &call->result);
	call_free(call);
	call_admit(sv);
	if (sv->nrunning == 0 && sv->nwaiting == 0 && sv->idle != NULL)
		sv->idle(sv->idle_ctx);
}

/* Concludes the call when there is nothing left to wait for. */
static void
call_progress(struct call *call)
{
	/* The channel of the box may still bring FAILED, the better reason. */
	if (call->relay_over && call->box_over && call->box == NULL)
		call_conclude(call);
}

/*
 * Ends a call for a cause that is not its own; the first cause stands. What
 * has begun goes the way of every end: killed, drained, concluded.
 */
static void
call_end(struct call *call, enum call_cause cause)
{
	if (call->cause == CALL_BY_ITSELF)
		call->cause = cause;
	if (call->state == CALL_ENDING)
		return;
	if (call->state == CALL_WAITING) {
		call->relay_over = 1;
		call->box_over = 1;
	} else {
		call->state = CALL_ENDING;
		call_kill_box(call);
	}
	/* From a timer, so that nobody is freed under a caller's feet. */
	call_set_timer(call, call->relay_over && call->box_over ?
	        0 : BOX_DRAIN_MS);
}

void
call_fail(struct call *call, const char *fmt, ...)
{
	va_list ap;

	if (call->cause == CALL_BY_ITSELF) {
		free(call->result.error);
		va_start(ap, fmt);
		call->result.error = mem_vprintf(fmt, ap);
		va_end(ap);
	}
	call_end(call, CALL_BY_FAILURE);
}

void
call_cancel(struct call *call, const char *why)
{
	if (call->cause == CALL_BY_ITSELF)
		call_set_error(call, "%s", why);
	call_end(call, CALL_BY_CANCEL);
}

void
call_cancel_all(struct supervisor *sv, const char *why)
{
	struct call *call;

	TAILQ_FOREACH (call, &sv->waiting, entry)
		call_cancel(call, why);
	TAILQ_FOREACH (call, &sv->running, entry)
		call_cancel(call, why);
}

/* Nobody told us the end in time: what is missing is given up. */
static void
call_give_up(struct call *call)
{
	if (!call->relay_over)
		log_error("call %lu: the relay did not drain in time",
		    call->number);
	if (!call->box_over)
		log_error("call %lu: the box did not end in time",
		    call->number);
	if (!call->relay_over || !call->box_over)
		call_fail(call, "the box could not be ended in time");
	call->relay_over = 1;
	call->box_over = 1;
	channel_free(&call->box);
	call_progress(call);
}

static void
call_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct call *call = arg;

	(void)fd;
	(void)what;
	switch (call->state) {
	case CALL_WAITING:
		if (!call->box_over)
			call_fail(call, "no place became free within %us: %zu "
			    "executions are running "
			    "(MCP_BRIDGE_MAX_CONCURRENT, "
			    "MCP_BRIDGE_QUEUE_TIMEOUT)",
			    call->sv->options.queue_timeout,
			    call->sv->nrunning);
		call_give_up(call);
		return;
	case CALL_STARTING:
		call_fail(call, "the box was not ready within %d s",
		    BOX_START_MS / 1000);
		return;
	case CALL_RUNNING:
		call_end(call, CALL_BY_DEADLINE);
		return;
	case CALL_ENDING:
		call_give_up(call);
		return;
	}
}

/* The box and the relay */

static void
call_kill_box(struct call *call)
{
	/* Until the launcher has told us of the others, they die with it. */
	reaper_kill(call->launcher);
	reaper_kill(call->init);
	/* A guard must not be killed: it ends the rest. */
	reaper_end(call->code_process);
	if (call->result.weak == NULL || call->code_process == NULL)
		group_kill(call->group);
}

/* What has been started is over: only drained bytes may still come. */
static void
call_set_ending(struct call *call)
{
	if (call->state == CALL_ENDING)
		return;
	call->state = CALL_ENDING;
	call_set_timer(call, BOX_DRAIN_MS);
}

static void
call_on_launcher_ended(void *ctx, const struct child_end *end)
{
	struct call *call = ctx;

	(void)end;
	call->launcher = NULL;
}

static void
call_on_relay_ended(void *ctx, const struct child_end *end)
{
	struct call *call = ctx;

	(void)end;
	call->relay_process = NULL;
}

/* Process 1 of the box has ended, and every other process before it. */
static void
call_on_init_ended(void *ctx, const struct child_end *end)
{
	struct call *call = ctx;

	call->init = NULL;
	if (end->code == CLD_EXITED &&
	    (end->status == BOX_EXIT_MEMORY || end->status == BOX_EXIT_BLIND))
		call->init_exit = end->status;
	if (call->code_process == NULL)
		call->box_over = 1;
	call_progress(call);
}

static void
call_take_usage(struct call_result *result, const struct rusage *usage)
{
	result->cpu_us = (uint64_t)usage->ru_utime.tv_sec * 1000000 +
	    (uint64_t)usage->ru_utime.tv_usec +
	    (uint64_t)usage->ru_stime.tv_sec * 1000000 +
	    (uint64_t)usage->ru_stime.tv_usec;
	result->peak_kib = (uint64_t)usage->ru_maxrss;
}

/* What the whole box used, where a group has counted it. */
static void
call_take_group_usage(struct call *call)
{
	struct group_usage usage;
	struct err err;

	if (call->group == NULL)
		return;
	if (group_read(call->group, &usage, &err) == -1) {
		log_error("call %lu: its cgroup: %s", call->number, err.text);
		return;
	}
	call->out_of_memory = usage.out_of_memory;
	call->result.cpu_us = usage.cpu_us;
	if (usage.peak_kib > 0)
		call->result.peak_kib = usage.peak_kib;
}

/* The code has ended: its exact status; what it left behind ends with it. */
static void
call_on_code_ended(void *ctx, const struct child_end *end)
{
	struct call *call = ctx;
	struct call_result *result = &call->result;

	call->code_process = NULL;
	result->duration_us = call_elapsed_us(&call->began);
	call_take_usage(result, &end->usage);
	call_take_group_usage(call);
	result->exited = end->code == CLD_EXITED;
	if (result->exited)
		result->exit_code = end->status;
	else
		result->signal = end->status;
	if (!result->exited && result->signal == 0)
		call_fail(call, "the end of the code is not known");
	/* When init has ended the box, only the end of init tells why. */
	call->box_over = call->init == NULL || result->signal != SIGKILL ||
	    call->cause != CALL_BY_ITSELF;
	/* A guard that was killed by somebody has ended nothing. */
	if (result->weak != NULL && result->signal == SIGKILL)
		reaper_kill_orphans();
	call_kill_box(call);
	call_set_ending(call);
	call_progress(call);
}

void
call_on_box_started(struct call *call, int *init, int *code,
    unsigned int landlock, const char *bound, int proc, int watchdog)
{
	struct event_base *base = call->sv->base;
	struct ipc_adopted adopted = { 0 };
	struct err err;

	call->init =
	    reaper_watch(base, init, call_on_init_ended, call, &err);
	call->code_process = call->init == NULL ? NULL :
	    reaper_watch(base, code, call_on_code_ended, call, &err);
	call_set_built(call);
	if (call->code_process == NULL) {
		call->box_over = 1;
		call_fail(call, "the box talks nonsense: %s", err.text);
	} else if (channel_send_adopted(call->box, &adopted, &err) == -1) {
		call_fail(call, "the box cannot be adopted: %s", err.text);
	} else {
		call->result.boxed = 1;
		call->result.landlock = landlock;
		call->result.bound =
		    bound[0] == '\0' ? NULL : mem_strdup(bound);
		call->result.proc = proc;
		call->result.watchdog = watchdog;
		call->result.grouped = call->group != NULL;
	}
	/* They were not known yet when the rest of the box was killed. */
	if (call->state == CALL_ENDING)
		call_kill_box(call);
}

/*
 * At the weaker level the supervisor's child is the guard, which ends as the
 * code does. A guard that nobody watches has not been told that it may live.
 */
void
call_on_box_guarded(
    struct call *call, int *guard, unsigned int landlock, char *weak)
{
	struct ipc_adopted adopted = { 0 };
	struct err err;

	free(call->result.weak);
	call->result.weak = weak;
	call->code_process = reaper_watch(
	    call->sv->base, guard, call_on_code_ended, call, &err);
	call_set_built(call);
	if (call->code_process == NULL) {
		call->box_over = 1;
		call_fail(call, "the box talks nonsense: %s", err.text);
		return;
	}
	reaper_finish_with(call->code_process, BOX_GUARD_END);
	call->result.boxed = 1;
	call->result.landlock = landlock;
	call->result.grouped = call->group != NULL;
	if (channel_send_adopted(call->box, &adopted, &err) == -1)
		call_fail(call, "the box cannot be adopted: %s", err.text);
	if (call->state == CALL_ENDING)
		call_kill_box(call);
}

/*
 * The launcher and all that it started have let go of the channel: either the
 * interpreter runs now, or there is no box and never will be.
 */
static void
call_on_box_closed(void *ctx, const struct err *why)
{
	struct call *call = ctx;

	channel_free(&call->box);
	call_set_built(call);
	if (why != NULL)
		call_fail(call, "the box talks nonsense: %s", why->text);
	if (!call->result.boxed) {
		call->box_over = 1;
		call_fail(call, "the box ended before it stood");
	}
	call_progress(call);
}

void
call_on_code_running(struct call *call)
{
	call->ran = 1;
	if (call->state != CALL_STARTING)
		return;
	call->state = CALL_RUNNING;
	call_set_timer(call, call->run.timeout * 1000UL);
}

/* Whether code may keep something. */
static int
call_may_store(const struct call *call)
{
	return call->sv->store != NULL && call->sv->options.memory_api != 0;
}

void
call_on_store_wanted(struct call *call)
{
	struct ipc_no_store no_store = { 0 };
	struct ipc_store store = { .store = -1 };
	struct err err;
	int sent;

	if (call->stored || !call_may_store(call)) {
		call_fail(call, "the relay talks nonsense: it may not ask for "
		    "the store");
		return;
	}
	call->stored = 1;
	store.store = store_connect(call->sv->store, call->number, &err);
	no_store.reason = err.text;
	sent = store.store == -1
	    ? channel_send_no_store(call->relay, &no_store, &err)
	    : channel_send_store(call->relay, &store, &err);
	if (sent == -1)
		call_fail(call, "the relay cannot be given the store: %s",
		    err.text);
}

void
call_on_drained(struct call *call, struct call_stream *out,
    struct call_stream *errors, uint64_t tool_calls, char *waiting)
{
	call->waiting = waiting;
	call->result.out = *out;
	call->result.errors = *errors;
	call->result.tool_calls = tool_calls;
	call->relay_over = 1;
	call_progress(call);
}

static void
call_on_relay_closed(void *ctx, const struct err *why)
{
	struct call *call = ctx;

	channel_free(&call->relay);
	if (call->relay_over)
		return;
	call->relay_over = 1;
	if (why != NULL)
		call_fail(call, "the relay talks nonsense: %s", why->text);
	else
		call_fail(call, "the relay of this execution died");
	call_progress(call);
}

/* Starting */

struct channel *
call_start_box(struct call *call, struct err *err)
{
	struct channel_ends ends = { ROLE_SUPERVISOR, ROLE_BOX,
		supervisor_routes(), call_on_box_closed, call };
	struct cgroup *cg = call->sv->cgroup;
	auto_fd int pidfd = -1;

	if (cg != NULL) {
		call->group = group_new(cg, call->number, err);
		if (call->group == NULL)
			return NULL;
	}
	call->box = launcher_start(
	    call->sv, &ends, call->number, call->group, &pidfd, err);
	if (call->box == NULL)
		return NULL;
	call->launcher = reaper_watch(
	    call->sv->base, &pidfd, call_on_launcher_ended, call, err);
	if (call->launcher == NULL)
		return NULL;
	reaper_hold();
	call->building = 1;
	return call->box;
}

/* The four pipes: the relay's ends and the box's ends. */
static int
call_make_pipes(
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
call_close_pipes(struct box_pipes *pipes)
{
	fd_close(&pipes->control_in);
	fd_close(&pipes->control_out);
	fd_close(&pipes->out);
	fd_close(&pipes->errors);
}

/*
 * Returns the relay's end of a session with the broker, or, where there are no
 * servers, of a channel with nobody at the other end; -1 with err.
 */
static int
call_open_session(struct call *call, struct err *err)
{
	const struct server_texts loaded = { call->run.servers,
		call->run.servers_len };
	auto_fd int ours = -1;
	int pair[2];

	if (config_count(call->sv->config) > 0)
		return broker_open_session(
		    call->sv->broker, call->number, &loaded, err);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
	        0, pair) == -1)
		return err_sys(err, "make a socket pair");
	ours = pair[0];
	return pair[1];
}

static int
call_start_relay(struct call *call, struct box_pipes *pipes, struct err *err)
{
	auto_buffer struct buffer servers = { 0 };
	struct channel_ends ends = { ROLE_SUPERVISOR, ROLE_RELAY,
		supervisor_routes(), call_on_relay_closed, call };
	struct ipc_start start = { .execution = call->number,
		.log_level = log_level_get(),
		.output_max = call->sv->options.max_output,
		.brokered = config_count(call->sv->config) > 0,
		.stored = (uint64_t)call_may_store(call),
		.code = { (const uint8_t *)call->run.code, call->run.code_len,
		    -1 } };
	auto_fd int pidfd = -1;
	auto_fd int session = call_open_session(call, err);

	if (session == -1)
		return -1;
	server_names_add_json(&servers, call->run.servers,
	    call->run.servers_len, call->sv->config);
	start.servers = (struct ipc_blob){ (const uint8_t *)servers.data,
		servers.len, -1 };

	call->relay = worker_start(call->sv->base, &ends, call->number,
	    identity_relay(), -1, &pidfd, err);
	if (call->relay == NULL)
		return -1;
	call->relay_process = reaper_watch(
	    call->sv->base, &pidfd, call_on_relay_ended, call, err);
	if (call->relay_process == NULL)
		return -1;
	start.control_in = fd_take(&pipes->control_in);
	start.control_out = fd_take(&pipes->control_out);
	start.out = fd_take(&pipes->out);
	start.errors = fd_take(&pipes->errors);
	start.session = fd_take(&session);
	return channel_send_start(call->relay, &start, err);
}

/* Relay first: it takes the shorter time, and reads from the first byte on. */
static int
call_start_both(struct call *call, struct err *err)
{
	struct box_pipes relay = { -1, -1, -1, -1 };
	struct box_pipes box = { -1, -1, -1, -1 };
	/* A call that had to wait may have lost a server meanwhile. */
	int failed = server_names_check(call->run.servers,
	                 call->run.servers_len, call->sv->config, err) == -1 ||
	    call_make_pipes(&relay, &box, err) == -1 ||
	    call->sv->runtime->start(call, &box, err) == -1 ||
	    call_start_relay(call, &relay, err) == -1;

	call_close_pipes(&relay);
	call_close_pipes(&box);
	free(mem_take(&call->run.code));
	return failed ? -1 : 0;
}

static void
call_start(struct call *call)
{
	struct err err;

	clock_gettime(CLOCK_MONOTONIC, &call->began);
	call->state = CALL_STARTING;
	call_set_timer(call, BOX_START_MS);
	if (call_start_both(call, &err) == 0)
		return;
	/* Whatever was started finds its channel closed, and is killed. */
	channel_free(&call->box);
	channel_free(&call->relay);
	reaper_forget(&call->launcher);
	reaper_forget(&call->relay_process);
	call->box_over = 1;
	call->relay_over = 1;
	call_fail(call, "the box cannot be started: %s", err.text);
}

/* The call that has waited longest and has not been ended meanwhile. */
static struct call *
call_next(struct supervisor *sv)
{
	struct call *call;

	TAILQ_FOREACH (call, &sv->waiting, entry)
		if (call->cause == CALL_BY_ITSELF)
			return call;
	return NULL;
}

/* Lets waiting calls in while there are places. */
static void
call_admit(struct supervisor *sv)
{
	struct call *call;

	while (sv->nrunning < sv->options.max_concurrent &&
	    (call = call_next(sv)) != NULL) {
		TAILQ_REMOVE(&sv->waiting, call, entry);
		sv->nwaiting--;
		TAILQ_INSERT_TAIL(&sv->running, call, entry);
		sv->nrunning++;
		call_start(call);
	}
}

struct call *
call_new(struct supervisor *sv, struct run_python *run,
    call_concluded *concluded, void *ctx, struct err *err)
{
	struct call *call;

	if (sv->nrunning >= sv->options.max_concurrent &&
	    sv->nwaiting >= sv->options.queue) {
		err_set(err, "busy: %zu executions are running and %zu are "
		    "waiting; try again later, or raise "
		    "MCP_BRIDGE_MAX_CONCURRENT or MCP_BRIDGE_QUEUE",
		    sv->nrunning, sv->nwaiting);
		run_python_reset(run);
		return NULL;
	}
	call = mem_alloc(sizeof(*call));
	call->sv = sv;
	call->number = ++sv->calls;
	call->run = *run;
	memset(run, 0, sizeof(*run));
	call->result.timeout = call->run.timeout;
	call->result.servers = call->run.servers;
	call->result.servers_len = call->run.servers_len;
	call->concluded = concluded;
	call->ctx = ctx;
	call->timer = evtimer_new(sv->base, call_on_timer, call);
	call_set_timer(call, sv->options.queue_timeout * 1000UL);
	TAILQ_INSERT_TAIL(&sv->waiting, call, entry);
	sv->nwaiting++;
	call_admit(sv);
	return call;
}
