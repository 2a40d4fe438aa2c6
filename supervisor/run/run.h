/* Executions: admission, the queue, and the one conclusion of each. */
#ifndef SUPERVISOR_RUN_H
#define SUPERVISOR_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "../../common/base/buffer.h"
#include "../../common/base/err.h"
#include "../../common/json/json_span.h"
#include "../box/box.h"
#include "../peers/peers.h"
#include "figures.h"

struct call;
struct executor;
struct in_force;
struct language;
struct pool;
struct server_texts;
struct sessions;

TAILQ_HEAD(call_list, call);
TAILQ_HEAD(owner_list, owner);

/* All executions of the process, and the modules they use. */
struct runs {
	struct event_base *base;
	const struct options *options;
	struct boxes *boxes;
	const struct executor *const *executors; /* the first that takes it */
	struct in_force *config; /* the configured servers */
	struct peers peers; /* the services */
	struct pool *pool;     /* idle boxes for calls; NULL: no pool */
	struct sessions *sessions; /* NULL: there are none */
	struct owner_list owners; /* the open owners */
	struct call_list waiting; /* admitted, waiting for a place */
	struct call_list running; /* at most options->max_concurrent */
	size_t nwaiting;
	size_t nrunning;
	size_t nstarting; /* running, but without a box yet */
	unsigned long calls; /* executions so far */
	unsigned long turns; /* places given to owners so far */
	size_t clients;        /* by stdio, or with a session over HTTP */
	uint64_t last_client;  /* number of the last session */
	unsigned long reloads; /* of the settings, so far */
	struct figures figures;
	bool draining;        /* refuses new calls; idle follows the last one */
	void (*idle)(void *ctx); /* called when no call is left */
	void *idle_ctx;
	void (*first)(void *ctx); /* called with the first call; NULL: not */
	void *first_ctx;
};

/*
 * runs.c: initialises runs without any call, and sets it as the user of these
 * boxes. It shares their loop and options. The structs must outlive each
 * other's calls and boxes. The caller sets the other fields that it needs.
 */
void runs_init(struct runs *runs, struct boxes *boxes);

/* Called when a client connects: the pool may start its first box. */
void runs_begin(struct runs *runs);

/*
 * Called when something that can delay the end of the program has finished:
 * while draining, calls idle, which checks whether all has ended.
 */
void runs_look_drained(struct runs *runs);

/*
 * owner.c: the owner of a call is the user or client that it runs for. The
 * transport creates the owner, which must outlive its calls. Owners do not
 * share stored memories and tools, server processes, or places.
 */
struct owner {
	TAILQ_ENTRY(owner) entry; /* of runs */
	/*
	 * Its unique name in other modules, chosen by us and not by a client.
	 * If empty, the owner is our user, who may use everything; then scope
	 * is empty, too.
	 */
	const char *name;
	const char *scope; /* in the store: its memories and tools */
	/*
	 * The names of the servers that it may use; NULL: all configured ones.
	 */
	const struct server_texts *allowed;
	/* The settings that its clients see; NULL: those of runs. */
	const struct options *options;
	size_t most_waiting; /* of its calls */
	size_t most_running;
	uint64_t cpu_most; /* microseconds of its calls a day; 0: no limit */
	/* Private to front/: unanswered requests for files, and running. */
	size_t nreads;
	size_t nreading;
	/* The isolation as last sent where there is no session; NULL: never. */
	char *isolation;
	/* Private to run/: */
	size_t nwaiting;
	size_t nrunning;
	uint64_t cpu_day;  /* since 1970, in UTC */
	uint64_t cpu_used; /* microseconds in it */
	unsigned long turn; /* when one of its calls last got a place */
	struct buffer told; /* names of notes that it was shown, each + NUL */
};

/* Open and close an owner. Its name, scope, servers and limits must be set. */
void owner_open(struct owner *owner, struct runs *runs);
void owner_close(struct owner *owner, struct runs *runs);

