/*
 * The relay: the unprivileged worker that owns the pipes of one box for one
 * execution. Everything of this folder runs in that process only. It reads
 * the bytes of the box, checks every frame, keeps head and tail of what the
 * code prints, and tells the supervisor when all is drained. It can do nothing
 * else: lockdown() sees to it.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include "../common/channel.h"
#include "../common/ipc.h"

struct output;
struct frames;

struct relay {
	struct event_base *base;
	struct channel *supervisor;
	struct channel *broker; /* NULL: there is none, or it is gone */
	struct frames *frames;  /* the control pipes */
	struct output *out;     /* standard output of the code */
	struct output *errors;  /* standard error of the code */
	size_t open_pipes;      /* of the box, that may still bring bytes */
};

/* on_supervisor.c: the handlers; each takes the descriptors it wants. */
void relay_on_start(struct relay *relay, struct ipc_start *start);

/* A pipe of the box has ended; with the last one the relay concludes. */
void relay_pipe_ended(struct relay *relay);

/* The code is being sent to the box: the deadline begins. */
void relay_code_sent(struct relay *relay);

/* The box broke the protocol: asks the supervisor to end it. */
void relay_fault(struct relay *relay, const char *reason);

/* on_broker.c: the handlers. */
void relay_on_result(struct relay *relay, struct ipc_result *result);
void relay_on_refused(struct relay *relay, struct ipc_refused *refused);

/* frames.c: the box protocol on the two control pipes. */

/*
 * Begins to speak with a box: waits for its ready frame, then sends code in a
 * run frame. Takes both descriptors; the code is copied. frames_free ends it.
 */
struct frames *frames_new(
    struct relay *relay, int *in, int *out, const char *code, size_t len);
void frames_free(struct frames **frames);

/* output.c: one raw stream of the code. */

/* What was kept: valid UTF-8, where it was cut, how much is missing there. */
struct output_kept {
	char *data; /* the caller frees it */
	size_t len;
	size_t head;
	unsigned long long dropped;
};

/* Reads from *fd, which is taken, to its end; keeps at most max bytes. */
struct output *output_new(struct relay *relay, int *fd, size_t max);
void output_free(struct output **output);

/* Gives what was kept; the stream is empty afterwards. */
void output_take(struct output *output, struct output_kept *kept);

#endif
