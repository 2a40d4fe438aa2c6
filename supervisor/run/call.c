/*
 * One execution: its phases, from admission to its only conclusion. A call
 * waits for a place, is given to an executor, and is concluded once when that
 * has its result. Deadlines and cancels only end it earlier.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../../common/base/clock.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../servers/in_force/in_force.h"
#include "../box/shared/language.h"
#include "call_parts.h"
#include "pool.h"

typedef void call_step(struct call *call);

static call_step call_begin, call_run, call_be_late, call_expire, call_leave,
    call_stop, call_kill, call_give_up, call_drain, call_collect,
    call_conclude;

/* The course of every call: what each event leads to. NULL: nothing. */
static call_step *const call_steps[CALL_EVENTS][CALL_PHASES] = {
	/* WAITING, STARTING, RUNNING, INTERRUPTED, ENDING, COLLECTING */
	[CALL_PLACE] = { call_begin },
	[CALL_TIME] = { call_be_late, NULL, call_expire, call_kill },
	[CALL_RUNS] = { NULL, call_run },
	[CALL_STOP] = { call_leave, call_kill, call_stop, call_kill, NULL,
	    call_give_up },
	[CALL_KILL] = { call_leave, call_kill, call_kill, call_kill, NULL,
	    call_give_up },
	[CALL_ENDED] = { NULL, call_drain, call_drain, call_drain },
	[CALL_FILES] = { NULL, NULL, NULL, NULL, call_collect },
	[CALL_OVER] = { NULL, call_conclude, call_conclude, call_conclude,
	    call_conclude, call_conclude },
};

void
call_advance(struct call *call, enum call_event event)
{
	call_step *step = call_steps[event][call->phase];

	if (step != NULL)
		step(call);
}

static void
call_on_timer(evutil_socket_t, short, void *arg)
{
	call_advance(arg, CALL_TIME);
}

static void
call_set_phase(struct call *call, enum call_phase phase)
{
	call->runs->nstarting -= call->phase == CALL_STARTING;
	call->runs->nstarting += phase == CALL_STARTING;
	call->phase = phase;
	if (phase > CALL_RUNNING)
		call_withdraw(call, 0);
}

/* Has its owner pay for what it has not paid for yet. */
static void
call_charge(struct call *call, uint64_t used_us)
{
	if (used_us <= call->charged_us)
		return;
	owner_spend(call->request.owner, used_us - call->charged_us);
	call->charged_us = used_us;
}

/* Conclusion */

static void
call_free(struct call *call)
{
	loop_event_free(&call->timer);
	if (call->inside != NULL)
		call->executor->free(call);
	collection_free(&call->collection);
	buffer_reset(&call->notes);
	box_kept_reset(&call->kept);
	free(call->result.error);
	free(call->result.waiting);
	box_facts_free(&call->result.facts);
	free(call->result.calls);
	free(call->result.out.data);
	free(call->result.errors.data);
	pictures_reset(&call->result.pictures);
	box_response_reset(&call->result.response);
	call_files_reset(&call->result.files);
	request_reset(&call->request);
	free(call);
}

/* Starts waiting calls while there are places. */
static void
call_admit(struct runs *runs)
{
	struct call *call;

	while ((call = call_next(runs)) != NULL)
		call_advance(call, CALL_PLACE);
}

/* Concludes a call. Every call ends here. */
static void
call_conclude(struct call *call)
{
	struct runs *runs = call->runs;
	struct buffer *notes = &call->notes;
	size_t len = 0;
	auto_free char *more = NULL;
	int cut = call->kept.any;

	call_unlist(call);
	call_set_phase(call, CALL_ENDING);
	call_judge(call);
	if (call->result.status == CALL_CANCELLED)
		pictures_reset(&call->result.pictures);
	pictures_settle(&call->result.pictures, &call->result.out);
	more = owner_is_user(call->request.owner) ?
	    in_force_notes(call->runs->config, &len) : NULL;
	if (len > 0)
		buffer_add(notes, more, len);
	call->result.files.scope = call->request.owner->scope;
	if (call->collection != NULL)
		collection_take(call->collection, &call->result.files, notes);
	call->result.notes = notes->data;
	call->result.notes_len = notes->len;
	if (call->result.signal != 0 && call->cause != CALL_BY_ITSELF)
		call->result.signal = 0; /* we sent it */
	log_debug("call %s concluded", call->id);
	call_charge(call, call->result.cpu_us);
	figures_add_call(&runs->figures, call);
	if (cut)
		call_record(call);
	call->concluded(call->ctx, &call->result);
	if (!cut)
		call_record(call);
	call_free(call);
	call_admit(runs);
	pool_wake(runs->pool);
	if (runs->nrunning == 0 && runs->nwaiting == 0 && runs->idle != NULL)
		runs->idle(runs->idle_ctx);
}

