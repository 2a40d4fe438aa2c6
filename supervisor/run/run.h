/*
 * Executions: admission, the queue, and the one conclusion of each.
 */
#ifndef SUPERVISOR_RUN_H
#define SUPERVISOR_RUN_H

#include <stdint.h>
#include <sys/queue.h>

#include "../../common/err.h"
#include "../box/box.h"

struct broker;
struct call;
struct files;
struct in_force;
struct language;
struct pool;
struct server_texts;
struct store;

TAILQ_HEAD(call_list, call);
TAILQ_HEAD(owner_list, owner);

/* How long is waited before a box is tried again, in milliseconds. */
struct call_times {
	unsigned int replace; /* CALL_REPLACE_MS: one that was lost */
	unsigned int retry;   /* CALL_RETRY_MS: one that cannot be had yet */
};

/* All executions of the process: what they use, and which there are. */
struct runs {
	struct event_base *base;
	const struct options *options;
	struct boxes *boxes;
	struct in_force *config; /* which servers there are */
	struct broker *broker; /* speaks with them */
	struct store *store;   /* what is kept between calls, or NULL */
	struct files *files;   /* what code leaves and is given, or NULL */
	struct call_times times;
	struct pool *pool;     /* boxes that wait for a call; NULL: never any */
	struct owner_list owners; /* whose calls there may be */
	struct call_list waiting; /* admitted, but every place is taken */
	struct call_list running; /* at most options->max_concurrent */
	size_t nwaiting;
	size_t nrunning;
	size_t nstarting; /* of those that run: they have no box yet */
	unsigned long calls; /* executions so far: the number of the last */
	unsigned long turns; /* places given to owners so far */
	unsigned long last;  /* the number of the one admitted last */
	int draining;        /* no new calls; ends when none is left */
	void (*idle)(void *ctx); /* no call is left */
	void *idle_ctx;
};

/*
 * runs.c: prepares runs without any call, for these boxes, whose user it
 * becomes; they share the loop and the options. Both outlive each other's
 * calls and boxes. What else runs needs is set by the caller.
 */
void runs_init(struct runs *runs, struct boxes *boxes);

/* A client is there: soon the first box may be ready for its calls. */
void runs_begin(struct runs *runs);

/*
 * Something that may keep a program that ends from ending is gone: while
 * draining, tells the owner of runs (idle).
 */
void runs_look_drained(struct runs *runs);

/*
 * owner.c: the owner of a call is the user or client that it is made for. The
 * transport makes the owner, which must last longer than its calls. Owners do
 * not share stored memories and tools, processes of servers, or places.
 */
struct owner {
	TAILQ_ENTRY(owner) entry; /* of runs */
	/*
	 * That others call it by, unique, chosen by us and not by a client;
	 * empty: our user, who may have everything; then scope is, too.
	 */
	const char *name;
	const char *scope; /* of the store, whose memories and tools it sees */
	/* The names of the servers that it may use; NULL: all in force. */
	const struct server_texts *allowed;
	size_t most_waiting; /* of its calls */
	size_t most_running;
	/* For run/ alone: */
	size_t nwaiting;
	size_t nrunning;
	unsigned long turn; /* when one of its calls got a place at last */
};

/*
 * Begins and ends an owner. Its name, scope, servers and limits must be set.
 * While there are several, one place is kept free for each that has none.
 */
void owner_open(struct owner *owner, struct runs *runs);
void owner_close(struct owner *owner, struct runs *runs);

/* Sets and begins the owner that our user is, who may have all there is. */
void owner_open_user(struct owner *owner, struct runs *runs);

/* Whether it is our user, whose the files of the configuration are. */
int owner_is_user(const struct owner *owner);

/* Whether it may have one more place now; whether one more call may wait. */
int owner_may_run(const struct owner *owner, const struct runs *runs);
int owner_may_wait(const struct owner *owner);

/*
 * Whether calls wait because every place is taken: the processors are wanted
 * for those that run. Calls that wait for a limit of their owner are no reason.
 */
int owner_places_wanted(const struct runs *runs);

/*
 * Whether a place goes to it rather than to another one: it has fewer, or as
 * many, and has waited longer for its turn.
 */
int owner_precedes(const struct owner *owner, const struct owner *other);

/* request.c: what is to be run, and how. */

/* Told how far the code is, with the ctx of call_new, until it is concluded. */
typedef void call_progressed(
    void *ctx, const struct box_progress *progress);

