/*
 * What the broker of the tests is linked with: its times, where a test does not
 * make them short, so long that nothing is late where there is little time for
 * us; and a stand-in for lockdown(), behind which no search for leaks lives.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "broker_times.h"
#include "common/seccomp/lockdown.h"

#define EXIT_EARLY 99

int play_wait_ms = 100000;
int play_start_ms = 100000;
int play_lists_wait_ms = 100000;
int play_failed_ms = 500;

/* Given up too late is not given up: nothing may have been read before. */
int
lockdown(enum role role, enum lockdown_use, int,
    struct err *)
{
	char c;

	if (role != ROLE_BROKER ||
	    recv(WORKER_CHANNEL_FD, &c, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
		_exit(EXIT_EARLY);
	return 0;
}