/* The steps */

void
call_execute(struct call *call)
{
	const struct runs *runs = call->runs;
	const struct executor *const *executor = runs->executors;

	while ((*executor)->accepts != NULL &&
	    !(*executor)->accepts(runs, &call->request))
		executor++;
	call->executor = *executor;
	log_debug("call %s: executor %s", call->id, (*executor)->name);
	call->executor->start(call);
}

/* There is a place. */
static void
call_begin(struct call *call)
{
	struct runs *runs = call->runs;

	call_unlist(call);
	TAILQ_INSERT_TAIL(&runs->running, call, entry);
	runs->nrunning++;
	call->request.owner->nrunning++;
	call->request.owner->turn = ++runs->turns;
	clock_gettime(CLOCK_MONOTONIC, &call->began);
	call_set_phase(call, CALL_STARTING);
	event_del(call->timer);
	call_execute(call);
}

/* The code runs: the deadline begins. */
static void
call_run(struct call *call)
{
	call_set_phase(call, CALL_RUNNING);
	clock_gettime(CLOCK_MONOTONIC, &call->ran);
	if (call->runs->pool != NULL)
		call->runs->pool->tried = true;
	free(mem_take(&call->request.code));
	call->until = clock_ms() + call->request.timeout * UINT64_C(1000);
	call->patience = QUESTION_PAUSE_MS;
	loop_set_timer(call->timer, call->request.timeout * UINT64_C(1000));
}

/* The queue time is over, or it was ended while it waited. */
static void
call_be_late(struct call *call)
{
	if (call->cause == CALL_BY_ITSELF &&
	    owner_is_due(call->request.owner, call->runs)) {
		loop_set_timer(call->timer,
		    call->runs->options->queue_timeout * UINT64_C(1000));
		return;
	}
	if (call->cause == CALL_BY_ITSELF)
		call_set_late(call);
	call_conclude(call);
}

/* Ends it later, so that no call is freed while its caller uses it. */
static void
call_leave(struct call *call)
{
	loop_set_timer(call->timer, 0);
}

static void
call_kill(struct call *call)
{
	call->executor->cancel(call, 0);
	call_drain(call);
}

/* Asks its code to end, where that can be done, so that its session stays. */
static void
call_stop(struct call *call)
{
	if (call->cause == CALL_BY_FAILURE || call->runs->draining ||
	    !call->executor->cancel(call, 1)) {
		call_kill(call);
		return;
	}
	call_set_phase(call, CALL_INTERRUPTED);
	call->result.session.interrupted = 1;
	loop_set_timer(call->timer, SESSION_GRACE_MS);
}

/* The deadline has passed. */
static void
call_expire(struct call *call)
{
	if (call->cause == CALL_BY_ITSELF)
		call->cause = CALL_BY_DEADLINE;
	call_stop(call);
}

/* The code has ended, or is being ended: its output may still come. */
static void
call_drain(struct call *call)
{
	call_set_phase(call, CALL_ENDING);
	event_del(call->timer);
}

static void
call_collect(struct call *call)
{
	call_set_phase(call, CALL_COLLECTING);
}

static void
call_give_up(struct call *call)
{
	collection_give_up(call->collection);
}

/* Ends a call early; the first cause is kept. */
static void
call_end(struct call *call, enum call_cause cause, enum call_event event)
{
	if (call->cause == CALL_BY_ITSELF)
		call->cause = cause;
	call_advance(call, event);
}

void
call_fail(struct call *call, const char *why)
{
	if (call->cause == CALL_BY_ITSELF)
		call_set_error(call, "%s", why);
	call_end(call, CALL_BY_FAILURE, CALL_STOP);
}

