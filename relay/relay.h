/*
 * The relay: the unprivileged worker that owns the pipes of one box for one
 * execution, or one session. All files of this folder run in that process only.
 * It parses the bytes of the box, checks every frame, passes requests to the
 * broker and the store and answers to the box, keeps the head and tail of the
 * output, and reports to the supervisor when all pipes are drained. lockdown()
 * prevents anything else.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include "../common/base/buffer.h"
#include "../common/ipc/channel.h"
#include "../common/ipc/ipc.h"
#include "../common/json/json_span.h"
#include "../common/base/lines.h"
#include "../common/picture.h"
#include "../common/process_one.h"

struct output;
struct frames;
struct outbox;
struct calls;
struct progress;
struct so_far;

/* The highest number of a signal on Linux. */
#define RELAY_SIGNAL_MAX 64

/* The end of the code as the box reports it. */
enum relay_end {
	RELAY_END_NONE,
	RELAY_END_EXIT,   /* status is the exit code */
	RELAY_END_SIGNAL, /* status is the number of the signal */
};

struct relay_report {
	enum relay_end end;
	uint64_t status;
	int memory; /* the kernel killed a process for lack of memory */
	uint64_t cpu_us;   /* that all processes have used; 0: unknown */
	uint64_t peak_kib; /* of memory; 0: unknown */
};

/* Notes of the box about the code. */
struct notes {
	struct buffer texts; /* the first NOTES_MAX, cleaned: see DONE */
	size_t count;        /* all of them */
};

struct relay {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	struct channel *broker; /* NULL if there is none, or it has ended */
	struct channel *store;  /* NULL if not yet fetched, or ended */
	struct frames *frames;  /* frames from the box; NULL: no bootstrap */
	struct outbox *outbox;  /* frames to the box, or its code */
	struct calls *calls;    /* requests of the code to servers and store */
	struct output *out;     /* standard output of the code */
	struct output *errors;  /* standard error of the code */
	/*
	 * Errors of a box with three descriptors, whose output and whose end
	 * are frames; NULL: the box has pipes for its output.
	 */
	struct output *outer;
	struct relay_report report; /* of such a box, or of a marked one */
	int finished;           /* no process of such a box is left */
	int ready;              /* the box has asked for code */
	int started;            /* it has been given code, which may run */
	int kept;               /* it stays when the code has ended */
	uint64_t late;          /* bytes of output that came before the code */
	size_t open_pipes;      /* pipes of the box that are still open */
	size_t output_max;      /* bytes kept of each stream */
	size_t pictures;        /* number of pictures shown */
	size_t pictures_bytes;  /* bytes of their base64 */
	struct progress *progress; /* reports of the code */
	struct so_far *so_far; /* its output, until it reports */
	struct notes notes;
};

/*
 * Calls go down only: main, routes, on_*, relay, frames, calls, request,
 * local, streams, notes, member, tally, report, pictures, progress, outbox,
 * printed, output and begun. Calls upwards are callbacks, which are given at
 * construction.
 */

/* on_supervisor.c: the handlers; each takes the descriptors that it needs. */
void relay_on_prepare(struct relay *relay, struct ipc_prepare *prepare);
void relay_on_start(struct relay *relay, struct ipc_start *start);
void relay_on_store(struct relay *relay, struct ipc_store *store);
void relay_on_finish(struct relay *relay, struct ipc_finish *finish);

/* on_broker.c: the handlers. */
void relay_on_result(struct relay *relay, struct ipc_result *result);
void relay_on_refused(struct relay *relay, struct ipc_refused *refused);

/* on_store.c: the handlers. */
void relay_on_answer(struct relay *relay, struct ipc_answer *answer);
void relay_on_denied(struct relay *relay, struct ipc_denied *denied);

/* relay.c: the relay as a whole. */

/* Makes its parts with the descriptors of the box, which are taken. */
void relay_prepare(struct relay *relay, struct ipc_prepare *prepare);

/*
 * Sends the box its code, which is copied, and its servers, whose memfd is
 * taken. Fatal if the code cannot be read.
 */
void relay_start(struct relay *relay, struct ipc_start *start);

/* Opens the connection to the broker on *fd, which is taken. */
void relay_meet_broker(struct relay *relay, int *fd);

/* Opens the connection to the store on *fd, which is taken. */
void relay_meet_store(struct relay *relay, int *fd);

/* The store has ended: the next request fetches a new one. */
void relay_lose_store(struct relay *relay);

/*
 * No process of a box with three descriptors is left: behind the end of the
 * code, only the end of its pipes would come.
 */
void relay_finish(struct relay *relay);

/* routes.c: the handlers of every message to the relay, by type. */
channel_handler *const *relay_routes(void);

/* frames.c: the frames on the control pipe of the box. */

/* The end of code of a session, as the box reports it. */
struct frames_end {
	uint64_t exit;    /* its exit code, at most END_STATUS_MAX */
	uint64_t threads; /* that it has left, at most ROUND_THREADS_MAX */
};

