/*
 * The executor of this machine: takes a box of the session or of the pool, or
 * starts one, has it run the code, and keeps the files that it leaves. Runs in
 * the supervisor; reads no bytes of the box.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../box/box.h"
#include "../peers/broker.h"
#include "../servers/in_force/in_force.h"
#include "../servers/in_force/server_names.h"
#include "call_parts.h"
#include "pool.h"
#include "session.h"

/* Where the next box of a call comes from. */
enum local_source {
	LOCAL_POOL, /* the pool, or as the next */
	LOCAL_NEW,  /* a template, or a launcher */
	LOCAL_NO_TEMPLATE, /* a launcher: it must not be a fork */
};

/* A call that is executed here. */
struct local {
	struct call *call;
	struct box *box; /* NULL: not yet, or unavailable */
	enum local_source source; /* of its box */
	int grant; /* to the broker, until the box has it; or -1 */
	struct delivery *delivery; /* of its files; NULL: not begun */
	struct event *timer; /* for another attempt, a look, or the end */
};

static void local_on_box(void *ctx);

/* The call may get another box afterwards. */
static void
local_drop_box(struct local *local)
{
	delivery_free(&local->delivery);
	fd_close(&local->grant);
	box_drop(&local->box);
}

/* Returns whether its box waits for the code of another call. */
static int
local_leaves_box(const struct local *local)
{
	return local->call->session != NULL && local->box != NULL &&
	    local->box->phase == BOX_RESTING;
}

/* The end */

/* Puts the session back, too. Its box may stay, and keeps its facts. */
static void
local_free(struct call *call)
{
	struct local *local = mem_take(&call->inside);

	loop_event_free(&local->timer);
	if (local_leaves_box(local)) {
		local->box->facts = call->result.facts;
		call->result.facts = (struct box_facts){ 0 };
		if (call->collection != NULL &&
		    call->runs->options->session_threads)
			box_release(local->box);
	}
	if (call->session != NULL)
		session_put(&call->session, &local->box);
	local_drop_box(local);
	free(local);
}

/* What its box has reported; what it does afterwards is of no matter. */
static void
local_take_result(struct local *local)
{
	struct call *call = local->call;
	struct box *box = local->box;
	const char *once, *note;

	/* It may have ended before its relay reported that it runs. */
	if (call->ran.tv_sec == 0 && box_knows(box, BOX_HAS_RUN))
		call->ran = box->end.at;
	call_take_result(call, box);
	TEXT_LIST_PAIRS (
	    once, note, box->output.notes.data, box->output.notes.len)
		if (owner_hears(call->request.owner, once))
			text_list_add(&call->notes, note);
	call->kept = box->output.kept;
	box->output.kept = (struct box_kept){ 0 };
}

/* The call has its result, and is freed. */
static void
local_conclude(void *ctx)
{
	struct local *local = ctx;
	struct call *call = local->call;

	if (call->session != NULL)
		session_show(call->session, local->box, &call->result.session);
	if (local->box != NULL && call->collection == NULL)
		local_take_result(local);
	call_advance(call, CALL_OVER);
}

/*
 * Returns whether files of the code must be kept before the conclusion. That
 * starts when no process is left in the box, or only the stopped code of a
 * session. A cancelled call keeps no files.
 */
static int
local_collects(struct local *local)
{
	struct call *call = local->call;
	struct box *box = local->box;
	int stays = local_leaves_box(local);
	int late = box_knows(box, BOX_IS_STUCK);

	if (call->phase == CALL_COLLECTING)
		return 1;
	if (call->cause == CALL_BY_CANCEL || call->runs->peers.files == NULL ||
	    !box_knows(box, BOX_HAS_RUN) ||
	    !collection_due(box, &call->request) ||
	    (stays && call->cause == CALL_BY_FAILURE))
		return 0;
	if (stays ? box_is_settled(box, &late) : box_knows(box, BOX_IS_GONE)) {
		if (stays)
			box_hold(box);
		local_take_result(local);
		call->collection = collection_new(call->runs->peers.files,
		    &call->request, box, local->delivery, local_conclude,
		    local);
		call_advance(call, CALL_FILES);
	} else if (late) {
		text_list_add(&call->notes, call->request.conversation != NULL ?
		    "files in /workspace/out and /data were not kept: the "
		    "processes of the box did not end in time" :
		    "files in /workspace/out were not kept: the processes of "
		    "the box did not end in time");
		return 0;
	} else if (stays)
		loop_set_timer(local->timer, SESSION_SETTLE_MS);
	else
		box_end(box);
	return 1;
}

