/*
 * The box protocol, on the two control pipes: newline-delimited JSON frames.
 * "…" is text, N a number chosen by the box, from 1; […] is optional.
 *
 * From the box:
 *
 *	{"type":"ready"}				once, first
 *	{"type":"rpc_request","id":N,"payload":P}	after the run frame
 *	{"type":"cancel","id":N}	the answer is no longer needed
 *	{"type":"note","text":"…"[,"once":"…"]}
 *				about the code, shown behind its output
 *	{"type":"ended","program":N,"exit":N,"threads":N}
 *				once after each run frame that has "session"
 *
 * From a box with three descriptors, such as a container, also:
 *
 *	{"type":"out","data":"base64"}	standard output of the code
 *	{"type":"err","data":"base64"}	standard error of the code
 *	{"type":"end","exit":N|"signal":N[,"memory":true][,"cpu":N,"peak":N]}
 *							once, last
 *
 * To the box:
 *
 *	{"type":"run","code":"…"[,"memory":true][,"echo":true]
 *	    [,"progress":true][,"session":true][,"stdin":"base64"]
 *	    [,"environment":{"NAME":"…"}][,"directory":"…"]
 *	    [,"request":{…}],"servers":[…]}
 *	{"type":"rpc_response","id":N,"success":true,"payload":…}
 *	{"type":"rpc_response","id":N,"success":false,
 *	    "error":{"message":"…"[,"unfit":true][,"error":{…}]}}
 *
 * "memory" is the field stored of START: memories and saved tools may be used.
 * "echo" is its field echo: the box sends the value of the last expression.
 * "progress" is its field progress: the box may report progress. "session" is
 * its field session: when the code has ended, the box sends "ended", with the
 * number of run frames so far, the exit code and the number of threads left,
 * and waits for the next run frame; there are no requests until then. Without
 * it there is one run frame only. "stdin", "environment", "directory" and
 * "request" are its field input: standard input, variables, the working
 * directory of this code only, and what its worker answers. "servers" is its
 * field servers; "unfit" and the inner "error" are fields of REFUSED. A payload
 * P has the "type" of a request of the catalogue, and its fields as members
 * (see IPC_JSON), or one of the following types, which the relay itself answers
 * (local.c):
 *
 *	echo			["text"]
 *	printed			"text", a name or a path
 *	show			"kind":"png"|"jpeg"|"webp"|"gif",
 *				"data":"base64" ["title"]
 *	progress		"done":N ["total":N, "text"], in thousandths
 *	response		"status":N,"head":"name: value\n…",
 *				"form":"text"|"base64"|"file","body":"…"
 *
 * "memory" of an end is set when the kernel has killed a process of the box for
 * lack of memory. "cpu" and "peak" are what the kernel has counted for the box:
 * microseconds, and KiB of memory.
 *
 * A note with "once" is shown only once to the owner of the execution, whatever
 * other notes with the same text there say: the name of a server.
 *
 * Any other frame of the box is a protocol violation, which ends the box.
 * Forging a frame gains nothing: the code may make every request and print all
 * output itself, a reported end counts only where it agrees with the status
 * that the supervisor sees, and a forged "ended" ends the code early. Its
 * number keeps code that runs on then from answering in the place of the next.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/base/fd.h"
#include "../common/json/json.h"
#include "../common/json/json_span.h"
#include "../common/base/lines.h"
#include "../common/base/log.h"
#include "../common/base/mem.h"
#include "relay.h"

struct frames {
	struct relay *relay;
	const struct frames_ends *ends;
	int in;
	struct event *readable;
	struct lines *lines;
	struct outbox_frame run; /* the code to send when the box is ready */
	bool started;             /* it has been received */
	bool ready;               /* the box has sent its ready frame */
	bool sent;                /* the run frame was sent; code may run */
	bool session;            /* that frame has "session" */
	uint64_t programs;       /* run frames so far */
};

/* Stops reading from the box: it ended, or violated the protocol. */
static void
frames_stop_reading(struct frames *frames)
{
	loop_event_free(&frames->readable);
	fd_close(&frames->in);
	frames->ends->ended(frames->relay);
}

/* Sends the code if it has been received and the box is ready. */
static void
frames_send_run(struct frames *frames)
{
	if (!frames->started || !frames->ready || frames->in == -1)
		return;
	frames->sent = true;
	outbox_add(frames->relay->outbox, OUTBOX_RUN, &frames->run);
	frames->ends->sent(frames->relay);
}

/* A ready frame. Returns 0, or -1 with err. */
static int
frames_take_ready(struct frames *frames, struct err *err)
{
	if (frames->ready)
		return err_set(err, "a second ready frame");
	frames->ready = true;
	frames->ends->ready(frames->relay);
	frames_send_run(frames);
	return 0;
}

/*
 * A request. Parts of it are passed to other processes on one line. A carriage
 * return, which can only be between tokens, would end a line for some readers.
 */
static int
frames_take_request(struct frames *frames, const struct line *line,
    struct json_span frame, struct err *err)
{
	if (!frames->sent)
		return err_set(err, frames->session ?
		    "a request after the end of the code" :
		    "a request before the code was sent");
	if (memchr(frame.p, '\r', frame.len) != NULL)
		json_span_copy_line(frame, line->data + (frame.p - line->data));
	return calls_request(frames->relay->calls, frame, err);
}

/* The code has ended. Returns 0, or -1 with err. */
static int
frames_take_ended(
    struct frames *frames, struct json_span frame, struct err *err)
{
	struct json_span_member members[] = { { .name = "exit" },
		{ .name = "threads" }, { .name = "program" } };
	struct frames_end end;
	uint64_t program;

