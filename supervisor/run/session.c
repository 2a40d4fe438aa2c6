/* Sessions and the calls that use them: see session.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/clock.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "session.h"

/*
 * The box of an idle session has changed: it can only have ended. If a call has
 * the session, but could not take the box yet, it begins a new one.
 */
static void
session_on_box(void *ctx)
{
	struct session *session = ctx;
	const struct box *box = session->box;
	const char *why;

	/* Only the end of its last process tells the cause. */
	if (box->phase != BOX_OVER)
		return;
	why = box->end.cause == BOX_CAUSE_MEMORY ?
	    "it ran out of memory between two calls" :
	    "its process ended between two calls";
	if (session->phase != SESSION_BUSY) {
		session_end(session, why);
		return;
	}
	session->lost = why;
	session->calls = 1;
	session->born_ms = clock_ms();
	buffer_reset(&session->servers);
	box_drop(&session->box);
}

/* Calls */

static struct session *
session_new(struct sessions *sessions, const struct request *request,
    struct err *err)
{
	const char *scope = request->owner->scope;
	unsigned int most = sessions->runs->options->sessions;
	struct session *session, *ended;

	if (sessions_of(&sessions->list, NULL) >= most) {
		session = sessions_find_spare(&sessions->list, scope);
		if (session == NULL) {
			err_set(err, "all %u sessions are running code: end "
			    "one, or raise CAISSON_SESSIONS", most);
			return NULL;
		}
		session_end(session, "a newer session took its place "
		    "(CAISSON_SESSIONS)");
	}
	session = mem_alloc(sizeof(*session));
	session->sessions = sessions;
	session->scope = mem_strdup(scope);
	session->name = mem_strdup(request->session);
	session->language = request->language;
	session->used_ms = clock_ms();
	ended = sessions_find(&sessions->ended, scope, session->name);
	if (ended != NULL) {
		session->lost = ended->over;
		session_remove(ended);
	}
	TAILQ_INSERT_TAIL(&sessions->list, session, entry);
	if (!event_pending(sessions->timer, EV_TIMEOUT, NULL))
		sessions_set_timer(sessions);
	return session;
}

/*
 * Makes its box ready to run code now, or ends the session if its processes do
 * not end; *session becomes NULL then. Returns 0, or -1 with err.
 */
static int
session_prepare(struct session **sessionp, struct err *err)
{
	struct session *session = *sessionp;
	int late;

	if (!box_alive(session->box) ||
	    box_knows(session->box, BOX_IS_DRAINED)) {
		err_set(err, "the box of the session is ending");
		err->code = EAGAIN;
		return -1;
	}
	if (box_is_settled(session->box, &late)) {
		/* Threads may have started processes since its last call. */
		if (!session->sessions->runs->options->session_threads ||
		    session->box->session.threads == 0 ||
		    session->phase == SESSION_CLEARED)
			return 0;
		session->phase = SESSION_CLEARED;
		box_end_others(session->box);
	}
	if (late) {
		session_end(mem_take(sessionp), SESSION_UNCLEARED);
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
	    &sessions->list, request->owner->scope, request->session);
	if (session != NULL && session_prepare(&session, err) == -1)
		return NULL;
	if (session == NULL &&
	    (session = session_new(sessions, request, err)) == NULL)
		return NULL;
	if (session->box == NULL)
		session->born_ms = clock_ms();
	session->phase = SESSION_BUSY;
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
	struct buffer *servers;
	const char *name;

	*len = request->servers_len;
	if (session == NULL)
		return request->servers;
	servers = &session->servers;
	TEXT_LIST_EACH (name, request->servers, request->servers_len)
		if (!text_list_has(servers, name))
			text_list_add(servers, name);
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
	if (session->over != NULL)
		return session->over;
	if (box == NULL || box->phase != BOX_RESTING) {
		if (box == NULL || !box_knows(box, BOX_HAS_RUN))
			return "it had no sandbox that could run the code";
		if (box->end.cause == BOX_CAUSE_MEMORY)
			return "it ran out of memory";
		if (box->end.cause != BOX_CAUSE_CODE)
			return "its memory could not be measured";
		if (box->failure != NULL)
			return "its sandbox failed";
		if (box->end.exited)
			return "its code called runtime.end_session() or ended "
			    "its process";
		return "a signal killed its process";
	}
	if (session->calls >= options->session_calls)
		return "it has had as many calls as a session may have "
		    "(CAISSON_SESSION_CALLS)";
	if (clock_ms() - session->born_ms >=
	    options->session_age * UINT64_C(1000))
		return "it has reached its age (CAISSON_SESSION_AGE)";
	return NULL;
}

void
session_doom(struct session *session, const char *why)
{
	if (session->over == NULL)
		session->over = why;
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
	if (box != NULL && box->session.ended) {
		shown->threads = box->session.threads;
		shown->threaded =
		    session->sessions->runs->options->session_threads;
		shown->late = box->session.late;
	}
}

void
session_put(struct session **sessionp, struct box **box)
{
	struct session *session = mem_take(sessionp);
	const char *why;

	if (session->box != NULL && session->over == NULL) {
		/* The call has not begun. */
		session->phase = SESSION_CLEARED;
		session->calls--;
		return;
	}
	why = session->box != NULL ? session->over :
	    session_limit(session, *box);
	if (why == NULL) {
		struct session_list *list = &session->sessions->list;

		/* It stays, and waits for its next call. */
		session->phase = SESSION_IDLE;
		session->lost = NULL;
		session->used_ms = clock_ms();
		session->box = mem_take(box);
		box_give(session->box, session_on_box, session);
		TAILQ_REMOVE(list, session, entry);
		TAILQ_INSERT_TAIL(list, session, entry);
		return;
	}
	/*
	 * If no code has run in it, nothing is lost, and the end of the one
	 * before is still to be told.
	 */
	if (session->calls == 1 && session->box == NULL &&
	    (*box == NULL || !box_knows(*box, BOX_HAS_RUN)))
		why = session->lost;
	if (why != NULL)
		session_end(session, why);
	else
		session_remove(session);
}

/* All of them */

struct sessions *
sessions_new(struct runs *runs)
{
	struct sessions *sessions = mem_alloc(sizeof(*sessions));

	sessions->runs = runs;
	sessions->meminfo = "/proc/meminfo";
	TAILQ_INIT(&sessions->list);
	TAILQ_INIT(&sessions->ended);
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