/* Its box is over, or waits for the code of another call. */
static void
local_finish(struct local *local)
{
	call_advance(local->call, CALL_ENDED);
	if (local->box == NULL || !local_collects(local))
		local_conclude(local);
}

static int
local_cancel(struct call *call, int gently)
{
	struct local *local = call->inside;

	/* Later, so that no call is freed while its caller uses it. */
	if (local->box == NULL || local_leaves_box(local)) {
		loop_set_timer(local->timer, 0);
		return 0;
	}
	if (gently) {
		if (call->session == NULL || local->box->phase != BOX_RUNNING)
			return 0;
		box_interrupt(local->box);
		return 1;
	}
	if (call->session != NULL)
		session_doom(call->session, call->phase == CALL_INTERRUPTED ?
		    "its code did not react to an interrupt" :
		    "its call was ended");
	box_end(local->box);
	return 0;
}

/* The box */

/*
 * Has the broker grant the servers, if there are any, and keeps the relay's
 * end. Returns 0, or -1 with err.
 */
static int
local_get_grant(struct local *local, struct err *err)
{
	struct call *call = local->call;
	const struct owner *owner = call->request.owner;
	size_t len;
	char *names = session_servers(call->session, &call->request, &len);
	const struct broker_grant wanted = { .execution = call->number,
		.owner = owner->name,
		.allowed = owner->allowed,
		.asks = call->request.asks,
		.client = call->request.client,
		.loaded = { names, len } };

	fd_close(&local->grant);
	if (in_force_count(call->runs->config) == 0)
		return 0;
	local->grant =
	    broker_grant_servers(call->runs->peers.broker, &wanted, err);
	return local->grant == -1 ? -1 : 0;
}

/* Passes the code, and the channel to the broker, to the box. */
static int
local_hand_over(struct local *local, struct err *err)
{
	struct call *call = local->call;
	struct runs *runs = call->runs;
	auto_buffer struct buffer servers = { 0 };
	const struct buffer *input = &call->request.input;
	const char *names;
	size_t len;
	struct ipc_start start = { .execution = call->number,
		.log_terms = log_terms(),
		.echo = runs->options->echo,
		.progress = call->request.progressed != NULL,
		.stored = runs->peers.store != NULL &&
		    runs->options->memory_api != 0,
		.code = { (const uint8_t *)call->request.code,
		    call->request.code_len, -1 },
		.input = { (const uint8_t *)input->data, input->len, -1 } };

	if (call->session != NULL && box_check_session(local->box, err) == -1)
		return -1;
	names = session_servers(call->session, &call->request, &len);
	server_names_add_json(&servers, names, len, runs->config);
	start.servers = (struct ipc_blob){ (const uint8_t *)servers.data,
		servers.len, -1 };
	return box_run(local->box, &start, call->request.streams,
	    &local->grant, err);
}

/* All files are in the box, or the delivery has failed: continue. */
static void
local_on_delivered(void *ctx)
{
	struct local *local = ctx;
	struct call *call = local->call;
	const char *failure = local->delivery->failure;
	struct err err;

	if (box_has_ended(local->box) || call->cause != CALL_BY_ITSELF)
		return;
	if (failure != NULL || local_hand_over(local, &err) == -1)
		call_fail(call, failure != NULL ? failure : err.text);
}

/*
 * Starts the delivery of files, once the box is built. Returns 0, or -1 with
 * err.
 */
static int
local_deliver(struct local *local, struct err *err)
{
	const struct runs *runs = local->call->runs;
	const struct request *request = &local->call->request;
	struct box *box = local->box;

	if (local->delivery != NULL || !box_knows(box, BOX_IS_BUILT))
		return 0;
	if (request->files_len > 0 && box->files.out_dir == -1)
		return err_set(err, "files cannot be passed with reduced "
		    "isolation, or to containers whose files cannot be "
		    "reached: leave out the argument files");
	if (request->conversation != NULL && box->files.data == -1)
		return err_set(err, "boxes with reduced isolation, and "
		    "containers whose files cannot be reached, have no files "
		    "of conversations: leave out the argument conversationId");
	local->delivery = delivery_new(runs->peers.files, request, box,
	    local_on_delivered, local, err);
	return local->delivery == NULL ? -1 : 0;
}

/* Takes the session that the call names. Returns 0, or -1 with err. */
static int
local_take_session(struct call *call, struct err *err)
{
	if (call->request.session == NULL || call->session != NULL)
		return 0;
	if (boxes_check_sessions(call->runs->boxes, err) == -1)
		return -1;
	call->session = session_take(call->runs->sessions, &call->request, err);
	return call->session == NULL ? -1 : 0;
}

