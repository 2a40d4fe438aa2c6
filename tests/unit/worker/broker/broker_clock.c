/*
 * The time of a broker and its test: see broker_clock.h. The two functions of
 * the C library by which the loop learns of time are ours; libevent finds them
 * in the program before those.
 */
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "broker_clock.h"

#define STEP_MS 1 /* of real time: how often each looks at the other */

struct broker_clock {
	_Atomic uint64_t now;  /* in milliseconds */
	_Atomic uint64_t turn; /* even while the broker has nothing to do */
	_Atomic uint64_t pass; /* time may pass in this turn */
};

static struct broker_clock *shared; /* NULL: time is real */
static int is_broker;

void
broker_clock_start(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		abort();
	shared->turn = 1; /* it has to start */
	/* Check measures how long a test takes: that is not less than 0. */
	shared->now = (uint64_t)now.tv_sec * 1000 + 1000;
}

void
broker_clock_follow(void)
{
	is_broker = 1;
}

int
clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ms;

	if (shared == NULL ||
	    (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE))
		return (int)syscall(SYS_clock_gettime, clock, now);
	ms = shared->now;
	*now = (struct timespec){ (time_t)(ms / 1000),
		(long)(ms % 1000) * 1000000 };
	return 0;
}

static int
wait_really(int fd, struct epoll_event *events, int most, int ms)
{
	return (int)syscall(SYS_epoll_pwait, fd, events, most, ms, NULL, 8);
}

/* Returns how many events there are, 0 if time may pass instead. */
static int
wait_idly(int fd, struct epoll_event *events, int most)
{
	uint64_t turn = ++shared->turn;
	int n;

	do
		n = wait_really(fd, events, most, STEP_MS);
	while (n == 0 && shared->pass != turn);
	shared->turn++;
	return n != 0 ? n : wait_really(fd, events, most, 0);
}

int
epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
	uint64_t end;
	int n;

	if (!is_broker)
		return wait_really(fd, events, most, ms);
	end = ms < 0 ? UINT64_MAX : shared->now + (uint64_t)ms;
	n = wait_really(fd, events, most, 0);
	while (n == 0 && shared->now < end) {
		n = wait_idly(fd, events, most);
		/* Time passes until then, if there is an end. */
		if (n == 0 && end != UINT64_MAX && shared->now < end)
			shared->now = end;
	}
	return n;
}

void
broker_clock_await(int fd)
{
	struct pollfd awaited = { .fd = fd, .events = POLLIN };
	uint64_t turn;

	for (;;) {
		turn = shared->turn;
		/* It said nothing before it had nothing to do. */
		if (poll(&awaited, 1, 0) == 1)
			return;
		if (turn % 2 == 0)
			shared->pass = turn;
		poll(&awaited, 1, STEP_MS);
	}
}
