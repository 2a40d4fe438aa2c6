/*
 * The parts of the watchdog, memory_*.c, for each other and for their test.
 * They call downwards: memory.c, count, hold, usage, read, pace.
 *
 * late      the look began late, or takes too long: it is made again, stopped
 * busy      a thread has not taken SIGSTOP yet, as it is in the kernel
 * crowded   there are so many threads that the next look could be late
 * narrow    a processor is kept for the watchdog, and the code has the others
 * held      all processes were sent SIGSTOP for this look
 * still     a process runs no line of the code before it gets SIGCONT
 * deaf      its first thread takes no signal: it has ended, or waits in vfork
 * forced    each of its threads was therefore sent SIGSTOP
 * loose     it runs although all are held: another process continued it
 * headless  its first thread has ended, so that another one must tell
 * missed    it has threads, but none of them told
 */
#ifndef WORKER_BOX_NATIVE_MEMORY_PARTS_H
#define WORKER_BOX_NATIVE_MEMORY_PARTS_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "memory.h"
#include "../../../common/limits.h"

/* What is no number of a list. */
#define MEMORY_END (-1)
#define MEMORY_ERROR (-2)

/* What one look counts. */
struct memory_sum {
	uint64_t bytes;
	uint64_t shares; /* of it, or else owned: see memory_add_exactly */
	uint64_t owned;
	int late; /* there was no time for all processes */
	int missed; /* one had threads, and none of them could be looked at */
	int busy;  /* one was in the kernel, which takes no signal there */
	int loose; /* one could run, although all were stopped */
	int stopped; /* one had been stopped by the code before */
	int moving; /* one has not taken SIGSTOP yet, and runs until it does */
	uint64_t maps; /* beyond what processes have free */
	int with_maps; /* whether those are counted */
	unsigned int processes;
	uint64_t threads;
	pid_t pids[BOX_MEMORY_SEEN]; /* of the first of them */
};

/* memory_pace.c */

/* Returns what the clock shows, in milliseconds. */
uint64_t memory_ms(clockid_t clock);

/* Sleeps for ms milliseconds, and notes when that should end. */
void memory_sleep(struct memory *memory, unsigned int ms);

/* Whether a look that is made while the box runs has taken too long. */
int memory_is_late(const struct memory *memory);

/*
 * Whether the box could be above its limit before it has been counted next
 * time. Without a processor of its own this process waits until all threads had
 * a turn; then the look itself takes some time. Code that has started no
 * process meets the limit of its own process before.
 */
int memory_is_crowded(const struct memory *memory,
    const struct memory_sum *sum);

/*
 * Returns how fast these processors can fill memory together, in bytes a
 * second.
 */
uint64_t memory_speed(const cpu_set_t *set);

/*
 * Keeps a processor for this process, the same one in each box. It stays so: a
 * box can be crowded again within one look.
 */
void memory_keep_processor(struct memory *memory);

/*
 * Returns the milliseconds until a box that has so many bytes could be above
 * its limit: when the next look is due.
 */
unsigned int memory_wait(const struct memory *memory, uint64_t bytes);

/*
 * From Linux 6.12 on a process that asks for little at a time gets it soon,
 * however many others want to run: a look is not in the queue behind all that
 * the code has started. Before, the kernel ignores it.
 */
void memory_run_soon(void);

/* memory_read.c */

/* Adds one process. Returns 0, or -1 when it cannot be looked at. */
typedef int memory_add(
    struct memory *memory, pid_t pid, struct memory_sum *sum);

/* The numbers that a directory of /proc lists. */
struct memory_list {
	int fd;
	ssize_t len, at; /* of what was read of it */
	char entries[BOX_MEMORY_ENTRIES_SIZE] __attribute__((aligned(8)));
};

/* Is shown a thread of a process. Returns whether it has seen enough. */
typedef int memory_visit(
    const struct memory *memory, pid_t pid, pid_t tid, char *status);