/*
 * Returns whether a box may get the code only when it is ready: before, we do
 * not hold its directories, and code could end before we open them.
 */
static int
local_awaits(const struct call *call)
{
	return call->runs->boxes->runtime->framed || call->session != NULL;
}

/*
 * Takes a box of the session or of the pool, or starts one. Returns 0, or -1
 * with err.
 */
static int
local_take_box(struct local *local, struct err *err)
{
	struct call *call = local->call;
	struct runs *runs = call->runs;
	const struct request *request = &call->request;
	/* A template, and what waits in the pool, has the limits of all. */
	int how = (local->source == LOCAL_NO_TEMPLATE ||
	    request->limits != NULL ? BOX_NO_TEMPLATE : 0) |
	    (call->session != NULL ? BOX_SESSION : 0);

	if (call->session != NULL)
		local->box = session_take_box(call->session);
	else if (local->source == LOCAL_POOL && request->limits == NULL)
		local->box = pool_take(runs->pool, request->language);
	if (local->source == LOCAL_POOL &&
	    (local->box == NULL || call->session != NULL))
		local->source = LOCAL_NEW;
	if (local->box == NULL) {
		local->box = box_new(runs->boxes, request->language,
		    request->limits, how, local_on_box, local, err);
		return local->box == NULL ? -1 : 0;
	}
	box_give(local->box, local_on_box, local);
	if (call->session != NULL) {
		box_forget(local->box);
		/* It is stopped between two calls. */
		box_release(local->box);
	}
	return 0;
}

/*
 * Makes one attempt to have a box run the code. Returns 0, or -1 with err; 1:
 * a box of the pool has failed, and another may not. If files are missing,
 * another box would not help.
 */
static int
local_try(struct local *local, struct err *err)
{
	struct call *call = local->call;
	int lacking = delivery_due(&call->request);
	int failed;

	if (local_take_session(call, err) == -1 ||
	    local_get_grant(local, err) == -1 ||
	    local_take_box(local, err) == -1)
		return -1;
	failed = lacking ? local_deliver(local, err) :
	    local_awaits(call) && local->box->phase == BOX_BUILDING ? 0 :
	    local_hand_over(local, err);
	if (failed == -1) {
		local_drop_box(local);
		return local->source == LOCAL_POOL && !lacking ? 1 : -1;
	}
	log_info("call %s has box %lu%s", call->id, local->box->number,
	    local->source == LOCAL_POOL ? " of the pool" : "");
	return 0;
}

/*
 * Returns whether the time limit for waiting in the queue is not reached yet.
 */
static int
local_has_time(const struct call *call)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return call->cause == CALL_BY_ITSELF &&
	    call_us(&call->asked, &now) / 1000000 <
	    call->runs->options->queue_timeout;
}

/* The user has too many processes: wait, do not refuse the call. */
static void
local_wait_for_room(struct local *local, const char *why)
{
	sessions_yield(local->call->runs->sessions);
	log_info("call %s waits for a box (%s)", local->call->id, why);
	loop_set_timer(local->timer, CALL_RETRY_MS);
}

static void
local_begin(struct local *local)
{
	struct call *call = local->call;
	const struct request *request = &call->request;
	auto_free char *why = NULL;
	struct err err;
	/* A server may have been removed while the call waited. */
	int failed = server_names_check(request->servers, request->servers_len,
	    call->runs->config, request->owner->allowed,
	    owner_is_user(request->owner), &err);

	/* Each attempt that fails takes a box of the pool, so it ends. */
	if (failed == 0)
		do
			failed = local_try(local, &err);
		while (failed == 1);
	if (failed == 0)
		return;
	if (err.code == EAGAIN && request->session != NULL &&
	    call->session == NULL) {
		loop_set_timer(local->timer, SESSION_SETTLE_MS);
		return;
	}
	if (err.code == EAGAIN && local_has_time(call)) {
		local_wait_for_room(local, err.text);
		return;
	}
	why = err.code == EAGAIN ?
	    mem_printf("the box cannot be started: %s; the user has too many "
	        "processes: end some, or raise the limit ('ulimit -u'); a "
	        "call waits %us for that (CAISSON_QUEUE_TIMEOUT)", err.text,
	        call->runs->options->queue_timeout) :
	    mem_printf("the box cannot be started: %s", err.text);
	call_fail(call, why);
}

/*
 * The timer: another attempt may be made, the processes of a session may have
 * ended, the call was ended without a box to wait for, or its code runs.
 */
