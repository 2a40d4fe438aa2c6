/*
 * The socket pair behind a channel. A file of its own, so that only processes
 * that make channels for others are linked with it: the supervisor.
 */
#ifndef COMMON_IPC_PAIR_H
#define COMMON_IPC_PAIR_H

#include "err.h"

/*
 * Makes the two ends of a channel, closed on exec, which the caller owns: no
 * read or write of either waits, unless blocking is set, for a peer without a
 * loop (channel_new() turns its own end into one that does not wait). Returns
 * 0, or -1 with err, and -1 in both.
 */
int ipc_pair(int *ours, int *theirs, int blocking, struct err *err);

#endif
