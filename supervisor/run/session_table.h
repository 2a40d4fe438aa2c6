/*
 * The table of sessions, private to session.c, which gives them to calls, and
 * session_ends.c, which finds and ends them. Both run in the supervisor.
 */
#ifndef SUPERVISOR_SESSION_TABLE_H
#define SUPERVISOR_SESSION_TABLE_H

#include <event2/event.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "session.h"

enum session_phase {
	SESSION_IDLE,    /* its box waits for the next call */
	SESSION_CLEARED, /* the same; what threads had started was ended */
	SESSION_BUSY,    /* a call has it */
	SESSION_OVER,    /* it has ended: the next call of its name is told */
};

struct session {
	TAILQ_ENTRY(session) entry; /* the one not used for longest first */
	struct sessions *sessions;
	char *scope; /* of its owner */
	char *name;
	const struct language *language;
	struct box *box; /* NULL: a call has it, or there is none */
	enum session_phase phase;
	bool untold; /* no later call is told why it has ended */
	const char *over; /* why it ends with its call, or ended; static */
	unsigned long calls; /* so far, the present one included */
	uint64_t born_ms; /* when its present box was requested */
	uint64_t used_ms; /* when it was made or last put back */
	const char *lost; /* why the one before ended, static, or NULL */
	struct buffer servers; /* asked for by its calls, each + NUL */
};

/* Why it ends if its processes do not. */
#define SESSION_UNCLEARED "processes that an earlier call had left did not end"

TAILQ_HEAD(session_list, session);

struct sessions {
	struct runs *runs;
	struct session_list list;
	struct session_list ended; /* at most SESSION_LOSSES_MAX */
	struct event *timer;
	const char *meminfo; /* proc_meminfo(5), static */
	bool stopped;
};

/* session_ends.c */

/* Returns the session of this name of an owner, or NULL. */
struct session *sessions_find(
    struct session_list *list, const char *scope, const char *name);

/* Returns how many of a list an owner has; NULL: how many there are. */
size_t sessions_of(const struct session_list *list, const char *scope);

/*
 * Returns the session that gives way to a new one of this owner: of the owner
 * who has most, the one that has been idle longest. The new session counts for
 * its owner, who gives way if another owner has as many. NULL: all are busy.
 */
struct session *sessions_find_spare(
    struct session_list *list, const char *scope);

/* Takes it from its list and frees it, with its box. */
void session_remove(struct session *session);

/* Ends one that no call has; the next call of its name is told why, static. */
void session_end(struct session *session, const char *why);

/* Has idle ones examined from now on, if there are sessions. */
void sessions_set_timer(struct sessions *sessions);

/* The timer: examines idle ones. arg is a struct sessions. */
void sessions_on_timer(evutil_socket_t fd, short what, void *arg);

#endif
