/*
 * The parts of a call, for call.c, which takes it from one step to the next,
 * call_list.c, which keeps the lists of calls, and call_judge.c, which says
 * what a call comes to. All run in the supervisor.
 */
#ifndef SUPERVISOR_RUN_CALL_PARTS_H
#define SUPERVISOR_RUN_CALL_PARTS_H

#include <sys/queue.h>
#include <time.h>

#include "run.h"

struct event;

enum call_state {
	CALL_WAITING,  /* waits for a place */
	CALL_STARTING, /* the box does not have the code yet */
	CALL_RUNNING,  /* the box has the code: the deadline runs */
	CALL_ENDING,   /* no box, or it has ended or is being killed */
};

/* Why a call is ended, if not by its code. The first cause is kept. */
enum call_cause {
	CALL_BY_ITSELF,
	CALL_BY_DEADLINE,
	CALL_BY_CANCEL,
	CALL_BY_FAILURE, /* of ours, of the box or of the relay */
};

struct call {
	TAILQ_ENTRY(call) entry;
	struct runs *runs;
	unsigned long number;
	enum call_state state;
	enum call_cause cause;
	struct request request; /* its code: until the box has it */
	call_concluded *concluded;
	void *ctx;
	struct event *timer; /* for the queue, the deadline or the end */
	struct timespec asked; /* time of admission */
	struct timespec began;
	struct box *box; /* NULL: not yet, or unavailable */
	int pooled;      /* it was ready before the call */
	int own;         /* its next box must not be a fork */
	int grant;       /* to the broker, until the box has it; or -1 */
	int lacking;     /* files for the box are not all there yet */
	struct delivery *delivery;     /* of those files; NULL: not begun */
	struct collection *collection; /* of files it left; NULL: none */
	int lost;        /* files lost: its processes did not end */
	struct session *kept; /* whose box it uses; NULL: none */
	int interrupted; /* the code of the session was asked to end */
	int at_once; /* killed without an interrupt, and its session ends */
	char id[EXECUTION_ID_MAX + 1];
	struct call_result result;
};

/* call_list.c */

/* Takes the call out of its list. */
void call_unlist(struct call *call);

/* Returns the call that has this session, or NULL. */
struct call *call_of_session(
    const struct runs *runs, const char *scope, const char *name);

/*
 * Returns the call that gets the next place: of the owner that has fewest, the
 * oldest call that has not been ended meanwhile. Calls of one conversation take
 * turns.
 */
struct call *call_next(struct runs *runs);

/* Refuses a call that must wait if the queue is full: -1 with err. */
int call_check_queue(
    const struct runs *runs, const struct request *request, struct err *err);

/* The queue time is over: this is the error of the call. */
void call_set_late(struct call *call);

/* call_judge.c */

/* Returns the microseconds between two times. */
uint64_t call_us(const struct timespec *since, const struct timespec *until);

/* Sets its error, one sentence. */
void call_set_error(struct call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Copies the results and facts of its box. */
void call_take_facts(struct call *call);

/*
 * Sets its status, and its error unless that is set already. The facts of its
 * box, if it has one, must have been taken.
 */
void call_judge(struct call *call);

#endif
