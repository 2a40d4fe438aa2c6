/* The pair of pipes to the broker: see connector.h. */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/limits.h"
#include "connector.h"

struct pair {
	struct pair_ends ends;
	struct lines *lines;
	struct evbuffer *queue;
	struct event *readable;
	struct event *writable;
	int in;
	int out;
	bool was_full;
};

static void
pair_on_readable(evutil_socket_t fd, short, void *ctx)
{
	struct pair *pair = ctx;
	struct line line;
	size_t room;
	char *space = lines_room(pair->lines, &room);
	ssize_t n = read(fd, space, room);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		event_del(pair->readable);
		pair->ends.closed(pair->ends.ctx);
		return;
	}
	lines_added(pair->lines, (size_t)n);
	while (lines_next(pair->lines, &line))
		pair->ends.line(pair->ends.ctx, &line);
}

static void
pair_on_writable(evutil_socket_t fd, short, void *ctx)
{
	struct pair *pair = ctx;
	int n = evbuffer_write(pair->queue, fd);

	if (n == -1 && errno != EAGAIN && errno != EINTR) {
		event_del(pair->writable);
		pair->ends.closed(pair->ends.ctx);
		return;
	}
	if (evbuffer_get_length(pair->queue) == 0)
		event_del(pair->writable);
	else
		event_add(pair->writable, NULL);
	if (pair->was_full && !pair_is_full(pair)) {
		pair->was_full = false;
		pair->ends.room(pair->ends.ctx);
	}
}

/* A connector reads what it can, so neither end may block it. */
static void
pair_unblock(int fd)
{
	struct err err;

	if (fd_set_nonblock(fd, 1, &err) == -1)
		fatal("%s", err.text);
}

struct pair *
pair_new(struct event_base *base, int *in, int *out,
    const struct pair_ends *ends)
{
	struct pair *pair = mem_alloc(sizeof(*pair));

	pair->ends = *ends;
	pair->in = fd_take(in);
	pair->out = fd_take(out);
	pair_unblock(pair->in);
	pair_unblock(pair->out);
	pair->lines = lines_new(CONNECTOR_LINE_MAX);
	pair->queue = evbuffer_new();
	if (pair->queue == NULL)
		fatal("out of memory");
	pair->readable = event_new(base, pair->in, EV_READ | EV_PERSIST,
	    pair_on_readable, pair);
	pair->writable = event_new(base, pair->out, EV_WRITE | EV_PERSIST,
	    pair_on_writable, pair);
	event_add(pair->readable, NULL);
	return pair;
}

void
pair_free(struct pair **pairp)
{
	struct pair *pair = mem_take(pairp);

	if (pair == NULL)
		return;
	loop_event_free(&pair->readable);
	loop_event_free(&pair->writable);
	evbuffer_free(pair->queue);
	lines_free(&pair->lines);
	fd_close(&pair->in);
	fd_close(&pair->out);
	free(pair);
}

void
pair_write(struct pair *pair, const char *data, size_t len)
{
	ssize_t n = 0;

	/* At once, as the broker can use it while we clean up. */
	if (evbuffer_get_length(pair->queue) == 0)
		n = write(pair->out, data, len);
	if (n > 0) {
		data += n;
		len -= (size_t)n;
	}
	if (len == 0)
		return;
	if (evbuffer_add(pair->queue, data, len) == -1)
		fatal("out of memory");
	pair->was_full = pair->was_full || pair_is_full(pair);
	/* The loop tells of an error. */
	event_active(pair->writable, EV_WRITE, 0);
}

int
pair_is_full(const struct pair *pair)
{
	return evbuffer_get_length(pair->queue) > CONNECTOR_QUEUE_MAX;
}
