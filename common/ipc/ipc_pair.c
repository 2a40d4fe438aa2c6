/* The socket pair behind a channel: see ipc_pair.h. Runs in the supervisor. */
#include <sys/socket.h>

#include "ipc_pair.h"

int
ipc_pair(int *ours, int *theirs, int blocking, struct err *err)
{
	int type = SOCK_SEQPACKET | SOCK_CLOEXEC;
	int pair[2] = { -1, -1 };
	int failed;

	failed = socketpair(
	    AF_UNIX, blocking ? type : type | SOCK_NONBLOCK, 0, pair);
	*ours = pair[0];
	*theirs = pair[1];
	return failed == -1 ? err_sys(err, "make a socket pair") : 0;
}
