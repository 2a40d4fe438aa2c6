/*
 * What the life and the runtimes of boxes know in common. Runs in the
 * supervisor; reads only messages of its own workers.
 */
#ifndef SUPERVISOR_RUNTIME_H
#define SUPERVISOR_RUNTIME_H

#include <stdbool.h>
#include <sys/queue.h>
#include <time.h>

#include "../../../common/base/buffer.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/process_one.h"
#include "../../options/options.h"
#include "../../process/process.h"

/*
 * The pictures that the code of one box displays, from the relay to the answer.
 * Runs in the supervisor; it only checks that their bytes are base64.
 */

struct call_stream;

struct call_picture {
	enum picture_kind kind;
	uint64_t width, height; /* in pixels; 0: unknown */
	char *title;            /* empty: none */
	char *data;             /* base64, of len characters */
	size_t len;
	size_t at; /* position in the standard output */
};

struct call_pictures {
	struct call_picture one[PICTURES_MAX];
	size_t count;
	size_t placed; /* the first so many have at set */
	size_t bytes;  /* of base64 */
};

/*
 * Adds a picture, and copies its title and data. Returns 0, or -1 with err for
 * a protocol violation of the relay: not base64, or too much.
 */
int pictures_add(struct call_pictures *pictures,
    const struct ipc_picture *message, struct err *err);

/*
 * Sets the position of the next picture without one. Returns 0, or -1 with err
 * if there is none, or if at is before the position of another picture.
 */
int pictures_place(struct call_pictures *pictures, uint64_t at,
    struct err *err);

/*
 * Checks that all positions are within the stream, between characters. Returns
 * 0, or -1 with err.
 */
int pictures_check(const struct call_pictures *pictures,
    const struct call_stream *out, struct err *err);

/*
 * Inserts a line about each picture into the stream, and positions the picture
 * after it: "[picture 1: Sales (PNG, 640 x 480, 23 kB)]". A picture without a
 * position comes last; one in the dropped part of the output comes there.
 */
void pictures_settle(struct call_pictures *pictures, struct call_stream *out);

/* Frees their data; the set is empty afterwards. */
void pictures_reset(struct call_pictures *pictures);

/* The progress that the code of one box reports, from the relay to the call. */

struct box_progress {
	bool wanted;       /* the relay may report it */
	bool fresh;         /* the last report was not read yet */
	uint64_t since_ms; /* when reports were allowed */
	uint64_t count;    /* number of reports */
	uint64_t done;     /* in thousandths */
	uint64_t total;    /* 0: unknown */
	char text[PROGRESS_TEXT_MAX + 1]; /* empty: none */
	/* The output so far, if that was reported last; else NULL. */
	char *output;
	size_t output_len;
	uint64_t outputs; /* number of these reports */
};

/* Frees its fields. */
void progress_reset(struct box_progress *progress);

/* Resets it; reports are allowed from now on if wanted is set. */
void progress_begin(struct box_progress *progress, int wanted);

/*
 * Stores a report of a relay. Returns 0, or -1 with err for a protocol
 * violation: a report that was not wanted, too early, or without progress.
 */
int progress_add(struct box_progress *progress,
    const struct ipc_progress *message, struct err *err);

/* The same for a report of the output so far. */
int progress_add_preview(struct box_progress *progress,
    const struct ipc_preview *message, struct err *err);

struct box;
struct box_told;
struct language;
struct runtime;

