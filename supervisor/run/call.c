/*
 * One execution: the state machine. A call waits for a place, takes a box from
 * the pool or starts one, has it run the code, and is concluded once when the
 * box is over. Deadlines and cancels only end it earlier. Runs in the
 * supervisor; reads no bytes of the box.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../../common/clock.h"
#include "../../common/fd.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "../box/box.h"
#include "../box/language.h"
#include "../peers/broker.h"
#include "../peers/store.h"
#include "../servers/in_force.h"
#include "../servers/server_names.h"
#include "call_parts.h"
#include "pool.h"
#include "run.h"
#include "session.h"

static void call_admit(struct runs *runs);
static void call_end(struct call *call, enum call_cause cause);
static void call_on_box(void *ctx);

/* Time */

static void
call_set_timer(struct call *call, unsigned long ms)
{
	struct timeval tv = clock_timeval(ms);

	event_add(call->timer, &tv);
}

/* It waits for a place for so long. */
static void
call_set_queue_timer(struct call *call)
{
	call_set_timer(call, call->runs->options->queue_timeout * 1000UL);
}

/* Changes the state. */
static void
call_set_state(struct call *call, enum call_state state)
{
	call->runs->nstarting -= call->state == CALL_STARTING;
	call->runs->nstarting += state == CALL_STARTING;
	call->state = state;
}

/* Conclusion */

/* The call may get another box afterwards. */
static void
call_drop_box(struct call *call)
{
	delivery_free(&call->delivery);
	call->lacking = 0;
	fd_close(&call->grant);
	box_drop(&call->box);
}

/* Returns whether its box waits for the code of another call. */
static int
call_leaves_box(const struct call *call)
{
	return call->kept != NULL && call->box != NULL && call->box->round &&
	    call->box->state == BOX_READY;
}

/* Puts the session back. Its box may stay, and keeps its facts. */
static void
call_put_back(struct call *call)
{
	if (call->kept == NULL)
		return;
	if (call_leaves_box(call)) {
		call->box->facts = call->result.facts;
		call->result.facts = (struct box_facts){ 0 };
		if (call->collection != NULL &&
		    call->runs->options->session_threads)
			box_release(call->box);
	}
	session_put(&call->kept, &call->box);
}

static void
call_free(struct call *call)
{
	loop_event_free(&call->timer);
	call_put_back(call);
	collection_free(&call->collection);
	call_drop_box(call);
	free(call->result.error);
	box_facts_free(&call->result.facts);
	free(call->result.calls);
	free(call->result.notes);
	free(call->result.out.data);
	free(call->result.errors.data);
	pictures_reset(&call->result.pictures);
	call_files_reset(&call->result.files);
	request_reset(&call->request);
	free(call);
}

/* Adds those that the owner has not been shown before. */
static void
call_add_box_notes(
    struct buffer *notes, const struct buffer *told, struct owner *owner)
{
	const char *once, *note;

	TEXT_LIST_PAIRS (once, note, told->data, told->len)
		if (owner_hears(owner, once))
			text_list_add(notes, note);
}

/* Collects the notes on the request, and others for the user. */
static void
call_take_notes(struct call *call)
{
	struct buffer notes = { 0 };
	char *more = NULL;
	size_t len = 0;

	if (call->request.notes_len > 0)
		buffer_add(
		    &notes, call->request.notes, call->request.notes_len);
	if (call->box != NULL)
		call_add_box_notes(
		    &notes, &call->box->notes, call->request.owner);
	if (owner_is_user(call->request.owner))
		more = in_force_notes(call->runs->config, &len);
	if (len > 0)
		buffer_add(&notes, more, len);
	free(more);
	if (call->lost)
		text_list_add(&notes, call->request.conversation != NULL ?
		    "files in /workspace/out and /data were not kept: the "
		    "processes of the box did not end in time" :
		    "files in /workspace/out were not kept: the processes of "
		    "the box did not end in time");
	if (call->collection != NULL)
		collection_take(
		    call->collection, &call->result.files, &notes);
	call->result.notes = buffer_take(&notes, &call->result.notes_len);
}

