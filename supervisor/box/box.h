/*
 * One box with its relay: the processes and channels of both, from their start
 * to their end. Who has a box (a call, or the pool) is told when something of
 * it has changed, and sees here what it has come to. Which sandbox it is only
 * its runtime knows. Runs in the supervisor; reads nothing but messages of its
 * own workers.
 */
#ifndef SUPERVISOR_BOX_H
#define SUPERVISOR_BOX_H

#include <sys/queue.h>
#include <time.h>

#include "../../common/buffer.h"
#include "../options/options.h"
#include "../process/process.h"
#include "pictures.h"
#include "progress.h"

struct language;
struct runtime;

/* What boxes need of those who use them; all are called with ctx. */
struct boxes_user {
	/*
	 * A channel to the store for the code of this execution: the relay's
	 * end, which the caller owns, or -1 with err.
	 */
	int (*store)(void *ctx, unsigned long execution, struct err *err);
	/* Whether somebody waits for a box: the processors are wanted. */
	int (*busy)(void *ctx);
	/* A template is ready: boxes can be had for little. */
	void (*warm)(void *ctx);
	/* A box that had been dropped is gone. */
	void (*gone)(void *ctx);
	void *ctx;
};

/* How long is waited for what, in milliseconds: see limits.h. */
struct box_times {
	unsigned int start;    /* BOX_START_MS */
	unsigned int drain;    /* BOX_DRAIN_MS */
	unsigned int leavings; /* BOX_LEAVINGS_MS */
};

/* What all boxes are made with, and how many there are. One of it. */
struct boxes {
	struct event_base *base;
	const struct options *options;
	const struct runtime *runtime;
	void *shared; /* what the runtime has for all; NULL: not probed */
	struct box_times times;
	struct boxes_user user;
	unsigned long started; /* boxes so far: the number of the last */
	size_t unready; /* that cannot be handed code yet */
	LIST_HEAD(, box) dropped; /* without an owner, that still end */
};

/* What was kept of a stream: UTF-8; bytes are missing at head if dropped. */
struct call_stream {
	char *data;
	size_t len;
	size_t head;
	uint64_t dropped;
};

/* What a runtime tells of a box that stood. */
struct box_facts {
	const struct runtime *runtime; /* NULL: there are none */
	void *own; /* what only the runtime knows */
	const char *level; /* the word for less isolation, or NULL; static */
	const char *level_why; /* in a few words, static */
};

/* Appends them as one JSON object; there must be some. */
void box_facts_add(struct buffer *json, const struct box_facts *facts);

/* The same in short: which runtime it was, and the level of isolation. */
void box_facts_add_short(struct buffer *json, const struct box_facts *facts);

/* Frees what they hold. */
void box_facts_free(struct box_facts *facts);

/* Why the code was ended from inside the box, with SIGKILL. */
enum box_cause {
	BOX_CAUSE_CODE,      /* it was not, as far as is known */
	BOX_CAUSE_MEMORY,    /* all of the box wanted more than there is */
	BOX_CAUSE_UNWATCHED, /* its memory could not be watched */
	BOX_CAUSE_LOOSE,     /* the same: its processes did not stop for that */
};

enum box_state {
	BOX_STARTING, /* being built; it was given no code */
	BOX_READY,    /* it waits for code */
	BOX_TAKEN,    /* it gets code as soon as it is ready */
	BOX_RUNNING,  /* the code was sent to it */
	BOX_ENDING,   /* dead or being killed; its output may still come */
};

/*
 * Something has changed. Called last of all, by a handler: the box may be
 * dropped or freed in it. Never called by the functions below.
 */
typedef void box_changed(void *ctx);

