/*
 * One box with its relay: the processes and channels of both, from start to
 * end. The owner of a box (a call, or the pool) is notified of each change and
 * inspects these fields. Only the runtime of a box knows the kind of its
 * sandbox. Runs in the supervisor; reads only messages of its own workers.
 */
#ifndef SUPERVISOR_BOX_H
#define SUPERVISOR_BOX_H

#include <sys/queue.h>
#include <time.h>

#include "../../../common/base/buffer.h"
#include "../../../common/process_one.h"
#include "../../options/options.h"
#include "../../process/process.h"
#include "pictures.h"
#include "progress.h"

struct language;
struct runtime;

/* Services that boxes need of their user; all are called with ctx. */
struct boxes_user {
	/*
	 * Returns a channel to the store for the code of this execution: the
	 * relay's end, which the caller owns, or -1 with err.
	 */
	int (*store)(void *ctx, unsigned long execution, struct err *err);
	/* Returns whether calls wait, and so need the processors. */
	int (*busy)(void *ctx);
	/* Called when a template is ready: boxes are cheap now. */
	void (*warm)(void *ctx);
	/* Called when a dropped box is gone. */
	void (*gone)(void *ctx);
	void *ctx;
};

/* Time limits, in milliseconds: see limits.h. */
struct box_times {
	unsigned int start;    /* BOX_START_MS */
	unsigned int drain;    /* BOX_DRAIN_MS */
	unsigned int leavings; /* BOX_LEAVINGS_MS */
	unsigned int hang;     /* BOX_HANG_MS */
};

/* The state shared by all boxes. One per process. */
struct boxes {
	struct event_base *base;
	const struct options *options;
	const struct runtime *runtime;
	void *shared; /* of the runtime, for all boxes; NULL: not probed */
	struct box_times times;
	struct boxes_user user;
	unsigned long started; /* boxes so far, and number of the last */
	size_t unready; /* not ready for code yet */
	LIST_HEAD(, box) dropped; /* without an owner, still ending */
};

/* The kept part of a stream, UTF-8; dropped bytes are missing after head. */
struct call_stream {
	char *data;
	size_t len;
	size_t head;
	uint64_t dropped;
};

/* The facts that a runtime reports about a box that was built. */
struct box_facts {
	const struct runtime *runtime; /* NULL: no facts */
	void *own; /* private to the runtime */
	const char *level; /* the name of reduced isolation, or NULL; static */
	const char *level_why; /* a few words, static */
};

/* Appends them as one JSON object; facts must be set. */
void box_facts_add(struct buffer *json, const struct box_facts *facts);

/* Appends a short form: the name of the runtime and the level of isolation. */
void box_facts_add_short(struct buffer *json, const struct box_facts *facts);

/* Frees their fields. */
void box_facts_free(struct box_facts *facts);

/* Why the code was killed with SIGKILL from inside the box. */
enum box_cause {
	BOX_CAUSE_CODE,      /* it was not, as far as known */
	BOX_CAUSE_MEMORY,    /* the box exceeded its memory limit */
	BOX_CAUSE_UNWATCHED, /* its memory could not be measured */
	BOX_CAUSE_LOOSE,     /* the same: its processes could not be stopped */
	BOX_CAUSE_UNTOLD,    /* nothing tells: process 1 was killed, too */
};

/*
 * The end of the code as a box with three descriptors reports it. The code may
 * have forged it.
 */
struct box_report {
	enum {
		BOX_REPORT_NONE,
		BOX_REPORT_EXIT,   /* status is the exit code */
		BOX_REPORT_SIGNAL, /* status is the number of the signal */
	} end;
	int status;
	int memory; /* the kernel killed a process for lack of memory */
	uint64_t cpu_us;   /* that the kernel has counted for the box */
	uint64_t peak_kib; /* of memory; both 0: unknown */
};

