/*
 * The output of the code: its streams, pictures, and reports of its progress.
 * Calls go down only: pictures, progress, preview, printed, output,
 * process_one, copy.
 */
#ifndef RELAY_OUTPUT_OUTPUT_H
#define RELAY_OUTPUT_OUTPUT_H

#include "../../common/base/buffer.h"
#include "../../common/ipc/ipc.h"
#include "../../common/json/json_span.h"
#include "../../common/picture.h"
#include "../../common/process_one.h"
#include "../state/state.h"

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

/* preview.c: the output of running code for a client that watches. */

/* send is called at most once in PREVIEW_MS. */
struct preview *preview_new(struct relay *relay,
    void (*send)(struct relay *relay, struct ipc_preview *message));
void preview_free(struct preview **preview);

/* The code is started, and its client watches. */
void preview_begin(struct preview *preview);

/* The code has ended, or reports progress itself: nothing more is sent. */
void preview_end(struct preview *preview);

/* output.c: one output stream of the code. */

/*
 * The shown output: valid UTF-8, the position of the cut, and the number of
 * missing bytes.
 */
struct output_text {
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
 * Forgets the output; from now on, bytes are counted only, until
 * output_resume, which returns their number.
 */
void output_drop(struct output *output);
unsigned long long output_resume(struct output *output);

/*
 * From now on keeps up to max bytes of the stream if it is cut, at least as
 * many as are shown (0: none). Then output_kept returns these, valid until the
 * stream is dropped or freed, and adds the number of further bytes, which a
 * last line tells, to *missing. It is called once; output_kept_uncut then
 * returns those of a stream that is not cut.
 */
void output_keep(struct output *output, size_t max);
struct ipc_blob output_kept(struct output *output, uint64_t *missing);
struct ipc_blob output_kept_uncut(struct output *output);

/*
 * Passes the stream on to the pipe *fd, which is taken, from its first byte on.
 * While that pipe is full, nothing is read: output_waits. moved is called when
 * it has taken all.
 */
void output_pass_on(struct output *output, struct relay *relay, int *fd,
    void (*moved)(struct relay *relay));
int output_waits(const struct output *output);

/* Returns the number of bytes received so far. */
unsigned long long output_total(const struct output *output);

/*
 * Appends the bytes to show so far: the head and then the tail. With
 * parted, a NUL stands between them for missing bytes.
 */
void output_copy(struct output *output, int parted, struct buffer *shown);

/* Whether nothing has been received so far. */
int output_is_empty(const struct output *output);

/* Ends the stream, if its pipe is still open: calls ended. */
void output_close(struct output *output);

/* Adds bytes as if they had been received now. */
void output_put(struct output *output, const char *data, size_t len);

/* Marks the current end of the stream; at most PICTURES_MAX times. */
void output_mark(struct output *output);

/* Returns the shown output; the stream is empty afterwards. */
void output_take(struct output *output, struct output_text *shown);

/*
 * Of the standard output of a box without a bootstrap: the sentinels of process
 * 1 at its start and at its end are not part of it; begun is called after the
 * first. Must be called before anything is read.
 */
void output_expect_process_one(
    struct output *output, void (*begun)(struct relay *relay));

/* Returns what those at its start say; BEGUN_NOT if none are expected. */
enum begun output_begun(const struct output *output);

/* Sets the report if the stream has ended with a sentinel. */
void output_report(const struct output *output, struct relay_report *report);

/* process_one.c: these sentinels. */
struct process_one {
	size_t matched; /* bytes of both first ones that have come */
	bool over;       /* what follows is output, or the end */
	/* The last bytes, if they may be an end. */
	char held[PROCESS_ONE_END_LEN];
	size_t nheld;
};

/* Returns how many of the first bytes of data belong to sentinels. */
size_t process_one_take(struct process_one *one, const char *data, size_t len);

/* Returns what the first ones say, if they have come. */
enum begun process_one_state(const struct process_one *one);

/* Returns the bytes, static, that were taken and are no whole sentinel. */
const char *process_one_rest(const struct process_one *one, size_t *len);

/*
 * Holds a byte behind the first ones if it begins or continues an end. If not,
 * it returns 0, and all that is held is output.
 */
int process_one_hold(struct process_one *one, char byte);

/* Returns whether what is held is an end, and sets the report. */
int process_one_end(const struct process_one *one, struct relay_report *report);

/* copy.c: a stream passed on as it is printed. */

/* moved is called when a full pipe has taken all that waited. Takes *fd. */
struct copy *copy_new(struct event_base *base, int *fd,
    void (*moved)(void *ctx), void *ctx);
void copy_free(struct copy **copy);

/* Passes on bytes, which wait if the pipe is full. */
void copy_add(struct copy *copy, const char *data, size_t len);
int copy_waits(const struct copy *copy);

/* printed.c: names in the output. */

/*
 * Whether this name or path is in the shown output as a whole: not as a part of
 * a longer name, and after a slash only if it starts with one.
 */
int printed_has(struct output *output, const char *text, size_t len);

#endif
