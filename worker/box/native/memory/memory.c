/*
 * The watchdog: limits the memory of a box where no cgroup does. Runs in init,
 * process 1 of the box. When the box exceeds its limit, init exits, and the
 * kernel kills the box. It reads files of /proc, in which the code determines
 * nothing but names, through a /proc of its own that shows every process. Each
 * measurement also writes the resources that the processes have used: see
 * box_usage.h.
 *
 * Normally a measurement is cheap: it reads the status of each process, in
 * which shared pages count once for each process. Above the limit all processes
 * are stopped and counted exactly, because numbers of different moments prove
 * nothing. They are stopped before any counting if this process was not
 * scheduled for long, because the actions of the code in that time are unknown.
 * proc(5) is the source.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"
#include "../../../../common/base/asan.h"

static const char *const memory_paths[MEMORY_PLACES] = { "tmp", "workspace",
	"dev/shm", "workspace/out", "data" };

/*
 * Like memory_count, but a failure ends the box. Writes the measured resources,
 * because this may be the last measurement.
 */
static void ASAN_LEAVES_ALONE
memory_must_count(
    struct memory *memory, memory_add *add, struct memory_sum *sum)
{
	int failed = memory_count(memory, add, sum);
	struct box_usage told;

	memory->usage.cpu_us = memory->cpu_ns / 1000;
	memory->usage.bytes = sum->bytes;
	told = memory->usage;
	if (failed == -1 || pwrite(memory->usage_fd, &told, sizeof(told), 0) !=
	        (ssize_t)sizeof(told))
		_exit(BOX_EXIT_BLIND);
}

/* Records the processes by which an idle box is recognised. */
static void
memory_note(struct memory *memory, const struct memory_sum *sum)
{
	memset(memory->seen, 0, sizeof(memory->seen));
	if (!sum->late && !sum->loose && sum->processes <= BOX_MEMORY_SEEN)
		memcpy(memory->seen, sum->pids, sizeof(memory->seen));
}

/*
 * Counts the stopped box exactly. A count that reuses shares is an upper bound:
 * above the limit all pages are examined.
 */
static void
memory_count_exactly(struct memory *memory, struct memory_sum *sum)
{
	int partly = memory_may_reuse(memory, sum);

	do {
		memory_begin_shares(memory, partly);
		memory_must_count(memory, memory_add_exactly, sum);
		memory_end_shares(memory, sum);
	} while (partly-- > 0 &&
	    (memory->shares.whole || sum->bytes > memory->limit));
}

/*
 * Counts the stopped box. Returns whether the result is valid: not if a process
 * of the box has continued others meanwhile, nor while one is still in the
 * kernel and the box has reached its limit, or was stopped at once.
 */
static int ASAN_LEAVES_ALONE
memory_count_held(struct memory *memory, struct memory_sum *sum)
{
	memory_must_count(memory, memory_add_quickly, sum);
	memory_note(memory, sum);
	if (!sum->loose && (sum->bytes > memory->limit || memory->maps.due ||
	        memory->hold.state == MEMORY_HELD_AT_ONCE))
		memory_count_exactly(memory, sum);
	return !sum->loose && (!sum->busy || sum->bytes > memory->limit);
}

uint64_t ASAN_LEAVES_ALONE
memory_judge(struct memory *memory)
{
	struct memory_sum sum;
	int tries = 0;

	memory->hold.state = MEMORY_HELD;
	memory->hold.tried_ns = 0;
	memory->hold.nforced = 0;
	memory_stop_all(memory);
	if (memory->pace.crowded)
		memory_keep_processor(memory);
	while (!memory_count_held(memory, &sum)) {
		if (sum.loose && memory_has_run(memory) &&
		    ++tries == BOX_MEMORY_HOLDS)
			_exit(BOX_EXIT_LOOSE);
		memory_stop_again(memory, tries);
	}
	if (sum.bytes > memory->limit)
		_exit(BOX_EXIT_MEMORY);
	memory_release(memory, &sum);
	memory->hold.state = MEMORY_RUNS;
	memory->several = sum.processes > BOX_MEMORY_SEEN;
	memory->pace.crowded = memory_is_crowded(memory, &sum);
	return sum.bytes;
}

