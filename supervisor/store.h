/*
 * The store as the supervisor sees it: started when something is to be kept or
 * looked up for the first time, handed the state directory, given a channel
 * for each execution that asks, and started again when it has died. Runs in
 * the supervisor; reads nothing of what is kept.
 */
#ifndef SUPERVISOR_STORE_H
#define SUPERVISOR_STORE_H

#include "../common/channel.h"
#include "options.h"

struct store;

/* Starts nothing yet. All three must last as long as the store. */
struct store *store_new(
    struct event_base *base, const struct options *options, char **envp);

/* Kills what runs of it. What it had committed is kept. */
void store_free(struct store **store);

/*
 * Makes it run and returns the channel to it, which stays its own; NULL with
 * err when there is no usable state directory, or it cannot be started. What
 * is sent on it may fail with EPIPE or ECONNRESET when it has died unnoticed:
 * store_lost, and once more.
 */
struct channel *store_channel(struct store *store, struct err *err);
void store_lost(struct store *store);

/*
 * Hands the store one end of a channel for this execution. Returns the relay's
 * end, which the caller owns, or -1 with err.
 */
int store_connect(struct store *store, uint64_t execution, struct err *err);

#endif
