/* The three pipes of one server process: see link.h. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "link.h"

struct pipes {
	struct pipes_ends ends;
	int in;
	int out;
	int errors;
	struct event *writable; /* added only while bytes wait */
	struct event *readable;
	struct event *complains;
	struct event *broken; /* its input accepts nothing any more */
	struct lines *lines;
	struct buffer pending; /* bytes for its input */
	size_t written;        /* of pending */
	size_t counted;        /* part of ends.unwritten */
	struct buffer tail;    /* the last bytes of its standard error */
	bool cut;               /* there were more before them */
};

/* Whether a read or write only has to be repeated. */
static int
pipes_again(ssize_t n)
{
	return n == -1 && (errno == EAGAIN || errno == EINTR);
}

/*
 * Reports the end. A process that exits closes both pipes; how it exited may be
 * known much later, on a busy machine.
 */
static void
pipes_report(struct pipes *pipes, const char *how)
{
	struct pollfd ends[] = { { .fd = pipes->in },
		{ .fd = pipes->out, .events = POLLIN } };
	int both = poll(ends, 2, 0) != -1 &&
	    (ends[0].revents & POLLERR) != 0 && ends[1].revents == POLLHUP;

	pipes->ends.closed(pipes->ends.ctx, both ?
	    "exited, or closed its standard input and output" : how);
}

/* Its output */

/* Reads once and passes on the lines. Returns the result of read(). */
static ssize_t
pipes_read(struct pipes *pipes)
{
	struct line line;
	size_t room;
	char *data = lines_room(pipes->lines, &room);
	ssize_t n = read(pipes->out, data, room);

	if (n <= 0)
		return n;
	lines_added(pipes->lines, (size_t)n);
	while (lines_next(pipes->lines, &line))
		pipes->ends.line(pipes->ends.ctx, &line);
	return n;
}

static void
pipes_on_readable(evutil_socket_t, short, void *arg)
{
	struct pipes *pipes = arg;
	ssize_t n = pipes_read(pipes);

	if (n > 0 || pipes_again(n))
		return;
	event_del(pipes->readable);
	event_del(pipes->broken);
	pipes_report(pipes, "closed its standard output");
}

/* Its standard error */

static void
pipes_keep(struct pipes *pipes, const char *data, size_t len)
{
	struct buffer *tail = &pipes->tail;

	if (len > SERVER_ERRORS_KEPT) {
		data += len - SERVER_ERRORS_KEPT;
		len = SERVER_ERRORS_KEPT;
		pipes->cut = true;
	}
	if (tail->len + len > SERVER_ERRORS_KEPT) {
		buffer_drop_front(tail, tail->len + len - SERVER_ERRORS_KEPT);
		pipes->cut = true;
	}
	buffer_add(tail, data, len);
}

/* Reads once. Returns the result of read(). */
static ssize_t
pipes_read_errors(struct pipes *pipes)
{
	static char chunk[PIPE_CHUNK];
	ssize_t n = read(pipes->errors, chunk, sizeof(chunk));

	if (n > 0)
		pipes_keep(pipes, chunk, (size_t)n);
	return n;
}

static void
pipes_on_complains(evutil_socket_t, short, void *arg)
{
	struct pipes *pipes = arg;
	ssize_t n = pipes_read_errors(pipes);

	if (n <= 0 && !pipes_again(n))
		event_del(pipes->complains);
}

/* Its input */

/* Must be called whenever the number of queued bytes changes. */
static void
pipes_count(struct pipes *pipes)
{
	*pipes->ends.unwritten -= pipes->counted;
	pipes->counted = pipes_unwritten(pipes);
	*pipes->ends.unwritten += pipes->counted;
}

static void
pipes_forget_pending(struct pipes *pipes)
{
	buffer_reset(&pipes->pending);
	pipes->written = 0;
	pipes_count(pipes);
}

/*
 * The server has closed its input. Its last lines may still be in its output:
 * they are read before the end is reported.
 */
static void
pipes_on_broken(evutil_socket_t, short, void *arg)
{
	struct pipes *pipes = arg;

	pipes_drain(pipes);
	event_del(pipes->readable);
	pipes_report(pipes, "closed its standard input");
}

/*
 * Writes bytes; returns how many were taken, or -1 if the reader has gone,
 * which closed() will report.
 */
static ssize_t
pipes_push(struct pipes *pipes, const char *data, size_t len)
{
	ssize_t n = write(pipes->in, data, len);

	if (n >= 0)
		return n;
	if (pipes_again(n))
		return 0;
	/* Called from the loop: the caller still uses the pipes. */
	event_active(pipes->broken, EV_TIMEOUT, 0);
	return -1;
}

