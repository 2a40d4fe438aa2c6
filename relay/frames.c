/*
 * The box protocol, on the two control pipes: newline-delimited JSON frames.
 * From the box: {"type":"ready"}, once. To the box: {"type":"run","code":…},
 * once. Anything else from the box is a fault, which ends it; forging a frame
 * can only do what the code itself may do. Runs in the relay.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/buffer.h"
#include "../common/fd.h"
#include "../common/json.h"
#include "../common/json_span.h"
#include "../common/lines.h"
#include "../common/log.h"
#include "../common/mem.h"
#include "relay.h"

struct frames {
	struct relay *relay;
	int in;
	int out;
	struct event *readable;
	struct event *writable;
	struct lines *lines;
	struct buffer pending; /* bytes for the box */
	size_t written;        /* of pending */
	int ready;             /* the box has said so */
};

/* Stops reading from the box: it ended, or is not worth hearing. */
static void
frames_stop_reading(struct frames *frames)
{
	loop_event_free(&frames->readable);
	fd_close(&frames->in);
	relay_pipe_ended(frames->relay);
}

/*
 * Stops writing. A box that does not read its code is judged by its end and
 * by its deadline, not here.
 */
static void
frames_stop_writing(struct frames *frames)
{
	loop_event_free(&frames->writable);
	buffer_reset(&frames->pending);
	frames->written = 0;
}

static void
frames_on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct frames *frames = arg;
	ssize_t n = write((int)fd, frames->pending.data + frames->written,
	    frames->pending.len - frames->written);

	(void)what;
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == -1) {
		frames_stop_writing(frames);
		return;
	}
	frames->written += (size_t)n;
	if (frames->written == frames->pending.len)
		frames_stop_writing(frames);
}

static void
frames_send_code(struct frames *frames)
{
	frames->ready = 1;
	frames->writable = event_new(frames->relay->base, frames->out,
	    EV_WRITE | EV_PERSIST, frames_on_writable, frames);
	event_add(frames->writable, NULL);
	relay_code_sent(frames->relay);
}

/* Returns 0 when the frame is one that is expected now, or -1 with err. */
static int
frames_check(const struct frames *frames, const struct line *line,
    struct err *err)
{
	struct json_span frame, type;

	if (line->oversized)
		return err_set(err, "a frame of %zu bytes", line->total);
	if (json_span_parse(line->data, line->len, &frame, err) == -1)
		return err_wrap(err, "a frame that is not JSON");
	if (json_span_get(frame, "type", &type) != 1)
		return err_set(err, "a frame without a type");
	if (!json_span_is(type, "ready"))
		return err_set(err, "a frame of a type that does not exist");
	if (frames->ready)
		return err_set(err, "a second ready frame");
	return 0;
}

/* Handles the complete lines. Returns 0, or -1 with err at a bad one. */
static int
frames_handle(struct frames *frames, struct err *err)
{
	struct line line;

	while (lines_next(frames->lines, &line)) {
		if (frames_check(frames, &line, err) == -1)
			return -1;
		frames_send_code(frames);
	}
	return 0;
}

static void
frames_on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct frames *frames = arg;
	struct err err;
	size_t room;
	char *data = lines_room(frames->lines, &room);
	ssize_t n = read((int)fd, data, room);

	(void)what;
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		lines_added(frames->lines, (size_t)n);
		if (frames_handle(frames, &err) == 0)
			return;
		relay_fault(frames->relay, err.text);
	}
	frames_stop_reading(frames);
}

/* The run frame, as one line. */
static void
frames_write_run(struct buffer *pending, const char *code, size_t len)
{
	buffer_add_text(pending, "{\"type\":\"run\",\"code\":");
	json_add_string(pending, code, len);
	buffer_add_text(pending, "}\n");
}

struct frames *
frames_new(
    struct relay *relay, int *in, int *out, const char *code, size_t len)
{
	struct frames *frames = mem_alloc(sizeof(*frames));
	struct err err;

	frames->relay = relay;
	frames->in = fd_take(in);
	frames->out = fd_take(out);
	frames->lines = lines_new(FRAME_MAX);
	frames_write_run(&frames->pending, code, len);
	if (fd_set_nonblock(frames->in, 1, &err) == -1 ||
	    fd_set_nonblock(frames->out, 1, &err) == -1)
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
	loop_event_free(&frames->writable);
	fd_close(&frames->in);
	fd_close(&frames->out);
	lines_free(&frames->lines);
	buffer_reset(&frames->pending);
	free(frames);
}
