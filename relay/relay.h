/*
 * The relay: the unprivileged worker that owns the pipes of one box for one
 * execution. Everything of this folder runs in that process only. It reads
 * the bytes of the box, checks every frame, hands requests to the broker and
 * answers to the box, keeps head and tail of what the code prints, and tells
 * the supervisor when all is drained. It can do nothing else: lockdown() sees
 * to it.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include "../common/buffer.h"
#include "../common/channel.h"
#include "../common/ipc.h"
#include "../common/json_span.h"
#include "../common/lines.h"
#include "../common/picture.h"

struct output;
struct frames;
struct outbox;
struct calls;
struct progress;

struct relay {
	struct event_base *base;
	channel_handler *const *routes; /* of every message to it */
	struct channel *supervisor;
	struct channel *broker; /* NULL: there is none, or it is gone */
	struct channel *store;  /* NULL: not yet there, or gone */
	struct frames *frames;  /* frames of the box */
	struct outbox *outbox;  /* frames for the box */
	struct calls *calls;    /* what the code asks servers and store for */
	struct output *out;     /* standard output of the code */
	struct output *errors;  /* standard error of the code */
	size_t open_pipes;      /* of the box, that may still bring bytes */
	size_t output_max;      /* bytes kept of each stream */
	size_t pictures;        /* that the code has shown */
	size_t pictures_bytes;  /* of their base64 */
	struct progress *progress; /* of the code */
};

/*
 * Calls go down only: main, routes, on_*, relay, frames, calls, request,
 * store_request, member, pictures, progress, outbox and output. Upwards there
 * are only callbacks, which are given at construction.
 */

/* on_supervisor.c: the handlers; each takes the descriptors it wants. */
void relay_on_prepare(struct relay *relay, struct ipc_prepare *prepare);
void relay_on_start(struct relay *relay, struct ipc_start *start);
void relay_on_store(struct relay *relay, struct ipc_store *store);

/* on_broker.c: the handlers. */
void relay_on_result(struct relay *relay, struct ipc_result *result);
void relay_on_refused(struct relay *relay, struct ipc_refused *refused);

/* on_store.c: the handlers. */
void relay_on_answer(struct relay *relay, struct ipc_answer *answer);
void relay_on_denied(struct relay *relay, struct ipc_denied *denied);

/* relay.c: the relay as a whole. */

/* Makes its parts, around the descriptors of the box, which are taken. */
void relay_prepare(struct relay *relay, struct ipc_prepare *prepare);

/*
 * Has the box sent its code, which is copied, and its servers, whose memfd is
 * taken. Fatal when the code cannot be read.
 */
void relay_start(struct relay *relay, struct ipc_start *start);

/* Begins to talk with the broker on *fd, which is taken. */
void relay_meet_broker(struct relay *relay, int *fd);

/* Begins to talk with the store on *fd, which is taken. */
void relay_meet_store(struct relay *relay, int *fd);

/* The store has ended: there is none until it is fetched again. */
void relay_lose_store(struct relay *relay);

/* routes.c: the handlers of every message to the relay, by type. */
channel_handler *const *relay_routes(void);

/* frames.c: what a box says on its control pipe. */

/* What the frames of a box lead to. */
struct frames_ends {
	/* The box waits for code. */
	void (*ready)(struct relay *relay);

	/* The code is being sent to the box: the deadline begins. */
	void (*sent)(struct relay *relay);

	/* The box violated the protocol. */
	void (*fault)(struct relay *relay, const char *reason);

	/* Its control pipe has ended: all output of the code is there. */
	void (*ended)(struct relay *relay);
};

/*
 * Begins to listen to a box: waits for its ready frame, and hands its requests
 * to relay->calls. Takes *in. frames_free ends it.
 */
struct frames *frames_new(
    struct relay *relay, int *in, const struct frames_ends *ends);
void frames_free(struct frames **frames);