/* Has the store keep the whole of an output that was cut. */
static void
call_keep_output(struct call *call)
{
	const struct box_whole *whole = &call->box->whole;
	struct store_output output = { call->id, call->request.owner->scope,
		whole->out, whole->errors, whole->out_len, whole->errors_len };
	struct err err;

	if (whole->out == NULL || call->runs->store == NULL)
		return;
	if (store_keep_output(call->runs->store, &output, &err) == -1)
		log_error("call %lu: its output is not kept: %s",
		    call->number, err.text);
	else
		call->result.kept = whole->missing > 0 ? CALL_KEPT_START :
		    CALL_KEPT_ALL;
}

/* Concludes a call. Every call ends here. */
static void
call_conclude(struct call *call)
{
	struct runs *runs = call->runs;

	call_unlist(call);
	call_set_state(call, CALL_ENDING);
	if (call->kept != NULL)
		session_show(
		    call->kept, call->box, &call->result.session);
	call->result.session.interrupted = call->interrupted;
	if (call->box != NULL)
		call_take_facts(call);
	call_judge(call);
	if (call->result.status == CALL_CANCELLED)
		pictures_reset(&call->result.pictures);
	else if (call->box != NULL)
		call_keep_output(call);
	pictures_settle(&call->result.pictures, &call->result.out);
	call_take_notes(call);
	if (call->result.signal != 0 && call->cause != CALL_BY_ITSELF)
		call->result.signal = 0; /* we sent it */
	log_debug("call %lu concluded", call->number);
	call->concluded(call->ctx, &call->result);
	call_free(call);
	call_admit(runs);
	pool_wake(runs->pool);
	if (runs->nrunning == 0 && runs->nwaiting == 0 && runs->idle != NULL)
		runs->idle(runs->idle_ctx);
}

static void
call_on_collected(void *ctx)
{
	call_conclude(ctx);
}

/*
 * Returns whether no process but the code's is left in the box of a session.
 * Otherwise that is looked for again later, unless it has taken too long.
 */
static int
call_settles(struct call *call)
{
	int late;

	if (box_is_settled(call->box, &late))
		return 1;
	if (late)
		call->lost = 1;
	else
		call_set_timer(call, SESSION_SETTLE_MS);
	return 0;
}

/*
 * Returns whether files of the code must be kept before the conclusion. That
 * starts when no process is left in the box, or only the stopped code of a
 * session. A cancelled call keeps no files.
 */
static int
call_collects(struct call *call)
{
	struct box *box = call->box;

	if (call->cause == CALL_BY_CANCEL || call->runs->files == NULL ||
	    !box->ran)
		return 0;
	if (call->collection != NULL)
		return !collection_ended(call->collection);
	if (!collection_due(box, &call->request))
		return 0;
	if (call_leaves_box(call) && call->cause == CALL_BY_FAILURE)
		return 0;
	if (call_leaves_box(call) && !call_settles(call))
		return !call->lost;
	if (call_leaves_box(call))
		box_hold(box);
	if (box->gone || call_leaves_box(call))
		call->collection = collection_new(call->runs->files,
		    call->runs->options, &call->request, box,
		    call->delivery, call_on_collected, call);
	else if (!box->stuck)
		box_end(box);
	else
		call->lost = 1;
	return !box->stuck || box->gone;
}

/*
 * Returns whether the code can be interrupted, so that its session stays. This
 * is done once.
 */
static int
call_may_interrupt(const struct call *call)
{
	return call->kept != NULL && !call->interrupted && !call->at_once &&
	    call->cause != CALL_BY_FAILURE && !call->runs->draining &&
	    call->box->state == BOX_RUNNING;
}

/*
 * Ends a call early; the first cause is kept. Code of a session is interrupted
 * first. A box that was started is ended as always: killed, drained, concluded.
 */
static void
call_end(struct call *call, enum call_cause cause)
{
	if (call->cause == CALL_BY_ITSELF)
		call->cause = cause;
	if (call->collection != NULL)
		collection_give_up(call->collection);
	if (call->state == CALL_ENDING)
		return;
	if (call->box == NULL) {
		/* Later, so that no call is freed while its caller uses it. */
		call_set_timer(call, 0);
		return;
	}
	if (call_leaves_box(call)) {
		/* It has not begun; and later, as above. */
		call_set_state(call, CALL_ENDING);
		call_set_timer(call, 0);
		return;
	}
	if (call_may_interrupt(call)) {
		call->interrupted = 1;
		box_interrupt(call->box);
		call_set_timer(call, SESSION_GRACE_MS);
		return;
	}
	if (call->kept != NULL)
		session_doom(call->kept, call->interrupted ?
		    "its code did not react to an interrupt" :
		    "its call was ended");
	call_set_state(call, CALL_ENDING);
	event_del(call->timer);
	box_end(call->box);
}

