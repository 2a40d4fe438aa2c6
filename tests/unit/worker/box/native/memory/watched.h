/*
 * A box as the tests of its watchdog play it: files like those of /proc in a
 * directory, signals that change these files, file systems, processors, and a
 * clock that stands still. The linker puts the functions that ask for these in
 * the place of the system's (--wrap).
 */
#ifndef TESTS_UNIT_WATCHED_H
#define TESTS_UNIT_WATCHED_H

#include <sched.h>
#include <sys/vfs.h>
#include <time.h>

#include "common/limits.h"
#include "worker/box/native/memory/memory.h"
#include "worker/box/native/memory/memory_parts.h"

/* Above every process of this machine: PID_MAX_LIMIT. */
#define A 4194401
#define B 4194402
#define C 4194403
#define FORKED 4194410 /* those of the variable forks */
#define LIMIT (100 * MIB)

/* What a signal does to the status of a process is to change its beginning. */
#define STOPPED "State:\tT (stopped)\n"
#define AWAITS_STOP "SigPnd:\t0000000000040000\n"
#define END "Threads:\t1\n"

/* Two threads, or as many as text says, and no first one that has memory. */
#define HEADLESS(text) "State:\tZ (zombie)\nPPid:\t1\nThreads:\t" text "\n"

/* The directory that is like /proc. */
extern char scratch[];

/* The watchdog, and the file systems that it asks for. */
extern struct memory memory;
extern struct statfs places[MEMORY_PLACES];

/* The processors of the machine, and what each process is left. */
extern cpu_set_t processors, of_watchdog, of_a, of_b;
/* The process that cannot be given any, or 0. */
extern pid_t no_affinity;

/* Signals to all processes: A, which is always there, counts them. */
extern int stops, conts;
extern int others; /* signals that stop others than A */
extern int single_conts; /* signals that continue one process */
extern int stops_at_once; /* signals that stop all */
/* The process that is continued as soon as it is stopped, and how often. */
extern int runaway, runs;
/*
 * The nanoseconds that pass whenever the time is asked for, and how many more
 * that are each time.
 */
extern int step_ns, step_more_ns;
/*
 * If it is not 0, no process uses CPU time, except the busy one, which does at
 * each look: the nanoseconds that each has used.
 */
extern int used_ns, busy;
/*
 * The process that does not take a signal to stop yet, and how often its CPU
 * time must be asked for until it does; 0: for ever.
 */
extern int slow, takes_at;
/*
 * If it is 1, each signal that stops one process comes too late for a fork: the
 * child runs. It counts them, up to the most unless that is 0.
 */
extern int forks, forks_most;
/* The thread, not the first of its process, that was last stopped. */
extern int last_thread;
/* The thread that has ended, so that it can be sent none. */
extern int gone_thread;
/* The process that has the memory of its parent. */
extern pid_t borrower;
/* Whether B lets go of what it has while all are stopped. */
extern int b_lets_go;

/* Makes an empty box, and removes it: the fixture of each case. */
void watched_setup(void);
void watched_teardown(void);

/* Whether a text begins with another one. */
int starts(const char *text, const char *with);

/* Returns the status of a process until the next call; NULL: there is none. */
const char *read_status(int pid);

/* Writes a file of a process; text NULL: a directory, which cannot be read. */
void put(int pid, const char *name, const char *text);

/* Has the box use so many sockets. */
void put_sockets(unsigned int used);

/* Makes a process with so many MiB, of which some are its own. */
void put_process(int pid, unsigned int anon, unsigned int own);

/* Gives a process a thread of that number. */
void put_thread(int pid, int thread);

/* Counts the box, with one of the ways to add a process. */
struct memory_sum count(memory_add *add);

/* Returns how a look ends a process, 0 when it does not. */
int look_in_child(void);

/* What the linker calls instead of the system's, and those. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_fstatfs64(int fd, struct statfs *fs);
int __wrap_kill(int pid, int sig);
long __wrap_syscall(long number, pid_t pid, ...);
long __real_syscall(long number, ...);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __wrap_tgkill(int pid, int tid, int sig);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __real_kill(int pid, int sig);

#endif
