/*
 * Stops the processes of a box and continues them, for the watchdog; determines
 * which of them are stopped, and which another process has continued. Runs in
 * init.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"
#include "../../../../common/base/asan.h"

/*
 * include/linux/sched.h of the kernel: the flag of a process that ends, and the
 * index of the field after the name that contains it.
 */
#define MEMORY_PF_EXITING 4
#define MEMORY_STAT_FLAGS 7

/* The bit of a signal in the sets that a status shows. */
#define MEMORY_BIT(sig) (UINT64_C(1) << ((sig) - 1))

static int
memory_is_stopped(const char *status)
{
	return memory_state(status) == 'T';
}

/* A thread is stopped, or will be: then its whole process stops. */
static int
memory_stops(const char *status)
{
	return memory_is_stopped(status) ||
	    ((memory_signals(status, "SigPnd") |
	         memory_signals(status, "ShdPnd")) &
	        (MEMORY_BIT(SIGSTOP) | MEMORY_BIT(SIGKILL))) != 0;
}

static int
memory_thread_is_stopped(
    const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	return tid != pid && memory_read_status(memory, tid, status) == 1 &&
	    memory_stops(status);
}

int
memory_has_ended(const char *status)
{
	char state = memory_state(status);

	return state == 'X' ||
	    (state == 'Z' && memory_number(status, "Threads") <= 1);
}

int
memory_is_still(const char *status)
{
	return memory_stops(status) || memory_has_ended(status);
}

/*
 * Whether other threads continue to run: the signal waits for the first one,
 * which takes none if it has ended, or while a child uses its memory (vfork).
 */
static int
memory_is_deaf(const char *status)
{
	char state = memory_state(status);

	return (state == 'D' || state == 'Z') &&
	    memory_number(status, "Threads") > 1;
}

int
memory_is_forced(const struct memory *memory, pid_t pid)
{
	size_t i;

	for (i = 0; i < memory->hold.nforced; i++)
		if (memory->hold.forced[i] == pid)
			return 1;
	return 0;
}

/* Whether the thread has started to exit: it executes no code any more. */
static int
memory_exits(const struct memory *memory, pid_t tid)
{
	char stat[BOX_MEMORY_TEXT_SIZE];

	return memory_read(memory, tid, "stat", stat) != 1 ||
	    (memory_field(stat, MEMORY_STAT_FLAGS) & MEMORY_PF_EXITING) != 0;
}

static int
memory_thread_lives(const struct memory *memory, pid_t, pid_t tid, char *)
{
	return !memory_exits(memory, tid);
}

/* Whether all of its threads exit: then it takes no signal any more. */
static int
memory_is_ending(const struct memory *memory, pid_t pid)
{
	return memory_exits(memory, pid) &&
	    memory_visit_threads(memory, pid, memory_thread_lives, NULL) == 0;
}

/* Whether all of its threads are stopped, according to its status. */
static int
memory_seems_held(const struct memory *memory, pid_t pid, const char *status)
{
	return memory_is_still(status) &&
	    (!memory_is_deaf(status) || memory_is_forced(memory, pid));
}

int
memory_is_held(const struct memory *memory, pid_t pid, const char *status)
{
	char again[BOX_MEMORY_TEXT_SIZE];

	return memory_seems_held(memory, pid, status) ||
	    (memory_read_other(memory, pid, again) != 0 &&
	        memory_stops(again)) ||
	    memory_read_status(memory, pid, again) != 1 ||
	    memory_seems_held(memory, pid, again) ||
	    memory_is_ending(memory, pid) ||
	    memory_visit_threads(
	        memory, pid, memory_thread_is_stopped, again) != 0;
}

/* Returns where a process is recorded, negative if it is to stay stopped. */
static pid_t *
memory_find_known(struct memory *memory, pid_t pid)
{
	pid_t *one = memory->hold.known;
	pid_t *const end = one + memory->hold.nknown;

	while (one < end && *one != pid && *one != -pid)
		one++;
	return one < end ? one : NULL;
}

