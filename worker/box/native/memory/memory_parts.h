/*
 * The parts of the watchdog, memory_*.c, for each other and for their test.
 * They call downwards: memory.c, count, hold, usage, read, pace. A measurement,
 * or look, counts the memory of the box once.
 *
 *	late		the look started late, or takes too long; another one
 *			follows with all processes stopped
 *	busy		a thread in the kernel has not taken SIGSTOP yet
 *	crowded		so many threads run that the next look could be late
 *	narrow		one processor is reserved for the watchdog
 *	held		all processes were sent SIGSTOP for this look
 *	at once		a single signal to all was necessary for that
 *	still		a process executes no code before it gets SIGCONT
 *	deaf		its first thread takes no signal (ended, or in vfork)
 *	forced		each of its threads was therefore sent SIGSTOP
 *	loose		it runs although all are held: another one continued it
 *	headless	its first thread has ended, so another one is read
 *	missed		it has threads, but none of them could be read
 */
#ifndef WORKER_BOX_NATIVE_MEMORY_MEMORY_PARTS_H
#define WORKER_BOX_NATIVE_MEMORY_MEMORY_PARTS_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "memory.h"
#include "../../../../common/limits.h"

/* Sentinels of memory_next(). */
#define MEMORY_END (-1)
#define MEMORY_ERROR (-2)

/* The results of one look. */
struct memory_sum {
	uint64_t bytes;
	uint64_t shares; /* part of it, or else owned: see memory_add_exactly */
	uint64_t owned;
	uint64_t tried_ns; /* CPU time: see memory_has_run() */
	uint64_t maps; /* mappings above the free number per process */
	bool with_maps; /* whether mappings are counted */
	bool late; /* not all processes were counted in time */
	unsigned int processes;
	/* The numbers of processes that */
	unsigned int missed; /* have something that could not be read */
	unsigned int busy; /* were in the kernel, where they take no signal */
	unsigned int loose; /* were running, although all were stopped */
	unsigned int stopped; /* had been stopped by the code before */
	unsigned int moving; /* have not taken SIGSTOP yet, and run till then */
	uint64_t threads;
	pid_t pids[BOX_MEMORY_SEEN]; /* number of processes in the first */
};

/* memory_pace.c */

/* Returns the time of the clock in nanoseconds, 0 if there is no such clock. */
uint64_t memory_ns(clockid_t clock);

/* The same in milliseconds. */
uint64_t memory_ms(clockid_t clock);

/*
 * Waits for the signal that asks for clear_others, at most for a time (NULL:
 * without limit). Returns 1 if it came.
 */
int memory_await(const struct timespec *time);

/*
 * Sleeps for ms milliseconds, and records when that should end. Returns 1 if it
 * ended earlier, because processes are to be ended.
 */
int memory_sleep(struct memory *memory, unsigned int ms);

/* Whether a look at the running box has taken too long. */
int memory_is_late(const struct memory *memory);

/*
 * Whether the box could exceed its limit before the end of the next look.
 * Without a reserved processor this process waits until all threads had a turn;
 * then the look itself takes time. Code without further processes first reaches
 * the limit of one process.
 */
int memory_is_crowded(const struct memory *memory,
    const struct memory_sum *sum);

/*
 * Returns the rate at which these processors together can fill memory, in bytes
 * per second.
 */
uint64_t memory_speed(const cpu_set_t *set);

/*
 * Reserves a processor for this process, the same one in each box. It stays
 * reserved, because a box can be crowded again within one look.
 */
void memory_keep_processor(struct memory *memory);

/*
 * Returns the milliseconds until a box with this many bytes could exceed its
 * limit: when the next look is due.
 */
unsigned int memory_wait(const struct memory *memory, uint64_t bytes);

/*
 * From Linux 6.12 on a process with a short time slice is scheduled soon,
 * however many others are ready, so a look does not wait for all processes of
 * the code. Earlier kernels ignore this.
 */
void memory_run_soon(void);

/* memory_read.c */

/* Adds one process. Returns 0, or -1 if it cannot be read. */
typedef int memory_add(
    struct memory *memory, pid_t pid, struct memory_sum *sum);

/* The numbers in a directory of /proc. */
struct memory_list {
	int fd;
	ssize_t len, at; /* offset in the bytes read */
	char entries[BOX_MEMORY_ENTRIES_SIZE] __attribute__((aligned(8)));
};

/* Called with a thread of a process. Returns whether it is sufficient. */
typedef int memory_visit(
    const struct memory *memory, pid_t pid, pid_t tid, char *status);

/* Returns the number at the start of text, after blanks. */
uint64_t memory_digits(const char *text);

/*
 * Opens a file of a process, which the caller closes. Returns -1 with errno 0
 * if the process has ended, -1 with another errno if it cannot be opened.
 */
