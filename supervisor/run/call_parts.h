/*
 * A call, for call.c, which takes it from one phase to the next, the executors,
 * call_list.c, which keeps the lists of calls, and call_judge.c, which says
 * what a call comes to. All run in the supervisor.
 */
#ifndef SUPERVISOR_RUN_CALL_PARTS_H
#define SUPERVISOR_RUN_CALL_PARTS_H

#include <sys/queue.h>
#include <time.h>

#include "run.h"

struct event;

/* Where a call is. The table in call.c says how it goes on. */
enum call_phase {
	CALL_WAITING,     /* for a place */
	CALL_STARTING,    /* its executor does not run the code yet */
	CALL_RUNNING,     /* the code runs: the deadline, too */
	CALL_INTERRUPTED, /* the code was asked to end */
	CALL_ENDING,      /* it has ended or is being killed */
	CALL_COLLECTING,  /* its files are being kept */
	CALL_PHASES
};

/* What happens to a call. */
enum call_event {
	CALL_PLACE, /* there is a place for it */
	CALL_TIME,  /* its time is over: in the queue, or of its code */
	CALL_STOP,  /* it was cancelled, or cannot succeed */
	CALL_KILL,  /* the same; its code is not interrupted first */
	/* By its executor: */
	CALL_RUNS,  /* the code runs */
	CALL_ENDED, /* it has ended, or is ending; output may still come */
	CALL_FILES, /* its collection has begun */
	CALL_OVER,  /* the result is complete: frees the call */
	CALL_EVENTS
};

/* Why a call is ended, if not by its code. The first cause is kept. */
enum call_cause {
	CALL_BY_ITSELF,
	CALL_BY_DEADLINE,
	CALL_BY_CANCEL,
	CALL_BY_FAILURE, /* of ours, of the box or of the relay */
};

/* What executes calls: the rows of executors.def. */
struct executor {
	const char *name;
	/* Returns whether it takes this request now; NULL: it takes any. */
	int (*accepts)(const struct runs *runs, const struct request *request);
	/*
	 * Starts to execute request, once. Advances the call by CALL_RUNS,
	 * which may free the code, by CALL_ENDED if output follows, and in
	 * the end, from the loop, by CALL_OVER. Until then it sets fields of
	 * result, among them status if cause is CALL_BY_ITSELF, and adds notes.
	 */
	void (*start)(struct call *call);
	/*
	 * Ends it early: CALL_OVER follows later, from the loop. gently: asks
	 * the code to end, if possible, and returns whether it was.
	 */
	int (*cancel)(struct call *call, int gently);
	/* Returns the CPU time of its code so far; NULL: not known. */
	uint64_t (*used_us)(const struct call *call);
	/* Frees inside, after the answer; called if that is not NULL. */
	void (*free)(struct call *call);
};

#define EXECUTOR(name) extern const struct executor executor_##name;
#include "executors.def"

struct call {
	TAILQ_ENTRY(call) entry;
	struct runs *runs;
	unsigned long number;
	enum call_phase phase;
	enum call_cause cause;
	struct request request; /* its code: until that runs */
	call_concluded *concluded;
	void *ctx;
	struct event *timer; /* for the queue, or the deadline */
	uint64_t until;    /* the deadline, by clock_ms() */
	uint64_t patience; /* ms by which questions may still move it */
	uint64_t asked_ms; /* when the first of these was asked */
	TAILQ_HEAD(, asking) askings; /* of servers, to its client */
	struct timespec asked; /* time of admission */
	struct timespec began;
	struct timespec ran; /* when its code did; 0: not yet */
	const struct executor *executor;
	void *inside; /* of the executor; NULL: none */
	struct session *session; /* that it has taken; NULL: none */
	struct collection *collection; /* of files it left; NULL: none */
	struct buffer notes; /* for the user, each + NUL */
	char id[EXECUTION_ID_MAX + 1];
	struct box_kept kept; /* of an output that was cut */
	uint64_t charged_us; /* CPU time that its owner was charged for */
	struct call_result result;
};

/* call.c */

/* Something has happened: takes the next step. Frees the call at its end. */
void call_advance(struct call *call, enum call_event event);

/* Has the first executor that takes it now start it. */
void call_execute(struct call *call);

/* Ends it early for a failure, one sentence; the first cause is kept. */
void call_fail(struct call *call, const char *why);

/* Reports the progress of the code, unless the call is being ended. */
void call_tell_progress(struct call *call, struct box_progress *progress);

/* call_list.c */

/* Takes the call out of its list. */
void call_unlist(struct call *call);

/* Returns the call of this id and scope, or NULL. */
struct call *call_of_id(
    const struct runs *runs, const char *scope, const char *id);

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

/* asking.c: this question (0: any) needs no answer any more. */
void call_withdraw(struct call *call, uint64_t number);

/* call_record.c */

/*
 * Has the store keep the call, which is over, and its output: before its answer
 * if that was cut, as the answer says so. Calls do not depend on it.
 */
void call_record(struct call *call);

/* Appends what is told of one that is not over, as calls_tell does. */
void call_tell(
    const struct call *call, const char *status, struct buffer *list);

/* call_judge.c */

/* Returns the microseconds between two times. */
uint64_t call_us(const struct timespec *since, const struct timespec *until);

/* Sets its error, one sentence. */
void call_set_error(struct call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Takes the results and facts of its box, which is over, or waits for other
 * code. Sets its status, and its error, if the code ended by itself.
 */
void call_take_result(struct call *call, struct box *box);

/* Sets its status, and its error unless that is set, if it was ended early. */
void call_judge(struct call *call);

#endif