static void
pipes_on_writable(evutil_socket_t, short, void *arg)
{
	struct pipes *pipes = arg;
	size_t left = pipes_unwritten(pipes);
	ssize_t n = 0;

	if (left > 0)
		n = pipes_push(
		    pipes, pipes->pending.data + pipes->written, left);
	if (n >= 0 && (size_t)n < left) {
		pipes->written += (size_t)n;
		pipes_count(pipes);
		return;
	}
	pipes_forget_pending(pipes);
	event_del(pipes->writable);
	if (n >= 0)
		pipes->ends.room(pipes->ends.ctx);
}

/* These bytes are written when there is room for them. */
static void
pipes_pend(struct pipes *pipes, const char *data, size_t len)
{
	/* The written part is freed when it is the larger part. */
	if (pipes->written > pipes->pending.len / 2) {
		buffer_drop_front(&pipes->pending, pipes->written);
		pipes->written = 0;
	}
	buffer_add(&pipes->pending, data, len);
	pipes_count(pipes);
	event_add(pipes->writable, NULL);
}

int
pipes_write(struct pipes *pipes, const char *data, size_t len)
{
	ssize_t n = 0;

	if (pipes->in == -1)
		return 0; /* its end is known, or will be in a moment */
	if (pipes_unwritten(pipes) + len > SERVER_UNREAD_MAX)
		return -1;
	if (pipes->pending.len == 0)
		n = pipes_push(pipes, data, len);
	if (n >= 0 && (size_t)n < len)
		pipes_pend(pipes, data + n, len - (size_t)n);
	return 0;
}

int
pipes_try_write(struct pipes *pipes, const char *data, size_t len)
{
	ssize_t n;

	if (pipes->in == -1 || pipes->pending.len > 0)
		return 0;
	n = pipes_push(pipes, data, len);
	if (n == 0)
		event_add(pipes->writable, NULL);
	if (n > 0 && (size_t)n < len)
		pipes_pend(pipes, data + n, len - (size_t)n);
	return n > 0;
}

size_t
pipes_unwritten(const struct pipes *pipes)
{
	return pipes->pending.len - pipes->written;
}

/* All three */

/* The supervisor passes them non-blocking; this process may not change that. */
static void
pipes_check(int fd)
{
	struct err err;

	if (fd_set_nonblock(fd, 1, &err) == -1)
		fatal("a pipe of a server blocks: %s", err.text);
}

struct pipes *
pipes_new(struct event_base *base, int *in, int *out, int *errors,
    const struct pipes_ends *ends)
{
	struct pipes *pipes = mem_alloc(sizeof(*pipes));

	pipes->ends = *ends;
	pipes->in = fd_take(in);
	pipes->out = fd_take(out);
	pipes->errors = fd_take(errors);
	pipes_check(pipes->in);
	pipes_check(pipes->out);
	pipes_check(pipes->errors);
	pipes->lines = lines_new(SERVER_LINE_MAX);
	pipes->writable = event_new(base, pipes->in, EV_WRITE | EV_PERSIST,
	    pipes_on_writable, pipes);
	pipes->readable = event_new(base, pipes->out, EV_READ | EV_PERSIST,
	    pipes_on_readable, pipes);
	pipes->complains = event_new(base, pipes->errors,
	    EV_READ | EV_PERSIST, pipes_on_complains, pipes);
	pipes->broken = evtimer_new(base, pipes_on_broken, pipes);
	event_add(pipes->readable, NULL);
	event_add(pipes->complains, NULL);
	return pipes;
}

void
pipes_close(struct pipes *pipes)
{
	loop_event_free(&pipes->writable);
	loop_event_free(&pipes->readable);
	loop_event_free(&pipes->broken);
	fd_close(&pipes->in);
	fd_close(&pipes->out);
	lines_free(&pipes->lines);
	pipes_forget_pending(pipes);
}

void
pipes_free(struct pipes **pipesp)
{
	struct pipes *pipes = mem_take(pipesp);

	if (pipes == NULL)
		return;
	pipes_close(pipes);
	loop_event_free(&pipes->complains);
	fd_close(&pipes->errors);
	buffer_reset(&pipes->tail);
	free(pipes);
}

void
pipes_drain(struct pipes *pipes)
{
	size_t left = SERVER_DRAIN_MAX;
	ssize_t n = 1;

	while (pipes->out != -1 && n > 0 && left > 0) {
		n = pipes_read(pipes);
		left -= n > 0 && (size_t)n < left ? (size_t)n : left;
	}
	left = SERVER_DRAIN_MAX;
	for (n = 1; n > 0 && left > 0;) {
		n = pipes_read_errors(pipes);
		left -= n > 0 && (size_t)n < left ? (size_t)n : left;
	}
}

const struct buffer *
pipes_errors(const struct pipes *pipes, int *cut)
{
	*cut = pipes->cut;
	return &pipes->tail;
}