void
calls_charge(struct runs *runs)
{
	struct call *call;
	struct err err;

	TAILQ_FOREACH (call, &runs->running, entry) {
		if (call->request.owner->cpu_most == 0 ||
		    call->phase != CALL_RUNNING ||
		    call->executor->used_us == NULL)
			continue;
		call_charge(call, call->executor->used_us(call));
		if (owner_check_cpu(call->request.owner, &err) == -1)
			call_fail(call, err.text);
	}
}

void
call_tell_progress(struct call *call, struct box_progress *progress)
{
	int fresh = progress->fresh;

	progress->fresh = false;
	if (fresh && call->cause == CALL_BY_ITSELF)
		call->request.progressed(call->ctx, progress);
}

/* Cancels */

static void
call_cancel_by(struct call *call, const char *why, enum call_event event)
{
	log_debug("call %s is cancelled: %s", call->id, why);
	if (call->cause == CALL_BY_ITSELF)
		call_set_error(call, "%s", why);
	call_end(call, CALL_BY_CANCEL, event);
}

void
call_cancel(struct call *call, const char *why)
{
	call_cancel_by(call, why, CALL_STOP);
}

int
call_cancel_id(
    struct runs *runs, const char *scope, const char *id, const char *why)
{
	struct call *call = call_of_id(runs, scope, id);

	if (call != NULL)
		call_cancel(call, why);
	return call != NULL;
}

void
call_cancel_all(struct runs *runs, const char *why)
{
	struct call *call;

	TAILQ_FOREACH (call, &runs->waiting, entry)
		call_cancel(call, why);
	TAILQ_FOREACH (call, &runs->running, entry)
		call_cancel_by(call, why, CALL_KILL);
}

void
call_end_session(struct runs *runs, const char *scope, const char *name,
    const char *why)
{
	struct call *call = call_of_session(runs, scope, name);

	if (call != NULL)
		call_cancel_by(call, why, CALL_KILL);
}

/* Admission */

/*
 * Gives a call a number that no other call of this user had or will have. Its
 * id is that in hexadecimal digits, so workers, which get the number, name it
 * alike.
 */
static void
call_name(struct call *call)
{
	_Static_assert(sizeof(call->number) == EXECUTION_ID_BYTES, "its size");

	while (call->number == 0) {
		if (getrandom(&call->number, sizeof(call->number), 0) !=
		    (ssize_t)sizeof(call->number))
			fatal("cannot get random numbers");
		call->number &= UINT64_MAX / 2; /* as the catalogue has it */
	}
	snprintf(call->id, sizeof(call->id), "%016lx", call->number);
	call->result.id = call->id;
}

struct call *
call_new(struct runs *runs, struct request *request,
    call_concluded *concluded, void *ctx, struct err *err)
{
	struct owner *owner = request->owner;
	const struct trace *trace;
	struct call *call;

	int spent = owner_check_cpu(owner, err) == -1;

	if (spent || call_check_queue(runs, request, err) == -1) {
		runs->figures.refused[spent ? FIGURE_RATE : FIGURE_QUEUE]++;
		request_reset(request);
		return NULL;
	}
	call = mem_alloc(sizeof(*call));
	call->runs = runs;
	if (++runs->calls == 1 && runs->first != NULL)
		runs->first(runs->first_ctx);
	call_name(call);
	call->request = *request;
	memset(request, 0, sizeof(*request));
	call->result.timeout = call->request.timeout;
	call->result.servers = call->request.servers;
	call->result.servers_len = call->request.servers_len;
	if (call->request.notes_len > 0)
		buffer_add(&call->notes, call->request.notes,
		    call->request.notes_len);
	trace = &call->request.trace;
	/* Each line of the log about it has its id. */
	log_info("call %s: owner \"%s\", language %s, trace %s%s%s", call->id,
	    owner->name, call->request.language->name,
	    trace->parent == NULL ? "none" : trace->parent,
	    trace->state == NULL ? "" : ", state ",
	    trace->state == NULL ? "" : trace->state);
	TAILQ_INIT(&call->askings);
	call->concluded = concluded;
	call->ctx = ctx;
	clock_gettime(CLOCK_MONOTONIC, &call->asked);
	call->timer = evtimer_new(runs->base, call_on_timer, call);
	loop_set_timer(
	    call->timer, runs->options->queue_timeout * UINT64_C(1000));
	TAILQ_INSERT_TAIL(&runs->waiting, call, entry);
	runs->nwaiting++;
	owner->nwaiting++;
	call_admit(runs);
	return call;
}
