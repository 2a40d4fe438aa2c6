/*
 * Finding, telling and ending sessions: one timer looks each second after those
 * that are idle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/clock.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../box/shared/language.h"
#include "session.h"

struct session *
sessions_find(struct session_list *list, const char *scope, const char *name)
{
	struct session *session;

	TAILQ_FOREACH (session, list, entry)
		if (strcmp(session->scope, scope) == 0 &&
		    strcmp(session->name, name) == 0)
			return session;
	return NULL;
}

size_t
sessions_of(const struct session_list *list, const char *scope)
{
	const struct session *session;
	size_t n = 0;

	TAILQ_FOREACH (session, list, entry)
		n += scope == NULL || strcmp(session->scope, scope) == 0;
	return n;
}

struct session *
sessions_find_spare(struct session_list *list, const char *scope)
{
	struct session *session, *best = NULL;
	size_t most = 0, has;

	TAILQ_FOREACH (session, list, entry) {
		has = sessions_of(list, session->scope);
		if (scope != NULL && strcmp(session->scope, scope) == 0)
			has++;
		if (session->phase != SESSION_BUSY && has > most) {
			best = session;
			most = has;
		}
	}
	return best;
}

/* Takes it from its list, and its box and servers from it. */
static void
session_empty(struct session *session)
{
	struct sessions *sessions = session->sessions;

	TAILQ_REMOVE(session->phase == SESSION_OVER ? &sessions->ended :
	    &sessions->list, session, entry);
	box_drop(&session->box);
	buffer_reset(&session->servers);
}

void
session_remove(struct session *session)
{
	session_empty(session);
	free(session->scope);
	free(session->name);
	free(session);
}

void
session_end(struct session *session, const char *why)
{
	struct session_list *ended = &session->sessions->ended;
	auto_buffer struct buffer shown = { 0 };

	shown_add_quoted(&shown, session->name, SESSION_NAME_MAX);
	log_info("session \"%s\" of %s has ended: %s", shown.data,
	    session->scope[0] == '\0' ? "the user" : session->scope, why);
	if (session->untold) {
		session_remove(session);
		return;
	}
	session_empty(session);
	session->phase = SESSION_OVER;
	session->over = why;
	TAILQ_INSERT_TAIL(ended, session, entry);
	if (sessions_of(ended, NULL) > SESSION_LOSSES_MAX)
		session_remove(sessions_find_spare(ended, NULL));
}

/* Returns why an idle session must end now, static; NULL: it need not. */
static const char *
session_due(const struct session *session, uint64_t now)
{
	const struct options *options = session->sessions->runs->options;

	if (now - session->used_ms >= options->session_idle * UINT64_C(1000))
		return "no call has used it for long (CAISSON_SESSION_IDLE)";
	if (now - session->born_ms >= options->session_age * UINT64_C(1000))
		return "it had reached its age (CAISSON_SESSION_AGE)";
	return NULL;
}

void
sessions_set_timer(struct sessions *sessions)
{
	if (!TAILQ_EMPTY(&sessions->list))
		loop_set_timer(sessions->timer, SESSION_LOOK_MS);
}

/* Ends the one that has been idle longest. Returns whether there was one. */
static int
sessions_end_idle(struct sessions *sessions, const char *why)
{
	struct session *session;

	TAILQ_FOREACH (session, &sessions->list, entry)
		if (session->phase != SESSION_BUSY) {
			session_end(session, why);
			return 1;
		}
	return 0;
}

/* Ends idle ones until the others may take the memory that they do. */
static void
sessions_fit(struct sessions *sessions)
{
	const struct session *session;
	uint64_t bytes;

	do {
		bytes = 0;
		TAILQ_FOREACH (session, &sessions->list, entry)
			if (session->box != NULL)
				bytes += box_bytes(session->box);
	} while (bytes > sessions->runs->options->session_memory &&
	    sessions_end_idle(sessions, "idle ones together took more memory "
	        "than they may (CAISSON_SESSION_MEMORY)"));
}

/*
 * Returns how many bytes more processes can have without swapping, by this file
 * in the format of /proc/meminfo (proc(5)); UINT64_MAX if that is unknown.
 */
