/*
 * The MCP client on standard input and output: splits input into lines and
 * writes lines. Never blocks: unread output is queued, up to a limit.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "door.h"
#include "../front/front.h"

struct stdio {
	int in;
	int out;
	bool ready; /* out never blocks a writer */
	bool in_changed; /* it was made non-blocking for this run */
	bool out_changed;
	struct event *readable;
	struct event *writable;
	struct lines *lines;
	struct buffer unsent;
	size_t sent; /* of unsent */
	struct mcp *mcp;
	void (*ended)(void *ctx);
	void *ctx;
};

/*
 * Other processes may share the open file and use it later, so its flags are
 * restored.
 */
static void
stdio_close_fd(int *fd, int changed)
{
	struct err err;

	if (*fd != -1 && changed && fd_set_nonblock(*fd, 0, &err) == -1)
		log_warn("%s", err.text);
	fd_close(fd);
}

/*
 * Reports that the client has disconnected, once; also called after a failed
 * write.
 */
static void
stdio_end(struct stdio *stdio)
{
	void (*ended)(void *ctx) = stdio->ended;

	if (ended == NULL)
		return;
	stdio->ended = NULL;
	event_del(stdio->readable);
	mcp_on_end(stdio->mcp, MCP_DISCONNECTED);
	ended(stdio->ctx);
}

/* The last line may lack a newline. */
static void
stdio_finish_line(struct stdio *stdio)
{
	size_t room;

	if (!lines_pending(stdio->lines))
		return;
	*lines_room(stdio->lines, &room) = '\n';
	lines_added(stdio->lines, 1);
	mcp_on_lines(stdio->mcp, stdio->lines);
}

static void
stdio_on_readable(evutil_socket_t fd, short, void *arg)
{
	struct stdio *stdio = arg;
	size_t room;
	char *data = lines_room(stdio->lines, &room);
	ssize_t n = stdio->out == -1 ? 0 : read((int)fd, data, room);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		if (n == -1)
			log_warn("cannot read from the client: errno %d",
			    errno);
		stdio_finish_line(stdio);
		stdio_end(stdio);
		return;
	}
	lines_added(stdio->lines, (size_t)n);
	mcp_on_lines(stdio->mcp, stdio->lines);
}

/* Disconnects a client that does not read its answers. */
static void
stdio_drop(struct stdio *stdio, const char *why)
{
	log_warn("the client is disconnected: %s", why);
	event_del(stdio->writable);
	buffer_reset(&stdio->unsent);
	stdio->sent = 0;
	stdio_close_fd(&stdio->out, stdio->out_changed);
	/* Reported from the loop, because the caller still uses the session. */
	event_active(stdio->readable, EV_READ, 0);
}

static void
stdio_on_writable(evutil_socket_t fd, short, void *arg)
{
	struct stdio *stdio = arg;
	ssize_t n = write((int)fd, stdio->unsent.data + stdio->sent,
	    stdio->unsent.len - stdio->sent);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == -1) {
		stdio_drop(stdio, strerror(errno));
		return;
	}
	stdio->sent += (size_t)n;
	if (stdio->sent < stdio->unsent.len)
		return;
	buffer_reset(&stdio->unsent);
	stdio->sent = 0;
	event_del(stdio->writable);
}

static void
stdio_drain(void *state)
{
	struct stdio *stdio = state;

	if (stdio->ended != NULL)
		mcp_on_drain(stdio->mcp);
}

static int
stdio_flushed(const void *state)
{
	const struct stdio *stdio = state;

	return stdio->unsent.len == stdio->sent;
}

/*
 * Fast path: write now, clean up afterwards. Usually there is room. Returns how
 * much was written.
 */
static size_t
stdio_write_now(struct stdio *stdio, const struct buffer *lines)
{
	ssize_t n;

	if (!stdio->ready || !stdio_flushed(stdio))
		return 0;
	n = write(stdio->out, lines->data, lines->len);
	/* The loop gets the same error, and reports it. */
	return n > 0 ? (size_t)n : 0;
}