/* Sets and opens the owner that is our user, who may use everything. */
void owner_open_user(struct owner *owner, struct runs *runs);

/* Returns whether it is our user, whom the configuration files belong to. */
int owner_is_user(const struct owner *owner);

/* Returns the settings that its clients see. */
const struct options *owner_options(
    const struct owner *owner, const struct runs *runs);

/* Counts microseconds that a call has taken to those of today. */
void owner_spend(struct owner *owner, uint64_t cpu_us);

/* Returns 0 if it has processor time left today, or -1 with err. */
int owner_check_cpu(struct owner *owner, struct err *err);

/* Returns whether one more of its calls may run now. */
int owner_may_run(const struct owner *owner, const struct runs *runs);

/* Returns whether a note of this name is to be shown: always for no name. */
int owner_hears(struct owner *owner, const char *once);

/*
 * Returns whether it has no place while another owner has several: one of
 * theirs will be its own, so that it waits as long as one of their calls lasts.
 */
int owner_is_due(const struct owner *owner, const struct runs *runs);

/*
 * Returns whether calls wait because every place is taken, so that running
 * calls need the processors. Calls that wait for a limit of their owner do not
 * count.
 */
int owner_places_wanted(const struct runs *runs);

/*
 * Returns whether the next place goes to owner rather than to other: it has
 * fewer places, or as many and has waited longer for its turn.
 */
int owner_precedes(const struct owner *owner, const struct owner *other);

/* request.c: the request for an execution. */

/*
 * Called with the ctx of call_new when the code reports progress, or has more
 * output and has not reported progress yet, until the call is concluded.
 */
typedef void call_progressed(void *ctx, const struct box_progress *progress);

/*
 * Asks the client of a call, for a server, with the ctx of call_new: kind is a
 * bit of enum client_asked, params a JSON object on one line. call_answer()
 * follows, but to ASK_CLIENT_TELLS. Returns 0, or -1 with err. kind 0: the
 * answer is not needed.
 */
typedef int call_asked(
    void *ctx, unsigned int kind, const char *params, struct err *err);

/* The W3C Trace Context of a request. */
struct trace {
	char *parent; /* traceparent; NULL: none */
	char *state;  /* tracestate; NULL: none */
};

static inline void
trace_reset(struct trace *trace)
{
	free(trace->parent);
	free(trace->state);
	*trace = (struct trace){ 0 };
}

struct request {
	struct owner *owner; /* must outlive its calls */
	const struct language *language; /* of the code, static */
	char *code;
	size_t code_len;
	unsigned int timeout;
	/* The settings with its limits; NULL: those of runs. They stay. */
	const struct options *limits;
	char *servers; /* their names, each + NUL; NULL: none */
	size_t servers_len;
	char *files; /* for /workspace/in: names, each + NUL; NULL: none */
	size_t files_len;
	char *conversation; /* id of that for /data; NULL: none */
	char *session; /* name of that whose state is kept; NULL: none */
	struct buffer input; /* for the code, see START; empty: none */
	bool responds; /* its code answers a request in it */
	struct trace trace;
	char *notes; /* changes to the request, sentences + NUL; NULL: none */
	size_t notes_len;
	call_progressed *progressed; /* NULL: no notification */
	/* Where output goes as it is printed; NULL: nowhere. Outlives it. */
	const struct box_streams *streams;
	call_asked *asked;
	unsigned int asks; /* what it can be asked: enum client_asked */
	uint64_t client;   /* number of its session; 0: none */
};

/*
 * call_judge.c: returns how to give its code more memory, as the end of a
 * sentence that the caller frees: what has set the limit is named.
 */
char *request_memory_fix(const struct request *request);