enum box_state {
	BOX_STARTING, /* being built; it has no code */
	BOX_READY,    /* waits for code */
	BOX_TAKEN,    /* gets code as soon as it is ready */
	BOX_RUNNING,  /* the code was sent to it */
	BOX_ENDING,   /* ended or being killed; its output may still come */
};

/*
 * Called when the box has changed, as the last action of a handler: it may drop
 * or free the box. Never called by the functions below.
 */
typedef void box_changed(void *ctx);

/* The calls of tools that the code has made, as its relay tells them. */
struct box_calls {
	uint64_t made;
	char *waiting; /* those without an answer, and how long; NULL: none */
	char *told;    /* all of them, by tool; NULL: none */
};

/* The whole of the streams that were cut; only passed on. */
struct box_whole {
	char *out; /* NULL: nothing of either is kept */
	char *errors;
	size_t out_len;
	size_t errors_len;
	uint64_t missing; /* bytes of them that are not here */
};

struct box {
	/* For the owner of the box, read-only. */
	struct boxes *boxes;
	unsigned long number; /* of the box, not of an execution */
	enum box_state state;
	int over;      /* no more changes will follow */
	int ran;       /* the code was sent to it */
	int unsure;    /* its relay was lost when it might just have done so */
	char *failure; /* why it cannot be used, one sentence, or NULL */
	int passing;   /* the failure is temporary: another box may succeed */
	int boxed;     /* it was built: facts is valid */
	int unrunnable; /* its interpreter could not be started */
	struct box_facts facts; /* may be taken */
	/*
	 * The directory of files to keep, and that of a conversation; the owner
	 * may take them; -1 if it has none that can be reached.
	 */
	int left;
	int data;
	int workspace; /* contains left; -1: it is not open */
	int looked; /* entries of left were read */
	unsigned int uid; /* of its code, as the host has it */
	int gone;  /* no process of it is left; if framed, it is settled, too */
	int stuck; /* gone will not be waited for any longer */
	int exited;    /* exit_code is valid */
	int exit_code; /* of the interpreter */
	int signal;    /* that killed the code; 0: none */
	enum box_cause cause; /* of SIGKILL */
	struct timespec ended; /* end of the code; 0: not ended */
	uint64_t cpu_us;
	uint64_t peak_kib;
	struct call_stream out; /* printed output; may be taken */
	struct call_stream errors;
	struct call_pictures pictures; /* displayed; may be taken */
	struct box_progress progress; /* reported by its code */
	struct box_whole whole;
	struct box_calls calls;
	int served; /* its code may call tools */
	struct buffer notes; /* of it about its code, as in DONE */
	/* Of a box for a session; the relay reports what its code says. */
	int kept;  /* it stays when its code has ended */
	int prompt; /* its relay gets the pipes with the code */
	int round; /* code of it has ended, and it has no further yet */
	/* Files of it that were kept: for each name and version, each + NUL. */
	struct buffer had;
	uint64_t threads; /* that the code has left */
	uint64_t late;    /* bytes of output between its programs, dropped */
	struct box_report report; /* valid when its output has come */
	enum begun begun;         /* likewise: what process 1 has marked */
	/*
	 * The last errors of a box with three descriptors that never was ready,
	 * and of the program that started it: UTF-8; NULL: none.
	 */
	char *start_errors;
	/* Private. */
	LIST_ENTRY(box) entry; /* in boxes->dropped */
	const struct language *language; /* of its code, static */
	int own; /* no template may fork it */
	int marked; /* its process 1 marks its output: common/process_one.h */
	uint64_t clear_ms; /* when its processes were last ended; 0: never */
	uint64_t used_us;  /* CPU time before its present code */
	box_changed *changed;
	void *ctx;
	struct event *timer; /* for the start or the end */
	struct channel *relay;
	struct child *relay_process;
	void *inside;   /* of the runtime; NULL: not started */
	int telling;    /* its launcher may still report a failure */
	int building;   /* its launcher may still report processes */
	int init_ended; /* framed: process 1 has; settle then makes it gone */
	int unforked;   /* requested of a template, without a report yet */
	int ready;      /* it has asked for code */
	unsigned long execution; /* its execution; 0: none yet */
	int may_store;  /* how many more channels to the store */
	int killed;     /* by us */
	int leavings;   /* code ended; leftover processes still live */
	int relay_over; /* drained, or the relay has ended */
	int box_over;   /* its status is known, or it was never built */
};