void
call_cancel(struct call *call, const char *why)
{
	log_debug("call %lu is cancelled: %s", call->number, why);
	if (call->cause == CALL_BY_ITSELF)
		call_set_error(call, "%s", why);
	call_end(call, CALL_BY_CANCEL);
}

void
call_cancel_all(struct runs *runs, const char *why)
{
	struct call *call;

	TAILQ_FOREACH (call, &runs->waiting, entry)
		call_cancel(call, why);
	TAILQ_FOREACH (call, &runs->running, entry) {
		call->at_once = 1;
		call_cancel(call, why);
	}
}

void
call_end_session(struct runs *runs, const char *scope, const char *name,
    const char *why)
{
	struct call *call = call_of_session(runs, scope, name);

	if (call == NULL)
		return;
	call->at_once = 1;
	call_cancel(call, why);
}

static void call_start(struct call *call, int from_pool);

/* Code of a session has ended, and its box waits for more. */
static void
call_on_round(struct call *call)
{
	call_set_state(call, CALL_ENDING);
	event_del(call->timer);
	if (!call_collects(call))
		call_conclude(call);
}

/*
 * The timer: the queue time is over, the deadline has passed, another box may
 * be started, or the call is concluded.
 */
static void
call_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct call *call = arg;

	(void)fd;
	(void)what;
	if (call->state == CALL_ENDING && call_leaves_box(call)) {
		call_on_round(call);
		return;
	}
	/* The box has ended since: its end concludes the call. */
	if (call->state == CALL_ENDING && call->box != NULL)
		return;
	if (call->box != NULL) {
		call_end(call, CALL_BY_DEADLINE);
		return;
	}
	if (call->cause == CALL_BY_ITSELF && call->state == CALL_STARTING) {
		call_start(call, 0);
		return;
	}
	if (call->cause == CALL_BY_ITSELF &&
	    owner_is_due(call->request.owner, call->runs)) {
		call_set_queue_timer(call);
		return;
	}
	if (call->cause == CALL_BY_ITSELF)
		call_set_late(call);
	call_conclude(call);
}

/* The box */

/*
 * Returns the servers that are loaded for the code: those of the request, and
 * of earlier calls of the session. They are valid until the call ends.
 */
static char *
call_servers(struct call *call, size_t *len)
{
	if (call->kept != NULL)
		return session_servers(call->kept, &call->request, len);
	*len = call->request.servers_len;
	return call->request.servers;
}

/*
 * Has the broker grant the servers, if there are any, and keeps the relay's
 * end. Returns 0, or -1 with err.
 */
static int
call_get_grant(struct call *call, struct err *err)
{
	const struct owner *owner = call->request.owner;
	size_t len;
	char *names = call_servers(call, &len);
	const struct broker_grant wanted = { .execution = call->number,
		.owner = owner->name,
		.allowed = owner->allowed,
		.loaded = { names, len } };

	fd_close(&call->grant);
	if (in_force_count(call->runs->config) == 0)
		return 0;
	call->grant =
	    broker_grant_servers(call->runs->broker, &wanted, err);
	return call->grant == -1 ? -1 : 0;
}

/* Passes the code, and the channel to the broker, to the box. */
static int
call_hand_over(struct call *call, struct err *err)
{
	auto_buffer struct buffer servers = { 0 };
	const char *names;
	size_t len;
	struct ipc_start start = { .execution = call->number,
		.log_level = log_level_get(),
		.echo = call->runs->options->echo,
		.progress = call->request.progressed != NULL,
		.stored = call->runs->store != NULL &&
		    call->runs->options->memory_api != 0,
		.code = { (const uint8_t *)call->request.code,
		    call->request.code_len, -1 } };

	if (call->kept != NULL && box_is_kept(call->box, err) == -1)
		return -1;
	names = call_servers(call, &len);
	server_names_add_json(&servers, names, len, call->runs->config);
	start.servers = (struct ipc_blob){ (const uint8_t *)servers.data,
		servers.len, -1 };
	return box_run(call->box, &start, &call->grant, err);
}