/*
 * Whether the code has stopped it, so that only the code may continue it.
 * Besides the signal of the watchdog, another one must be pending, because a
 * stopped process takes none. The watchdog signals the first thread, so a
 * signal to the whole process is the code's. A process that was being forked
 * when all were stopped may have received none.
 */
static int
memory_was_stopped(struct memory *memory, pid_t pid, const char *status)
{
	uint64_t pending = memory_signals(status, "ShdPnd");

	if (memory_find_known(memory, pid) == NULL)
		return memory->hold.nknown < BOX_MEMORY_KNOWN &&
		    memory_is_stopped(status);
	if (memory_is_stopped(status))
		pending |= memory_signals(status, "SigPnd");
	return (pending & MEMORY_BIT(SIGSTOP)) != 0;
}

int
memory_moves(const char *status)
{
	char state = memory_state(status);

	return state == 'R' || state == 'S';
}

/* Removes the reserved processor from those of a thread. */
static int
memory_thread_leaves(const struct memory *memory, pid_t, pid_t tid, char *)
{
	sched_setaffinity(
	    tid, sizeof(memory->pace.others), &memory->pace.others);
	return 0;
}

/*
 * Keeps a process off the reserved processor, which its threads and children
 * inherit. It cannot undo that, so one that had stopped, with a single thread,
 * needs it once.
 */
static void
memory_keep_off(struct memory *memory, pid_t pid, const char *status)
{
	struct memory_clock *known = memory_find_clock(memory, pid);
	int own = known != NULL && known->pid == pid;

	if (own && known->kept_off)
		return;
	if (!own || !memory_is_stopped(status) ||
	    memory_number(status, "Threads") > 1)
		memory_visit_threads(memory, pid, memory_thread_leaves, NULL);
	else
		known->kept_off = sched_setaffinity(pid,
		    sizeof(memory->pace.others), &memory->pace.others) == 0;
}

void
memory_look_at_held(struct memory *memory, pid_t pid, const char *status,
    struct memory_sum *sum)
{
	sum->stopped += memory_was_stopped(memory, pid, status) != 0;
	sum->moving += memory_moves(status) != 0;
	sum->loose += memory_is_held(memory, pid, status) == 0;
	if (memory->pace.narrow)
		memory_keep_off(memory, pid, status);
}

static int
memory_thread_runs(const struct memory *memory, pid_t, pid_t tid, char *status)
{
	return memory_read_status(memory, tid, status) == 1 &&
	    memory_moves(status);
}

int
memory_is_parked(const struct memory *memory, pid_t pid)
{
	char status[BOX_MEMORY_TEXT_SIZE];

	return memory_visit_threads(
	           memory, pid, memory_thread_runs, status) == 0;
}

/*
 * Stops new processes, and records all existing ones. Returns the number of
 * processes it has stopped, -1 if they cannot be listed.
 */
static int
memory_stop_new(struct memory *memory)
{
	struct memory_list list = { .fd = memory->proc };
	pid_t found[BOX_MEMORY_KNOWN];
	size_t nfound = 0;
	int pid, stopped = 0;

	if (lseek(memory->proc, 0, SEEK_SET) == -1)
		return -1;
	while ((pid = memory_next(&list)) >= 0) {
		if (pid > 1 && memory_find_known(memory, pid) == NULL) {
			tgkill(pid, pid, SIGSTOP);
			stopped++;
		}
		if (pid > 1 && nfound < BOX_MEMORY_KNOWN)
			found[nfound++] = pid;
	}
	memcpy(memory->hold.known, found, nfound * sizeof(*found));
	memory->hold.nknown = nfound;
	return pid == MEMORY_END ? stopped : -1;
}