int memory_open_file(const struct memory *memory, pid_t pid, const char *name);

/*
 * Reads a file of a process into text, of BOX_MEMORY_TEXT_SIZE, and terminates
 * it with a NUL. Returns 1, 0 if the process has ended, -1 with errno if it
 * cannot be read.
 */
int memory_read(const struct memory *memory, pid_t pid, const char *name,
    char *text);

/* Returns a field of a stat: the n-th after the name of the process. */
uint64_t memory_field(const char *stat, int n);

/*
 * Returns the next number of the list, MEMORY_END after the last, MEMORY_ERROR
 * with errno.
 */
int memory_next(struct memory_list *list);

/* Returns the text after the key in the line "key: …", or NULL. */
const char *memory_find(const char *text, const char *key);

/* Returns the number in the line "key: …" of text, 0 if there is none. */
uint64_t memory_number(const char *text, const char *key);

/* Returns such a number of KiB as bytes. */
uint64_t memory_bytes(const char *text, const char *key);

/* Returns the signals in such a line, a set of bits as the kernel's. */
uint64_t memory_signals(const char *status, const char *key);

/* Returns the letter of the state in a status, '?' if there is none. */
char memory_state(const char *status);

/*
 * Pages of files are either those of the host, which it can drop, or those of
 * files in memory, which are counted as such: code can share no others.
 */
uint64_t memory_of_status(const char *status);

/*
 * Reads the status of a process like memory_read. Returns -1 also for a
 * truncated one.
 */
int memory_read_status(const struct memory *memory, pid_t pid, char *status);

/*
 * Whether the first thread of the process has ended and others live: its status
 * then reports no memory.
 */
int memory_is_headless(const char *status);

/*
 * Visits each thread of the process by its number: the kernel provides the
 * files of every thread as if it were a process, but does not list them.
 * Returns the thread that was sufficient, 0 if none was; status is for the
 * visit.
 */
pid_t memory_visit_threads(const struct memory *memory, pid_t pid,
    memory_visit *visit, char *status);

/*
 * Calls add for each process of the box but the first, until the look is late
 * or a process runs that should not. Returns 0, or -1 if they cannot be listed
 * or add has failed.
 */
int memory_add_processes(struct memory *memory, memory_add *add,
    struct memory_sum *sum);

/* memory_hold.c */

/* Whether it executes no code any more. */
int memory_has_ended(const char *status);

/* Whether it executes no code before it gets SIGCONT. */
int memory_is_still(const char *status);

/* Whether each of its threads was sent the signal separately. */
int memory_is_forced(const struct memory *memory, pid_t pid);

/*
 * Whether a process whose status was read is held. Its state and its signals in
 * the status may be of different moments. When one of several threads has taken
 * the signal, the others stop before they execute code again.
 */
int memory_is_held(const struct memory *memory, pid_t pid, const char *status);

/* Checks a process that should be stopped. */
void memory_look_at_held(struct memory *memory, pid_t pid,
    const char *status, struct memory_sum *sum);

/*
 * Whether its first thread runs, or is about to. In state D it waits, if it has
 * called vfork for its child, for an unlimited time.
 */
int memory_moves(const char *status);

/*
 * Whether the pages of a process can be read at once. While one of its threads
 * is still in the kernel, where it takes no signal, reading might wait for a
 * lock.
 */
int memory_is_parked(const struct memory *memory, pid_t pid);

/*
 * Records a process whose first thread has ended, with another one of its
 * threads. As in any process, the others stop with it.
 */
void memory_note_headless(struct memory *memory, pid_t pid, pid_t thread);

/*
 * Reads the status of that thread, which spares listing all of them. Returns
 * its number, or 0 if none is recorded or it has ended.
 */
pid_t memory_read_other(const struct memory *memory, pid_t pid, char *status);

/*
 * Stops all processes: first those of the last look, because listing all takes
 * longer, then those that were forked since. Each gets a separate signal,
 * through its first thread. A signal to the process would merge with a pending
 * one of the code. One signal for all would stop a child that is being forked
 * when the fork completes, possibly after all others were continued: see
 * memory_stop_again().
 */
void memory_stop_all(struct memory *memory);

/*
 * Stops a process that the signal has not stopped: another process of the box
 * has continued it, or its first thread takes no signals.
 */
int memory_stop(struct memory *memory, pid_t pid, struct memory_sum *sum);

/*
 * Records whether a process must be continued: not if the code had stopped it
 * before, nor if it was sent no signal. One that has not taken its signal yet
 * is continued here. A memory_add, which does not change sum.
 */
int memory_choose(struct memory *memory, pid_t pid, struct memory_sum *sum);

