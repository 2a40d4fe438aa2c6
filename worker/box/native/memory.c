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
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "../../../common/asan.h"

/*
 * The files of a process that are read whole. A status is the longest: it names
 * the groups of the user, of whom there may be many, before what counts here.
 */
#define MEMORY_TEXT_SIZE 16384
#define MEMORY_ENTRIES_SIZE 4096

/*
 * sched.h of the kernel: a process that ends; and which of the fields behind
 * its name has that.
 */
#define MEMORY_PF_EXITING 4
#define MEMORY_STAT_FLAGS 7

/* The bit of a signal in the sets that a status shows. */
#define MEMORY_BIT(sig) (UINT64_C(1) << ((sig) - 1))

/* What is no number of a list. */
#define MEMORY_END (-1)
#define MEMORY_ERROR (-2)

/* posix-timers.h of the kernel: the CPU time of a process, all threads. */
#define MEMORY_CPU_CLOCK(pid) ((clockid_t)(~(unsigned int)(pid) << 3 | 2))

static const char *const memory_paths[MEMORY_PLACES] = { "tmp", "workspace",
	"dev/shm" };

/* What one look counts. */
struct memory_sum {
	uint64_t bytes;
	int late; /* there was no time for all processes */
	int missed; /* one had threads, and none of them could be looked at */
	int busy;  /* one was in the kernel, which takes no signal there */
	int loose; /* one could run, although all were stopped */
	int stopped; /* one had been stopped by the code before */
	uint64_t maps; /* beyond what processes have free */
	int with_maps; /* whether those are counted */
	unsigned int processes;
	uint64_t threads;
	pid_t pids[MEMORY_SEEN]; /* of the first of them */
};

/* Adds one process. Returns 0, or -1 when it cannot be looked at. */
typedef int memory_add(
    struct memory *memory, pid_t pid, struct memory_sum *sum);

/* Reading */

/*
 * What the C library has for reading and writing numbers looks at its locale
 * and at what others have added to printf(), and a forked init has neither: see
 * spare.c.
 */