/*
 * Counts while the box runs. Returns whether it is within its limit, with the
 * result in sum, and will be until the next measurement; otherwise an exact one
 * is necessary.
 */
static int ASAN_LEAVES_ALONE
memory_look_past(struct memory *memory, struct memory_sum *sum)
{
	memory_must_count(memory, memory_add_quickly, sum);
	memory_note(memory, sum);
	memory->several = sum->processes > BOX_MEMORY_SEEN;
	memory->pace.crowded = memory_is_crowded(memory, sum);
	return !sum->late && !sum->missed && !memory->pace.crowded &&
	    sum->bytes <= memory->limit;
}

uint64_t ASAN_LEAVES_ALONE
memory_look(struct memory *memory)
{
	uint64_t now_ms = memory_ms(CLOCK_MONOTONIC);
	struct memory_sum sum;
	uint64_t bytes;

	memory->maps.due = now_ms >= memory->maps.next_ms;
	if (!memory->pace.crowded && !memory_is_late(memory) &&
	    !(memory->maps.due && memory->several) &&
	    memory_look_past(memory, &sum))
		bytes = sum.bytes;
	else
		bytes = memory_judge(memory);
	memory->pace.look_ms = memory_ms(CLOCK_MONOTONIC) - now_ms;
	if (memory->maps.due)
		memory->maps.next_ms =
		    now_ms + memory->pace.look_ms + BOX_MAPS_LOOK_MS;
	return bytes;
}

void ASAN_LEAVES_ALONE
memory_watch_until(struct memory *memory, int line)
{
	struct pollfd ready = { .fd = line, .events = POLLIN };
	uint64_t bytes = 0;

	while (poll(&ready, 1, (int)memory_wait(memory, bytes)) == 0)
		bytes = memory_look(memory);
}

void ASAN_LEAVES_ALONE
memory_watch(struct memory *memory)
{
	uint64_t bytes = 0;

	/* New code uses little memory: most code ends before. */
	memory->maps.next_ms = memory_ms(CLOCK_MONOTONIC) + BOX_MAPS_LOOK_MS;
	for (;;) {
		if (memory_sleep(memory, memory_wait(memory, bytes)))
			clear_others(memory);
		else if (memory_is_idle(memory))
			continue;
		bytes = memory_look(memory);
	}
}

/*
 * The capacity of a socket: the kernel blocks a sender when the size of its
 * buffer is reached, and checks after the packet, of half that size.
 */
static int
memory_open_sockets(struct memory *memory, int line, struct err *err)
{
	int size;
	socklen_t len = sizeof(size);

	if (getsockopt(line, SOL_SOCKET, SO_SNDBUF, &size, &len) == -1)
		return err_sys(err, "read the size of a socket");
	memory->socket_bytes = (uint64_t)size + (uint64_t)size / 2;
	return 0;
}

int
memory_open(struct memory *memory, int proc, int line, uint64_t limit,
    int data, struct err *err)
{
	cpu_set_t all;
	size_t i;

	memory_run_soon();
	memory->proc = proc;
	memory->limit = limit + BOX_MEMORY_SLACK;
	/* There may be more of them than the set can hold. */
	memory->pace.speed = sched_getaffinity(0, sizeof(all), &all) == -1 ?
	    BOX_MEMORY_SPEED_MOST : memory_speed(&all);
	memory->nplaces = data ? MEMORY_PLACES : MEMORY_PLACES - 1;
	for (i = 0; i < memory->nplaces; i++) {
		memory->places[i] =
		    open(memory_paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (memory->places[i] == -1)
			return err_sys(err, "open %s", memory_paths[i]);
	}
	return memory_open_sockets(memory, line, err);
}