/* What a run frame says besides. */
struct frames_run {
	const char *code;
	size_t len;
	int stored; /* there is a store */
	int echo;   /* the value of the last expression is wanted */
	size_t output_max; /* bytes kept of each stream; 0: it is not told */
	int progress; /* it may tell how far it is */
};

/*
 * Sends the box, once, its run frame with these and the servers (JSON, whose
 * memfd is taken): now, or when it is ready. A box that has ended is sent
 * nothing.
 */
void frames_start(struct frames *frames, const struct frames_run *run,
    struct ipc_blob *servers);

/* outbox.c: the queue of frames for the box. */

/* One frame: text, then all of a memfd, then tail. */
struct outbox_frame {
	struct buffer text;
	int memfd; /* -1: none */
	size_t memfd_len;
	const char *tail; /* static */
};

/*
 * Ends a frame, of which only text is made, with a blob (a memfd is taken, not
 * read) and tail, a static string.
 */
void outbox_frame_finish(
    struct outbox_frame *frame, struct ipc_blob *blob, const char *tail);

/* The bytes that the frame has on the way. */
size_t outbox_frame_len(const struct outbox_frame *frame);

/* Frees what the frame holds. */
void outbox_frame_reset(struct outbox_frame *frame);

enum outbox_kind {
	OUTBOX_RUN,     /* not counted: there is one */
	OUTBOX_ANSWER,  /* of the broker or the store */
	OUTBOX_REFUSAL, /* of the relay; all of it is text */
};

/* Takes *fd, the box's control pipe. outbox_free drops what waits. */
struct outbox *outbox_new(struct event_base *base, int *fd);
void outbox_free(struct outbox **outbox);

/*
 * Sends a frame, whose parts are taken, when the box reads it. Bounds are the
 * caller's to keep. When the box has closed its end, the frame is dropped.
 */
void outbox_add(
    struct outbox *outbox, enum outbox_kind kind, struct outbox_frame *frame);

/* How many answers wait, and how many bytes of answers and refusals. */
size_t outbox_answers(const struct outbox *outbox);
size_t outbox_unread(const struct outbox *outbox);

/* member.c: the members of a request. */

/* A member that must be there once. */
struct member {
	const char *name;
	size_t count;
	struct json_span value;
};

/*
 * Finds members in one walk, as values may be large; what is not looked for is
 * passed over.
 */
void member_find(
    struct json_span object, struct member *members, size_t count);

/* Returns 0 when the member is there once and of this kind, or -1 with err. */
int member_require(const struct member *member,
    enum json_span_kind kind, struct err *err);

/* Reads a member that is an integer to REQUEST_ID_MAX, written as such. */
int member_number(
    const struct member *member, uint64_t *number, struct err *err);

/* request.c: what the code asks for. */

/* A picture that the code shows: spans lie in its frame. */
struct request_picture {
	enum picture_kind kind;
	struct json_span data; /* its base64, without the quotes */
	char title[PICTURE_TITLE_MAX + 1];
};

/* How far the code says it is, in thousandths. */
struct request_progress {
	uint64_t done;
	uint64_t total; /* 0: unknown */
	char text[PROGRESS_TEXT_MAX + 1];
};

struct request {
	uint64_t id;
	struct json_span frame;           /* all of it */
	enum ipc_type type;               /* of the message that it becomes */
	int echo; /* it is one, and becomes no message */
	int printed; /* it asks whether text was printed, and becomes none */
	char text[ECHO_MAX + 1]; /* of an echo: output if there is no other */
	size_t text_len;
	int show; /* it is a picture, and becomes no request of others */
	struct request_picture picture;
	int tells; /* it is progress, and becomes no request of others */
	struct request_progress progress;
	char server[CONFIG_NAME_MAX + 1]; /* not of LIST_SERVERS */
	int remembered;                   /* of LIST_TOOLS */
	struct json_span tool;            /* of CALL_TOOL, with its quotes */
	struct json_span arguments; /* of CALL_TOOL; the store's: the frame */
	struct err refusal; /* why it cannot be; an empty text when it can */

