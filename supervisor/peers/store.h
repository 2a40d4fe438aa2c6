/*
 * The store as the supervisor sees it. It is started when a value is stored or
 * looked up for the first time, and restarted after its end. It receives the
 * state directory, and a channel for each execution that asks for one. Runs in
 * the supervisor; reads no stored values.
 */
#ifndef SUPERVISOR_STORE_H
#define SUPERVISOR_STORE_H

#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"
#include "../options/options.h"
#include "peers.h"

struct store;

/*
 * store_channel starts the store if necessary and returns the channel to it,
 * which it keeps; NULL with err if there is no usable state directory, or if
 * the start fails. If the store had ended without notice, sending fails with
 * EPIPE or ECONNRESET.
 */
struct channel *store_channel(struct store *store, struct err *err);

/*
 * Returns whether stored data may exist: 0 if there is no state directory yet.
 */
int store_may_hold(const struct store *store);

/*
 * The answer to the one request sent on the channel (SHOW or DROP): the JSON,
 * or a reason, which is empty after a success.
 */
typedef void store_shown(
    void *ctx, const char *payload, size_t len, const char *reason);

/*
 * Sets the function for answers; it is also called when the store has ended,
 * with a reason.
 */
void store_listen(struct store *store, store_shown *shown, void *ctx);

/* Called by the handlers of these messages. */
void store_hear_shown(
    struct store *store, const char *payload, size_t len, const char *reason);

/*
 * Gives the store one end of a channel for this execution, which sees the
 * values of this scope, which may take most bytes. Returns the relay's end,
 * which the caller owns, or -1 with err.
 */
int store_connect(struct store *store, uint64_t execution, const char *scope,
    uint64_t most, struct err *err);

/*
 * Has the store keep an execution. Returns 0, or -1 with err, also, without a
 * line in the log, if there is no state directory.
 */
int store_keep_execution(struct store *store,
    struct ipc_keep_execution *execution, struct err *err);

/* A part of a kept output, borrowed. */
struct store_read {
	const char *text; /* its start: any bytes */
	size_t len;
	uint64_t whole;     /* its size */
	int found;          /* 0: this owner has no such output */
	const char *reason; /* why it is unknown, one sentence; or empty */
};

struct store_task;

/*
 * Reads the start of a kept output of an owner, of standard error if errors.
 * Returns a task, or NULL with err; done is called from the loop, never by the
 * functions here, at the end of the task, which is freed then.
 */
struct store_task *store_read_output(struct store *store,
    const struct ipc_read_output *question,
    void (*done)(void *ctx, const struct store_read *read), void *ctx,
    struct err *err);

/* Lets it end without a callback. NULL inside is accepted. */
void store_forget(struct store_task **task);

/* Called by the handler of this message. */
void store_hear_output(
    struct store *store, uint64_t task, const struct store_read *read);

/*
 * Gives the store one end of a channel for lists of tools, which replaces an
 * earlier one. Returns the broker's end, which the caller owns, or -1 with err.
 */
int store_connect_lister(struct store *store, struct err *err);

#endif