static void
stdio_send(void *ctx, struct buffer *lines, const struct mcp_about *)
{
	struct stdio *stdio = ctx;
	size_t written;

	if (stdio->out == -1 || lines->len == 0) {
		buffer_reset(lines);
		return;
	}
	/* Sent bytes are removed when they are the larger part: O(n) in all. */
	if (stdio->sent > stdio->unsent.len / 2) {
		buffer_drop_front(&stdio->unsent, stdio->sent);
		stdio->sent = 0;
	}
	/* One answer of any size is accepted; the next one finds it unsent. */
	if (stdio->unsent.len - stdio->sent > CLIENT_UNSENT_MAX) {
		buffer_reset(lines);
		stdio_drop(stdio, "it does not read its answers");
		return;
	}
	written = stdio_write_now(stdio, lines);
	buffer_add(&stdio->unsent, lines->data + written, lines->len - written);
	buffer_reset(lines);
	if (!stdio_flushed(stdio))
		event_add(stdio->writable, NULL);
}

static int
stdio_busy(void *ctx)
{
	const struct stdio *stdio = ctx;

	return stdio->unsent.len - stdio->sent > CLIENT_UNSENT_BUSY;
}

/*
 * Pipes and sockets can be made non-blocking; a terminal is shared. Returns
 * whether it is non-blocking, with *changed set if this call made it so.
 */
static int
stdio_set_nonblock(int fd, bool *changed)
{
	int before = fcntl(fd, F_GETFL);
	struct stat st;
	struct err err;

	if (fstat(fd, &st) == -1 ||
	    !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return 0;
	if (fd_set_nonblock(fd, 1, &err) == 0) {
		*changed = before != -1 && (before & O_NONBLOCK) == 0;
		return 1;
	}
	log_warn("%s", err.text);
	return 0;
}

struct stdio *
stdio_new(const struct door_setup *setup, int *in, int *out)
{
	struct runs *runs = setup->runs;
	struct stdio *stdio = mem_alloc(sizeof(*stdio));
	const struct mcp_door door = { stdio_send, stdio_busy, stdio,
		NULL };

	stdio->in = fd_take(in);
	stdio->out = fd_take(out);
	stdio->ended = setup->ended;
	stdio->ctx = setup->ctx;
	stdio->lines = lines_new(runs->options->max_code * CLIENT_LINE_FACTOR +
	    CLIENT_LINE_EXTRA);
	stdio->mcp = mcp_new(runs, setup->user, &door);
	stdio_set_nonblock(stdio->in, &stdio->in_changed);
	stdio->ready = stdio_set_nonblock(stdio->out, &stdio->out_changed);
	stdio->readable = event_new(runs->base, stdio->in,
	    EV_READ | EV_PERSIST, stdio_on_readable, stdio);
	stdio->writable = event_new(runs->base, stdio->out,
	    EV_WRITE | EV_PERSIST, stdio_on_writable, stdio);
	event_add(stdio->readable, NULL);
	runs->clients++; /* until the program ends */
	return stdio;
}

static void
stdio_close(void *state)
{
	struct stdio *stdio = state;

	mcp_free(&stdio->mcp);
	loop_event_free(&stdio->readable);
	loop_event_free(&stdio->writable);
	lines_free(&stdio->lines);
	buffer_reset(&stdio->unsent);
	stdio_close_fd(&stdio->in, stdio->in_changed);
	stdio_close_fd(&stdio->out, stdio->out_changed);
	free(stdio);
}

/*
 * Moves the client's descriptors off 0 and 1. A stray read then gets end of
 * file, and a stray print goes to the log.
 */
static int
stdio_open(void **state, const struct door_setup *setup, struct err *err)
{
	auto_fd int null = -1;
	int in, out;

	if (setup->http)
		return 0;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	if (null == -1 || in == -1 || out == -1 ||
	    dup2(null, STDIN_FILENO) == -1 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) == -1)
		return err_sys(err, "move the descriptors of the client");
	*state = stdio_new(setup, &in, &out);
	return 0;
}

const struct door door_stdio = { .open = stdio_open,
	.drain = stdio_drain,
	.flushed = stdio_flushed,
	.close = stdio_close,
	.last = true };