/* What can be reported of a box, by whom. */
enum box_event {
	/* Its launcher, through its runtime. */
	BOX_ON_LAUNCHED, /* processes and failures may be reported from now */
	BOX_ON_WATCHED,  /* all processes that will be reported are watched */
	BOX_ON_BUILT,    /* it stands; has detail, weak and the directories */
	BOX_ON_PROCESS,  /* there is one more process */
	BOX_ON_TOLD,     /* nothing more will be; has why */
	/* Its relay. */
	BOX_ON_ASKED,    /* the interpreter asks for code */
	BOX_ON_RUNNING,  /* the code was sent to it */
	BOX_ON_PROGRESS, /* of its code */
	BOX_ON_PROGRAM_ENDED, /* it waits for more code; has program */
	BOX_ON_DRAINED,  /* all of its output is here */
	BOX_ON_RELAY_ENDED, /* has why */
	/* Its runtime. */
	BOX_ON_DYING,    /* it ends: its output must come soon */
	BOX_ON_INIT_GONE, /* all its processes have; the relay ends soon */
	BOX_ON_STATUS,   /* of its code; has end */
	BOX_ON_GONE,     /* none of its processes is left; has cause */
	/* Its owner, any of the above, and its timer. */
	BOX_ON_CODE,     /* its relay was sent code for it */
	BOX_ON_END,      /* it is to be killed */
	BOX_ON_FAILED,   /* it cannot be used; has failure, which is taken */
	BOX_ON_TIME,     /* a time limit has passed */
	BOX_EVENTS
};

/* Where a box is: see the table in box.c. */
enum box_phase {
	BOX_BUILDING, /* it has no code */
	BOX_READY,    /* waits for code */
	BOX_TAKEN,    /* gets code as soon as it is ready */
	BOX_RUNNING,  /* the code was sent to it */
	BOX_RESTING,  /* of a session: its code has ended, it waits for more */
	BOX_ENDING,   /* ended or being killed; its output may still come */
	BOX_OVER,     /* its output and status are known; it may not be gone */
	BOX_PHASES
};

/* What is known of a box besides its phase: bits. */
enum box_fact {
	BOX_IS_BUILT = 1 << 0,  /* its facts are valid */
	BOX_HAS_ASKED = 1 << 1, /* for code */
	BOX_HAS_RUN = 1 << 2,   /* the code was sent to it */
	BOX_IS_KILLED = 1 << 3, /* by us */
	BOX_HAS_LEFTOVERS = 1 << 4, /* processes, which may still end */
	BOX_INIT_IS_GONE = 1 << 5, /* and so is all; not settled yet */
	BOX_IS_DRAINED = 1 << 6,   /* or its relay has ended */
	BOX_HAS_STATUS = 1 << 7,   /* or never will */
	BOX_IS_GONE = 1 << 8,      /* no process of it is left */
	BOX_IS_STUCK = 1 << 9,     /* that is not waited for any longer */
};

/* What its failure means for others. */
enum box_fault {
	BOX_FAULT_OTHER,
	BOX_FAULT_UNSURE, /* it is unknown whether the code was sent */
	BOX_FAULT_TRANSIENT, /* another box may succeed */
	BOX_FAULT_INTERPRETER, /* that could not be started */
};

/* Properties of a new box: bits. */
#define BOX_NO_TEMPLATE 1 /* it is not a fork of a template */
#define BOX_SESSION 2 /* it stays when its code has ended, for more */
#define BOX_SENTINELS 4 /* process 1 writes them; set by its runtime */

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
	/* Called when a box that its owner has dropped is gone. */
	void (*dropped_gone)(void *ctx);
	void *ctx;
};

/* Time limits, in milliseconds: see limits.h. */
struct box_times {
	unsigned int start;    /* BOX_START_MS */
	unsigned int drain;    /* BOX_DRAIN_MS */
	unsigned int leftovers; /* BOX_LEFTOVERS_MS */
	unsigned int hang;     /* BOX_HANG_MS */
};