/* Frees its fields. */
static inline void
request_reset(struct request *request)
{
	free(request->code);
	free(request->servers);
	free(request->files);
	free(request->conversation);
	free(request->session);
	buffer_reset(&request->input);
	free(request->notes);
	trace_reset(&request->trace);
	*request = (struct request){ 0 };
}

/* call.c: one execution, from admission to its only conclusion. */

enum call_status {
	CALL_SUCCESS,
	CALL_ERROR,
	CALL_TIMEOUT,
	CALL_CANCELLED,
};

/* call_record.c: returns the word for it, static. */
const char *call_status_word(enum call_status status);

/* The error of code that exited with a status other than 0. */
#define CALL_EXITED "Sandbox exited with code %d"
/* How that begins which a box has said itself, in its errors. */
#define CALL_NOT_RUN "the code was not run: "

/* A file that the code has left, and that was kept. */
struct call_file {
	char *name;
	char *type; /* media type */
	uint64_t version;
	uint64_t size; /* bytes */
	char *conversation; /* its id; NULL: it belongs to none */
	char *url; /* of a link to it; NULL: there are none */
	bool cut; /* it may lack its end, as its directory is full */
};

struct call_files {
	struct call_file *one;
	size_t count;
	const char *scope; /* of their owner */
};

/* The session of a call. */
struct call_session {
	const char *name; /* NULL: the call had none, and its box was fresh */
	unsigned long calls; /* with this box, this one included */
	uint64_t age_ms; /* of the box */
	uint64_t threads; /* that the code has left, as its box says */
	bool threaded; /* they run on between two calls */
	uint64_t late; /* bytes of output between calls, dropped */
	bool interrupted; /* the code was interrupted by us */
	const char *earlier; /* why the state before is lost; NULL: it is not */
	const char *ended; /* why; NULL: it stays */
};

/* How much of a cut output later code can read. */
enum call_kept { CALL_KEPT_NONE, CALL_KEPT_START, CALL_KEPT_ALL };

struct call_result {
	enum call_status status;
	bool exited;   /* exit_code is valid */
	int exit_code; /* of the interpreter */
	int signal;    /* that killed the code; 0: none */
	char *error;   /* one sentence; NULL for success */
	unsigned int timeout; /* seconds */
	struct call_stream out;
	struct call_stream errors;
	struct call_pictures pictures; /* each after its line of out */
	struct box_response response; /* to its request; status 0: none */
	struct call_files files; /* by conversation and name */
	const char *servers; /* the requested names, each + NUL */
	size_t servers_len;
	uint64_t tool_calls;
	char *calls; /* of tools, by name; NULL: none */
	char *waiting; /* those without an answer; NULL: none */
	const char *id; /* of the execution; NULL: it has none */
	enum call_kept kept; /* of the output that was cut */
	bool boxed; /* a box was built: facts is valid */
	bool unrunnable; /* the interpreter could not be started */
	struct box_facts facts;
	struct call_session session;
	char *notes; /* sentences for the user, each + NUL; NULL: none */
	size_t notes_len;
	uint64_t duration_us; /* of its place, until its code ended */
	uint64_t cpu_us;   /* of all processes, as far as measured */
	uint64_t peak_kib; /* of one process; in a cgroup or container of all */
};

/* Called once, at the conclusion; result is valid only during the call. */
typedef void call_concluded(void *ctx, const struct call_result *result);

/*
 * Admits a call, which starts at once or waits for a place. Places go to owners
 * in turn, and within an owner to the oldest call. Takes the fields of request
 * in any case. Returns the call, which is freed after concluded() (never called
 * before this function has returned), or NULL with err if the queue is full.
 */
struct call *call_new(struct runs *runs, struct request *request,
    call_concluded *concluded, void *ctx, struct err *err);

/*
 * asking.c: what the client has answered, a JSON object, or (len 0) why it has
 * not. runs_take_questions: once there is a broker, from which they come.
 */
void call_answer(struct call *call, struct json_span result, const char *why);
void runs_take_questions(struct runs *runs);

