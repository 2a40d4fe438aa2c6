/*
 * Output of a program, passed on to a descriptor of the command at the pace of
 * its reader: no more than a chunk is held, and the loop goes on meanwhile.
 * O_NONBLOCK is not set, since other processes share that descriptor. Runs in
 * the supervisor, for which the bytes are opaque.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "../../../common/limits.h"
#include "../../options/text/json_report.h"
#include "command.h"

struct pour {
	int from;
	int to;
	bool terminal; /* it must not obey the bytes */
	bool over;     /* all has been read */
	bool parted;   /* of a terminal: its line has no end yet */
	struct event *readable;
	struct event *writable;
	struct buffer held; /* of a terminal: the start of a character */
	struct buffer rest; /* what is to be written yet */
	pour_ended *ended;
	void *ctx;
};

static void
pour_end(struct pour *pour, int error)
{
	loop_event_free(&pour->readable);
	loop_event_free(&pour->writable);
	fd_close(&pour->from);
	pour->ended(pour->ctx, error);
}

/* A pipe or a terminal that is ready takes PIPE_BUF bytes without waiting. */
static ssize_t
pour_write_once(const struct pour *pour)
{
	struct pollfd sink = { .fd = pour->to, .events = POLLOUT };
	size_t len = pour->rest.len < PIPE_BUF ? pour->rest.len : PIPE_BUF;

	if (poll(&sink, 1, 0) == 1)
		return write(pour->to, pour->rest.data, len);
	errno = EAGAIN;
	return -1;
}

/* Writes as much as is taken now, and then reads on. */
static void
pour_write(struct pour *pour)
{
	ssize_t n = 1;

	while (n > 0 && pour->rest.len > 0) {
		n = pour_write_once(pour);
		if (n > 0)
			buffer_drop_front(&pour->rest, (size_t)n);
	}
	if (n == -1 && errno != EAGAIN && errno != EINTR)
		pour_end(pour, errno);
	else if (pour->rest.len > 0)
		event_add(pour->writable, NULL);
	else if (pour->over)
		pour_end(pour, 0);
	else
		event_add(pour->readable, NULL);
}

static void
pour_on_writable(evutil_socket_t, short, void *arg)
{
	pour_write(arg);
}

/* Adds what was read as a terminal gets it: whole characters, escaped. */
static void
pour_add_shown(struct pour *pour)
{
	struct buffer *held = &pour->held;
	size_t shown_len, len = held->len;
	auto_free char *shown = NULL;
	FILE *out = open_memstream(&shown, &shown_len);

	if (out == NULL)
		fatal("out of memory");
	if (!pour->over)
		len -= utf8_incomplete_tail(held->data, len);
	if (len > 0)
		pour->parted = held->data[len - 1] != '\n';
	json_report_put(out, held->data, len, 0);
	/* What follows begins a line. */
	if (pour->over && pour->parted)
		fputs("\n", out);
	fclose(out);
	buffer_add(&pour->rest, shown, shown_len);
	buffer_drop_front(held, len);
}

static void
pour_on_readable(evutil_socket_t, short, void *arg)
{
	struct pour *pour = arg;
	struct buffer *to = pour->terminal ? &pour->held : &pour->rest;
	ssize_t n = read(
	    pour->from, buffer_reserve(to, PIPE_CHUNK), PIPE_CHUNK);

	if (n > 0)
		to->len += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		pour->over = true;
	if (pour->terminal)
		pour_add_shown(pour);
	pour_write(pour);
}

struct pour *
pour_new(struct event_base *base, int *from, int to, pour_ended *ended,
    void *ctx)
{
	struct pour *pour = mem_alloc(sizeof(*pour));

	pour->from = fd_take(from);
	pour->to = to;
	pour->terminal = isatty(to);
	pour->ended = ended;
	pour->ctx = ctx;
	pour->readable =
	    event_new(base, pour->from, EV_READ, pour_on_readable, pour);
	pour->writable = event_new(base, to, EV_WRITE, pour_on_writable, pour);
	event_add(pour->readable, NULL);
	return pour;
}

void
pour_free(struct pour **pourp)
{
	struct pour *pour = mem_take(pourp);

	if (pour == NULL)
		return;
	loop_event_free(&pour->readable);
	loop_event_free(&pour->writable);
	fd_close(&pour->from);
	buffer_reset(&pour->held);
	buffer_reset(&pour->rest);
	free(pour);
}
