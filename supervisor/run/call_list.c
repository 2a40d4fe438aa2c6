/*
 * The calls that wait and those that run: which there are, and whose turn it
 * is. Starts and ends none.
 */
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/stored_kind.h"
#include "call_parts.h"

void
call_unlist(struct call *call)
{
	struct runs *runs = call->runs;

	if (call->phase == CALL_WAITING) {
		TAILQ_REMOVE(&runs->waiting, call, entry);
		runs->nwaiting--;
		call->request.owner->nwaiting--;
	} else {
		TAILQ_REMOVE(&runs->running, call, entry);
		runs->nrunning--;
		call->request.owner->nrunning--;
	}
}

/* Returns whether both are names, and the same. */
static int
call_same_name(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

struct call *
call_of_session(const struct runs *runs, const char *scope, const char *name)
{
	struct call *call;

	TAILQ_FOREACH (call, &runs->running, entry)
		if (call->session != NULL &&
		    call_same_name(call->request.session, name) &&
		    strcmp(call->request.owner->scope, scope) == 0)
			return call;
	return NULL;
}

const struct owner *
call_owner(const struct runs *runs, unsigned long execution)
{
	const struct call *call;

	TAILQ_FOREACH (call, &runs->running, entry)
		if (call->number == execution)
			return call->request.owner;
	return NULL;
}

/* Returns whether it belongs to this scope, or to one of SCOPE_ALL. */
static bool
call_is_of(const struct call *call, const char *scope)
{
	return strcmp(scope, SCOPE_ALL) == 0 ||
	    strcmp(scope, call->request.owner->scope) == 0;
}

void
calls_tell(const struct runs *runs, const char *scope, struct buffer *list)
{
	const struct call *call;

	TAILQ_FOREACH_REVERSE (call, &runs->waiting, call_list, entry)
		if (call_is_of(call, scope))
			call_tell(call, "waiting", list);
	TAILQ_FOREACH_REVERSE (call, &runs->running, call_list, entry)
		if (call_is_of(call, scope))
			call_tell(call, "running", list);
}

static struct call *
call_find(const struct call_list *list, const char *scope, const char *id)
{
	struct call *call;

	TAILQ_FOREACH (call, list, entry)
		if (call_is_of(call, scope) && strcmp(call->id, id) == 0)
			return call;
	return NULL;
}

struct call *
call_of_id(const struct runs *runs, const char *scope, const char *id)
{
	struct call *call = call_find(&runs->running, scope, id);

	return call != NULL ? call : call_find(&runs->waiting, scope, id);
}

/*
 * Returns whether a call of the same conversation, or of the same session, is
 * running.
 */
static int
call_is_behind(const struct runs *runs, const struct request *request)
{
	const struct request *running;
	const struct call *other;

	if (request->conversation == NULL && request->session == NULL)
		return 0;
	TAILQ_FOREACH (other, &runs->running, entry) {
		running = &other->request;
		if (strcmp(running->owner->scope, request->owner->scope) == 0 &&
		    (call_same_name(running->conversation,
		         request->conversation) ||
		        call_same_name(running->session, request->session)))
			return 1;
	}
	return 0;
}

/* Returns what calls take turns for, static. */
static const char *
call_bond(const struct request *request)
{
	return request->session != NULL ? "session" : "conversation";
}

/*
 * Returns how many of all are of this owner, as the end of a clause; empty if
 * all are. The caller frees it.
 */
static char *
call_share(size_t all, size_t own)
{
	return all == own ? mem_strdup("") :
	    mem_printf(", %zu of this client", own);
}

/* Returns what runs, as a clause. The caller frees it. */
static char *
call_load(const struct runs *runs, const struct owner *owner)
{
	auto_free char *share = call_share(runs->nrunning, owner->nrunning);
	auto_free char *bound = owner->nrunning < owner->most_running ||
	        owner->most_running >= (size_t)runs->options->max_concurrent ?
	    mem_strdup("") :
	    mem_printf("; this client may have %zu at once",
	        owner->most_running);

	return mem_printf("%zu execution%s running%s%s", runs->nrunning,
	    runs->nrunning == 1 ? " is" : "s are", share, bound);
}

struct call *
call_next(struct runs *runs)
{
	struct call *next = NULL, *call;

	TAILQ_FOREACH (call, &runs->waiting, entry)
		if (call->cause == CALL_BY_ITSELF &&
		    owner_may_run(call->request.owner, runs) &&
		    !call_is_behind(runs, &call->request) &&
		    (next == NULL || owner_precedes(call->request.owner,
		        next->request.owner)))
			next = call;
	return next;
}

int
call_check_queue(
    const struct runs *runs, const struct request *request, struct err *err)
{
	const struct owner *owner = request->owner;
	auto_free char *load = NULL, *share = NULL;

	if (owner->nwaiting < owner->most_waiting)
		return 0;
	load = call_load(runs, owner);
	share = call_share(runs->nwaiting, owner->nwaiting);
	if (!owner_may_run(owner, runs))
		return err_set(err, "busy: %s; waiting: %zu%s; try again "
		    "later, or raise CAISSON_MAX_CONCURRENT or CAISSON_QUEUE",
		    load, runs->nwaiting, share);
	if (call_is_behind(runs, request))
		return err_set(err, "busy: a call of this %s is running and "
		    "%zu are waiting; calls of a %s take turns: try again "
		    "later, or raise CAISSON_QUEUE", call_bond(request),
		    owner->nwaiting, call_bond(request));
	return 0;
}

void
call_set_late(struct call *call)
{
	const struct owner *owner = call->request.owner;
	unsigned int seconds = call->runs->options->queue_timeout;
	auto_free char *load = call_load(call->runs, owner);

	call->cause = CALL_BY_FAILURE;
	if (call_is_behind(call->runs, &call->request))
		call_set_error(call, "an earlier call of this %s is still "
		    "running after %us: calls of a %s take turns "
		    "(CAISSON_QUEUE_TIMEOUT)", call_bond(&call->request),
		    seconds, call_bond(&call->request));
	else
		call_set_error(call, "no place became free within %us: %s "
		    "(CAISSON_MAX_CONCURRENT, CAISSON_QUEUE_TIMEOUT)",
		    seconds, load);
}