	if (!frames->sent || !frames->session)
		return err_set(err, "an end of code where none is kept");
	json_span_members(frame, members, 3);
	if (member_number(&members[2], &program, NULL) == -1 ||
	    program != frames->programs)
		return err_set(err, "an end of code that does not run");
	if (member_number(&members[0], &end.exit, NULL) == -1 ||
	    end.exit > END_STATUS_MAX)
		return err_set(err, "an end of code with an invalid \"exit\"");
	if (member_number(&members[1], &end.threads, NULL) == -1 ||
	    end.threads > PROGRAM_THREADS_MAX)
		return err_set(
		    err, "an end of code with an invalid \"threads\"");
	frames->started = false;
	frames->sent = false;
	frames->ends->code_ended(frames->relay, &end);
	return 0;
}

/* Returns 0 if the frame is expected now, or -1 with err. */
static int
frames_take(struct frames *frames, const struct line *line, struct err *err)
{
	struct json_span frame, type;
	int taken;

	if (line->oversized && frames->sent)
		return calls_oversized(frames->relay->calls, line, err);
	if (line->oversized)
		return err_set(err, "a frame of %zu bytes", line->total);
	if (json_span_parse(line->data, line->len, &frame, err) == -1)
		return err_wrap(err, "a frame that is not JSON");
	if (json_span_get(frame, "type", &type) != 1)
		return err_set(err, "a frame without a type");
	taken = streams_take(frames->relay, frame, type, err);
	if (taken != 0)
		return taken == 1 ? 0 : -1;
	if (json_span_is(type, "ready"))
		return frames_take_ready(frames, err);
	if (json_span_is(type, "rpc_request"))
		return frames_take_request(frames, line, frame, err);
	if (json_span_is(type, "cancel") && frames->sent)
		return calls_cancel(frames->relay->calls, frame, err);
	if (json_span_is(type, "note") && frames->sent)
		return notes_take(&frames->relay->notes, frame, err);
	if (json_span_is(type, "ended"))
		return frames_take_ended(frames, frame, err);
	return err_set(err, "a frame of an unknown type");
}

/* Handles the complete lines. Returns 0, or -1 with err for an invalid one. */
static int
frames_handle(struct frames *frames, struct err *err)
{
	struct line line;

	while (lines_next(frames->lines, &line))
		if (frames_take(frames, &line, err) == -1)
			return -1;
	return 0;
}

void
frames_check(struct frames *frames)
{
	if (frames->in != -1 && frames->ends->complete(frames->relay))
		frames_stop_reading(frames);
}

void
frames_go_on(struct frames *frames)
{
	if (frames->in != -1 && !streams_wait(frames->relay))
		event_add(frames->readable, NULL);
}

static void
frames_on_readable(evutil_socket_t fd, short, void *arg)
{
	struct frames *frames = arg;
	struct err err;
	size_t room;
	char *data = lines_room(frames->lines, &room);
	ssize_t n = read((int)fd, data, room);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		lines_added(frames->lines, (size_t)n);
		if (frames_handle(frames, &err) == 0) {
			if (streams_wait(frames->relay))
				event_del(frames->readable);
			frames_check(frames);
			return;
		}
		frames->ends->fault(frames->relay, err.text);
	}
	frames_stop_reading(frames);
}

/* The run frame, on one line. */
static void
frames_make_run(struct outbox_frame *frame, const struct frames_run *run,
    struct ipc_blob *servers)
{
	buffer_add_text(&frame->text, "{\"type\":\"run\",\"code\":");
	json_add_string(&frame->text, run->code, run->len);
	if (run->stored)
		buffer_add_text(&frame->text, ",\"memory\":true");
	if (run->echo)
		buffer_add_text(&frame->text, ",\"echo\":true");
	if (run->progress)
		buffer_add_text(&frame->text, ",\"progress\":true");
	if (run->session)
		buffer_add_text(&frame->text, ",\"session\":true");
	if (run->input_len > 0) {
		buffer_add_text(&frame->text, ",");
		buffer_add(&frame->text, run->input, run->input_len);
	}
	buffer_add_text(&frame->text, ",\"servers\":");
	outbox_frame_finish(frame, servers, "}\n");
	outbox_frame_own(frame);
}

void
frames_start(struct frames *frames, const struct frames_run *run,
    struct ipc_blob *servers)
{
	frames_make_run(&frames->run, run, servers);
	frames->session = run->session;
	frames->programs++;
	frames->started = true;
	frames_send_run(frames);
}

struct frames *
frames_new(struct relay *relay, int *in, const struct frames_ends *ends)
{
	struct frames *frames = mem_alloc(sizeof(*frames));
	struct err err;

	frames->relay = relay;
	frames->ends = ends;
	frames->in = fd_take(in);
	frames->lines = lines_new(FRAME_MAX);
	frames->run.memfd = -1;
	if (fd_set_nonblock(frames->in, 1, &err) == -1)
		fatal("%s", err.text);
	frames->readable = event_new(relay->base, frames->in,
	    EV_READ | EV_PERSIST, frames_on_readable, frames);
	event_add(frames->readable, NULL);
	return frames;
}

void
frames_free(struct frames **framesp)
{
	struct frames *frames = mem_take(framesp);

	if (frames == NULL)
		return;
	loop_event_free(&frames->readable);
	fd_close(&frames->in);
	lines_free(&frames->lines);
	outbox_frame_reset(&frames->run);
	free(frames);
}
