/*
 * Sessions: boxes that keep the state of an interpreter for the calls of one
 * owner that name it. An idle session has a box and no call; it needs no place.
 * Runs in the supervisor; reads no bytes of boxes.
 */
#ifndef SUPERVISOR_SESSION_H
#define SUPERVISOR_SESSION_H

#include "run.h"

/* All sessions of the process. One per process. */
struct sessions;

/* Returns the sessions of these executions, none at first. */
struct sessions *sessions_new(struct runs *runs);

/* Ends all, and frees them. No call may have one. NULL inside is accepted. */
void sessions_free(struct sessions **sessions);

/* Ends all for good: idle ones now, others after their call. NULL: none. */
void sessions_stop(struct sessions *sessions);

/*
 * Ends the session that has been idle longest, since its memory or processes
 * are needed. Returns whether there was one. NULL: none.
 */
int sessions_yield(struct sessions *sessions);

/*
 * Ends all of the owner with this scope: idle ones now, others after their
 * call, whose answer says why. Later calls are told of no end of any session
 * of that owner so far. NULL: none.
 */
void sessions_end_owner(
    struct sessions *sessions, const char *scope, const char *why);

/* One session, as its user sees it. The texts are borrowed. */
struct session_facts {
	const char *scope; /* of its owner */
	const char *name;
	const char *language;
	bool busy; /* a call has it */
	unsigned long calls;
	uint64_t age_ms;
	uint64_t idle_ms; /* 0: it is busy */
	uint64_t bytes; /* of its box; 0: unknown, or a call has the box */
};

/*
 * Calls tell with ctx for each session that has state or is busy, the one that
 * was idle longest first. NULL: none.
 */
void sessions_tell(struct sessions *sessions,
    void (*tell)(void *ctx, const struct session_facts *facts), void *ctx);

enum session_fate {
	SESSION_UNKNOWN, /* there is none of that name */
	SESSION_ENDED,
	SESSION_ENDING, /* it ends with the call that has it */
};

/*
 * Ends the session of this name, of the owner with this scope. why is static;
 * the next call of that name is told. NULL: none.
 */
enum session_fate sessions_end_named(struct sessions *sessions,
    const char *scope, const char *name, const char *why);

/*
 * Gives a session of the call's owner to a call, which puts it back; makes it
 * if there is none of that name. Returns it, or NULL with err; EAGAIN means
 * that it is available soon.
 */
struct session *session_take(struct sessions *sessions,
    const struct request *request, struct err *err);

/* Takes its box. Returns NULL if there is none: it has no state yet. */
struct box *session_take_box(struct session *session);

/*
 * Returns the names of the servers that are loaded for the code: those of this
 * request, and of earlier calls of its session (NULL: it has none): each + NUL,
 * len bytes, valid until that is put back.
 */
char *session_servers(
    struct session *session, const struct request *request, size_t *len);

/*
 * Has it end with its call, since its box is being killed. why is static; an
 * earlier one is kept.
 */
void session_doom(struct session *session, const char *why);

/*
 * Describes it for the answer of the call that has it, whose box is this one
 * (NULL: none). The texts are valid until it is put back.
 */
void session_show(const struct session *session, const struct box *box,
    struct call_session *shown);

/*
 * Puts it back. If the box waits for more code and no limit is reached, it
 * stays, and is taken; otherwise the session is over. *session becomes NULL.
 */
void session_put(struct session **session, struct box **box);

/*
 * The table, private to session.c, which gives sessions to calls, to
 * session_ends.c, which finds and ends them, and to their test.
 */

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
 * Returns the session that is ended to make room for a new one of this owner:
 * the session that has been idle longest, of the owner with the most sessions,
 * where the new one is counted as well. If several owners have the most, it is
 * this owner's. NULL: all are busy.
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
