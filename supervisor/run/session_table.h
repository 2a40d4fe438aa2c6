/*
 * The table of sessions, private to session.c, which gives them to calls,
 * session_ends.c, which finds and ends them, and session_losses.c, which
 * remembers why. All run in the supervisor.
 */
#ifndef SUPERVISOR_SESSION_TABLE_H
#define SUPERVISOR_SESSION_TABLE_H

#include <event2/event.h>
#include <sys/queue.h>

#include "session.h"

struct session {
	TAILQ_ENTRY(session) entry; /* the one not used for longest first */
	struct sessions *sessions;
	char *scope; /* of its owner */
	char *name;
	const struct language *language;
	struct box *box; /* idle; NULL: a call has it */
	int busy;        /* a call has it */
	int cleared;     /* processes that its threads started were ended */
	const char *over; /* why it ends with its call, static, or NULL */
	int untold; /* no later call is told why it has ended */
	unsigned long calls; /* so far, the present one included */
	uint64_t born_ms; /* when its present box was requested */
	uint64_t used_ms; /* when it was made or last put back */
	const char *lost; /* why the one before ended, static, or NULL */
	struct buffer servers; /* asked for by its calls, each + NUL */
};

/* Why it ends if its processes do not. */
#define SESSION_UNCLEARED "processes that an earlier call had left did not end"

TAILQ_HEAD(session_list, session);

/* Why sessions ended, at most SESSION_LOSSES_MAX. */
struct session_losses {
	TAILQ_HEAD(, session_loss) list;
	size_t count;
};

struct sessions {
	struct runs *runs;
	struct session_list list;
	size_t count;
	struct session_losses losses;
	struct event *timer;
	const char *meminfo; /* the kernel's file, static */
	int stopped;
};

/* session_ends.c */

/* Returns the session of this name of an owner, or NULL. */
struct session *sessions_find(
    struct sessions *sessions, const char *scope, const char *name);

/* Takes it from the table and frees it, with its box. */
void session_remove(struct session *session);

/*
 * Ends one that no call has, and removes it; the next call of its name is told
 * why, static.
 */
void session_end(struct session *session, const char *why);

/* Has idle ones examined from now on, if there are sessions. */
void sessions_set_timer(struct sessions *sessions);

/* The timer: examines idle ones. arg is a struct sessions. */
void sessions_on_timer(evutil_socket_t fd, short what, void *arg);

/* session_losses.c */

void losses_init(struct session_losses *losses);

/* Remembers why the session of this name of an owner ended, static. */
void losses_add(struct session_losses *losses, const char *scope,
    const char *name, const char *why);

/* Returns why that ended, and forgets it; NULL: nothing is known of it. */
const char *losses_take(
    struct session_losses *losses, const char *scope, const char *name);

/* Forgets those of the owner with this scope; NULL: all. */
void losses_forget(struct session_losses *losses, const char *scope);

/* machine_memory.c */

/*
 * Reads from this file, in the format of /proc/meminfo (proc(5)), how many
 * bytes more processes can have without swapping. Returns 0, or -1 if that is
 * unknown.
 */
int machine_memory_left(const char *path, uint64_t *bytes);

#endif
