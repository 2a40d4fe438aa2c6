/*
 * The requests of the code, their answers, and its notes. Calls go down only:
 * calls, request, local, notes, member, tally, outbox.
 */
#ifndef RELAY_CALLS_CALLS_H
#define RELAY_CALLS_CALLS_H

#include "../../common/base/buffer.h"
#include "../../common/base/lines.h"
#include "../../common/ipc/ipc.h"
#include "../../common/json/json_span.h"
#include "../output/output.h"
#include "../state/state.h"

/* outbox.c: the queue of frames for the box. */

/* One frame: text, then bytes or all of a memfd, then tail. */
struct outbox_frame {
	struct buffer text;
	const char *data; /* borrowed; NULL: none */
	int memfd; /* -1: none */
	size_t len; /* of data or memfd */
	const char *tail; /* static */
};

/*
 * Completes a frame, of which only text is set, with a blob (a memfd is taken,
 * not read; bytes are borrowed) and tail, a static string.
 */
void outbox_frame_finish(
    struct outbox_frame *frame, struct ipc_blob *blob, const char *tail);

/* Copies borrowed bytes, so that the frame may outlive the blob. */
void outbox_frame_own(struct outbox_frame *frame);

/* The bytes of the frame on the pipe. */
size_t outbox_frame_len(const struct outbox_frame *frame);

/* Frees the members of the frame. */
void outbox_frame_reset(struct outbox_frame *frame);

enum outbox_kind {
	OUTBOX_RUN,     /* not counted: there is only one at a time */
	OUTBOX_ANSWER,  /* from the broker or the store */
	OUTBOX_REFUSAL, /* from the relay; all of it is text */
};

/* Takes *fd, the box's control pipe. outbox_free drops the queued frames. */
struct outbox *outbox_new(struct event_base *base, int *fd);
void outbox_free(struct outbox **outbox);

/*
 * Queues a frame, whose parts are taken, until the box reads it. The caller
 * enforces the limits. If the box has closed its end, the frame is dropped.
 */
void outbox_add(
    struct outbox *outbox, enum outbox_kind kind, struct outbox_frame *frame);

/*
 * Drops the queued frames, except one of which a part is written: the box would
 * not understand the next one.
 */
void outbox_forget(struct outbox *outbox);

/*
 * Closes the pipe once all queued frames are written: the box reads the end of
 * the file. Nothing may be added afterwards.
 */
void outbox_finish(struct outbox *outbox);

/*
 * The number of queued answers, and the bytes of queued answers and refusals.
 */
size_t outbox_answers(const struct outbox *outbox);
size_t outbox_unread(const struct outbox *outbox);

/* member.c: the members of a request, which json_span_members() finds. */

/* Returns 0 if the member occurs once and has this type, or -1 with err. */
int member_require(const struct json_span_member *member,
    enum json_span_kind kind, struct err *err);

/* Reads a member that is an integer up to REQUEST_ID_MAX, written as such. */
int member_number(const struct json_span_member *member, uint64_t *number,
    struct err *err);

/* local.c: the requests that the relay itself answers. */

/* Their callbacks. */
struct local_ends {
	/*
	 * Whether the code has printed nothing so far; if so, this text, which
	 * may be empty, becomes its standard output.
	 */
	int (*echo)(struct relay *relay, const char *text, size_t len);

	/* Whether this name or path is in the output so far: printed_has(). */
	int (*printed)(struct relay *relay, const char *text, size_t len);

	/*
	 * The code shows a picture. Returns 0 if it is being sent to the
	 * client, or -1 with the reason, for the code.
	 */
	int (*show)(struct relay *relay, const struct request_picture *picture,
	    struct err *why);

	/* The code reports progress. */
	void (*tell)(
	    struct relay *relay, const struct request_progress *progress);

	/*
	 * The answer of the code to its request. Returns whether it is passed
	 * on, and not too large for that.
	 */
	int (*respond)(struct relay *relay, struct ipc_response *message);
};

struct local_answer {
	int value;          /* true or false */
	struct err refusal; /* why it is refused; empty if it is not */
};

/*
 * Answers a request with this payload. Returns 0, or -1 with err if the box
 * violated the protocol.
 */
typedef int local_request(struct relay *relay, const struct local_ends *ends,
    struct json_span payload, struct local_answer *answer, struct err *err);

/* Returns the function of a request with this type, or NULL. */
local_request *local_find(struct json_span type);

/* request.c: the requests of the code. */

struct request {
	uint64_t id;
	struct json_span frame; /* the whole frame */
	local_request *local;   /* answers it; NULL: it becomes a message */
	struct json_span payload; /* for local */
	enum ipc_type type;       /* of the message */
	union ipc_any message;    /* refers to the frame, and to decoded */
	size_t size;              /* bytes to count while it is in flight */
	char *decoded[IPC_FIELDS_MAX];
	size_t ndecoded;
	struct err refusal; /* why it is refused; empty if it is not */
};

/*
 * Reads a frame of type rpc_request. Returns 0 and the request, which refers to
 * the frame, or -1 with err if the box violated the protocol. request_release
 * frees its members in both cases.
 */