/* The state shared by all boxes. One per process. */
struct boxes {
	struct event_base *base;
	const struct options *options;
	const struct runtime *runtime;
	void *shared; /* of the runtime, for all boxes; NULL: not probed */
	/* The life of the boxes: box_report. */
	void (*report)(struct box *box, enum box_event event,
	    const struct box_told *told);
	struct box_times times;
	struct boxes_user user;
	unsigned long started; /* boxes so far, and number of the last */
	size_t count;   /* not freed yet */
	size_t unready; /* have not asked for code yet */
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
	void *detail; /* private to the runtime, one block of memory */
	/* Why isolation is reduced, a few words, static; NULL: it is not. */
	const char *weak;
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
 * What a box with three descriptors claims of the end of its code, which may
 * have forged it, and of its start. Valid when its output has come.
 */
struct box_claim {
	enum {
		BOX_CLAIM_NONE,
		BOX_CLAIM_EXIT,   /* status is the exit code */
		BOX_CLAIM_SIGNAL, /* status is the number of the signal */
	} end;
	int status;
	bool memory; /* the kernel killed a process for lack of memory */
	uint64_t cpu_us;   /* that the kernel has counted for the box */
	uint64_t peak_kib; /* of memory; both 0: unknown */
	enum begun begun;  /* what its sentinels say */
	/*
	 * The last errors of a box that never was ready, and of the program
	 * that started it: UTF-8; NULL: none.
	 */
	char *errors;
};

/* The end of the code. */
struct box_end {
	bool exited;   /* exit_code is valid */
	int exit_code; /* of the interpreter */
	int signal;    /* that killed the code; 0: none */
	enum box_cause cause; /* of SIGKILL */
	struct timespec at;   /* 0: not ended */
	uint64_t cpu_us;
	uint64_t peak_kib;
};

/*
 * Sets exited, exit_code, signal and cause of end for a box with three
 * descriptors: as it claims, or else by status, which is that of its client:
 * 128 and the number of a signal.
 */
void box_claim_settle(
    const struct box_claim *claim, int status, struct box_end *end);

/*
 * Appends the sentinel (common/process_one.h) of which a claim was made to the
 * output.
 */
void box_claim_show(const struct box_claim *claim, struct call_stream *out);

/* The calls of tools that the code has made, as its relay tells them. */
struct box_calls {
	uint64_t tool_calls;
	char *waiting; /* those without an answer, and how long; NULL: none */
	char *told;    /* all of them, by tool; NULL: none */
};

/* What is kept of streams that were cut; only passed on. */
struct box_kept {
	bool any; /* else nothing of either is kept */
	struct ipc_blob out;
	struct ipc_blob errors;
	uint64_t missing; /* bytes of them that are not here */
};

/* The answer of the code to the request of its call: see response.h. */
struct box_response {
	uint64_t status; /* 0: there is none */
	enum response_form form;
	char *head;
	char *body; /* with a NUL behind it */
	size_t len;
};

/* Copies it. Returns 0, or -1 with err if the relay may not send it. */
int box_response_set(struct box_response *response,
    const struct ipc_response *message, struct err *err);
void box_response_reset(struct box_response *response);

/* What the relay has passed on; may be taken. */
struct box_output {
	struct call_stream out; /* printed */
	struct call_stream errors;
	struct call_pictures pictures; /* displayed */
	struct box_progress progress;  /* reported by the code */
	struct box_response response;
	struct box_kept kept;
	struct box_calls calls;
	struct buffer notes; /* of the box about its code, as in DONE */
};

/* Frees what was passed on, and parts of it. */
void box_output_reset(struct box_output *output);
void box_calls_reset(struct box_calls *calls);
void box_kept_reset(struct box_kept *kept);

/* A directory that was seen full: its writes fail without a trace. */
struct box_full {
	uint64_t bytes; /* that it holds; 0: it was not full yet */
	uint64_t block; /* bytes of its blocks; 0: it is not full now */
};

/* The directories of a box; the descriptors may be taken; -1: none. */
struct box_files {
	int out_dir;   /* of files to keep */
	int data;      /* of a conversation */
	int workspace; /* contains out_dir; -1: it is not open */
	unsigned int uid; /* of its code, as the host has it */
	bool looked;      /* entries of out_dir were read */
	struct box_full out_full, data_full; /* for one call */
	/* Files that were kept: for each name and version, each + NUL. */
	struct buffer synced;
};

/* The launcher of a box. */
struct box_launch {
	enum {
		BOX_LAUNCH_OVER, /* it has told all, or there is none */
		BOX_LAUNCH_HELD, /* processes may come: none is reaped */
		BOX_LAUNCH_WATCHED, /* it may still report a failure */
	} phase;
	bool forking; /* asked of a template, without a report */
};

/* What the relay of a box is for now. */
/* Write ends of pipes, to which the output of code is passed on. */
struct box_streams {
	int out;
	int errors;
};

struct box_relay {
	struct channel *channel;
	struct child *process;
	unsigned long execution; /* 0: none yet */
	int stores;  /* how many more channels to the store it may want */
	bool served; /* the code may call tools */
	bool unread; /* at the last look, the pipes of streams were not empty */
	const struct box_streams *streams; /* NULL: output is not passed on */
};

/* Of a box for a session, about its last code. */
struct box_session {
	uint64_t threads;  /* that it has left */
	uint64_t late;     /* bytes of output since, dropped */
	uint64_t used_us;  /* CPU time before it */
	uint64_t clear_ms; /* when others were last ended; 0: never */
	bool ended;        /* its code has ended, it has no other */
};

/*
 * Called when the box has changed, as the last action of a handler: it may drop
 * or free the box. Never called by a function that its owner calls.
 */
typedef void box_changed(void *ctx);

struct box {
	struct boxes *boxes;
	unsigned long number; /* of the box, not of an execution */
	const struct language *language; /* of its code, static */
	const struct options *limits; /* with those of its code */
	unsigned int how;     /* BOX_NO_TEMPLATE ... */
	enum box_phase phase;
	unsigned int known;   /* of enum box_fact */
	char *failure;        /* why it cannot be used, one sentence, or NULL */
	enum box_fault fault; /* of which kind that is */
	struct box_facts facts; /* may be taken */
	struct box_files files;
	struct box_output output;
	struct box_claim claim;
	struct box_end end;
	struct box_session session;
	struct box_launch launch;
	struct box_relay relay;
	void *inside;         /* of the runtime; NULL: not started */
	struct event *timer;  /* for the start or the end */
	box_changed *changed; /* of its owner, with ctx */
	void *ctx;
	LIST_ENTRY(box) entry; /* in boxes->dropped */
};

/* Returns whether it has ended or is being ended. */
static inline int
box_has_ended(const struct box *box)
{
	return box->phase >= BOX_ENDING;
}

/* Returns whether a fact is known of it. */
static inline int
box_knows(const struct box *box, enum box_fact fact)
{
	return (box->known & fact) != 0;
}

/* What comes with an event. */
struct box_told {
	unsigned int known; /* facts, bits */
	/* The owner is not told: another event of the same handler follows. */
	bool untold;
	bool gone_follows; /* STATUS: BOX_ON_GONE comes, with the cause */
	bool rests; /* STATUS: leftover processes may get a moment to end */
	const struct err *why; /* of a violation of the protocol; NULL: none */
	char *failure;
	void *detail; /* BUILT: facts of the runtime, are taken; NULL: none */
	const char *weak; /* BUILT: see struct box_facts */
	int *out_dir, *data;           /* are taken; NULL: none */
	const struct box_end *end;
	enum box_cause cause;
	const struct ipc_program_ended *program;
	/* PROGRAM_ENDED, DRAINED: are taken. */
	struct call_stream *out, *errors;
	struct box_calls *calls;
};

/*
 * Reports an event of a box, whose owner is told, and may free it: the
 * caller must not use it afterwards, unless the owner is not told. told: what
 * comes with the event; NULL: nothing.
 */
void box_report(
    struct box *box, enum box_event event, const struct box_told *told);

/* Reports BOX_ON_FAILED with a sentence; the first one is kept. */
void box_fail(struct box *box, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, for callers with more to report: the owner is not told. */
void box_spoil(struct box *box, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Opens the directory that contains out_dir, the one of files to keep, which is
 * a file system of its own: code cannot put it anywhere else. Returns a
 * descriptor that the caller owns, or -1 with err, also if the box has ended.
 */
int box_open_workspace(int out_dir, struct err *err);

/* The box's ends of its pipes. */
struct box_pipes {
	int control_in;
	int control_out;
	int out;
	int errors;
};

/* Optional functions of a runtime that forks boxes of templates. */
struct runtime_templates {
	/* Implement boxes_want, boxes_awaited and boxes_rest. */
	void (*want)(struct boxes *boxes);
	int (*awaited)(const struct boxes *boxes);
	void (*rest)(struct boxes *boxes);
	/* Returns whether a box started now would be the same. */
	int (*current)(const struct box *box);
};

/* Optional functions of a runtime whose boxes can run code several times. */
struct runtime_sessions {
	/* Returns whether this box can. */
	int (*stays)(const struct box *box);
	/* Sends its code a signal. */
	void (*signal)(struct box *box, int sig);
	/* Starts to end all processes but the code's; whether that is done. */
	void (*clear)(struct box *box);
	int (*cleared)(const struct box *box);
	/* Return the CPU time of its processes so far, and their memory. */
	uint64_t (*used_us)(const struct box *box);
	uint64_t (*bytes)(const struct box *box);
};

/* Optional functions of a runtime whose boxes share a state. */
struct runtime_shared {
	/*
	 * Finds out, before the first box, what this machine offers to all
	 * boxes, and sets boxes->shared. Returns 0, or -1 with err if these
	 * options cannot be met. With only_refuses no box will be started, and
	 * only that check is made.
	 */
	int (*probe)(struct boxes *boxes, int only_refuses, struct err *err);
	/*
	 * Ends all boxes, reaps every process of ours (also keepers of servers
	 * and workers: reaper_finish), and frees boxes->shared, which is never
	 * NULL after probe.
	 */
	void (*finish)(struct boxes *boxes);
	/*
	 * Returns the name of what must be fetched before any box, or NULL.
	 * NULL: that is never so.
	 */
	const char *(*lacks)(const struct boxes *boxes);
	/*
	 * Fetches it, and tries it as probe would have. Returns 0, and calls
	 * done once, from the loop, with why that failed, one sentence, or
	 * NULL; or -1 with err.
	 */
	int (*fetch)(struct boxes *boxes,
	    void (*done)(void *ctx, const char *why), void *ctx,
	    struct err *err);
};

/*
 * One kind of sandbox. It sets of a box: inside, the bit BOX_SENTINELS, uid,
 * the workspace, the use of processor and memory in end, and launch.forking,
 * which the handler of FAILED clears, too.
 */
struct runtime {
	const char *name;
	/* Its boxes have three descriptors: out of box_pipes is -1. */
	bool framed;
	/* Their interpreters are those of images, which an engine builds. */
	bool images;
	/*
	 * What all its boxes lack, a few words: they need the setting
	 * allow_weak_isolation. NULL: nothing.
	 */
	const char *weak;
	/* Milliseconds that it may take for an end besides BOX_DRAIN_MS. */
	unsigned int end_ms;
	/*
	 * Starts a box around the pipes, and takes those that it hands over;
	 * sets box->inside first. Returns 0, or -1 with err. From now on it
	 * reports events of the box.
	 */
	int (*start)(struct box *box, struct box_pipes *pipes, struct err *err);
	/*
	 * Hears what others have reported. BOX_ON_ASKED, BOX_ON_RUNNING: the
	 * first sign that the interpreter runs. Returns 0, or -1 with err if
	 * the box cannot be used. BOX_ON_DRAINED: if the status of the box is
	 * known, reports BOX_ON_STATUS or a failure, and returns 1.
	 * BOX_ON_TIME: the box is given up, nothing more is reported of it.
	 * NULL: it need not hear them.
	 */
	int (*hear)(struct box *box, enum box_event event, struct err *err);
	/* Kills all of its known processes. */
	void (*kill)(struct box *box);
	/*
	 * Returns whether all of its processes are running. NULL: they are
	 * until BOX_ON_STATUS.
	 */
	int (*alive)(const struct box *box);
	/*
	 * Frees it: its processes are killed and reaped later, or, with
	 * lingers, end by themselves.
	 */
	void (*free)(struct box *box, int lingers);
	/* Appends its own facts as a JSON object; NULL: the short form. */
	void (*add_facts)(struct buffer *json, const void *detail);
	const struct runtime_shared *shared;       /* NULL: none */
	const struct runtime_templates *templates; /* NULL: none */
	const struct runtime_sessions *sessions;   /* NULL: none */
};

#define RUNTIME(name) extern const struct runtime name##_runtime;
#include "../../options/runtimes.def"

#endif