struct request {
	struct owner *owner; /* who asks; lasts longer than its calls */
	const struct language *language; /* of the code, static */
	char *code;
	size_t code_len;
	unsigned int timeout;
	char *servers; /* the names, each with a NUL; NULL: none */
	size_t servers_len;
	char *files; /* for /workspace/in: names, each + NUL; NULL: none */
	size_t files_len;
	char *notes; /* what was made of it, each sentence + NUL; NULL: none */
	size_t notes_len;
	call_progressed *progressed; /* NULL: it is not wanted */
};

/* Frees what it holds. */
void request_reset(struct request *request);

/* call.c: one execution, from its admission to its one conclusion. */

enum call_status {
	CALL_SUCCESS,
	CALL_ERROR,
	CALL_TIMEOUT,
	CALL_CANCELLED,
};

/* The error of code that ended with an exit code. */
#define CALL_EXITED "Sandbox exited with code %d"

/* A file that the code has left, and that is kept. */
struct call_file {
	char *name;
	char *type; /* media type */
	uint64_t version;
	uint64_t size; /* bytes */
};

struct call_files {
	struct call_file *one;
	size_t count;
};

struct call_result {
	enum call_status status;
	int exited;    /* exit_code holds */
	int exit_code; /* the interpreter's */
	int signal;    /* that ended the code, 0 for none */
	char *error;   /* one sentence; NULL for success */
	unsigned int timeout; /* seconds */
	struct call_stream out;
	struct call_stream errors;
	struct call_pictures pictures; /* each behind its line of out */
	struct call_files files; /* in the order of their names */
	const char *servers; /* the names that were asked for, each + NUL */
	size_t servers_len;
	uint64_t tool_calls;
	int boxed; /* a box stood: there are facts */
	int unrunnable; /* what runs the language could not be started */
	struct box_facts facts;
	char *notes; /* sentences for the user, each + NUL; NULL: none */
	size_t notes_len;
	uint64_t duration_us; /* from the start of the box to its end */
	uint64_t cpu_us;   /* of all processes, as far as it is known */
	uint64_t peak_kib; /* largest resident set of one process */
};

/* Told once, when the call is concluded; result dies afterwards. */
typedef void call_concluded(void *ctx, const struct call_result *result);

/*
 * Admits a call, which starts at once or waits for a place: places go to owners
 * in turn, and within one to the call that came first. What request holds
 * is taken over in any case. Returns the call, which ends by itself with
 * concluded() (never before this function has returned), or NULL with err when
 * there is no room.
 */
struct call *call_new(struct runs *runs, struct request *request,
    call_concluded *concluded, void *ctx, struct err *err);

/* Returns the scope of the owner of this execution, or NULL when it is over. */
const char *call_scope(const struct runs *runs, unsigned long execution);

/* Whether it has a box now: not before one could be had, nor between two. */
int call_has_box(const struct call *call);

/* Hastens the end: the call concludes as cancelled, with this sentence. */
void call_cancel(struct call *call, const char *why);

/* Cancels every call. */
void call_cancel_all(struct runs *runs, const char *why);

/*
 * collection.c: the files that an execution leaves in /workspace/out, kept
 * before it is concluded.
 */
struct collection;

/*
 * Begins to keep what lies in the directory of a box of which no process is
 * left: takes it. done is called with ctx once, from the loop. What goes wrong
 * is told by collection_take.
 */
struct collection *collection_new(struct files *files,
    const struct options *options, const struct owner *owner, struct box *box,
    void (*done)(void *ctx), void *ctx);

/* Whether there is something to be kept. */
int collection_due(const struct box *box);

/* Whether it has ended, or could not begin: done was called, or will be. */
int collection_ended(const struct collection *collection);

/*
 * Hands over the files that are kept (call_files_reset frees them), and appends
 * to notes a sentence and a NUL for each that is not.
 */
void collection_take(struct collection *collection, struct call_files *files,
    struct buffer *notes);

/* It is to end soon; done is called all the same. What is kept stays kept. */
void collection_give_up(struct collection *collection);

/* It is not waited for any more. NULL inside is accepted. */
void collection_free(struct collection **collection);

/* Frees what it holds. */
void call_files_reset(struct call_files *files);

/*
 * delivery.c: the files that a call asks for, put into /workspace/in before the
 * code begins.
 */
struct delivery;

/*
 * Begins to put files of this owner into the working directory of a box, which
 * must stand: takes it. done is called with ctx once, from the loop. Returns
 * NULL with err when that cannot be.
 */
struct delivery *delivery_new(struct files *files,
    const struct options *options, const struct request *request,
    struct box *box, void (*done)(void *ctx), void *ctx, struct err *err);

/*
 * Behind done: why not all files are there, one sentence, which lives as long
 * as it; NULL when they are.
 */
const char *delivery_failure(const struct delivery *delivery);

/* It is not waited for any more. NULL inside is accepted. */
void delivery_free(struct delivery **delivery);

#endif