int request_read(
    struct json_span frame, struct request *request, struct err *err);
void request_release(struct request *request);

/*
 * Reads a frame of type cancel: the id of the request. Returns like
 * request_read.
 */
int request_read_cancel(struct json_span frame, uint64_t *id, struct err *err);

/*
 * Extracts the request from the first bytes of a frame that is too long, if its
 * id precedes its payload. Returns 1, with id and refusal set, or 0.
 */
int request_glimpse(const struct line *line, struct request *request);

/* calls.c: the requests in flight. */

/* Why every request is refused. */
#define CALLS_NO_SERVERS                                                       \
	"no servers are configured: define them in files such as "             \
	"~/.config/mcp/servers/*.json, and the next call can load them"
#define CALLS_BROKER_LOST                                                      \
	"the connection to the servers was lost: the process that held it "    \
	"ended; the next call will have a new one"

#define CALLS_NO_STORE                                                         \
	"memories and saved tools are disabled (CAISSON_MEMORY_API)"
#define CALLS_STORE_LOST                                                       \
	"the connection to the store was lost: its process ended, and a "      \
	"value that was being saved may be lost; try again, a new store is "   \
	"started"
#define CALLS_STORE_GONE                                                       \
	"the store is unavailable for the rest of this call: its process has " \
	"ended repeatedly; retry in the next call"

/* Callbacks of requests. */
struct calls_ends {
	/* Requests the store: called at most STORE_FETCHES_MAX times. */
	void (*want_store)(struct relay *relay);

	/*
	 * The store has ended: it is closed, then calls_lose_store is called.
	 */
	void (*lose_store)(struct relay *relay);

	struct local_ends local;
};

/*
 * Uses outbox, broker and store of relay; calls_close must be called before one
 * of them is freed.
 */
struct calls *calls_new(struct relay *relay, const struct calls_ends *ends);
void calls_free(struct calls **calls);

/*
 * Handles a frame of type rpc_request, or one that was too long: sends it to
 * the broker or the store (fetched if necessary), or refuses it. Returns 0, or
 * -1 with err if the box violated the protocol.
 */
int calls_request(struct calls *calls, struct json_span frame, struct err *err);
int calls_oversized(
    struct calls *calls, const struct line *line, struct err *err);

/*
 * Handles a frame of type cancel: notifies the broker that the code no longer
 * waits for a request, which is still answered. A request that is not in flight
 * has been answered already. Returns like calls_request.
 */
int calls_cancel(struct calls *calls, struct json_span frame, struct err *err);

/*
 * Handles an answer of the broker, or one of the store in the same form; a
 * memfd is taken. Fatal if no such request is in flight.
 */
void calls_result(struct calls *calls, struct ipc_result *result);
void calls_refused(struct calls *calls, struct ipc_refused *refused);

/* The store is available: sends it the waiting requests. */
void calls_go_on(struct calls *calls);

/*
 * The store has ended: refuses the requests sent to it; later requests fetch a
 * new store.
 */
void calls_lose_store(struct calls *calls);

/*
 * There is no broker or no store (any more): refuses its requests in flight and
 * all later ones.
 */
void calls_close(struct calls *calls, enum role with, const char *why);

/*
 * Appends the calls and lists of tools without an answer, the oldest first, at
 * most DONE_WAITING_MAX bytes: "gh.talk (12 s), fs.read (3 s) and 4 more".
 */
void calls_add_waiting(const struct calls *calls, struct buffer *text);

/*
 * Appends all calls of tools that may have reached their servers, at most
 * DONE_CALLS_MAX bytes: "gh.talk, fs.read ×3; fs.write without an answer".
 */
void calls_add_tally(const struct calls *calls, struct buffer *text);

/* The number of tool calls sent to the broker. */
uint64_t calls_made(const struct calls *calls);

/* notes.c: notes of the box about the code. */

/*
 * Adds the note of a frame. Returns 0, or -1 with err if the box violated the
 * protocol.
 */
int notes_take(struct notes *notes, struct json_span frame, struct err *err);

/* Returns the notes as a field of IPC_PROGRAM_FIELDS, valid until the reset. */
struct ipc_bytes notes_told(struct notes *notes);
void notes_reset(struct notes *notes);

/* tally.c: the calls of tools, counted by name. */

struct tally_tool {
	char name[WAITING_NAME_MAX + 1]; /* in quotes if it is not plain */
	uint64_t answered, open; /* calls with and without an answer */
};

/* Counters of up to TALLY_TOOLS_MAX tools; the last is for all others. */
struct tally {
	struct tally_tool tools[TALLY_TOOLS_MAX + 1];
	size_t count; /* of names */
};

/*
 * Returns a name that cannot be taken for several: in quotes, which the buffer
 * then has, if it is not plain; NULL if it is too long in quotes.
 */
const char *tally_shown(const char *name, struct buffer *quoted);

/* Counts a call of a tool, whose name has up to WAITING_NAME_MAX bytes. */
void tally_add(struct tally *tally, const char *name, int answered);

/* Appends all of them, as calls_add_tally does. */
void tally_write(const struct tally *tally, struct buffer *text);

#endif
