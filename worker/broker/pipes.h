/*
 * The three pipes of one server process on the event loop: lines of its
 * output, bytes for its input as long as they are not too many, the last words
 * of its standard error. Understands nothing of them. Runs in the broker.
 */
#ifndef WORKER_BROKER_PIPES_H
#define WORKER_BROKER_PIPES_H

#include "../../common/buffer.h"
#include "../../common/lines.h"
#include "../../common/loop.h"

struct pipes;

/* The callbacks of pipes. Copied by pipes_new. */
struct pipes_ends {
	/* A line of its output, borrowed; must not free or close the pipes. */
	void (*line)(void *ctx, const struct line *line);
	/*
	 * The output has ended, or the input takes nothing any more: how, as
	 * the end of a sentence. Once, from the loop, last of all: it may free
	 * the pipes.
	 */
	void (*closed)(void *ctx, const char *how);
	/*
	 * The input took nothing when pipes_offer was last called, and may do
	 * so now. From the loop; must not free or close the pipes.
	 */
	void (*room)(void *ctx);
	void *ctx;
	size_t *unwritten; /* what waits for the input is added to this */
};

/*
 * Takes the three descriptors, which are non-blocking: our end of the server's
 * input, output and standard error. pipes_free frees the pipes.
 */
struct pipes *pipes_new(struct event_base *base, int *in, int *out,
    int *errors, const struct pipes_ends *ends);
void pipes_free(struct pipes **pipes);

/*
 * Sends bytes to the server's input, now or later. Returns 0, or -1 when
 * SERVER_UNREAD_MAX bytes wait for it already: nothing is sent then.
 */
int pipes_write(struct pipes *pipes, const char *data, size_t len);

/*
 * Sends bytes to the server's input if it takes the first of them at once; the
 * others may follow later. Returns 1, or 0 when not a byte was sent: room() is
 * called when it may be tried again, unless closed() is.
 */
int pipes_offer(struct pipes *pipes, const char *data, size_t len);

/* Returns how many bytes the server has still to take. */
size_t pipes_unwritten(const struct pipes *pipes);

/*
 * Reads at once what has come: of the output, whose lines are handed out, and
 * of standard error. A server that never stops is left after SERVER_DRAIN_MAX.
 */
void pipes_drain(struct pipes *pipes);

/*
 * Closes input and output; closed() is not called any more. Standard error is
 * still listened to, until pipes_free.
 */
void pipes_close(struct pipes *pipes);

/*
 * Returns the last bytes of standard error; *cut is set when there were more
 * before them.
 */
const struct buffer *pipes_errors(const struct pipes *pipes, int *cut);

#endif