struct box {
	/* For the owner of the box, to be read. */
	struct boxes *boxes;
	unsigned long number; /* its own, not that of an execution */
	enum box_state state;
	int over;      /* nothing will come of it any more */
	int ran;       /* the code was sent to it */
	char *failure; /* why it is of no use, one sentence, or NULL */
	int passing;   /* another one may be had soon */
	int boxed;     /* it stood: the facts hold */
	int unrunnable; /* what runs the code could not be started in it */
	struct box_facts facts; /* may be taken */
	/*
	 * Its working directory, and the one of files that are to be kept; they
	 * may be taken; -1 where it has none that can be reached.
	 */
	int workspace;
	int left;
	int gone;  /* no process of it is left */
	int stuck; /* and that is not waited for any more */
	int exited;    /* exit_code holds */
	int exit_code; /* the interpreter's */
	int signal;    /* that ended the code, 0 for none */
	enum box_cause cause; /* of a SIGKILL */
	struct timespec ended; /* when the code did; 0 before */
	uint64_t cpu_us;
	uint64_t peak_kib;
	struct call_stream out; /* what was printed; may be taken */
	struct call_stream errors;
	struct call_pictures pictures; /* what was shown; may be taken */
	struct box_progress progress; /* how far its code is */
	uint64_t tool_calls;
	char *waiting; /* which calls of tools had no answer; NULL: none */
	/* Its own. */
	LIST_ENTRY(box) entry; /* of those that are dropped */
	const struct language *language; /* of its code, static */
	int own; /* no template may fork it */
	box_changed *changed;
	void *ctx;
	struct event *timer; /* of the start, or of the end */
	struct channel *relay;
	struct child *relay_process;
	void *inside;   /* of its runtime; NULL: not started */
	int telling;    /* what builds it may still say why it failed */
	int building;   /* it may still tell us of its processes */
	int unforked;   /* a template was asked for it, and has not yet begun */
	int ready;      /* it has asked for code */
	unsigned long execution; /* that it runs; 0: none yet */
	int may_store;  /* how often its relay may still ask for the store */
	int killed;     /* by us */
	int leavings;   /* its code has ended; what it left is not killed yet */
	int relay_over; /* drained, or gone */
	int box_over;   /* its status is known, or there never was one */
};

/* Boxes will be wanted: prepares what makes them cheap. */
void boxes_want(struct boxes *boxes);

/* Whether that is not there yet, but will be soon, unless it fails. */
int boxes_awaited(const struct boxes *boxes);

/* No box has been wanted for long: it may go. */
void boxes_rest(struct boxes *boxes);

/*
 * Starts a box for code in a language, and its relay. With own it starts an
 * interpreter of its own, even if there is a template. Returns it, or NULL with
 * err. It ends by itself when it is not ready in time. Freed with box_free or
 * box_drop.
 */
struct box *box_new(struct boxes *boxes, const struct language *language,
    int own, box_changed *changed, void *ctx, struct err *err);

/* Gives it to another owner, who is notified from now on. */
void box_give(struct box *box, box_changed *changed, void *ctx);

/*
 * Whether every process of a box that waits still runs, as the kernel knows
 * already. That it is dying may not show yet.
 */
int box_alive(const struct box *box);

/* Whether one that is started now would be of the same files. */
int box_current(const struct box *box);

/*
 * Has it run code, once, in a session with the broker (taken; -1: there are no
 * servers). Returns 0, or -1 with err: then it is of no use any more.
 */
int box_run(struct box *box, struct ipc_start *start, int *session,
    struct err *err);

/* Hastens its end: kills it. What it has printed still comes. */
void box_end(struct box *box);

/*
 * Kills it and forgets it, at once or, while its launcher may still tell us of
 * processes, as soon as it cannot: boxes->dropped lists such boxes. NULL
 * inside is accepted; *box becomes NULL.
 */
void box_drop(struct box **box);

/* At the end of the program: frees the dropped boxes that still end. */
void boxes_free_dropped(struct boxes *boxes);

/* The same for a box that is over. */
void box_free(struct box **box);

/*
 * What its runtime tells it, in this order: box_set_building, from start;
 * box_on_stood, and box_on_changed for each process more; box_on_told, once,
 * without which it never becomes ready; box_on_ended, once, if its code ran;
 * box_on_gone. box_on_changed, box_on_told, box_on_ended, box_on_gone and
 * box_fail notify the owner, who may free the box: nothing of it may be used
 * behind them. Once give_up or free was called nothing is told any more.
 */

/*
 * It is being built, and tells of its processes and of failures until
 * box_on_told; until box_set_built no child may be reaped unseen.
 */
void box_set_building(struct box *box);