/* Returns the number that text begins with, behind blanks. */
uint64_t memory_digits(const char *text);

/*
 * Opens a file of a process, which the caller closes. Returns -1 with errno 0
 * when the process has ended, -1 with another one when it cannot be opened.
 */
int memory_open_file(const struct memory *memory, pid_t pid, const char *name);

/*
 * Reads a file of a process into text, of BOX_MEMORY_TEXT_SIZE, which ends with
 * a zero then. Returns 1, 0 when the process has ended, -1 with errno when it
 * cannot be read.
 */
int memory_read(const struct memory *memory, pid_t pid, const char *name,
    char *text);

/*
 * Returns the next number of the list, MEMORY_END behind the last,
 * MEMORY_ERROR with errno.
 */
int memory_next(struct memory_list *list);

/* Returns what stands behind the key in the line "key: …", or NULL. */
const char *memory_find(const char *text, const char *key);

/*
 * Returns the number in the line "key: …" of text, 0 when there is none.
 */
uint64_t memory_number(const char *text, const char *key);

/* Returns such a number of KiB as bytes. */
uint64_t memory_bytes(const char *text, const char *key);

/* Whether one of these signals, a set of bits, waits to be taken. */
int memory_awaits(const char *status, uint64_t signals);

/* The same of those that any thread of the process may take. */
int memory_awaits_shared(const char *status, uint64_t signals);

/* Returns the letter of the state in a status, '?' when there is none. */
char memory_state(const char *status);

/*
 * Pages of files are either the host's, which it can drop, or those of files
 * in memory, which are counted as such: code can share no others.
 */
uint64_t memory_of_status(const char *status);

/*
 * Reads the status of a process as memory_read does. One without its end is
 * of no use: then it returns -1.
 */
int memory_read_status(const struct memory *memory, pid_t pid, char *status);

/*
 * Whether the first thread of the process has ended and others live: it says
 * of the memory of them all that there is none.
 */
int memory_is_headless(const char *status);

/*
 * Shows each thread of the process by its number, as the kernel has files of
 * every thread as if it were a process, but in no list. Returns the one that
 * was enough, 0 when none was; status is for the visit.
 */
pid_t memory_visit_threads(const struct memory *memory, pid_t pid,
    memory_visit *visit, char *status);

/*
 * Calls add for each process of the box but the first, until the look is late
 * or a process runs that should not. Returns 0, or -1 when they cannot be
 * listed or add has failed.
 */
int memory_add_processes(struct memory *memory, memory_add *add,
    struct memory_sum *sum);

/* memory_hold.c */

/* Whether it runs no line of the code before it gets SIGCONT. */
int memory_is_still(const char *status);

/* Whether each of its threads was sent the signal apart. */
int memory_is_forced(const struct memory *memory, pid_t pid);

/*
 * Whether a process whose status was read is held. What it told of its state
 * and of its signals may not be of one moment; and when one of several threads
 * has taken the signal, the others stop before they run again.
 */
int memory_is_held(const struct memory *memory, pid_t pid, const char *status);

/* Looks at a process that should be stopped. */
void memory_look_at_held(const struct memory *memory, pid_t pid,
    const char *status, struct memory_sum *sum);

/*
 * Whether the pages of a process can be looked at at once. While one of its
 * threads is in the kernel yet, which takes no signal there, a lock may have to
 * be waited for.
 */
int memory_is_parked(const struct memory *memory, pid_t pid);

/*
 * Stops all processes: first those of the last time, as to list all takes
 * longer, then those that were forked since. Each gets a signal of its own,
 * through its first thread: with one that the code has sent to the process, and
 * that waits yet, it would become one; and one for all would stop a child that
 * is being forked whenever that is done, when all others have gone on.
 */
void memory_stop_all(struct memory *memory);

/*
 * Stops a process that the signal for all did not: another one of the box has
 * let it go on, or its first thread takes none.
 */
int memory_stop(struct memory *memory, pid_t pid, struct memory_sum *sum);