	/* Of what is asked of the store. */
	char key[MEMORY_KEY_MAX + 1]; /* a key, or the name of a tool */
	size_t key_len;
	struct json_span value;    /* of SAVE_MEMORY */
	struct json_span metadata; /* of SAVE_MEMORY, empty where not given */
	int compared;              /* of SAVE_MEMORY: whether version counts */
	uint64_t version;
	int whole;                            /* of LOAD_MEMORY */
	char about[SAVED_TOOL_ABOUT_MAX + 1]; /* of SAVE_TOOL */
	struct json_span source;              /* of SAVE_TOOL */
};

/*
 * Reads a frame of type rpc_request. Returns 0 and the request, whose spans
 * lie in the frame, or -1 with err when the box violated the protocol.
 */
int request_read(
    struct json_span frame, struct request *request, struct err *err);

/* Reads a frame of type cancel: the id of the request. As request_read. */
int request_read_cancel(
    struct json_span frame, uint64_t *id, struct err *err);

/*
 * Guesses the request of a frame that is too long, of which the first bytes
 * are known: where its id stands before its payload. Returns 1, with id and
 * refusal set, or 0.
 */
int request_glimpse(const struct line *line, struct request *request);

/* store_request.c: what is asked of the store. */

/* Whether this is a request of the store; else it is one of the broker. */
int store_request_is(const struct request *request);

/* As request_read, for the payload of such a request. */
int store_request_read(
    struct json_span payload, struct request *request, struct err *err);

/* Sends it. Returns 0, or -1 with err. */
int store_request_send(
    struct channel *store, const struct request *request, struct err *err);

/* pictures.c: what the code shows. */

/*
 * Checks a picture, counts it, and makes the message that passes it on, which
 * refers to it. Returns 0, or -1 with err, one sentence for the code, where it
 * is no picture or there is no room for it.
 */
int pictures_take(struct relay *relay, const struct request_picture *picture,
    struct ipc_picture *message, struct err *err);

/* progress.c: how far the code is. */

/*
 * Begins to take progress, none of which is passed on before progress_allow.
 * send is called with each that is: once in PROGRESS_MS at most, but for
 * PROGRESS_SPARE times and the last.
 */
struct progress *progress_new(struct relay *relay,
    void (*send)(struct relay *relay, struct ipc_progress *message));
void progress_free(struct progress **progress);
void progress_allow(struct progress *progress);

/* Passes it on, now or soon, unless there was as much before. */
void progress_take(
    struct progress *progress, const struct request_progress *request);

/* The code has ended: passes on what is not yet. */
void progress_end(struct progress *progress);

/* calls.c: the requests that are under way. */

/* Why nothing can be asked for. */
#define CALLS_NO_SERVERS                                                       \
	"no servers are configured: define them in files such as "             \
	"~/.config/mcp/servers/*.json, and the next call can load them"
#define CALLS_BROKER_LOST                                                      \
	"the connection to the servers was lost: the process that held it "    \
	"ended; the next call will have a new one"

#define CALLS_NO_STORE                                                         \
	"memories and saved tools are switched off (CAISSON_MEMORY_API)"
#define CALLS_STORE_LOST                                                       \
	"the connection to what is kept was lost: the process that held it "   \
	"ended, and what was being saved may be lost; try again, as there is " \
	"a new one"
#define CALLS_STORE_GONE                                                       \
	"what is kept cannot be reached any more in this call: the process "   \
	"that holds it has ended again and again; the next call can try"

/* What requests of the store lead to. */
struct calls_ends {
	/* The store is to be fetched: at most STORE_FETCHES_MAX times. */
	void (*want_store)(struct relay *relay);

	/* It has ended: it is closed, then calls_lose_store is called. */
	void (*lose_store)(struct relay *relay);

