/*
 * The socket pair behind a channel. It is in a file of its own, so that only
 * the process that creates channels for others is linked with it: the
 * supervisor.
 */
#ifndef COMMON_IPC_PAIR_H
#define COMMON_IPC_PAIR_H

#include "../base/err.h"

/*
 * Makes the two ends of a channel, closed on exec, which the caller owns. They
 * are non-blocking unless blocking is set, for a peer without a loop; to a
 * channel it makes no difference. Returns 0, or -1 with err, and -1 in both.
 */
int ipc_pair(int *ours, int *theirs, int blocking, struct err *err);

#endif