/* Called when boxes will be needed: prepares a template. */
void boxes_want(struct boxes *boxes);

/* Returns whether a template is being started. */
int boxes_awaited(const struct boxes *boxes);

/* Called when no box was needed for long: the template may be ended. */
void boxes_rest(struct boxes *boxes);

/* Properties of a new box: bits. */
#define BOX_OWN 1  /* it has an interpreter of its own, no template's */
#define BOX_KEPT 2 /* it is for a session: it stays when its code has ended */
#define BOX_PROMPT 4 /* box_run follows at once */

/*
 * Starts a box for code in a language, and its relay; how is a set of these
 * properties. Returns it, or NULL with err. It ends by itself if it is not
 * ready in time. Freed by box_free or box_drop.
 */
struct box *box_new(struct boxes *boxes, const struct language *language,
    int how, box_changed *changed, void *ctx, struct err *err);

/* Gives it to another owner, who is notified from now on. */
void box_give(struct box *box, box_changed *changed, void *ctx);

/*
 * Returns whether all processes of a waiting box are running, as far as the
 * kernel has recorded their ends. A process that is just dying may count as
 * running.
 */
int box_alive(const struct box *box);

/* Returns whether a box started now would run the same files. */
int box_current(const struct box *box);

/*
 * Has it run code, once, with a channel to the broker (taken; -1: no servers).
 * Returns 0, or -1 with err: then the box cannot be used any more.
 */
int box_run(
    struct box *box, struct ipc_start *start, int *grant, struct err *err);

/* Kills it. Output that it has already printed is still read. */
void box_end(struct box *box);

/* round.c: a box for a session, which runs code several times. */

/*
 * Returns 0, or -1 with err if the runtime, or a box of this level of
 * isolation, cannot run code several times. Boxes are checked when they are
 * built.
 */
int box_may_keep(const struct boxes *boxes, struct err *err);
int box_is_kept(const struct box *box, struct err *err);

/* Forgets the results of its last code: it is to run that of another call. */
void box_forget(struct box *box);

/* Asks its code to end, as a terminal does with Ctrl-C. */
void box_interrupt(struct box *box);

/*
 * Ends all processes but its code's. The box must be settled: the end of those
 * of one call must not be that of the next.
 */
void box_end_others(struct box *box);

/*
 * Returns whether the processes that its code has left have ended. If they do
 * not, late becomes 1: the box cannot be used any more.
 */
int box_is_settled(struct box *box, int *late);

/* Returns the memory that it takes, in bytes; 0: unknown. */
uint64_t box_bytes(const struct box *box);

/* Stops its code, so that its files do not change, and lets it go on. */
void box_hold(struct box *box);
void box_release(struct box *box);

/*
 * Its code has ended, with this exit code, and the box waits for more: takes
 * the streams and texts, as box_on_drained does. Notifies the owner.
 */
void box_on_round(struct box *box, const struct ipc_round *round,
    struct call_stream *out, struct call_stream *errors,
    struct box_calls *calls);

/*
 * Kills and frees it: at once, or later if its launcher may still report
 * processes. boxes->dropped lists such boxes. NULL inside is accepted; *box
 * becomes NULL.
 */
void box_drop(struct box **box);

/* At the end of the program: frees the dropped boxes. */
void boxes_free_dropped(struct boxes *boxes);

/* As box_drop, for a box that is over. */
void box_free(struct box **box);