pid_t
memory_read_other(const struct memory *memory, pid_t pid, char *status)
{
	size_t i;

	for (i = 0; i < memory->hold.nheadless; i++)
		if (memory->hold.headless[i].pid == pid)
			break;
	/* Its number can be reused for a thread of another process. */
	if (i == memory->hold.nheadless ||
	    memory_read_status(
		memory, memory->hold.headless[i].thread, status) != 1 ||
	    (pid_t)memory_number(status, "Tgid") != pid)
		return 0;
	return memory->hold.headless[i].thread;
}

void
memory_note_headless(struct memory *memory, pid_t pid, pid_t thread)
{
	size_t i;

	for (i = 0; i < memory->hold.nheadless; i++)
		if (memory->hold.headless[i].pid == pid)
			break;
	if (i == BOX_MEMORY_FORCED)
		return;
	memory->hold.headless[i] = (struct memory_headless){ pid, thread };
	if (i == memory->hold.nheadless)
		memory->hold.nheadless++;
}

/* Stops those that the signal to the first thread does not stop. */
static void
memory_stop_headless(struct memory *memory)
{
	struct memory_headless *one = memory->hold.headless;

	while (one < memory->hold.headless + memory->hold.nheadless)
		if (tgkill(one->pid, one->thread, SIGSTOP) == 0)
			one++;
		else
			*one = memory->hold.headless[--memory->hold.nheadless];
}

void
memory_stop_all(struct memory *memory)
{
	size_t i;
	int tries = 0, stopped;

	memory_stop_headless(memory);
	for (i = 0; i < memory->hold.nknown; i++)
		tgkill(memory->hold.known[i], memory->hold.known[i], SIGSTOP);
	do
		stopped = memory_stop_new(memory);
	while (stopped > 0 && ++tries < BOX_MEMORY_HOLDS);
	if (stopped == -1)
		_exit(BOX_EXIT_BLIND);
}

static int
memory_stop_thread(const struct memory *, pid_t pid, pid_t tid, char *)
{
	tgkill(pid, tid, SIGSTOP);
	return 0;
}

/*
 * Records a process that was sent the signal. Returns whether there is room for
 * it.
 */
static int
memory_may_know(struct memory *memory, pid_t pid)
{
	pid_t *one = memory_find_known(memory, pid);

	if (one == NULL && memory->hold.nknown < BOX_MEMORY_KNOWN)
		one = &memory->hold.known[memory->hold.nknown++];
	if (one != NULL)
		*one = pid;
	return one != NULL;
}

int
memory_stop(struct memory *memory, pid_t pid, struct memory_sum *)
{
	char status[BOX_MEMORY_TEXT_SIZE];

	if (memory_read_status(memory, pid, status) != 1 ||
	    memory_is_held(memory, pid, status))
		return 0;
	if (memory_number(status, "Threads") <= 1 &&
	    memory_may_know(memory, pid)) {
		tgkill(pid, pid, SIGSTOP);
		return 0;
	}
	if (!memory_is_forced(memory, pid)) {
		if (memory->hold.nforced == BOX_MEMORY_FORCED)
			return 0;
		memory->hold.forced[memory->hold.nforced++] = pid;
	}
	memory_visit_threads(memory, pid, memory_stop_thread, NULL);
	return 0;
}

int
memory_choose(struct memory *memory, pid_t pid, struct memory_sum *)
{
	char status[BOX_MEMORY_TEXT_SIZE];
	int n = memory_read_status(memory, pid, status);
	pid_t *known = memory_find_known(memory, pid);

	if (n != 1)
		return n;
	/*
	 * For threads that were signalled one by one, and processes beyond the
	 * recorded ones, this is unknown. Any other unrecorded process was
	 * forked since, and received no signal.
	 */
	if (memory_is_forced(memory, pid) ||
	    (known == NULL && memory->hold.nknown == BOX_MEMORY_KNOWN)) {
		if (known == NULL)
			kill(pid, SIGCONT);
	} else if (known != NULL && memory_was_stopped(memory, pid, status)) {
		*known = -pid;
	} else if (known != NULL && memory_moves(status)) {
		/* At once: it may be about to stop itself. */
		kill(pid, SIGCONT);
		*known = -pid;
	}
	return 0;
}

