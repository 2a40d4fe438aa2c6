/*
 * Sessions and the calls that use them: see session.h. Runs in the supervisor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/clock.h"
#include "../../common/log.h"
#include "../../common/loop.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "session.h"
#include "session_table.h"

/* The box of an idle session has changed: it can only have ended. */
static void
session_on_box(void *ctx)
{
	struct session *session = ctx;
	const struct box *box = session->box;

	/* Only the end of its last process tells the cause. */
	if (!box->over)
		return;
	session_end(session, box->cause == BOX_CAUSE_MEMORY ?
	    "it ran out of memory between two calls" :
	    "its process ended between two calls");
}

/* Room */

/* Returns how many sessions an owner has. */
static size_t
sessions_of(const struct sessions *sessions, const char *scope)
{
	const struct session *session;
	size_t n = 0;

	TAILQ_FOREACH (session, &sessions->list, entry)
		n += strcmp(session->scope, scope) == 0;
	return n;
}

/*
 * Returns the session that gives way to a new one of this owner: one that has
 * ended, or else, of the owner who has most, or of this owner, the one that has
 * been idle longest. NULL: all are busy.
 */
static struct session *
sessions_find_idle(struct sessions *sessions, const char *scope)
{
	struct session *session, *best = NULL;
	size_t most = 0, has;

	TAILQ_FOREACH (session, &sessions->list, entry)
		if (!session->busy && session->box == NULL)
			return session;
	TAILQ_FOREACH (session, &sessions->list, entry) {
		has = sessions_of(sessions, session->scope);
		if (scope != NULL && strcmp(session->scope, scope) == 0)
			has++;
		if (!session->busy && has > most) {
			best = session;
			most = has;
		}
	}
	return best;
}

/* Makes room for one more. Returns 0, or -1 with err. */
static int
sessions_make_room(
    struct sessions *sessions, const char *scope, struct err *err)
{
	unsigned int most = sessions->runs->options->sessions;
	struct session *session;

	if (sessions->count < most)
		return 0;
	session = sessions_find_idle(sessions, scope);
	if (session == NULL)
		return err_set(err, "all %u sessions are running code: end "
		    "one, or raise CAISSON_SESSIONS", most);
	if (session->box != NULL)
		log_info("a session has ended: there are %u newer ones", most);
	session_remove(session);
	return 0;
}

/* Calls */

static struct session *
session_new(struct sessions *sessions, const struct request *request,
    struct err *err)
{
	const char *scope = request->owner->scope;
	struct session *session;

	if (sessions_make_room(sessions, scope, err) == -1)
		return NULL;
	session = mem_alloc(sizeof(*session));
	session->sessions = sessions;
	session->scope = mem_strdup(scope);
	session->name = mem_strdup(request->session);
	session->language = request->language;
	session->used_ms = clock_ms();
	TAILQ_INSERT_TAIL(&sessions->list, session, entry);
	sessions->count++;
	if (!event_pending(sessions->timer, EV_TIMEOUT, NULL))
		sessions_set_timer(sessions);
	return session;
}

/*
 * Checks that its box can run code now. Returns 0, also if there is no box any
 * more, or -1 with err.
 */
static int
session_check(struct session *session, struct err *err)
{
	int late;

	if (session->box == NULL)
		return 0;
	if (!box_alive(session->box) || session->box->relay_over) {
		err_set(err, "the box of the session is ending");
		err->code = EAGAIN;
		return -1;
	}
	if (box_is_settled(session->box, &late)) {
		if (session->box->threads == 0 || session->cleared)
			return 0;
		session->cleared = 1;
		box_end_others(session->box);
	}
	if (late) {
		session_end(session, "processes that an earlier call had left "
		    "did not end");
		return 0;
	}
	err_set(err, "processes that an earlier call of the session has left "
	    "are still ending");
	err->code = EAGAIN;
	return -1;
}

struct session *
session_take(struct sessions *sessions, const struct request *request,
    struct err *err)
{
	struct session *session;

	if (sessions == NULL || sessions->stopped) {
		err_set(err, "there are no sessions here");
		return NULL;
	}
	session = sessions_find(
	    sessions, request->owner->scope, request->session);
	if (session == NULL)
		session = session_new(sessions, request, err);
	else if (session_check(session, err) == -1)
		return NULL;
	if (session == NULL)
		return NULL;
	if (session->box == NULL)
		session->born_ms = clock_ms();
	session->busy = 1;
	session->calls++;
	return session;
}

struct box *
session_take_box(struct session *session)
{
	struct box *box = session->box;

	session->box = NULL;
	return box;
}

char *
session_servers(
    struct session *session, const struct request *request, size_t *len)
{
	struct buffer *servers = &session->servers;
	const char *name, *known;
	int has;

	TEXT_LIST_EACH (name, request->servers, request->servers_len) {
		has = 0;
		TEXT_LIST_EACH (known, servers->data, servers->len)
			has |= strcmp(known, name) == 0;
		if (!has)
			text_list_add(servers, name);
	}
	*len = servers->len;
	return servers->data;
}

/* Returns why it must end after this call, static; NULL: it stays. */
static const char *
session_limit(const struct session *session, const struct box *box)
{
	const struct sessions *sessions = session->sessions;
	const struct options *options = sessions->runs->options;

	if (session->box != NULL)
		return NULL;
	if (box == NULL || box->state != BOX_READY || !box->round)
		return "";
	if (session->over != NULL)
		return session->over;
	if (session->calls >= options->session_calls)
		return "it has had as many calls as a session may have "
		    "(CAISSON_SESSION_CALLS)";
	if (clock_ms() - session->born_ms >=
	    options->session_age * UINT64_C(1000))
		return "it has reached its age (CAISSON_SESSION_AGE)";
	return NULL;
}

void
session_show(const struct session *session, const struct box *box,
    struct call_session *shown)
{
	shown->name = session->name;
	shown->calls = session->calls;
	shown->age_ms = clock_ms() - session->born_ms;
	shown->earlier = session->calls == 1 ? session->lost : NULL;
	shown->ended = session_limit(session, box);
	if (box != NULL && box->round) {
		shown->threads = box->threads;
		shown->late = box->late;
	}
}

void
session_put(struct session **sessionp, struct box **box)
{
	struct session *session = mem_take(sessionp);
	struct sessions *sessions = session->sessions;

	if (session->box != NULL && session->over == NULL) {
		/* The call has not begun. */
		session->busy = 0;
		session->calls--;
		return;
	}
	if (session->box != NULL || session_limit(session, *box) != NULL) {
		session_remove(session);
		return;
	}
	session->busy = session->cleared = 0;
	session->lost = NULL;
	session->used_ms = clock_ms();
	session->box = mem_take(box);
	box_give(session->box, session_on_box, session);
	TAILQ_REMOVE(&sessions->list, session, entry);
	TAILQ_INSERT_TAIL(&sessions->list, session, entry);
}

/* All of them */

struct sessions *
sessions_new(struct runs *runs)
{
	struct sessions *sessions = mem_alloc(sizeof(*sessions));

	sessions->runs = runs;
	sessions->meminfo = "/proc/meminfo";
	TAILQ_INIT(&sessions->list);
	sessions->timer = evtimer_new(runs->base, sessions_on_timer, sessions);
	return sessions;
}

void
sessions_free(struct sessions **sessionsp)
{
	struct sessions *sessions = mem_take(sessionsp);

	if (sessions == NULL)
		return;
	sessions_stop(sessions);
	while (!TAILQ_EMPTY(&sessions->list))
		session_remove(TAILQ_FIRST(&sessions->list));
	loop_event_free(&sessions->timer);
	free(sessions);
}