	/*
	 * Whether the code has printed nothing so far: then this text, which
	 * may be empty, becomes its standard output.
	 */
	int (*echo)(struct relay *relay, const char *text, size_t len);

	/* Whether this name or path is in the output so far: output_has(). */
	int (*printed)(struct relay *relay, const char *text, size_t len);

	/*
	 * The code shows a picture. Returns 0 when it is on its way to the
	 * answer, or -1 with why it is not shown, for the code.
	 */
	int (*show)(struct relay *relay, const struct request_picture *picture,
	    struct err *why);

	/* The code tells how far it is. */
	void (*tell)(
	    struct relay *relay, const struct request_progress *progress);
};

/* Uses outbox, broker and store of relay; calls_close before one is gone. */
struct calls *calls_new(struct relay *relay, const struct calls_ends *ends);
void calls_free(struct calls **calls);

/*
 * A frame of type rpc_request, or one that was too long: asks the broker or
 * the store (which is fetched where there is none), or refuses. Returns 0, or
 * -1 with err when the box violated the protocol.
 */
int calls_request(struct calls *calls, struct json_span frame, struct err *err);
int calls_oversized(
    struct calls *calls, const struct line *line, struct err *err);

/*
 * A frame of type cancel: tells the broker that the code no longer waits for a
 * request, which is answered all the same. A request that is not under way has
 * been answered already. Returns as calls_request does.
 */
int calls_cancel(struct calls *calls, struct json_span frame, struct err *err);

/*
 * An answer of the broker, or one of the store in the same form; a memfd is
 * taken. Fatal when no such request is under way.
 */
void calls_result(struct calls *calls, struct ipc_result *result);
void calls_refused(struct calls *calls, struct ipc_refused *refused);

/* The store is there: asks it for what has waited. */
void calls_go_on(struct calls *calls);

/*
 * The store has ended: refuses what was sent to it; what will come has it
 * fetched again.
 */
void calls_lose_store(struct calls *calls);

/*
 * There is no broker, or no store, (any more): refuses what is under way with
 * it and what will come.
 */
void calls_close(struct calls *calls, enum role with, const char *why);

/*
 * Appends which calls and lists of tools have no answer, the oldest first, at
 * most DONE_WAITING_MAX bytes: "gh.talk (12 s), fs.read (3 s) and 4 more".
 */
void calls_add_waiting(const struct calls *calls, struct buffer *text);

/* How many calls of tools the broker got. */
uint64_t calls_made(const struct calls *calls);

/* output.c: one raw stream of the code. */

/* What was kept: valid UTF-8, where it was cut, how much is missing there. */
struct output_kept {
	char *data; /* the caller frees it */
	size_t len;
	size_t head;
	unsigned long long dropped;
	size_t marks[PICTURES_MAX]; /* where they stand now: whole characters */
};

/*
 * Reads from *fd, which is taken, to its end, then calls ended; keeps at most
 * max bytes.
 */
struct output *output_new(struct relay *relay, int *fd, size_t max,
    void (*ended)(struct relay *relay));
void output_free(struct output **output);

/*
 * Lets what comes lie in the pipe for a moment, unless much comes: for
 * OUTPUT_REST_MS, then it is looked at.
 */
void output_rest(struct output *output);

/* Reads what has come, and wakes as soon as more does. */
void output_look(struct output *output);

/* Whether nothing has come so far. */
int output_is_empty(const struct output *output);

/*
 * Whether this name or path is in what is kept so far, as a whole: it is not a
 * part of a longer name, and follows a slash only where it begins with one.
 */
int output_has(struct output *output, const char *text, size_t len);

/* Takes bytes as if they had come now. */
void output_put(struct output *output, const char *data, size_t len);

/* Marks the end of what has come; at most PICTURES_MAX times. */
void output_mark(struct output *output);

/* Gives what was kept; the stream is empty afterwards. */
void output_take(struct output *output, struct output_kept *kept);

#endif