/* All files are in the box, or the delivery has failed: continue. */
static void
call_on_delivered(void *ctx)
{
	struct call *call = ctx;
	const char *failure = delivery_failure(call->delivery);
	struct err err;

	call->lacking = 0;
	if (call->box->state == BOX_ENDING || call->cause != CALL_BY_ITSELF)
		return;
	if (failure == NULL && call_hand_over(call, &err) == 0)
		return;
	call_set_error(call, "%s", failure != NULL ? failure : err.text);
	call_end(call, CALL_BY_FAILURE);
}

/*
 * Starts the delivery of files, once the box is built. Returns 0, or -1 with
 * err.
 */
static int
call_deliver(struct call *call, struct err *err)
{
	struct runs *runs = call->runs;
	struct box *box = call->box;

	if (call->delivery != NULL || !box->boxed)
		return 0;
	if (call->request.files_len > 0 && box->left == -1)
		return err_set(err, "files cannot be passed with reduced "
		    "isolation, or to containers whose files cannot be "
		    "reached: leave out the argument files");
	if (call->request.conversation != NULL && box->data == -1)
		return err_set(err, "boxes with reduced isolation, and "
		    "containers whose files cannot be reached, have no files "
		    "of conversations: leave out the argument conversationId");
	call->delivery = delivery_new(runs->files, runs->options,
	    &call->request, box, call_on_delivered, call, err);
	return call->delivery == NULL ? -1 : 0;
}

/* Takes the session that the call names. Returns 0, or -1 with err. */
static int
call_take_session(struct call *call, struct err *err)
{
	if (call->request.session == NULL || call->kept != NULL)
		return 0;
	if (box_may_keep(call->runs->boxes, err) == -1)
		return -1;
	call->kept = session_take(call->runs->sessions, &call->request, err);
	return call->kept == NULL ? -1 : 0;
}

/*
 * Returns whether a box may get the code only when it is ready: before, we do
 * not hold its directories, and code could end before we open them.
 */
static int
call_awaits(const struct call *call)
{
	return call->runs->boxes->runtime->framed || call->kept != NULL;
}

/* Returns the properties of a box that is started for the call. */
static int
call_how(const struct call *call)
{
	return (call->own ? BOX_OWN : 0) |
	    (call->kept != NULL ? BOX_KEPT : 0) |
	    (call_awaits(call) || delivery_due(&call->request) ? 0 :
	        BOX_PROMPT);
}

/*
 * Takes a box of the session or of the pool, or starts one. Returns 0, or -1
 * with err.
 */
static int
call_take_box(struct call *call, int from_pool, struct err *err)
{
	struct runs *runs = call->runs;

	/* All boxes of the pool run the default language. */
	call->box = call->kept != NULL ? session_take_box(call->kept) :
	    from_pool && call->request.language == language_default() ?
	    pool_take(runs->pool) : NULL;
	call->pooled = call->box != NULL && call->kept == NULL;
	if (call->box != NULL) {
		box_give(call->box, call_on_box, call);
		if (call->kept != NULL) {
			box_forget(call->box);
			/* It is stopped between two calls. */
			box_release(call->box);
		}
	} else
		call->box = box_new(runs->boxes, call->request.language,
		    call_how(call), call_on_box, call, err);
	return call->box == NULL ? -1 : 0;
}

static int
call_must_wait(const struct call *call)
{
	return call_awaits(call) && call->box->state == BOX_STARTING;
}

/* Makes one attempt to have a box run the code. */
static int
call_try(struct call *call, int from_pool, struct err *err)
{
	int failed;

	call->pooled = 0;
	if (call_take_session(call, err) == -1 ||
	    call_get_grant(call, err) == -1 ||
	    call_take_box(call, from_pool, err) == -1)
		return -1;
	call->lacking = delivery_due(&call->request);
	failed = call->lacking ? call_deliver(call, err) :
	    call_must_wait(call) ? 0 : call_hand_over(call, err);
	if (failed == -1) {
		/* If files are missing, another box would not help. */
		call->pooled = call->pooled && !call->lacking;
		call_drop_box(call);
		return -1;
	}
	log_debug("call %lu has box %lu%s", call->number, call->box->number,
	    call->pooled ? " of the pool" : "");
	return 0;
}