/*
 * Counts what running calls have taken so far, of owners with a limit of it,
 * and ends those whose owner has none left. Called once a second.
 */
void calls_charge(struct runs *runs);

/* Ends the call early: it concludes as cancelled, with this sentence. */
void call_cancel(struct call *call, const char *why);

/* Cancels the call of this id and scope. Returns whether there is one. */
int call_cancel_id(
    struct runs *runs, const char *scope, const char *id, const char *why);

/* Cancels every call. */
void call_cancel_all(struct runs *runs, const char *why);

/*
 * Cancels the call that has this session, of the owner with this scope, if
 * there is one. Its code is not interrupted first.
 */
void call_end_session(struct runs *runs, const char *scope, const char *name,
    const char *why);

/* call_list.c: the calls that wait and those that run. */

/* Appends those of a scope, the last one first: objects, a comma after each. */
void calls_tell(
    const struct runs *runs, const char *scope, struct buffer *list);

/* Returns the owner of this execution, or NULL if it is over. */
const struct owner *call_owner(
    const struct runs *runs, unsigned long execution);

/* local.c: the executor of this machine. */

/*
 * Returns the memory in bytes of the box of the call that has this session, of
 * the owner with this scope; 0: unknown, or none.
 */
uint64_t call_session_bytes(
    const struct runs *runs, const char *scope, const char *name);

/*
 * collection.c: keeps the files that an execution leaves in /workspace/out, and
 * those of its conversation in /data, before the execution is concluded.
 */
struct collection;
struct delivery;

/*
 * Starts to keep the files in the directories of a box that has no processes
 * left; takes the directories. delivery is that of this box, or NULL if there
 * was none; request must outlive the collection. done is called once with ctx,
 * from the loop. Errors are reported by collection_take.
 */
struct collection *collection_new(struct files *files,
    const struct request *request, struct box *box,
    const struct delivery *delivery, void (*done)(void *ctx), void *ctx);

/*
 * Looks whether directories of the box are full: files of a call that lacked
 * room, if only for a while, may be incomplete.
 */
void collection_look(struct box_files *files);

/* Returns whether there are files to keep. */
int collection_due(struct box *box, const struct request *request);

/*
 * Moves the kept files to files (freed by call_files_reset), and appends to
 * notes a sentence and a NUL for each file that was not kept.
 */
void collection_take(struct collection *collection, struct call_files *files,
    struct buffer *notes);

/* Asks it to end soon; done is still called. Files already kept stay. */
void collection_give_up(struct collection *collection);

/* Frees it, and drops its result. NULL inside is accepted. */
void collection_free(struct collection **collection);

/* Frees its fields. */
void call_files_reset(struct call_files *files);

/*
 * delivery.c: puts the files that a call asks for into /workspace/in, and those
 * of its conversation into /data, before the code starts.
 */

struct delivery_part {
	struct delivery *delivery;
	struct files_task *task; /* NULL: none, or it has ended */
};

struct delivery {
	struct delivery_part asked; /* the files in /workspace/in */
	struct delivery_part data;  /* those of the conversation */
	void (*done)(void *ctx);
	void *ctx;
	struct buffer synced; /* names and versions of data: see files_mirror */
	const struct request *request;
	bool ended;    /* done was called */
	char *failure; /* the first failure, one sentence; NULL: none */
};

/* Returns whether there may be such files. */
int delivery_due(const struct request *request);

/*
 * Starts to put files of this owner into the directories of a box, which must
 * be built; takes the working directory. request must outlive the delivery.
 * done is called once with ctx, from the loop. Returns NULL with err if it
 * cannot start.
 */
struct delivery *delivery_new(struct files *files,
    const struct request *request, struct box *box, void (*done)(void *ctx),
    void *ctx, struct err *err);

/* Frees it, and drops its result. NULL inside is accepted. */
void delivery_free(struct delivery **delivery);

#endif
