/*
 * Ends what a program of a session has left: all processes of the box but the
 * code's, which is stopped with all its threads, unless they may run on. The
 * supervisor continues it with the next program. The supervisor asks for it by
 * a signal between two programs. Runs in init, which has every signal blocked
 * and takes this one while it waits. It reads the files of /proc only, and
 * nothing of the code.
 */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"
#include "../../../../common/base/asan.h"

/*
 * Kills a process of the box, and counts it unless it has ended: only its
 * parent, the code, can remove a zombie. The code counts while it runs, if it
 * is to stop: a process that is being killed may have continued it. A
 * memory_add.
 */
static int ASAN_LEAVES_ALONE
clear_one(struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	char status[BOX_MEMORY_TEXT_SIZE];

	if (pid < BOX_CODE_PID ||
	    (pid == BOX_CODE_PID && memory->session != MEMORY_STOPS) ||
	    memory_read_status(memory, pid, status) != 1)
		return 0;
	if (pid == BOX_CODE_PID) {
		sum->processes += !memory_is_still(status);
		return 0;
	}
	if (memory_has_ended(status))
		return 0;
	kill(pid, SIGKILL);
	sum->processes++;
	return 0;
}

/* Kills all. Returns how many had to end, -1 if they cannot be listed. */
static int ASAN_LEAVES_ALONE
clear_all(struct memory *memory)
{
	struct memory_sum sum = { 0 };

	if (memory_add_processes(memory, clear_one, &sum) == -1)
		return -1;
	return (int)sum.processes;
}

/* The next call may use as much CPU time as the one before. */
static void
clear_limit(const struct memory *memory)
{
	struct rlimit limit;

	if (prlimit(BOX_CODE_PID, RLIMIT_CPU, NULL, &limit) == -1)
		return;
	limit.rlim_cur = memory_cpu_ns(BOX_CODE_PID) / 1000000000 +
	    memory->cpu_seconds;
	if (limit.rlim_cur < limit.rlim_max)
		prlimit(BOX_CODE_PID, RLIMIT_CPU, &limit, NULL);
}

int ASAN_LEAVES_ALONE
clear_others(struct memory *memory)
{
	const uint64_t end_ms = memory_ms(CLOCK_MONOTONIC) +
	    (uint64_t)BOX_CLEAR_LOOKS * BOX_CLEAR_MS;
	int looks, left = -1;

	/* However long it takes, the list must be complete. */
	memory->hold.state = MEMORY_HELD;
	/* In time: the supervisor waits for it, however long a look takes. */
	for (looks = 0; left != 0 && (looks <= BOX_CLEAR_STOPS ||
	        memory_ms(CLOCK_MONOTONIC) < end_ms); looks++) {
		if (memory->session == MEMORY_STOPS || looks == BOX_CLEAR_STOPS)
			kill(-1, SIGSTOP);
		if (looks > 0)
			poll(NULL, 0, BOX_CLEAR_MS);
		left = clear_all(memory);
	}
	memory->hold.state = MEMORY_RUNS;
	memory->pace.planned_ms = 0;
	if (memory->session != MEMORY_STOPS && looks > BOX_CLEAR_STOPS)
		kill(BOX_CODE_PID, SIGCONT);
	clear_limit(memory);
	memory->usage.cleared += left == 0;
	return left == 0;
}

void ASAN_LEAVES_ALONE
clear_serve(struct memory *memory)
{
	for (;;) {
		struct box_usage told;

		if (!memory_await(NULL) || !clear_others(memory))
			continue;
		told = memory->usage;
		if (pwrite(memory->usage_fd, &told, sizeof(told), 0) !=
		        (ssize_t)sizeof(told))
			_exit(BOX_EXIT_BLIND);
	}
}
