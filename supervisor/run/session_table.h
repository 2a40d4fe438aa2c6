/*
 * The table of sessions, private to session.c, which gives them to calls, and
 * session_ends.c, whose functions follow, except the last one, that of
 * machine_memory.c. All run in the supervisor.
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
	struct box *box; /* idle; NULL: a call has it, or it has ended */
	int busy;        /* a call has it */
	int cleared;     /* processes that its threads started were ended */
	const char *over; /* why it ends with its call, static, or NULL */
	unsigned long calls; /* so far, the present one included */
	uint64_t born_ms; /* when its present box was requested */
	uint64_t used_ms; /* when it was put back */
	const char *lost; /* why its state was lost, static; NULL: it was not */
	struct buffer servers; /* asked for by its calls, each + NUL */
};

TAILQ_HEAD(session_list, session);

struct sessions {
	struct runs *runs;
	struct session_list list;
	size_t count;
	struct event *timer;
	const char *meminfo; /* the kernel's file, static */
	int stopped;
};

/* Returns the session of this name of an owner, or NULL. */
struct session *sessions_find(
    struct sessions *sessions, const char *scope, const char *name);

/* Takes it from the table and frees it, with its box. */
void session_remove(struct session *session);

/* Ends an idle one; its next call is told why, static. */
void session_end(struct session *session, const char *why);

/* Has idle ones examined from now on, if there are sessions. */
void sessions_set_timer(struct sessions *sessions);

/* The timer: examines idle ones. arg is a struct sessions. */
void sessions_on_timer(evutil_socket_t fd, short what, void *arg);

/*
 * Reads from this file, in the format of /proc/meminfo (proc(5)), how many
 * bytes more processes can have without swapping. Returns 0, or -1 if that is
 * unknown.
 */
int machine_memory_left(const char *path, uint64_t *bytes);

#endif