/*
 * Returns 0, or -1 with err. Each attempt takes a box of the pool, so it ends.
 */
static int
call_start_box(struct call *call, int from_pool, struct err *err)
{
	int failed;

	/* A server may have been removed while the call waited. */
	if (server_names_check(call->request.servers, call->request.servers_len,
	        call->runs->config, call->request.owner->allowed,
	        owner_is_user(call->request.owner), err) == -1)
		return -1;
	do
		failed = call_try(call, from_pool, err);
	while (failed == -1 && call->pooled);
	return failed;
}

/*
 * Returns whether the time limit for waiting in the queue is not reached yet.
 */
static int
call_has_time(const struct call *call)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return call->cause == CALL_BY_ITSELF &&
	    call_us(&call->asked, &now) / 1000000 <
	    call->runs->options->queue_timeout;
}

/* The user has too many processes: wait, do not refuse the call. */
static void
call_wait_for_room(struct call *call, const char *why)
{
	sessions_yield(call->runs->sessions);
	log_info("call %lu waits for a box (%s)", call->number,
	    why);
	call_set_timer(call, call->runs->times.retry);
}

static void
call_start(struct call *call, int from_pool)
{
	struct err err;

	call_set_state(call, CALL_STARTING);
	event_del(call->timer);
	if (call_start_box(call, from_pool, &err) == 0)
		return;
	if (err.code == EAGAIN && call->request.session != NULL &&
	    call->kept == NULL) {
		call_set_timer(call, SESSION_SETTLE_MS);
		return;
	}
	if (err.code == EAGAIN && call_has_time(call)) {
		call_wait_for_room(call, err.text);
		return;
	}
	if (call->cause == CALL_BY_ITSELF && err.code == EAGAIN)
		call_set_error(call, "the box cannot be started: %s; the "
		    "user has too many processes: end some, or raise the "
		    "limit ('ulimit -u'); a call waits %us for that "
		    "(CAISSON_QUEUE_TIMEOUT)", err.text,
		    call->runs->options->queue_timeout);
	else if (call->cause == CALL_BY_ITSELF)
		call_set_error(
		    call, "the box cannot be started: %s", err.text);
	call_end(call, CALL_BY_FAILURE);
}

/*
 * Returns whether its box ended before it got the code, and was from the pool
 * or requested of a template without a report: the template has ended, or the
 * launcher that it forked has ended or hangs. Then no code has run, and another
 * box can be used. The relay decides: RUNNING precedes DONE. If it was lost
 * before it could tell, the code may have run, and runs in no other box.
 */
static int
call_may_replace(const struct call *call)
{
	return (call->pooled || call->box->unforked) &&
	    call->cause == CALL_BY_ITSELF && !call->box->unsure &&
	    !call->box->ran && call->box->state == BOX_ENDING;
}

/*
 * Returns whether its box could not be built for lack of a resource that may be
 * free soon.
 */
static int
call_may_wait(const struct call *call)
{
	return call->box->passing && !call->box->ran &&
	    call->box->state == BOX_ENDING && call_has_time(call);
}

/*
 * Starts another box after a pause, since the cause of the loss may persist. If
 * it could not be forked, the next box has an interpreter of its own and is not
 * replaced. So a call has at most three boxes: one of the pool, a forked one,
 * and that one.
 */
static void
call_replace(struct call *call)
{
	const struct box *box = call->box;

	log_info("call %lu: box %lu exited before it received the code (%s); "
	    "starting another", call->number, box->number,
	    box->failure != NULL ? box->failure : "for an unknown reason");
	call->own = box->unforked;
	call_drop_box(call);
	call_set_timer(call, call->runs->times.replace);
}

/* As call_replace, for a box that could not be built for now. */
static void
call_build_again(struct call *call)
{
	call_wait_for_room(call, call->box->failure);
	call_drop_box(call);
}

