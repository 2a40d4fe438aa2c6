/*
 * A stream passed on as it is printed, into a pipe whose reader may be slow.
 * What the pipe does not take waits here, and meanwhile nothing more of the
 * stream is to be read: only the code of this execution waits, as it would for
 * a pipe of its own. Runs in the relay; never interprets the bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "output.h"

struct copy {
	int fd; /* -1: nothing reads it any more */
	struct event *writable;
	struct buffer rest; /* what is to be written yet */
	void (*moved)(void *ctx);
	void *ctx;
};

/* Without a reader, the bytes are dropped: who gave the pipe decides. */
static void
copy_close(struct copy *copy)
{
	loop_event_free(&copy->writable);
	fd_close(&copy->fd);
	buffer_reset(&copy->rest);
}

/* Writes as much as the pipe takes now. */
static void
copy_write(struct copy *copy)
{
	ssize_t n = 1;

	while (n > 0 && copy->rest.len > 0) {
		n = write(copy->fd, copy->rest.data, copy->rest.len);
		if (n > 0)
			buffer_drop_front(&copy->rest, (size_t)n);
	}
	if (n == -1 && errno != EAGAIN && errno != EINTR)
		copy_close(copy);
	else if (copy->rest.len > 0)
		event_add(copy->writable, NULL);
}

static void
copy_on_writable(evutil_socket_t, short, void *arg)
{
	struct copy *copy = arg;

	copy_write(copy);
	if (!copy_waits(copy))
		copy->moved(copy->ctx);
}

void
copy_add(struct copy *copy, const char *data, size_t len)
{
	if (copy->fd == -1)
		return;
	buffer_add(&copy->rest, data, len);
	copy_write(copy);
}

int
copy_waits(const struct copy *copy)
{
	return copy->rest.len > 0;
}

struct copy *
copy_new(struct event_base *base, int *fd, void (*moved)(void *ctx), void *ctx)
{
	struct copy *copy = mem_alloc(sizeof(*copy));

	copy->fd = fd_take(fd);
	copy->writable =
	    event_new(base, copy->fd, EV_WRITE, copy_on_writable, copy);
	copy->moved = moved;
	copy->ctx = ctx;
	return copy;
}

void
copy_free(struct copy **copyp)
{
	struct copy *copy = mem_take(copyp);

	if (copy == NULL)
		return;
	copy_close(copy);
	free(copy);
}