static uint64_t
sessions_memory_left(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[MACHINE_MEMORY_LINE];
	unsigned long long kib;
	uint64_t left = UINT64_MAX;

	while (file != NULL && left == UINT64_MAX &&
	    fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			left = kib * UINT64_C(1024);
	if (file != NULL)
		fclose(file);
	return left;
}

/*
 * Threads of an idle one may have started processes since its last call. The
 * code says how many threads there are, so none is believed to have none. Where
 * the code is stopped, this finds out whether it still is. Ends the session if
 * that cannot be done.
 */
static void
session_clear(struct session *session)
{
	int late;

	if (!box_alive(session->box))
		return;
	if (box_is_settled(session->box, &late))
		box_end_others(session->box);
	else if (late)
		session_end(session, SESSION_UNCLEARED);
}

void
sessions_on_timer(evutil_socket_t, short, void *arg)
{
	struct sessions *sessions = arg;
	struct session *session, *next;
	uint64_t now = clock_ms();
	const char *why;

	for (session = TAILQ_FIRST(&sessions->list); session != NULL;
	    session = next) {
		next = TAILQ_NEXT(session, entry);
		if (session->phase == SESSION_BUSY)
			continue;
		why = session_due(session, now);
		if (why != NULL)
			session_end(session, why);
		else
			session_clear(session);
	}
	sessions_fit(sessions);
	/*
	 * Ends one if the machine has less memory than one call may take. The
	 * kernel takes a moment to free it, so the next one ends at the next
	 * look.
	 */
	if (sessions_memory_left(sessions->meminfo) <
	    sessions->runs->options->memory)
		(void)sessions_end_idle(sessions, "the machine had less memory "
		    "left than one call may take (CAISSON_MEMORY)");
	sessions_set_timer(sessions);
}

int
sessions_yield(struct sessions *sessions)
{
	return sessions != NULL && sessions_end_idle(sessions,
	    "other calls needed its memory or processes");
}

void
sessions_tell(struct sessions *sessions,
    void (*tell)(void *ctx, const struct session_facts *facts), void *ctx)
{
	const struct session *session;
	uint64_t now = clock_ms();

	if (sessions == NULL)
		return;
	TAILQ_FOREACH (session, &sessions->list, entry) {
		const struct session_facts facts = { .scope = session->scope,
			.name = session->name,
			.language = session->language->name,
			.busy = session->phase == SESSION_BUSY,
			.calls = session->calls,
			.age_ms = now - session->born_ms,
			.idle_ms = session->phase == SESSION_BUSY ? 0 :
			    now - session->used_ms,
			.bytes = session->box == NULL ? 0 :
			    box_bytes(session->box) };

		tell(ctx, &facts);
	}
}

/*
 * Ends all sessions of an owner (NULL: of all owners), and removes the rows
 * that say why earlier ones ended. A busy session ends with its call.
 */
static void
sessions_end(struct session_list *list, const char *scope, const char *why)
{
	struct session *session, *next;

	for (session = TAILQ_FIRST(list); session != NULL; session = next) {
		next = TAILQ_NEXT(session, entry);
		if (scope != NULL && strcmp(session->scope, scope) != 0)
			continue;
		session->untold = true;
		if (session->phase == SESSION_BUSY)
			session->over = why;
		else if (session->phase == SESSION_OVER)
			session_remove(session);
		else
			session_end(session, why);
	}
}

void
sessions_end_owner(
    struct sessions *sessions, const char *scope, const char *why)
{
	if (sessions == NULL)
		return;
	sessions_end(&sessions->list, scope, why);
	sessions_end(&sessions->ended, scope, why);
}

enum session_fate
sessions_end_named(struct sessions *sessions, const char *scope,
    const char *name, const char *why)
{
	struct session *session = sessions == NULL ? NULL :
	    sessions_find(&sessions->list, scope, name);

	if (session == NULL)
		return SESSION_UNKNOWN;
	if (session->phase == SESSION_BUSY) {
		session->over = why;
		return SESSION_ENDING;
	}
	session_end(session, why);
	return SESSION_ENDED;
}

void
sessions_stop(struct sessions *sessions)
{
	if (sessions == NULL)
		return;
	sessions->stopped = true;
	event_del(sessions->timer);
	sessions_end_owner(sessions, NULL, "Caisson is shutting down");
}