/* The box has the code: the deadline runs. */
static void
call_set_running(struct call *call)
{
	call_set_state(call, CALL_RUNNING);
	free(mem_take(&call->request.code));
	call_set_timer(call, call->request.timeout * 1000UL);
}

/* Reports the progress of the code, unless the call is being ended. */
static void
call_tell_progress(struct call *call)
{
	struct box_progress *progress = &call->box->progress;

	if (!progress->fresh)
		return;
	progress->fresh = 0;
	if (call->cause == CALL_BY_ITSELF)
		call->request.progressed(call->ctx, progress);
}

/*
 * Gives the box what the code needs, or the code if it waited for the box.
 * Returns 0, or -1 with err.
 */
static int
call_give(struct call *call, struct err *err)
{
	const struct box *box = call->box;

	if (call->lacking)
		return box->state == BOX_ENDING ? 0 : call_deliver(call, err);
	return box->state == BOX_READY && call->cause == CALL_BY_ITSELF ?
	    call_hand_over(call, err) : 0;
}

/* The box has changed: take the next step. */
static void
call_on_box(void *ctx)
{
	struct call *call = ctx;
	struct box *box = call->box;
	struct err err;

	call_tell_progress(call);
	if (call_leaves_box(call)) {
		if (call->state == CALL_RUNNING || call->state == CALL_STARTING)
			call_on_round(call);
		return;
	}
	/* The relay decides: RUNNING precedes its end. */
	if (call_may_replace(call)) {
		if (box->relay_over)
			call_replace(call);
		return;
	}
	if (call_may_wait(call)) {
		if (box->relay_over)
			call_build_again(call);
		return;
	}
	if (box->failure != NULL && call->cause == CALL_BY_ITSELF) {
		call->cause = CALL_BY_FAILURE;
		call_set_error(call, "%s", box->failure);
	}
	if (call_give(call, &err) == -1) {
		call_set_error(call, "%s", err.text);
		call_end(call, CALL_BY_FAILURE);
		return;
	}
	if (box->state == BOX_RUNNING && call->state == CALL_STARTING)
		call_set_running(call);
	if (box->state == BOX_ENDING && call->state != CALL_ENDING) {
		call_set_state(call, CALL_ENDING);
		event_del(call->timer);
	}
	if (box->over && !call_collects(call))
		call_conclude(call);
}

/* Admission */

/* Starts waiting calls while there are places. */
static void
call_admit(struct runs *runs)
{
	struct call *call;

	while ((call = call_next(runs)) != NULL) {
		call_unlist(call);
		TAILQ_INSERT_TAIL(&runs->running, call, entry);
		runs->nrunning++;
		call->request.owner->nrunning++;
		call->request.owner->turn = ++runs->turns;
		clock_gettime(CLOCK_MONOTONIC, &call->began);
		call_start(call, 1);
	}
}

/* Gives a call an id that no other call of this user had or will have. */
static void
call_name(struct call *call)
{
	unsigned char random[EXECUTION_ID_BYTES];
	size_t n;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		fatal("cannot get random numbers");
	for (n = 0; n < sizeof(random); n++)
		snprintf(call->id + 2 * n, 3, "%02x", random[n]);
	call->result.id = call->id;
}

struct call *
call_new(struct runs *runs, struct request *request,
    call_concluded *concluded, void *ctx, struct err *err)
{
	struct owner *owner = request->owner;
	struct call *call;

	if (call_check_queue(runs, request, err) == -1) {
		request_reset(request);
		return NULL;
	}
	call = mem_alloc(sizeof(*call));
	call->runs = runs;
	call->number = ++runs->calls;
	call_name(call);
	call->request = *request;
	memset(request, 0, sizeof(*request));
	call->result.timeout = call->request.timeout;
	call->result.servers = call->request.servers;
	call->result.servers_len = call->request.servers_len;
	call->grant = -1;
	call->concluded = concluded;
	call->ctx = ctx;
	clock_gettime(CLOCK_MONOTONIC, &call->asked);
	call->timer = evtimer_new(runs->base, call_on_timer, call);
	call_set_queue_timer(call);
	TAILQ_INSERT_TAIL(&runs->waiting, call, entry);
	runs->nwaiting++;
	owner->nwaiting++;
	call_admit(runs);
	return call;
}