/*
 * The reports of a runtime, in this order: box_set_building, from start;
 * box_on_stood, and box_on_changed for each further process; box_set_told or
 * box_on_told, one of them once, without which the box never becomes ready;
 * box_on_ended, once, if its code ran; box_on_gone. box_on_changed,
 * box_on_told, box_on_ended, box_on_gone and box_fail notify the owner, who may
 * free the box: the caller must not use it afterwards. After give_up or free,
 * the runtime reports nothing.
 */

/*
 * The box is being built. Its processes and failures are reported until
 * box_set_told or box_on_told. Until box_set_built no unwatched child may be
 * reaped.
 */
void box_set_building(struct box *box);

/* All processes of it that will be reported are watched. */
void box_set_built(struct box *box);

/* The box is built; takes the facts. Does not notify the owner. */
void box_on_stood(struct box *box, const struct box_facts *facts);

/*
 * The runtime has seen the end of a framed box, whose output may still come: it
 * must come soon. Does not notify the owner.
 */
void box_set_draining(struct box *box);

/*
 * Process 1 of a framed box has ended, and so have all others. Its relay
 * reports the output as soon as the end of the code has arrived, and settle is
 * called: only then the box is gone. Does not notify the owner.
 */
void box_on_init_ended(struct box *box);

/*
 * Opens the directory that contains left, the one of files to keep, which is a
 * file system of its own: code cannot put it anywhere else. Returns a
 * descriptor that the caller owns, or -1 with err, also if the box has ended.
 */
int box_open_workspace(int left, struct err *err);

/* Take its directories. Do not notify the owner. */
void box_on_workspace(struct box *box, int *workspace);
void box_on_directories(struct box *box, int *left, int *data);

/*
 * There is one more process: notifies the owner; kills it if the box is ending.
 */
void box_on_changed(struct box *box);

/*
 * Its launcher will report nothing more; why is set if it violated the
 * protocol. The interpreter is running, or there is no box.
 */
void box_on_told(struct box *box, const struct err *why);

/*
 * Reports the same instead of box_on_told, which must not follow, when the
 * interpreter is running. Does not notify the owner.
 */
void box_set_told(struct box *box);

/* The end of the code. */
struct box_end {
	int exited; /* status is an exit code, else a signal, 0: unknown */
	int status;
	uint64_t cpu_us;
	uint64_t peak_kib;
	enum box_cause cause;
	int more;  /* box_on_gone follows with the cause */
	int rests; /* leftover processes may get a moment to end */
};

void box_on_ended(struct box *box, const struct box_end *end);

/*
 * report.c: sets exited, status and cause of end for a box with three
 * descriptors: as it is reported, or else by status, which is that of its
 * client: 128 and the number of a signal.
 */
void box_report_settle(
    const struct box_report *report, int status, struct box_end *end);

/*
 * Appends the mark (common/process_one.h) of which a report was made to the
 * output.
 */
void box_report_show(
    const struct box_report *report, struct call_stream *out);

/*
 * Its init has ended. over: so have all its processes, and the status of the
 * code is known or will never be.
 */
void box_on_gone(struct box *box, enum box_cause cause, int over);

/* Its status is known, or will never be. Does not notify the owner. */
void box_set_over(struct box *box);

/* Events reported by handlers; each of these may free the box. */