/*
 * Continues those that need not stay stopped. The processes cannot delay it:
 * nothing is read here.
 */
static void
memory_continue_chosen(struct memory *memory)
{
	size_t i;

	for (i = 0; i < memory->hold.nknown; i++)
		if (memory->hold.known[i] < 0)
			memory->hold.known[i] = -memory->hold.known[i];
		else
			kill(memory->hold.known[i], SIGCONT);
}

/*
 * Records a process that the signal to all has stopped; one that cannot be
 * recorded is continued. A memory_add.
 */
static int
memory_choose_at_once(struct memory *memory, pid_t pid, struct memory_sum *)
{
	if (memory_find_known(memory, pid) == NULL &&
	    !memory_may_know(memory, pid))
		kill(pid, SIGCONT);
	return 0;
}

void ASAN_LEAVES_ALONE
memory_release(struct memory *memory, const struct memory_sum *sum)
{
	struct memory_sum ignored = { 0 };

	if (memory->hold.state != MEMORY_HELD_AT_ONCE && sum->stopped == 0 &&
	    sum->moving == 0) {
		kill(-1, SIGCONT);
		return;
	}
	if (memory_add_processes(memory,
	        memory->hold.state == MEMORY_HELD_AT_ONCE ?
	            memory_choose_at_once : memory_choose, &ignored) == -1)
		_exit(BOX_EXIT_BLIND);
	memory_continue_chosen(memory);
}

/* Adds the CPU time of a process. A memory_add. */
static int
memory_add_tried(struct memory *, pid_t pid, struct memory_sum *sum)
{
	uint64_t ns = memory_cpu_ns(pid);

	sum->tried_ns += ns;
	sum->missed += ns == 0;
	return 0;
}

/* A process that was started or has ended changes the sum, too. */
int ASAN_LEAVES_ALONE
memory_has_run(struct memory *memory)
{
	uint64_t before = memory->hold.tried_ns;
	struct memory_sum sum = { 0 };

	if (memory_add_processes(memory, memory_add_tried, &sum) == -1)
		_exit(BOX_EXIT_BLIND);
	memory->hold.tried_ns = sum.missed > 0 ? 0 : sum.tried_ns;
	return memory->hold.tried_ns == 0 || memory->hold.tried_ns != before;
}

/*
 * Records a process that the code has stopped: after a signal to all it looks
 * like any other. A memory_add.
 */
static int
memory_except(struct memory *memory, pid_t pid, struct memory_sum *)
{
	char status[BOX_MEMORY_TEXT_SIZE];
	int n = memory_read_status(memory, pid, status);

	if (n == 1 && !memory_is_forced(memory, pid) &&
	    memory_was_stopped(memory, pid, status) &&
	    memory_may_know(memory, pid))
		*memory_find_known(memory, pid) = -pid;
	return n == -1 ? -1 : 0;
}

static void ASAN_LEAVES_ALONE
memory_stop_at_once(struct memory *memory)
{
	struct memory_sum ignored = { 0 };

	if (memory->hold.state != MEMORY_HELD_AT_ONCE &&
	    memory_add_processes(memory, memory_except, &ignored) == -1)
		_exit(BOX_EXIT_BLIND);
	memory->hold.state = MEMORY_HELD_AT_ONCE;
	kill(-1, SIGSTOP);
}

void ASAN_LEAVES_ALONE
memory_stop_again(struct memory *memory, int tries)
{
	struct memory_sum ignored = { 0 };

	poll(NULL, 0, BOX_MEMORY_HOLD_MS);
	if (tries > BOX_MEMORY_SINGLY)
		memory_stop_at_once(memory);
	if (memory_add_processes(memory, memory_stop, &ignored) == -1)
		_exit(BOX_EXIT_BLIND);
}