/*
 * Continues all processes except those that the code had stopped itself; sum
 * tells whether there are any. SIGCONT discards every pending stop signal. If a
 * process has not taken the watchdog's signal yet, it may be about to send
 * itself its own, so each is checked once more. None is waited for: the longer
 * all are stopped, the longer they run before the next look.
 */
void memory_release(struct memory *memory, const struct memory_sum *sum);

/*
 * Whether a process of the box may have run since the last try to stop all. If
 * none has, a process that is not stopped waits for a processor, and takes no
 * signal if it had begun to exit: it can do nothing before a further try.
 */
int memory_has_run(struct memory *memory);

/*
 * Stops the running processes again, after a moment in which they may stop.
 * Each process that was being forked when its parent was stopped runs, and may
 * fork the next, so after some tries one signal stops all, including those that
 * are being forked. The processes that the code has stopped are recorded
 * before. The look then lasts until no process is in the kernel, so no fork
 * completes after it.
 */
void memory_stop_again(struct memory *memory, int tries);

/* clear.c */

/*
 * Kills all processes of the box but the code's, and waits until they execute
 * nothing. Returns whether they have ended in time; then that is counted in the
 * usage, which the caller writes.
 */
int clear_others(struct memory *memory);

/* memory_usage.c */

/*
 * Returns the CPU time of a process, of all its threads, in nanoseconds; 0 if
 * it has ended.
 */
uint64_t memory_cpu_ns(pid_t pid);

/*
 * Returns where the CPU time of the process is recorded: its own entry, or that
 * of a process that has ended, or a free one; NULL if all others live.
 */
struct memory_clock *memory_find_clock(struct memory *memory, pid_t pid);

/*
 * Measures the resources used by the processes. The supervisor knows those of
 * the code and of children that it has waited for, but others may have done the
 * work.
 */
void memory_note_usage(struct memory *memory, pid_t pid, const char *status);

/*
 * The maximum memory that a process may share, without reading its pages: the
 * amount shared when they were last read, or all memory of its parent. An
 * unknown orphan may share all of it; the code, whose parent is outside, shares
 * nothing that is not counted for it.
 */
uint64_t memory_known_shared(struct memory *memory, pid_t pid,
    const char *status, uint64_t rss);

/*
 * Whether nothing can have changed since the last look: only the code and its
 * holder existed then, and they have not run. So an idle box costs next to
 * nothing.
 */
int memory_is_idle(struct memory *memory);

/* memory_share.c */

/*
 * Whether an exact count of a box in which sum was just counted may reuse
 * shares: no process or thread has ended since they were examined.
 */
int memory_may_reuse(const struct memory *memory, const struct memory_sum *sum);

/* Begins an exact count, which reuses shares if partly is 1. */
void memory_begin_shares(struct memory *memory, int partly);

/* Ends it. Sets whole if the next one, or this one again, must reuse none. */
void memory_end_shares(struct memory *memory, const struct memory_sum *sum);

/*
 * Adds the share that was noted for a process, if it still holds. Returns
 * whether it does.
 */
int memory_reuse(struct memory *memory, pid_t pid, uint64_t rss,
    struct memory_sum *sum);

/* Notes the share that a process has, and the bytes that it does not share. */
void memory_note_share(struct memory *memory, pid_t pid, uint64_t rss,
    uint64_t share, uint64_t private);

/* memory_count.c */

/*
 * Adds a process as it is in its status: pages shared by several processes
 * count once for each. A memory_add.
 */
int memory_add_quickly(struct memory *memory, pid_t pid,
    struct memory_sum *sum);

/*
 * Counts every page by the share that the process has in it. A program that may
 * be executed but not read hides its pages, and some kernels do not report
 * them: it then counts as if it shared none.
 *
 * While a process is in the kernel its pages cannot be read, and it is unknown
 * what others share with it. The box then has at least each of two sums in
 * which no page counts twice; the larger one is used. The first is the shares
 * of the others. The second is all pages of the code itself, the new pages of
 * the processes in the kernel, and the unshared pages of the others.
 */
int memory_add_exactly(struct memory *memory, pid_t pid,
    struct memory_sum *sum);

/*
 * Counts the files, the sockets and with add the processes of the box into sum,
 * which it clears before. Returns 0, or -1 if one cannot be counted.
 */
int memory_count(struct memory *memory, memory_add *add,
    struct memory_sum *sum);

/* memory.c */

/*
 * Stops all processes and counts then. Ends the box if it exceeds its limit, or
 * if its processes cannot be stopped, and therefore not be counted. Otherwise
 * returns the memory of the box in bytes.
 */
uint64_t memory_judge(struct memory *memory);

/*
 * Returns the memory of the box in bytes, if it is within its limit. Its
 * mappings cannot be counted at once while other processes may cause a delay.
 */
uint64_t memory_look(struct memory *memory);

#endif