/* The callbacks for frames of the box. */
struct frames_ends {
	/* The box is ready for code. */
	void (*ready)(struct relay *relay);

	/* The code is being sent to the box: the deadline runs from now. */
	void (*sent)(struct relay *relay);

	/* The box violated the protocol. */
	void (*fault)(struct relay *relay, const char *reason);

	/* Returns whether nothing more will come: reading stops then. */
	int (*complete)(struct relay *relay);

	/*
	 * Its control pipe has ended: all output of the code is in the pipes.
	 */
	void (*ended)(struct relay *relay);

	/*
	 * The code has ended, and the box waits for more: all output of the
	 * code is in the pipes.
	 */
	void (*code_ended)(struct relay *relay, const struct frames_end *end);
};

/*
 * Starts to read from a box: waits for its ready frame, and passes its requests
 * to relay->calls. Takes *in. frames_free stops reading.
 */
struct frames *frames_new(
    struct relay *relay, int *in, const struct frames_ends *ends);
void frames_free(struct frames **frames);

/* Stops reading if nothing more will come. */
void frames_check(struct frames *frames);

/* Further members of a run frame. */
struct frames_run {
	const char *code;
	size_t len;
	int stored; /* there is a store */
	int echo;   /* the value of the last expression is requested */
	int progress; /* it may report progress */
	int kept; /* the box stays when the code has ended */
};

/*
 * Sends the box its run frame with these and the servers (JSON, whose memfd is
 * taken): now, or when it is ready; once, and again after each code_ended. A
 * box that has ended is sent nothing.
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
 * Completes a frame, of which only text is set, with a blob (a memfd is taken,
 * not read) and tail, a static string.
 */
void outbox_frame_finish(
    struct outbox_frame *frame, struct ipc_blob *blob, const char *tail);

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

/* member.c: the members of a request. */

/* A member that must occur once. */
struct member {
	const char *name;
	size_t count;
	struct json_span value;
};

/*
 * Finds members in one pass, as values may be large; other members are skipped.
 */
void member_find(
    struct json_span object, struct member *members, size_t count);

/* Returns 0 if the member occurs once and has this type, or -1 with err. */
int member_require(const struct member *member,
    enum json_span_kind kind, struct err *err);

/* Reads a member that is an integer up to REQUEST_ID_MAX, written as such. */
int member_number(
    const struct member *member, uint64_t *number, struct err *err);

/* local.c: the requests that the relay itself answers. */

/* A picture that the code shows: the spans are in its frame. */
struct request_picture {
	enum picture_kind kind;
	struct json_span data; /* its base64, without the quotes */
	char title[PICTURE_TITLE_MAX + 1];
};

/* Progress reported by the code, in thousandths. */
struct request_progress {
	uint64_t done;
	uint64_t total; /* 0: unknown */
	char text[PROGRESS_TEXT_MAX + 1];
};

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
int request_read_cancel(
    struct json_span frame, uint64_t *id, struct err *err);

/*
 * Extracts the request from the first bytes of a frame that is too long, if its
 * id precedes its payload. Returns 1, with id and refusal set, or 0.
 */
int request_glimpse(const struct line *line, struct request *request);

/* streams.c: the output of a box with three descriptors. */

/*
 * Handles a frame of this type if it is output of the code, or the report of
 * its end. Returns 1 if it is, 0 if it is not, or -1 with err if the box
 * violated the protocol.
 */
int streams_take(struct relay *relay, struct json_span frame,
    struct json_span type, struct err *err);

/* pictures.c: pictures shown by the code. */

/*
 * Checks a picture, counts it, and fills the message that passes it on, which
 * refers to it. Returns 0, or -1 with err, one sentence for the code, if it is
 * not a picture or there is no room for it.
 */
int pictures_take(struct relay *relay, const struct request_picture *picture,
    struct ipc_picture *message, struct err *err);

/* progress.c: progress reported by the code. */

/*
 * Starts to accept progress, of which none is passed on before progress_allow.
 * send is called for each report that is passed on: at most once in
 * PROGRESS_MS, except PROGRESS_SPARE times and the last.
 */
struct progress *progress_new(struct relay *relay,
    void (*send)(struct relay *relay, struct ipc_progress *message));
void progress_free(struct progress **progress);
void progress_allow(struct progress *progress);

/* Passes a report on, now or soon, unless progress has not increased. */
void progress_take(
    struct progress *progress, const struct request_progress *request);

/* The code has ended: passes on the last report. */
void progress_end(struct progress *progress);

/* so_far.c: the output of running code for a client that watches. */

/* send is called at most once in SO_FAR_MS. */
struct so_far *so_far_new(struct relay *relay,
    void (*send)(struct relay *relay, struct ipc_so_far *message));
void so_far_free(struct so_far **so_far);