/* It cannot be used, or violated the protocol; the first sentence is kept. */
void box_fail(struct box *box, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, for callers with more to report: only this does not free it. */
void box_spoil(struct box *box, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void box_on_ready(struct box *box);
void box_on_running(struct box *box);

/* Its code has reported progress. */
void box_on_progress(struct box *box);

/* Its code wants to use the store: gives it a channel. */
void box_on_store_wanted(struct box *box);

/* Takes the streams, and the texts of calls. */
void box_on_drained(struct box *box, struct call_stream *out,
    struct call_stream *errors, struct box_calls *calls);

/* Frees the texts. */
void box_calls_reset(struct box_calls *calls);
void box_whole_reset(struct box_whole *whole);

/* runtimes.c: the runtimes; one row each. */

/* The box's ends of its pipes. */
struct box_pipes {
	int control_in;
	int control_out;
	int out;
	int errors;
};

/*
 * A runtime sets these fields of a box: inside; cpu_us and peak_kib, as far as
 * it measures the use of its processes; and unforked, which the handler of
 * FAILED clears, too. Every function is set unless its comment says otherwise.
 */
struct runtime {
	const char *name;
	/*
	 * Its boxes have three descriptors: out of box_pipes is -1. ready is
	 * set, otherwise NULL.
	 */
	int framed;
	/*
	 * Milliseconds that the runtime may take for an end besides
	 * BOX_DRAIN_MS.
	 */
	unsigned int end_ms;
	/*
	 * Finds out, before the first box, what this machine offers to all
	 * boxes, and sets boxes->shared. Returns 0, or -1 with err if these
	 * options cannot be met. With only_refuses no box will be started, and
	 * only that check is made.
	 */
	int (*probe)(
	    struct boxes *boxes, int only_refuses, struct err *err);
	/*
	 * Ends all boxes, reaps every process of ours (also keepers of servers
	 * and workers: reaper_finish), and frees boxes->shared, which is never
	 * NULL after probe.
	 */
	void (*finish)(struct boxes *boxes);
	/*
	 * Starts a box around the pipes, and takes those that it hands over;
	 * sets box->inside first. Returns 0, or -1 with err.
	 */
	int (*start)(
	    struct box *box, struct box_pipes *pipes, struct err *err);
	/*
	 * The interpreter asks for code: reports box_on_stood, and
	 * box_on_directories if there are any. Returns 0, or -1 with err.
	 */
	int (*ready)(struct box *box, struct err *err);
	/*
	 * The interpreter asks for code, or has got some; may call
	 * box_set_told. NULL: that needs nothing.
	 */
	void (*began)(struct box *box);
	/*
	 * The relay has ended. If the status of the box is known, reports
	 * box_on_ended or box_fail, and returns 1; otherwise returns 0.
	 */
	int (*settle)(struct box *box);
	/* Kills all of its known processes. */
	void (*kill)(struct box *box);
	/* Stops all further reports. */
	void (*give_up)(struct box *box);
	/*
	 * For boxes of sessions; all of them are NULL if there are none.
	 * stays returns whether this box can run code several times. signal
	 * sends its code a signal. clear starts to end all processes but the
	 * code's, and cleared returns whether that is done. used_us returns the
	 * CPU time of its processes so far, bytes the memory that they and its
	 * files take now.
	 */
	int (*stays)(const struct box *box);
	void (*signal)(struct box *box, int sig);
	void (*clear)(struct box *box);
	int (*cleared)(const struct box *box);
	uint64_t (*used_us)(const struct box *box);
	uint64_t (*bytes)(const struct box *box);
	/* Returns whether all of its processes are running. */
	int (*alive)(const struct box *box);
	/* Returns whether a box started now would be the same. */
	int (*current)(const struct box *box);
	/* Implement boxes_want, boxes_awaited and boxes_rest. */
	void (*want)(struct boxes *boxes);
	int (*awaited)(const struct boxes *boxes);
	void (*rest)(struct boxes *boxes);
	/*
	 * Frees it: its processes are killed and reaped later, or, with
	 * lingers, end by themselves.
	 */
	void (*free)(struct box *box, int lingers);
	/* Append its own facts as a JSON object, and free them. */
	void (*add_facts)(struct buffer *json, const void *own);
	void (*free_facts)(void *own);
};

/*
 * Returns the row for a value of the option runtime, static: a name, or the
 * path of an engine. NULL if there is none.
 */
const struct runtime *runtime_find(const char *name);

#endif
