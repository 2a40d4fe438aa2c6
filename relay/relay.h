/*
 * The relay: the unprivileged worker that owns the pipes of one box for one
 * execution, or one session. All files of this folder run in that process only.
 * It parses the bytes of the box, checks every frame, passes requests to the
 * broker and the store and answers to the box, keeps the head and tail of the
 * output, and reports to the supervisor when all pipes are drained. lockdown()
 * prevents anything else.
 *
 * Calls go down only, from room to room as ROOMS in tests/house/house.py lists
 * them, and within a room: main, routes, on_*, relay, frames, streams, report.
 * Calls upwards are callbacks, which are given at construction.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include <stdbool.h>

#include "calls/calls.h"
#include "output/output.h"
#include "state/state.h"

/* relay.c: the relay as a whole. */

/* Makes its parts with the descriptors of the box, which are taken. */
void relay_prepare(struct relay *relay, struct ipc_prepare *prepare);

/*
 * Sends the box its code, which is copied, and its servers, whose memfd is
 * taken. Fatal if the code cannot be read.
 */
void relay_start(struct relay *relay, struct ipc_start *start);

/* Opens the connection to the broker on *fd, which is taken. */
void relay_meet_broker(struct relay *relay, int *fd);

/* Opens the connection to the store on *fd, which is taken. */
void relay_meet_store(struct relay *relay, int *fd);

/* The store has ended: the next request fetches a new one. */
void relay_lose_store(struct relay *relay);

/*
 * No process of a box with three descriptors is left: behind the end of the
 * code, only the end of its pipes would come.
 */
void relay_finish(struct relay *relay);

/* frames.c: the frames on the control pipe of the box. */

/* The end of code of a session, as the box reports it. */
struct frames_end {
	uint64_t exit;    /* its exit code, at most END_STATUS_MAX */
	uint64_t threads; /* that it has left, at most PROGRAM_THREADS_MAX */
};

/* The callbacks for frames of the box. */
struct frames_ends {
	/* The box is ready for code. */
	void (*ready)(struct relay *relay);

	/* The code is being sent to the box: the deadline runs from now. */
	void (*sent)(struct relay *relay);

	/* The box violated the protocol. */
	void (*fault)(struct relay *relay, const char *reason);

	/* Returns whether nothing more will come: reading stops then. */
	int (*complete)(struct relay *relay);

	/*
	 * Its control pipe has ended: all output of the code is in the pipes.
	 */
	void (*ended)(struct relay *relay);

	/*
	 * The code has ended, and the box waits for more: all output of the
	 * code is in the pipes.
	 */
	void (*code_ended)(struct relay *relay, const struct frames_end *end);
};

/*
 * Starts to read from a box: waits for its ready frame, and passes its requests
 * to relay->calls. Takes *in. frames_free stops reading.
 */
struct frames *frames_new(
    struct relay *relay, int *in, const struct frames_ends *ends);
void frames_free(struct frames **frames);

/* Stops reading if nothing more will come. */
void frames_check(struct frames *frames);

/* Reads on, unless output still waits: see streams_wait. */
void frames_go_on(struct frames *frames);

/* Further members of a run frame. */
struct frames_run {
	const char *code;
	size_t len;
	const char *input; /* members of the frame, or NULL */
	size_t input_len;
	bool stored; /* there is a store */
	bool echo;   /* the value of the last expression is requested */
	bool progress; /* it may report progress */
	bool session; /* the box stays when the code has ended */
};

/*
 * Sends the box its run frame with these and the servers (JSON, whose memfd is
 * taken): now, or when it is ready; once, and again after each code_ended. A
 * box that has ended is sent nothing.
 */
void frames_start(struct frames *frames, const struct frames_run *run,
    struct ipc_blob *servers);

/* streams.c: the output of a box with three descriptors. */

/*
 * Handles a frame of this type if it is output of the code, or the report of
 * its end. Returns 1 if it is, 0 if it is not, or -1 with err if the box
 * violated the protocol.
 */
int streams_take(struct relay *relay, struct json_span frame,
    struct json_span type, struct err *err);

/*
 * Returns whether output that came in frames waits to be passed on: no more of
 * them is to be read.
 */
int streams_wait(const struct relay *relay);

/* report.c: what is reported of code that has ended. */

/*
 * Takes the output, and sends DONE, or PROGRAM_ENDED of a program with this
 * end. Returns 0, or -1 with err.
 */
int report_send(
    struct relay *relay, const struct frames_end *end, struct err *err);

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF relay
#define IPC_SELF_IS_RELAY
#define IPC_FROM_SUPERVISOR struct relay
#define IPC_FROM_BROKER struct relay
#define IPC_FROM_STORE struct relay
#include "../common/ipc/ipc_handlers.h"

#endif