/* The code is started, and its client watches. */
void so_far_begin(struct so_far *so_far);

/* The code has ended, or reports progress itself: nothing more is sent. */
void so_far_end(struct so_far *so_far);

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
void calls_add_told(const struct calls *calls, struct buffer *text);

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

/* Appends all of them, as calls_add_told does. */
void tally_write(const struct tally *tally, struct buffer *text);

/* report.c: what is reported of code that has ended. */

/* Takes the output, and sends DONE, or ROUND. Returns 0, or -1 with err. */
int report_send_done(struct relay *relay, struct err *err);
int report_send_round(
    struct relay *relay, const struct frames_end *end, struct err *err);

/* output.c: one output stream of the code. */

/*
 * The kept output: valid UTF-8, the position of the cut, and the number of
 * missing bytes.
 */
struct output_kept {
	char *data; /* the caller frees it */
	size_t len;
	size_t head;
	unsigned long long dropped;
	size_t marks[PICTURES_MAX]; /* positions now, between whole characters
				     */
};

/*
 * Reads from *fd, which is taken, to its end, then calls ended; keeps at most
 * max bytes.
 */
struct output *output_new(struct relay *relay, int *fd, size_t max,
    void (*ended)(struct relay *relay));

/* The same for a stream of which only the last bytes are kept. */
struct output *output_new_tail(struct relay *relay, int *fd, size_t max,
    void (*ended)(struct relay *relay));

/* A stream without a pipe: it receives what output_put adds. */
struct output *output_new_put(size_t max);
void output_free(struct output **output);

/*
 * Leaves output in the pipe for OUTPUT_REST_MS before it is read, unless there
 * is much.
 */
void output_rest(struct output *output);

/* Reads the output in the pipe, and wakes as soon as more arrives. */
void output_look(struct output *output);

/*
 * Reads the output in the pipe as output_look does, but all that is in it now:
 * at most its capacity.
 */
void output_settle(struct output *output);

/*
 * Forgets the output; from now on, bytes are counted only, until output_keep,
 * which returns their number.
 */
void output_drop(struct output *output);
unsigned long long output_keep(struct output *output);

/*
 * From now on keeps up to max bytes of the whole stream if it is cut (0: none).
 * Then output_whole returns these, valid until the stream is dropped or freed,
 * and adds the number of further bytes to *missing, which a last line tells, if
 * max has room for it. It is called once.
 */
void output_keep_whole(struct output *output, size_t max);
struct ipc_blob output_whole(struct output *output, uint64_t *missing);

/* Returns the number of bytes received so far. */
unsigned long long output_total(const struct output *output);

/*
 * Appends the bytes that are kept so far: the head and then the tail. With
 * parted, a NUL stands between them for missing bytes.
 */
void output_copy(struct output *output, int parted, struct buffer *kept);

/* Whether nothing has been received so far. */
int output_is_empty(const struct output *output);

/* Ends the stream, if its pipe is still open: calls ended. */
void output_close(struct output *output);

/* Adds bytes as if they had been received now. */
void output_put(struct output *output, const char *data, size_t len);

/* Marks the current end of the stream; at most PICTURES_MAX times. */
void output_mark(struct output *output);

/* Returns the kept output; the stream is empty afterwards. */
void output_take(struct output *output, struct output_kept *kept);

/*
 * Of the standard output of a box without a bootstrap: the marks of process 1
 * at its start and at its end are not part of it. Must be called before
 * anything is read.
 */
void output_expect_process_one(struct output *output);

/* Returns what those at its start say; BEGUN_NOT if none are expected. */
enum begun output_begun(const struct output *output);

/* Sets the report if the stream has ended with a mark of the end. */
void output_report(const struct output *output, struct relay_report *report);

/* process_one.c: these marks. */
struct process_one {
	size_t matched; /* bytes of both marks that have come */
	int over;       /* what follows is output, or the end */
	/* The last bytes, if they may be an end. */
	char held[PROCESS_ONE_END_LEN];
	size_t nheld;
};

/* Returns how many of the first bytes of data belong to the marks. */
size_t process_one_take(struct process_one *one, const char *data, size_t len);

/* Returns what the marks that have come say. */
enum begun process_one_state(const struct process_one *one);

/* Returns the bytes, static, that were taken and are no whole mark. */
const char *process_one_rest(const struct process_one *one, size_t *len);

/*
 * Holds a byte behind those marks, if it begins or continues an end. If not, it
 * returns 0, and all that is held is output.
 */
int process_one_hold(struct process_one *one, char byte);

/* Returns whether what is held is an end, and sets the report. */
int process_one_end(const struct process_one *one, struct relay_report *report);

/* printed.c: names in the output. */

/*
 * Whether this name or path is in the kept output as a whole: not as a part of
 * a longer name, and after a slash only if it starts with one.
 */
int printed_has(struct output *output, const char *text, size_t len);

#endif