/* All of its processes that we shall ever be told of are watched. */
void box_set_built(struct box *box);

/* It stands: the facts are taken over. Does not notify the owner. */
void box_on_stood(struct box *box, const struct box_facts *facts);

/* These are its directories, which are taken over. Notifies no owner. */
void box_on_directories(struct box *box, int *workspace, int *left);

/* There is one more process: notifies the owner, and kills it in an ending. */
void box_on_changed(struct box *box);

/*
 * What builds it will tell no more, with why where it broke the protocol:
 * either the interpreter runs now, or there is no box and never will be.
 */
void box_on_told(struct box *box, const struct err *why);

/* How the code ended. */
struct box_end {
	int exited; /* status is an exit code, else a signal, 0: unknown */
	int status;
	uint64_t cpu_us;
	uint64_t peak_kib;
	enum box_cause cause;
	int more;  /* box_on_gone follows, which tells why */
	int rests; /* what the code has left may have a moment to end */
};

void box_on_ended(struct box *box, const struct box_end *end);

/*
 * What kept it together has ended; over: and all of it, how the code ended is
 * known or will never be.
 */
void box_on_gone(struct box *box, enum box_cause cause, int over);

/* Its status is known, or there will never be one. Notifies no owner. */
void box_set_over(struct box *box);

/* What the handlers tell it, in its own words; each may free it. */

/* It is unavailable, or violated the protocol; the first sentence stands. */
void box_fail(struct box *box, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, by those who have more to tell: only this does not free it. */
void box_spoil(struct box *box, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void box_on_ready(struct box *box);
void box_on_running(struct box *box);

/* Its code has told how far it is. */
void box_on_progress(struct box *box);

/* Its code asks for what is kept: gives it a channel to the store. */
void box_on_store_wanted(struct box *box);

/*
 * The streams are taken over, and waiting, which calls of tools have no answer
 * (NULL: none).
 */
void box_on_drained(struct box *box, struct call_stream *out,
    struct call_stream *errors, uint64_t tool_calls, char *waiting);

/* runtime.c: which sandbox; one row each. */

/* The box's ends of its pipes. */
struct box_pipes {
	int control_in;
	int control_out;
	int out;
	int errors;
};

/*
 * A runtime sets of a box: inside; cpu_us and peak_kib, as far as it counts
 * what its processes used; and unforked. Every row of it is there.
 */
struct runtime {
	const char *name;
	/*
	 * Finds out, before the first box, what this machine gives to all of
	 * them, and sets boxes->shared. Returns 0, or -1 with err when these
	 * options cannot be met. With only_refuses no box will come, and it is
	 * enough to see that.
	 */
	int (*probe)(
	    struct boxes *boxes, int only_refuses, struct err *err);
	/*
	 * Ends what is left of boxes, reaps every process of ours (keepers of
	 * servers and workers, too: reaper_finish), and frees boxes->shared,
	 * which therefore is never NULL once probed.
	 */
	void (*sweep)(struct boxes *boxes);
	/*
	 * Starts a box around the pipes, and takes those it hands over; sets
	 * box->inside first of all. Returns 0, or -1 with err.
	 */
	int (*start)(
	    struct box *box, struct box_pipes *pipes, struct err *err);
	/* Kills all of its processes that are known. */
	void (*kill)(struct box *box);
	/* Nothing that it tells is waited for any more. */
	void (*give_up)(struct box *box);
	/* Whether all of its processes still run. */
	int (*alive)(const struct box *box);
	/* Whether one that is started now would be the same. */
	int (*current)(const struct box *box);
	/* What boxes_want, boxes_awaited and boxes_rest say. */
	void (*want)(struct boxes *boxes);
	int (*awaited)(const struct boxes *boxes);
	void (*rest)(struct boxes *boxes);
	/*
	 * Forgets it: what still lives is killed and reaped later, or, with
	 * lingers, ends by itself.
	 */
	void (*free)(struct box *box, int lingers);
	/* Its own facts: appends them as a JSON object; frees them. */
	void (*add_facts)(struct buffer *json, const void *own);
	void (*free_facts)(void *own);
};

/* Returns the row of that name, static; NULL when there is none. */
const struct runtime *runtime_find(const char *name);

#endif