/*
 * Notes whether a process is to be continued: not if the code had stopped it
 * before, nor if it was sent no signal. One that has not taken its signal yet
 * is continued here. A memory_add, which leaves sum alone.
 */
int memory_choose(struct memory *memory, pid_t pid, struct memory_sum *sum);

/*
 * Continues all processes but those that the code had stopped itself, of which
 * sum says whether there are any. SIGCONT takes back every signal to stop that
 * waits. So where one has not taken ours yet, which may be about to send itself
 * its own, each is looked at once more. None is waited for: the longer all
 * stand still, the longer they run before the next look.
 */
void memory_release(struct memory *memory, const struct memory_sum *sum);

/*
 * Stops again the processes that run, after a moment in which they may stop.
 */
void memory_stop_again(struct memory *memory);

/* memory_usage.c */

/*
 * Returns the CPU time of a process, of all its threads, in nanoseconds; 0 when
 * it has ended.
 */
uint64_t memory_cpu_ns(pid_t pid);

/*
 * Where the CPU time of the process is kept: its own place, or else that of a
 * process that has ended, or a free one; NULL when all others live.
 */
struct memory_clock *memory_find_clock(struct memory *memory, pid_t pid);

/*
 * What of the CPU time of the process is new since the last look. Notes how
 * much memory it has.
 */
uint64_t memory_new_cpu_ns(struct memory *memory, pid_t pid, uint64_t rss);

/*
 * What the processes have used. The supervisor knows it of the code, and of the
 * children that it has waited for: others may have done the work.
 */
void memory_note_usage(struct memory *memory, pid_t pid, const char *status);

/*
 * How much of its memory a process may share, without a look at its pages: what
 * it shared when they were looked at last, or all that its parent had. The rest
 * is its own. An orphan that is not known may share all of it; the code, whose
 * parent is outside, shares nothing that is not counted for it.
 */
uint64_t memory_known_shared(struct memory *memory, pid_t pid,
    const char *status, uint64_t rss);

/*
 * Whether nothing can have changed since the last look: there were no more
 * processes than the code and its holder then, and they have not run. So a box
 * that waits costs next to nothing.
 */
int memory_is_idle(struct memory *memory);

/* memory_count.c */

/*
 * A child between vfork and exec has the memory of its parent, not a copy, and
 * so has the holder: all of it would be counted twice. One that may not be
 * looked at is another one.
 */
int memory_is_borrowed(pid_t pid, const char *status);

/*
 * Adds a process as it says of itself: pages that several processes share are
 * counted once for each. A memory_add.
 */
int memory_add_quickly(struct memory *memory, pid_t pid,
    struct memory_sum *sum);

/*
 * Every page by the share that the process has in it. A program that may be
 * run but not read hides its pages, and some kernels do not tell: then it
 * counts as if it shared none.
 *
 * While a process is in the kernel its pages cannot be looked at, and it is not
 * known what others share with it. Then the box has at least each of two sums
 * in which no page counts twice, of which the larger is taken: the shares of
 * the others; or all pages of the code itself, of those in the kernel what is
 * new, and of the others what they share with none.
 */
int memory_add_exactly(struct memory *memory, pid_t pid,
    struct memory_sum *sum);

/*
 * Counts the files, the sockets and with add the processes of the box into
 * sum, which it clears before. Returns 0, or -1 when one cannot be counted.
 */
int memory_count(struct memory *memory, memory_add *add,
    struct memory_sum *sum);

/* memory.c */

/*
 * Stops all processes and counts then. Ends the box if it has more than it may,
 * or if its processes cannot be stopped: they could not be counted. Returns
 * what a box has that may live on, in bytes.
 */
uint64_t memory_judge(struct memory *memory);

/*
 * Returns what the box has, in bytes, if it may live on. The parts of its
 * memory cannot be counted at once while other processes may hold it up.
 */
uint64_t memory_look(struct memory *memory);

#endif