static void
local_on_timer(evutil_socket_t, short, void *arg)
{
	struct local *local = arg;

	if (local->call->phase == CALL_STARTING)
		local_begin(local);
	else if (local->box == NULL || local_leaves_box(local))
		local_finish(local);
	else if (local->box->phase == BOX_RUNNING) {
		collection_look(&local->box->files);
		loop_set_timer(local->timer, FILES_FULL_LOOK_MS);
	}
	/* Else the box has ended since: its end concludes the call. */
}

/*
 * Returns whether another box is used, or will be when its relay has ended: the
 * relay decides, as RUNNING precedes DONE. That is so if its box ended before
 * it got the code, and was from the pool, or requested of a template without a
 * report: the template has ended, or the launcher that it forked has ended or
 * hangs. The next box starts after a pause, since the cause may persist; after
 * one that could not be forked it has an interpreter of its own, and is not
 * replaced. So a call has at most three. If the relay was lost before it could
 * tell, the code may have run, and runs in no other box. The same is done if
 * the box could not be built for lack of what may be free soon.
 */
static int
local_replaces(struct local *local)
{
	const struct box *box = local->box;
	const struct call *call = local->call;
	int forking = box->launch.forking;
	int lost = (local->source == LOCAL_POOL || forking) &&
	    call->cause == CALL_BY_ITSELF && box->fault != BOX_FAULT_UNSURE;

	if (box_knows(box, BOX_HAS_RUN) || !box_has_ended(box) ||
	    (!lost && (box->fault != BOX_FAULT_TRANSIENT ||
	        !local_has_time(call))))
		return 0;
	if (!box_knows(box, BOX_IS_DRAINED))
		return 1;
	if (lost) {
		log_info("call %s: box %lu exited before it received the "
		    "code (%s); starting another", call->id, box->number,
		    box->failure != NULL ? box->failure :
		    "for an unknown reason");
		local->source = forking ? LOCAL_NO_TEMPLATE : LOCAL_NEW;
		loop_set_timer(local->timer, CALL_REPLACE_MS);
	} else
		local_wait_for_room(local, box->failure);
	local_drop_box(local);
	return 1;
}

/*
 * Gives the box what the code needs, or the code if it waited for the box.
 * Returns 0, or -1 with err.
 */
static int
local_give(struct local *local, struct err *err)
{
	const struct call *call = local->call;
	const struct box *box = local->box;

	if (delivery_due(&call->request) &&
	    (local->delivery == NULL || !local->delivery->ended))
		return box_has_ended(box) ? 0 : local_deliver(local, err);
	return box->phase == BOX_READY && call->cause == CALL_BY_ITSELF ?
	    local_hand_over(local, err) : 0;
}

/* The box has changed: take the next step. */
static void
local_on_box(void *ctx)
{
	struct local *local = ctx;
	struct call *call = local->call;
	struct box *box = local->box;
	struct err err;

	call_tell_progress(call, &box->output.progress);
	if (local_leaves_box(local)) {
		if (call->phase < CALL_ENDING)
			local_finish(local);
		return;
	}
	if (local_replaces(local))
		return;
	if (box->failure != NULL && call->cause == CALL_BY_ITSELF &&
	    call->phase != CALL_COLLECTING) {
		call->cause = CALL_BY_FAILURE;
		call_set_error(call, "%s", box->failure);
	}
	if (local_give(local, &err) == -1) {
		call_fail(call, err.text);
		return;
	}
	if (box->phase == BOX_RUNNING && call->phase == CALL_STARTING) {
		call_advance(call, CALL_RUNS);
		loop_set_timer(local->timer, FILES_FULL_LOOK_MS);
	}
	if (box_has_ended(box))
		call_advance(call, CALL_ENDED);
	if (box->phase == BOX_OVER)
		local_finish(local);
}

uint64_t
call_session_bytes(const struct runs *runs, const char *scope, const char *name)
{
	const struct call *call = call_of_session(runs, scope, name);
	const struct local *local = call != NULL ? call->inside : NULL;

	return local != NULL && local->box != NULL && box_alive(local->box) ?
	    box_bytes(local->box) : 0;
}

static uint64_t
local_used_us(const struct call *call)
{
	const struct local *local = call->inside;

	return local->box != NULL && local->box->phase == BOX_RUNNING ?
	    box_used_us(local->box) : 0;
}

static void
local_start(struct call *call)
{
	struct local *local = mem_alloc(sizeof(*local));

	call->inside = local;
	local->call = call;
	local->grant = -1;
	local->timer = evtimer_new(call->runs->base, local_on_timer, local);
	local_begin(local);
}

const struct executor executor_local = {
	.name = "local",
	.start = local_start,
	.cancel = local_cancel,
	.used_us = local_used_us,
	.free = local_free,
};
