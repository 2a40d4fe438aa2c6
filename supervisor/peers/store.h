/*
 * The store as the supervisor sees it: started when something is to be kept or
 * looked up for the first time, handed the state directory, given a channel
 * for each execution that asks, and started again when it has died. Runs in
 * the supervisor; reads nothing of what is kept.
 */
#ifndef SUPERVISOR_STORE_H
#define SUPERVISOR_STORE_H

#include "../../common/channel.h"
#include "../options/options.h"

struct store;

/* Starts nothing yet. All three must last as long as the store. */
struct store *store_new(
    struct event_base *base, const struct options *options, char **envp);

/*
 * The program ends: lets the store write what the broker has sent it, and exit
 * by itself, before reaper_finish kills it. NULL is accepted.
 */
void store_finish(struct store *store);

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

/* Whether something may be kept: 0 when there is no state directory yet. */
int store_may_hold(const struct store *store);

/*
 * What came of the one thing that was sent on the channel (SHOW or DROP): the
 * JSON, or a reason, which is empty when it went.
 */
typedef void store_shown(
    void *ctx, const char *payload, size_t len, const char *reason);

/* Who is told of it, and when the store is gone (as the reason says). */
void store_listen(struct store *store, store_shown *shown, void *ctx);

/* What those handlers do, in its own words. */
void store_hear_shown(
    struct store *store, const char *payload, size_t len, const char *reason);

/* It violated the protocol: it is ended. */
void store_fail(struct store *store, const char *why);

/*
 * Hands the store one end of a channel for this execution, which sees what is
 * kept in this scope. Returns the relay's end, which the caller owns, or -1
 * with err.
 */
int store_connect(struct store *store, uint64_t execution, const char *scope,
    struct err *err);

/*
 * Hands the store one end of a channel for lists of tools, in the place of an
 * earlier one. Returns the broker's end, which the caller owns, or -1 with err.
 */
int store_connect_lister(struct store *store, struct err *err);

#endif