/* The number that text begins with, behind blanks. */
static uint64_t
memory_digits(const char *text)
{
	uint64_t number = 0;

	text += strspn(text, " \t");
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

/* Writes one that is not negative, and returns where that ends. */
static char *
memory_put_number(char *to, int number)
{
	char digits[16];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	while (n > 0)
		*to++ = digits[--n];
	*to = '\0';
	return to;
}

/*
 * Opens a file of a process. Returns -1 with errno 0 when that has ended, -1
 * with another one when it cannot be had.
 */
static int
memory_open_file(const struct memory *memory, pid_t pid, const char *name)
{
	char path[64];
	char *end = memory_put_number(path, pid);
	int fd;

	*end++ = '/';
	memcpy(end, name, strlen(name) + 1);
	fd = openat(memory->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 && (errno == ENOENT || errno == ESRCH))
		errno = 0;
	return fd;
}

/*
 * Reads such a file into text, of MEMORY_TEXT_SIZE. Returns 1, 0 when the
 * process has ended, -1 with errno when it cannot be had.
 */
static int
memory_read(const struct memory *memory, pid_t pid, const char *name,
    char *text)
{
	int fd = memory_open_file(memory, pid, name);
	size_t len = 0;
	ssize_t n = 1;

	text[0] = '\0';
	if (fd == -1)
		return errno == 0 ? 0 : -1;
	while (n > 0 && len < MEMORY_TEXT_SIZE - 1) {
		n = read(fd, text + len, MEMORY_TEXT_SIZE - 1 - len);
		if (n > 0)
			len += (size_t)n;
	}
	close(fd);
	text[len] = '\0';
	if (n == -1)
		return errno == ESRCH ? 0 : -1;
	return 1;
}

/* The numbers that a directory of /proc lists. */
struct memory_list {
	int fd;
	ssize_t len, at; /* of what was read of it */
	char entries[MEMORY_ENTRIES_SIZE] __attribute__((aligned(8)));
};

/* Returns the next one, MEMORY_END behind the last, MEMORY_ERROR with errno. */
static int
memory_next(struct memory_list *list)
{
	const struct dirent64 *entry;

	for (;;) {
		if (list->at == list->len) {
			list->at = 0;
			list->len = getdents64(list->fd, list->entries,
			    sizeof(list->entries));
			if (list->len <= 0)
				break;
		}
		entry = (const struct dirent64 *)(list->entries + list->at);
		list->at += entry->d_reclen;
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			return (int)memory_digits(entry->d_name);
	}
	return list->len == 0 ? MEMORY_END : MEMORY_ERROR;
}

/* Returns what stands behind the key in the line "key: …", or NULL. */
static const char *
memory_find(const char *text, const char *key)
{
	size_t len = strlen(key);
	const char *line;

	for (line = text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

/* Returns the number there, 0 when there is none. */
static uint64_t
memory_number(const char *text, const char *key)
{
	const char *found = memory_find(text, key);

	return found == NULL ? 0 : memory_digits(found);
}

/* The same in KiB, as bytes. */
static uint64_t
memory_bytes(const char *text, const char *key)
{
	return memory_number(text, key) * KIB;
}

/* As memory_read; a status without its end is of no use. */
static int
memory_read_status(const struct memory *memory, pid_t pid, char *status)
{
	int n = memory_read(memory, pid, "status", status);

	if (n != 1 || status[0] == '\0')
		return n;
	return memory_find(status, "Threads") == NULL ? -1 : 1;
}

/*
 * Whether the first thread of the process has ended and others live: it says
 * of the memory of them all that there is none.
 */
static int
memory_is_headless(const char *status)
{
	return memory_find(status, "RssAnon") == NULL &&
	    memory_number(status, "Threads") > 1;
}

/* Is shown a thread of a process. Returns whether it has seen enough. */
typedef int memory_visit(
    const struct memory *memory, pid_t pid, pid_t tid, char *status);

/*
 * Shows each thread of the process by its number, as the kernel has files of
 * every thread as if it were a process, but in no list. Returns the one that
 * was enough, 0 when none was; status is for the visit.
 */
static pid_t
memory_visit_threads(const struct memory *memory, pid_t pid,
    memory_visit *visit, char *status)
{
	struct memory_list tasks = {
		.fd = memory_open_file(memory, pid, "task")
	};
	pid_t found = 0;
	int tid;

	if (tasks.fd == -1)
		return 0;
	while (found == 0 && (tid = memory_next(&tasks)) >= 0)
		if (visit(memory, pid, tid, status))
			found = tid;
	close(tasks.fd);
	return found;
}

/* Whether it lives, and tells what the process has, which status is then. */
static int
memory_tells(
    const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	return tid != pid && memory_read_status(memory, tid, status) == 1 &&
	    memory_find(status, "RssAnon") != NULL;
}

/* Holding still */

/* The signals that such a line tells of, as the kernel's bits. */
static uint64_t
memory_signals(const char *status, const char *key)
{
	const char *digit = memory_find(status, key);
	uint64_t bits = 0;

	if (digit == NULL)
		return 0;
	for (digit += strspn(digit, " \t");; digit++) {
		if (*digit >= '0' && *digit <= '9')
			bits = bits << 4 | (uint64_t)(*digit - '0');
		else if (*digit >= 'a' && *digit <= 'f')
			bits = bits << 4 | (uint64_t)(*digit - 'a' + 10);
		else
			return bits;
	}
}

/* Whether one of these signals, a set of bits, waits to be taken. */
static int
memory_awaits(const char *status, uint64_t signals)
{
	return ((memory_signals(status, "SigPnd") |
	    memory_signals(status, "ShdPnd")) & signals) != 0;
}

static char
memory_state(const char *status)
{
	const char *found = memory_find(status, "State");

	return found == NULL ? '?' : found[strspn(found, " \t")];
}

static int
memory_is_stopped(const char *status)
{
	return memory_state(status) == 'T';
}

/* Or will be: then all of its process stops with it. */
static int
memory_thread_is_stopped(
    const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	return tid != pid && memory_read_status(memory, tid, status) == 1 &&
	    (memory_is_stopped(status) ||
	        memory_awaits(status,
	            MEMORY_BIT(SIGSTOP) | MEMORY_BIT(SIGKILL)));
}

/*
 * Whether it was stopped before all were stopped: then our signal still waits,
 * as a stopped process takes none. Only the code can have stopped it, and it is
 * for the code to let it go on.
 */
static int
memory_was_stopped(const char *status)
{
	return memory_is_stopped(status) &&
	    memory_awaits(status, MEMORY_BIT(SIGSTOP));
}

/* Whether it runs no line of the code before it gets SIGCONT. */
static int
memory_is_still(const char *status)
{
	char state = memory_state(status);

	return state == 'T' || state == 'X' ||
	    memory_awaits(status, MEMORY_BIT(SIGSTOP) | MEMORY_BIT(SIGKILL)) ||
	    (state == 'Z' && memory_number(status, "Threads") <= 1);
}

/*
 * Whether others of its threads run on: the signal waits for the first, which
 * takes none when it has ended, or while a child has its memory (vfork).
 */
static int
memory_is_deaf(const char *status)
{
	char state = memory_state(status);

	return (state == 'D' || state == 'Z') &&
	    memory_number(status, "Threads") > 1;
}

/* Whether each of its threads was sent the signal apart. */
static int
memory_is_forced(const struct memory *memory, pid_t pid)
{
	size_t i;

	for (i = 0; i < memory->nforced; i++)
		if (memory->forced[i] == pid)
			return 1;
	return 0;
}

/* Whether the thread has begun to exit: it runs no line of the code. */
static int
memory_exits(const struct memory *memory, pid_t tid)
{
	char stat[MEMORY_TEXT_SIZE];
	const char *field;
	int i;

	if (memory_read(memory, tid, "stat", stat) != 1)
		return 1;
	/* A process may call itself anything, with brackets and spaces. */
	field = strrchr(stat, ')');
	for (i = 0; i < MEMORY_STAT_FLAGS && field != NULL; i++)
		field = strchr(field + 1, ' ');
	return field != NULL &&
	    (memory_digits(field) & MEMORY_PF_EXITING) != 0;
}

static int
memory_thread_lives(
    const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	(void)pid;
	(void)status;
	return !memory_exits(memory, tid);
}

/* Whether all of its threads exit: then it takes no signal any more. */
static int
memory_is_ending(const struct memory *memory, pid_t pid)
{
	return memory_exits(memory, pid) &&
	    memory_visit_threads(memory, pid, memory_thread_lives, NULL) == 0;
}

/* Whether all of its threads are, as far as its status tells. */
static int
memory_seems_held(const struct memory *memory, pid_t pid, const char *status)
{
	return memory_is_still(status) &&
	    (!memory_is_deaf(status) || memory_is_forced(memory, pid));
}

/*
 * Whether a process whose status was read is held. What it told of its state
 * and of its signals may not be of one moment; and when one of several threads
 * has taken the signal, the others stop before they run again.
 */
static int
memory_is_held(const struct memory *memory, pid_t pid, const char *status)
{
	char again[MEMORY_TEXT_SIZE];

	return memory_seems_held(memory, pid, status) ||
	    memory_read_status(memory, pid, again) != 1 ||
	    memory_seems_held(memory, pid, again) ||
	    memory_is_ending(memory, pid) ||
	    memory_visit_threads(
	        memory, pid, memory_thread_is_stopped, again) != 0;
}

/* Leaves the thread none of the processors but those for the code. */
static int
memory_thread_leaves(
    const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	(void)pid;
	(void)status;
	sched_setaffinity(tid, sizeof(memory->others), &memory->others);
	return 0;
}

/* Looks at a process that should be stopped. */
static void
memory_look_at_held(const struct memory *memory, pid_t pid, const char *status,
    struct memory_sum *sum)
{
	sum->stopped |= memory_was_stopped(status);
	sum->loose |= !memory_is_held(memory, pid, status);
	if (memory->narrow)
		memory_visit_threads(memory, pid, memory_thread_leaves, NULL);
}

/*
 * Reads the status of the process, if need be of another thread than its first,
 * whose number *pid is then. As memory_read.
 */
static int
memory_look_at(const struct memory *memory, pid_t *pid, char *status,
    struct memory_sum *sum)
{
	int n = memory_read_status(memory, *pid, status);
	pid_t tid;

	if (n == 1)
		sum->threads += memory_number(status, "Threads");
	if (n == 1 && memory->held)
		memory_look_at_held(memory, *pid, status, sum);
	if (n != 1 || !memory_is_headless(status))
		return n;
	tid = memory_visit_threads(memory, *pid, memory_tells, status);
	sum->missed |= tid == 0;
	if (tid != 0)
		*pid = tid;
	return tid != 0;
}

/* Counting: one process */

/* What the kernel keeps for a process alone, whoever shares its pages. */
static uint64_t
memory_of_kernel(const char *status)
{
	return memory_bytes(status, "VmPTE") +
	    memory_bytes(status, "HugetlbPages");
}

/*
 * Pages of files are either the host's, which it can drop, or those of files
 * in memory, which are counted as such: code can share no others.
 */
static uint64_t
memory_of_status(const char *status)
{
	return memory_bytes(status, "RssAnon") +
	    memory_bytes(status, "VmSwap");
}

/*
 * The parts that the memory of a process has, one a line of its file. It has
 * been counted as a process itself.
 */
static void
memory_add_maps(const struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	int fd = sum->with_maps ? memory_open_file(memory, pid, "maps") : -1;
	char text[MEMORY_TEXT_SIZE];
	/* One may have what large libraries make, all of them may not. */
	uint64_t allowed = BOX_MAPS_FREE / sum->processes;
	uint64_t lines = 0;
	const char *end;
	ssize_t n;

	if (allowed < BOX_MAPS_LEAST)
		allowed = BOX_MAPS_LEAST;
	if (fd == -1)
		return;
	while ((n = read(fd, text, sizeof(text))) > 0)
		for (end = text; end < text + n; end++)
			lines += *end == '\n';
	close(fd);
	if (lines > allowed)
		sum->maps += lines - allowed;
}

/*
 * What the kernel keeps for them: a description of each, and in one that was
 * forked a link for each process that it was forked from, of which there can be
 * as many as there are processes.
 */
static uint64_t
memory_of_maps(const struct memory_sum *sum)
{
	return sum->maps *
	    (BOX_MAP_BYTES + sum->processes * BOX_MAP_LINK_BYTES);
}

/*
 * A child between vfork and exec has the memory of its parent, not a copy, and
 * so has the holder: all of it would be counted twice. One that may not be
 * looked at is another one.
 */
static int
memory_is_borrowed(pid_t pid, const char *status)
{
	pid_t parent = (pid_t)memory_number(status, "PPid");

	return parent > 1 &&
	    syscall(SYS_kcmp, pid, parent, KCMP_VM, 0, 0) == 0;
}

/*
 * The CPU time of a process, of all its threads, in nanoseconds. Returns 0 when
 * it has ended.
 */
static uint64_t
memory_cpu_ns(pid_t pid)
{
	struct timespec used;

	if (clock_gettime(MEMORY_CPU_CLOCK(pid), &used) == -1)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/*
 * Where the CPU time of the process is kept: its own place, or else that of a
 * process that has ended, or a free one; NULL when all others live.
 */
static struct memory_clock *
memory_find_clock(struct memory *memory, pid_t pid)
{
	struct memory_clock *ended = NULL;
	struct memory_clock *clock;
	pid_t i;

	for (i = 0; i < MEMORY_CLOCKS; i++) {
		clock = &memory->clocks[(pid + i) % MEMORY_CLOCKS];
		if (clock->pid == pid)
			return clock;
		if (clock->pid == 0)
			return ended != NULL ? ended : clock;
		if (ended == NULL && memory_cpu_ns(clock->pid) == 0)
			ended = clock;
	}
	return ended;
}

/*
 * What of the CPU time of the process is new since the last look. Notes how
 * much memory it has.
 */
static uint64_t
memory_new_cpu_ns(struct memory *memory, pid_t pid, uint64_t rss)
{
	struct memory_clock *last = memory_find_clock(memory, pid);
	uint64_t ns = memory_cpu_ns(pid);
	uint64_t before;

	if (last == NULL)
		return 0;
	/* A number can be given to another process. */
	before = last->pid == pid && last->ns <= ns ? last->ns : 0;
	if (before == 0)
		*last = (struct memory_clock){ .pid = pid };
	last->ns = ns;
	last->rss = rss;
	return ns - before;
}

/*
 * What the processes have used. The supervisor knows it of the code, and of the
 * children that it has waited for: others may have done the work.
 */
static void
memory_note_usage(struct memory *memory, pid_t pid, const char *status)
{
	uint64_t peak_kib = memory_number(status, "VmHWM");

	memory->cpu_ns +=
	    memory_new_cpu_ns(memory, pid, memory_of_status(status));
	if (peak_kib > memory->usage.peak_kib)
		memory->usage.peak_kib = peak_kib;
}

/*
 * How much of its memory a process may share, without a look at its pages: what
 * it shared when they were looked at last, or all that its parent had. The rest
 * is its own. An orphan that is not known may share all of it; the code, whose
 * parent is outside, shares nothing that is not counted for it.
 */
static uint64_t
memory_known_shared(
    struct memory *memory, pid_t pid, const char *status, uint64_t rss)
{
	const struct memory_clock *own = memory_find_clock(memory, pid);
	pid_t parent = (pid_t)memory_number(status, "PPid");
	const struct memory_clock *before;
	uint64_t shared = parent == 0 ? 0 : rss;

	if (own != NULL && own->pid == pid && own->looked) {
		shared = own->shared;
	} else if (parent > 1) {
		before = memory_find_clock(memory, parent);
		if (before != NULL && before->pid == parent)
			shared = before->rss;
	}
	return shared < rss ? shared : rss;
}

static int
memory_thread_runs(
    const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	char state;

	(void)pid;
	if (memory_read_status(memory, tid, status) != 1)
		return 0;
	state = memory_state(status);
	/* In state D it waits: for its child, where it has called vfork. */
	return state == 'R' || state == 'S';
}

/*
 * Whether the pages of a process can be looked at at once. While one of its
 * threads is in the kernel yet, which takes no signal there, a lock may have to
 * be waited for.
 */
static int
memory_is_parked(const struct memory *memory, pid_t pid)
{
	char status[MEMORY_TEXT_SIZE];

	return memory_visit_threads(
	           memory, pid, memory_thread_runs, status) == 0;
}

static int
memory_add_quickly(
    struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	const pid_t process = pid; /* pid becomes that of a thread */
	char status[MEMORY_TEXT_SIZE];

	if (sum->processes < MEMORY_SEEN)
		sum->pids[sum->processes] = pid;
	sum->processes++;
	if (memory_look_at(memory, &pid, status, sum) == -1)
		return -1;
	memory_note_usage(memory, process, status);
	if (memory_is_borrowed(pid, status))
		return 0;
	sum->bytes += memory_of_status(status) + memory_of_kernel(status);
	memory_add_maps(memory, pid, sum);
	return 0;
}

/*
 * Every page by the share that the process has in it. A program that may be
 * run but not read hides its pages, and some kernels do not tell: then it
 * counts as if it shared none.
 */
static int
memory_add_exactly(
    struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	const pid_t process = pid; /* pid becomes that of a thread */
	char status[MEMORY_TEXT_SIZE];
	char pages[MEMORY_TEXT_SIZE];
	struct memory_clock *known;
	uint64_t rss, own, private;

	sum->processes++;
	if (memory_look_at(memory, &pid, status, sum) == -1)
		return -1;
	if (memory_is_borrowed(pid, status))
		return 0;
	rss = memory_of_status(status);
	sum->bytes += memory_of_kernel(status);
	if (memory->held && !memory_is_parked(memory, process)) {
		sum->busy = 1;
		sum->bytes += rss -
		    memory_known_shared(memory, process, status, rss);
		return 0;
	}
	memory_add_maps(memory, pid, sum);
	own = private = rss;
	if (memory_read(memory, pid, "smaps_rollup", pages) == 1 &&
	    memory_find(pages, "Pss_Anon") != NULL) {
		own = memory_bytes(pages, "Pss_Anon") +
		    memory_bytes(pages, "SwapPss");
		private = memory_bytes(pages, "Private_Dirty");
	}
	sum->bytes += own;
	known = memory_find_clock(memory, process);
	if (known != NULL && known->pid == process) {
		known->looked = 1;
		known->shared = rss > private ? rss - private : 0;
	}
	return 0;
}

/* Counting: the whole box */

static uint64_t
memory_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Of this process: that others run is no reason to hold the box up. */
static uint64_t
memory_cpu_ms(void)
{
	return memory_ms(CLOCK_PROCESS_CPUTIME_ID);
}

/* Sleeps, and notes when that should end. */
static void
memory_sleep(struct memory *memory, unsigned int ms)
{
	memory->planned_ms = memory_ms(CLOCK_MONOTONIC) + ms;
	memory->cpu_ms = memory_cpu_ms();
	poll(NULL, 0, (int)ms);
}

/*
 * Whether others were given the processor since then, while this process had
 * something to do.
 */
static int
memory_is_outrun(const struct memory *memory)
{
	return memory->planned_ms != 0 &&
	    memory_ms(CLOCK_MONOTONIC) > memory->planned_ms +
	        (memory_cpu_ms() - memory->cpu_ms) + BOX_MEMORY_LATE_MS;
}

/* Whether a look that is made while the box runs has taken too long. */
static int
memory_is_late(const struct memory *memory)
{
	return !memory->held && memory_is_outrun(memory);
}

static int
memory_add_processes(
    struct memory *memory, memory_add *add, struct memory_sum *sum)
{
	struct memory_list list = { .fd = memory->proc };
	int pid;

	if (lseek(memory->proc, 0, SEEK_SET) == -1)
		return -1;
	while ((pid = memory_next(&list)) >= 0) {
		if (pid > 1 && add(memory, pid, sum) == -1)
			return -1;
		sum->late |= memory_is_late(memory);
		if (sum->late || sum->loose)
			return 0;
	}
	return pid == MEMORY_END ? 0 : -1;
}

/* Mapped or not, deleted or not; and the inodes, which are memory too. */
static int
memory_add_files(const struct memory *memory, struct memory_sum *sum)
{
	struct statfs fs;
	size_t i;

	for (i = 0; i < MEMORY_PLACES; i++) {
		if (fstatfs(memory->places[i], &fs) == -1)
			return -1;
		sum->bytes +=
		    (uint64_t)(fs.f_blocks - fs.f_bfree) *
		        (uint64_t)fs.f_bsize +
		    (uint64_t)(fs.f_files - fs.f_ffree) * BOX_INODE_BYTES;
	}
	return 0;
}

/*
 * What lies unread in sockets cannot be seen: from a number of them on, which
 * programs do not have, each counts as what it can hold. The kernel counts them
 * for the network namespace, which is the box's own, whatever holds them: those
 * that have no descriptor any more, as a call that waits for them has begun
 * before, too.
 */
static int
memory_add_sockets(const struct memory *memory, struct memory_sum *sum)
{
	char text[MEMORY_TEXT_SIZE];
	const char *found;
	uint64_t sockets;

	if (memory_read(memory, 1, "net/sockstat", text) == -1)
		return -1;
	found = strstr(text, "sockets: used ");
	if (found == NULL)
		return 0;
	sockets = memory_digits(found + strlen("sockets: used "));
	if (sockets > BOX_SOCKETS_FREE)
		sum->bytes +=
		    (sockets - BOX_SOCKETS_FREE) * memory->socket_bytes;
	return 0;
}

static int
memory_count(
    struct memory *memory, memory_add *add, struct memory_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->with_maps = add == memory_add_exactly ||
	    (memory->maps_due && !memory->held);
	if (memory_add_files(memory, sum) == -1 ||
	    memory_add_sockets(memory, sum) == -1 ||
	    memory_add_processes(memory, add, sum) == -1)
		return -1;
	sum->bytes += memory_of_maps(sum);
	return 0;
}

/* Watching */

/*
 * As memory_count, for which the box ends if it cannot be done. Tells what was
 * seen of what the processes have used, as it may be the last time.
 */
static void ASAN_LEAVES_ALONE
memory_must_count(
    struct memory *memory, memory_add *add, struct memory_sum *sum)
{
	const size_t size = sizeof(memory->usage);
	int failed = memory_count(memory, add, sum);

	memory->usage.cpu_us = memory->cpu_ns / 1000;
	if (failed == -1 ||
	    pwrite(memory->usage_fd, &memory->usage, size, 0) != (ssize_t)size)
		_exit(BOX_EXIT_BLIND);
}

/* Notes by which processes an idle box is known. */
static void
memory_note(struct memory *memory, const struct memory_sum *sum)
{
	memset(memory->seen, 0, sizeof(memory->seen));
	if (!sum->late && !sum->loose && sum->processes <= MEMORY_SEEN)
		memcpy(memory->seen, sum->pids, sizeof(memory->seen));
}

/*
 * Whether the box could be above its limit before it has been counted next
 * time. Without a processor of its own this process waits until all threads had
 * a turn; then the look itself takes some time. Code that has started no
 * process meets the limit of its own process before.
 */
static int
memory_is_crowded(const struct memory *memory, const struct memory_sum *sum)
{
	uint64_t grown = memory->narrow ?
	    memory->look_ms * (memory->speed / 1000) :
	    sum->threads * BOX_MEMORY_TURN;

	return sum->processes > MEMORY_SEEN &&
	    sum->threads > BOX_MEMORY_FEW &&
	    sum->bytes + grown > memory->limit;
}

/* How fast these processors can fill memory together, in bytes a second. */
static uint64_t
memory_speed(const cpu_set_t *set)
{
	uint64_t speed = (uint64_t)CPU_COUNT(set) * BOX_MEMORY_SPEED;

	return speed < BOX_MEMORY_SPEED_MOST ? speed : BOX_MEMORY_SPEED_MOST;
}

/*
 * Keeps a processor for this process, the same one in each box. It stays so: a
 * box can be crowded again within one look.
 */
static void
memory_keep_processor(struct memory *memory)
{
	cpu_set_t own;
	int cpu = 0;

	if (memory->narrow ||
	    sched_getaffinity(0, sizeof(memory->others), &memory->others) ==
	        -1 ||
	    CPU_COUNT(&memory->others) < 2)
		return;
	while (!CPU_ISSET(cpu, &memory->others))
		cpu++;
	CPU_ZERO(&own);
	CPU_SET(cpu, &own);
	CPU_CLR(cpu, &memory->others);
	memory->narrow = sched_setaffinity(0, sizeof(own), &own) == 0;
	if (memory->narrow)
		memory->speed = memory_speed(&memory->others);
}

static int
memory_knows(const struct memory *memory, pid_t pid)
{
	size_t i;

	for (i = 0; i < memory->nknown; i++)
		if (memory->known[i] == pid)
			return 1;
	return 0;
}

/*
 * Stops those that are not known, and knows all that there are from then on.
 * Returns how many it has stopped, -1 when they cannot be listed.
 */
static int
memory_stop_new(struct memory *memory)
{
	struct memory_list list = { .fd = memory->proc };
	pid_t found[MEMORY_KNOWN];
	size_t nfound = 0;
	int pid, stopped = 0;

	if (lseek(memory->proc, 0, SEEK_SET) == -1)
		return -1;
	while ((pid = memory_next(&list)) >= 0) {
		if (pid > 1 && !memory_knows(memory, pid)) {
			tgkill(pid, pid, SIGSTOP);
			stopped++;
		}
		if (pid > 1 && nfound < MEMORY_KNOWN)
			found[nfound++] = pid;
	}
	memcpy(memory->known, found, nfound * sizeof(*found));
	memory->nknown = nfound;
	return pid == MEMORY_END ? stopped : -1;
}

/*
 * Stops all processes: first those of the last time, as to list all takes
 * longer, then those that were forked since. Each gets a signal of its own,
 * through its first thread: with one that the code has sent to the process, and
 * that waits yet, it would become one; and one for all would stop a child that
 * is being forked whenever that is done, when all others have gone on.
 */
static void
memory_stop_all(struct memory *memory)
{
	size_t i;
	int tries = 0;
	int stopped;

	for (i = 0; i < memory->nknown; i++)
		tgkill(memory->known[i], memory->known[i], SIGSTOP);
	do
		stopped = memory_stop_new(memory);
	while (stopped > 0 && ++tries < BOX_MEMORY_HOLDS);
	if (stopped == -1)
		_exit(BOX_EXIT_BLIND);
}

static int
memory_stop_thread(
    const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	(void)memory;
	(void)status;
	tgkill(pid, tid, SIGSTOP);
	return 0;
}

/*
 * Stops a process that the signal for all did not: another one of the box has
 * let it go on, or its first thread takes none.
 */
static int
memory_stop(struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	char status[MEMORY_TEXT_SIZE];

	(void)sum;
	if (memory_read_status(memory, pid, status) != 1 ||
	    memory_is_held(memory, pid, status))
		return 0;
	if (!memory_is_forced(memory, pid)) {
		if (memory->nforced == MEMORY_FORCED)
			return 0;
		memory->forced[memory->nforced++] = pid;
	}
	memory_visit_threads(memory, pid, memory_stop_thread, NULL);
	return 0;
}

static int
memory_continue(struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	char status[MEMORY_TEXT_SIZE];
	int n = memory_read_status(memory, pid, status);

	(void)sum;
	/* Of those that are not known it cannot be told who stopped them. */
	if (n == 1 && (memory_is_forced(memory, pid) ||
	        !memory_knows(memory, pid) || !memory_was_stopped(status)))
		kill(pid, SIGCONT);
	return n == -1 ? -1 : 0;
}

/* Lets all go on but those that the code had stopped itself. */
static void ASAN_LEAVES_ALONE
memory_release(struct memory *memory, const struct memory_sum *sum)
{
	struct memory_sum ignored = { 0 };

	if (!sum->stopped)
		kill(-1, SIGCONT);
	else if (memory_add_processes(memory, memory_continue, &ignored) == -1)
		_exit(BOX_EXIT_BLIND);
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

/* Stops again what is not stopped, after a moment in which it may stop. */
static void ASAN_LEAVES_ALONE
memory_stop_again(struct memory *memory)
{
	struct memory_sum ignored = { 0 };

	poll(NULL, 0, BOX_MEMORY_HOLD_MS);
	if (memory_add_processes(memory, memory_stop, &ignored) == -1)
		_exit(BOX_EXIT_BLIND);
}

/*
 * Stops all processes and counts then. Ends the box if it has more than it may,
 * or if its processes cannot be stopped: they could not be counted. Returns
 * what a box has that may live on, in bytes.
 */
static uint64_t ASAN_LEAVES_ALONE
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
	memory->several = sum.processes > MEMORY_SEEN;
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
	memory->several = sum->processes > MEMORY_SEEN;
	memory->crowded = memory_is_crowded(memory, sum);
	return !sum->late && !sum->missed && !memory->crowded &&
	    sum->bytes <= memory->limit;
}

/*
 * Returns what the box has, in bytes, if it may live on. The parts of its
 * memory cannot be counted at once while other processes may hold it up.
 */
static uint64_t ASAN_LEAVES_ALONE
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

/*
 * The CPU time of the processes of the last look, in nanoseconds; 0 when it is
 * not known.
 */
static uint64_t
memory_used_ns(const struct memory *memory)
{
	uint64_t ns = 0;
	uint64_t of_one;
	size_t i;

	for (i = 0; i < MEMORY_SEEN && memory->seen[i] != 0; i++) {
		of_one = memory_cpu_ns(memory->seen[i]);
		if (of_one == 0)
			return 0;
		ns += of_one;
	}
	return ns;
}

/*
 * Whether nothing can have changed since the last look: there were no more
 * processes than the code and its holder then, and they have not run. So a box
 * that waits costs next to nothing.
 */
static int
memory_is_idle(struct memory *memory)
{
	uint64_t used_ns = memory_used_ns(memory);
	int idle = used_ns != 0 && used_ns == memory->used_ns;

	memory->used_ns = used_ns;
	return idle;
}

/* By when the box could be above its limit, in milliseconds. */
static unsigned int
memory_wait(const struct memory *memory, uint64_t bytes)
{
	uint64_t left = memory->limit > bytes ? memory->limit - bytes : 0;
	uint64_t ms = left / (memory->speed / 1000);

	/* Where there are many threads neighbours delay it by as much again. */
	if (memory->narrow)
		ms /= 2;
	if (ms < BOX_MEMORY_WAIT_LEAST_MS)
		return BOX_MEMORY_WAIT_LEAST_MS;
	if (ms > BOX_MEMORY_WAIT_MOST_MS)
		return BOX_MEMORY_WAIT_MOST_MS;
	return (unsigned int)ms;
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

/* As the kernel has it (sched_setattr(2)), which the C library does not. */
struct memory_schedule {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

/*
 * From Linux 6.12 on a process that asks for little at a time gets it soon,
 * however many others want to run: a look is not in the queue behind all that
 * the code has started. Before, the kernel ignores it.
 */
static void
memory_run_soon(void)
{
	const struct memory_schedule schedule = { .size = sizeof(schedule),
		.policy = SCHED_OTHER,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime = BOX_MEMORY_SLICE_NS };

	(void)syscall(SYS_sched_setattr, 0, &schedule, 0);
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
