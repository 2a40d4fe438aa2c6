/*
 * The watchdog: limits the memory of a box where no cgroup does. Runs in init,
 * process 1 of the box. When the box exceeds its limit, init exits, and the
 * kernel ends the box. It reads files of /proc, in which the code determines
 * nothing but names, through a /proc of its own that shows every process. At
 * each look it also writes what the processes have used: see box_usage.h.
 *
 * A look is cheap while nothing is wrong: what each process says of itself. It
 * counts pages that processes share once for each, so above the limit all are
 * stopped and counted exactly: numbers that are not of one moment prove
 * nothing. They are stopped before any counting when others have kept this
 * process from its processor for long: what the code does meanwhile is unknown.
 * proc(5) is the source.
 */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"
#include "../../../common/asan.h"

static const char *const memory_paths[MEMORY_PLACES] = { "tmp", "workspace",
	"dev/shm", "workspace/out" };

/*
 * As memory_count, for which the box ends if it cannot be done. Tells what was
 * seen of what the processes have used, as it may be the last time.
 */
static void ASAN_LEAVES_ALONE
memory_must_count(
    struct memory *memory, memory_add *add, struct memory_sum *sum)
{
	int failed = memory_count(memory, add, sum);
	struct box_usage told;

	memory->usage.cpu_us = memory->cpu_ns / 1000;
	told = memory->usage;
	if (failed == -1 || pwrite(memory->usage_fd, &told, sizeof(told), 0) !=
	        (ssize_t)sizeof(told))
		_exit(BOX_EXIT_BLIND);
}

/* Notes by which processes an idle box is known. */
static void
memory_note(struct memory *memory, const struct memory_sum *sum)
{
	memset(memory->seen, 0, sizeof(memory->seen));
	if (!sum->late && !sum->loose && sum->processes <= BOX_MEMORY_SEEN)
		memcpy(memory->seen, sum->pids, sizeof(memory->seen));
}

/*
 * Counts what stands still. Returns whether that can be judged: not when a
 * process of the box has let others go on meanwhile, nor while one is in the
 * kernel yet and the box may have no more than it may.
 */
static int ASAN_LEAVES_ALONE
memory_count_held(struct memory *memory, struct memory_sum *sum)
{
	memory_must_count(memory, memory_add_quickly, sum);
	memory_note(memory, sum);
	if (!sum->loose && (sum->bytes > memory->limit || memory->maps_due))
		memory_must_count(memory, memory_add_exactly, sum);
	return !sum->loose && (!sum->busy || sum->bytes > memory->limit);
}

uint64_t ASAN_LEAVES_ALONE
memory_judge(struct memory *memory)
{
	struct memory_sum sum;
	int tries = 0;

	memory->held = 1;
	memory->nforced = 0;
	memory_stop_all(memory);
	if (memory->crowded)
		memory_keep_processor(memory);
	while (!memory_count_held(memory, &sum)) {
		if (sum.loose && ++tries == BOX_MEMORY_HOLDS)
			_exit(BOX_EXIT_LOOSE);
		memory_stop_again(memory);
	}
	if (sum.bytes > memory->limit)
		_exit(BOX_EXIT_MEMORY);
	memory_release(memory, &sum);
	memory->held = 0;
	memory->several = sum.processes > BOX_MEMORY_SEEN;
	memory->crowded = memory_is_crowded(memory, &sum);
	return sum.bytes;
}

/*
 * Counts while the box runs. Returns whether it has no more than it may, which
 * sum tells then, and will not have by the next look; else that must be judged.
 */
static int ASAN_LEAVES_ALONE
memory_look_past(struct memory *memory, struct memory_sum *sum)
{
	memory_must_count(memory, memory_add_quickly, sum);
	memory_note(memory, sum);
	memory->several = sum->processes > BOX_MEMORY_SEEN;
	memory->crowded = memory_is_crowded(memory, sum);
	return !sum->late && !sum->missed && !memory->crowded &&
	    sum->bytes <= memory->limit;
}

uint64_t ASAN_LEAVES_ALONE
memory_look(struct memory *memory)
{
	uint64_t now_ms = memory_ms(CLOCK_MONOTONIC);
	struct memory_sum sum;
	uint64_t bytes;

	memory->maps_due = now_ms >= memory->maps_ms;
	if (memory->maps_due)
		memory->maps_ms = now_ms + BOX_MAPS_LOOK_MS;
	if (!memory->crowded && !memory_is_late(memory) &&
	    !(memory->maps_due && memory->several) &&
	    memory_look_past(memory, &sum))
		bytes = sum.bytes;
	else
		bytes = memory_judge(memory);
	memory->look_ms = memory_ms(CLOCK_MONOTONIC) - now_ms;
	return bytes;
}

void ASAN_LEAVES_ALONE
memory_watch(struct memory *memory)
{
	uint64_t bytes = 0;

	/* What has just begun has few: most code has ended before. */
	memory->maps_ms = memory_ms(CLOCK_MONOTONIC) + BOX_MAPS_LOOK_MS;
	for (;;) {
		memory_sleep(memory, memory_wait(memory, bytes));
		if (!memory_is_idle(memory))
			bytes = memory_look(memory);
	}
}

/*
 * What a socket can hold: the kernel stops a sender when there is as much as
 * the size of its buffer, and does so after the packet, of half that size.
 */
static int
memory_open_sockets(struct memory *memory, int line, struct err *err)
{
	int size;
	socklen_t len = sizeof(size);

	if (getsockopt(line, SOL_SOCKET, SO_SNDBUF, &size, &len) == -1)
		return err_sys(err, "ask for the size of a socket");
	memory->socket_bytes = (uint64_t)size + (uint64_t)size / 2;
	return 0;
}

int
memory_open(struct memory *memory, int proc, int line, uint64_t limit,
    struct err *err)
{
	cpu_set_t all;
	size_t i;

	memory_run_soon();
	memory->proc = proc;
	memory->limit = limit + BOX_MEMORY_SLACK;
	/* There may be more of them than the set can hold. */
	memory->speed = sched_getaffinity(0, sizeof(all), &all) == -1 ?
	    BOX_MEMORY_SPEED_MOST : memory_speed(&all);
	for (i = 0; i < MEMORY_PLACES; i++) {
		memory->places[i] =
		    open(memory_paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (memory->places[i] == -1)
			return err_sys(err, "open %s", memory_paths[i]);
	}
	return memory_open_sockets(memory, line, err);
}
