/*
 * The three pipes of one server process on the event loop: lines of its output,
 * a bounded queue of bytes for its input, and the last bytes of its standard
 * error. Does not interpret them. Runs in the broker.
 */
#ifndef WORKER_BROKER_PIPES_H
#define WORKER_BROKER_PIPES_H

#include "../../../common/base/buffer.h"
#include "../../../common/base/lines.h"
#include "../../../common/base/loop.h"

struct pipes;

/* The callbacks of pipes. Copied by pipes_new. */
struct pipes_ends {
	/* A line of its output, borrowed; must not free or close the pipes. */
	void (*line)(void *ctx, const struct line *line);
	/*
	 * The output has ended, or the input accepts nothing any more: how, as
	 * the end of a sentence. Called once, from the loop, after all others:
	 * it may free the pipes.
	 */
	void (*closed)(void *ctx, const char *how);
	/*
	 * The input was full at the last pipes_offer, and may have room now.
	 * From the loop; must not free or close the pipes.
	 */
	void (*room)(void *ctx);
	void *ctx;
	size_t *unwritten; /* the number of queued bytes is added to this */
};

/*
 * Takes the three descriptors, which are non-blocking: the local ends of the
 * server's input, output and standard error. pipes_free frees the pipes.
 */
struct pipes *pipes_new(struct event_base *base, int *in, int *out,
    int *errors, const struct pipes_ends *ends);
void pipes_free(struct pipes **pipes);

/*
 * Sends bytes to the server's input, now or later. Returns 0, or -1 if
 * SERVER_UNREAD_MAX bytes are queued already; nothing is sent then.
 */
int pipes_write(struct pipes *pipes, const char *data, size_t len);

/*
 * Sends bytes to the server's input if it takes the first of them at once; the
 * others may follow later. Returns 1, or 0 if no byte was sent: room() is
 * called when it may be tried again, unless closed() is.
 */
int pipes_offer(struct pipes *pipes, const char *data, size_t len);

/* Returns the number of bytes that the server has not taken. */
size_t pipes_unwritten(const struct pipes *pipes);

/*
 * Reads the available bytes at once: of the output, whose lines are passed on,
 * and of standard error. Stops after SERVER_DRAIN_MAX bytes.
 */
void pipes_drain(struct pipes *pipes);

/*
 * Closes input and output; closed() is not called any more. Standard error is
 * read until pipes_free.
 */
void pipes_close(struct pipes *pipes);

/*
 * Returns the last bytes of standard error; *cut is set if there were more
 * before them.
 */
const struct buffer *pipes_errors(const struct pipes *pipes, int *cut);

#endif
