/*
 * The life of a worker, in the main() of each: it opens what it needs, drops
 * its privileges by worker_lockdown(), and then reads bytes from outside. A
 * search for that function finds what each may do from then on. A process is
 * one worker.
 */
#ifndef COMMON_WORKER_H
#define COMMON_WORKER_H

#include "../ipc/channel.h"
#include "../seccomp/lockdown.h"

/*
 * Begins: its name, its signals, and the channel to the supervisor, descriptor
 * 3, which the caller frees. Files that it creates are its own (umask 077). A
 * violation by the supervisor is fatal. base must outlive the worker.
 */
struct channel *worker_open(enum role role, struct event_base *base,
    channel_handler *const *routes, void *ctx);

/*
 * Receives messages of the supervisor, which say what the worker is for, until
 * a handler breaks the loop; or the supervisor closes the channel.
 */
void worker_await(void);

/* As lockdown(); a failure is fatal. */
void worker_lockdown(enum role role, enum lockdown_use use, int folder);

/*
 * Runs the loop until the supervisor has closed the channel, or a handler
 * breaks the loop.
 */
void worker_run(void);

/* Ends worker_run, also one that is called later. */
void worker_stop(void);

#endif
