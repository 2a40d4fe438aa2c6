/*
 * Tests of worker/box/native/memory: what a box is found to have, by files that
 * look like those of /proc; when it is looked at again; and when it is ended.
 * The real box is in test_box. Other functions ask for file systems, tell
 * the time and send signals here.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/ipc.h"
#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"
#include "worker/box/native/memory.h"
#include "worker/box/native/memory_parts.h"

/* The linker puts these in the place of what their names end with. */
int __wrap_fstatfs64(int fd, struct statfs *fs);
int __wrap_kill(int pid, int sig);
int __wrap_tgkill(int pid, int tid, int sig);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_kill(int pid, int sig);
int __real_clock_gettime(clockid_t clock, struct timespec *now);

/* Above every process of this machine: PID_MAX_LIMIT. */
#define A 4194401
#define B 4194402
#define LIMIT (100 * MIB)

static char scratch[] = "/tmp/caisson-test-memory-XXXXXX";
static struct memory memory;
static struct statfs places[MEMORY_PLACES];
static int stops, conts; /* of all: A, which is always there, counts them */

int
__wrap_fstatfs64(int fd, struct statfs *fs)
{
	if (fd >= MEMORY_PLACES)
		return (int)syscall(SYS_fstatfs, fd, fs);
	*fs = places[fd];
	return 0;
}

/*
 * No time passes while a box is looked at, however busy the machine is. CPU
 * time is real.
 */
int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, now);
	*now = (struct timespec){ .tv_sec = 1000000 };
	return 0;
}

/* The processors of the machine, and what each process is left. */
static cpu_set_t processors, of_watchdog, of_a, of_b, of_another;

static cpu_set_t *
processors_of(pid_t pid)
{
	if (pid == 0)
		return &of_watchdog;
	return pid == A ? &of_a : pid == B ? &of_b : &of_another;
}

int
__wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	ck_assert_int_eq(pid, 0);
	ck_assert_uint_eq(size, sizeof(*set));
	*set = processors;
	return 0;
}

int
__wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	ck_assert_uint_eq(size, sizeof(*set));
	*processors_of(pid) = *set;
	return 0;
}

/* While they are stopped, B has let go of what it had. */
static void put(int pid, const char *name, const char *text);
static int b_lets_go;

/* What a signal does to the status of a process is to change its beginning. */
#define STOPPED "State:\tT (stopped)\n"
#define AWAITS_STOP "SigPnd:\t0000000000040000\n"

/* The process that is let go on as soon as it is stopped, and how often. */
static int runaway, runs;
static int others; /* signals that stop others */
static int single_conts; /* signals that let one go on */

static int
starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static char *
read_status(int pid)
{
	auto_free char *path = mem_printf("%s/%d/status", scratch, pid);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t n = fd == -1 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n == -1)
		return NULL;
	text[n] = '\0';
	return mem_strdup(text);
}

static void
signal_one(int pid, int sig)
{
	auto_free char *old = read_status(pid);
	auto_free char *new = NULL;

	if (old == NULL || (sig == SIGSTOP && pid == runaway && runs-- > 0))
		return;
	if (sig == SIGCONT)
		new = mem_strdup(starts(old, STOPPED) ? old + strlen(STOPPED) :
		        starts(old, AWAITS_STOP) ? old + strlen(AWAITS_STOP) :
		        old);
	else
		new = mem_printf("%s%s",
		    starts(old, STOPPED) ? AWAITS_STOP : STOPPED, old);
	put(pid, "status", new);
}

static void
signal_all(int sig)
{
	DIR *dir = opendir(scratch);
	const struct dirent *entry;

	while ((entry = readdir(dir)) != NULL)
		if (atoi(entry->d_name) > 1)
			signal_one(atoi(entry->d_name), sig);
	closedir(dir);
}

int
__wrap_kill(int pid, int sig)
{
	ck_assert_int_eq(sig, SIGCONT);
	conts += pid == -1;
	single_conts += pid != -1;
	if (pid == -1)
		signal_all(sig);
	else
		signal_one(pid, sig);
	return 0;
}

int
__wrap_tgkill(int pid, int tid, int sig)
{
	ck_assert_int_eq(sig, SIGSTOP);
	stops += pid == A;
	others += pid != A;
	if (pid == tid)
		signal_one(pid, sig);
	if (b_lets_go)
		put(B, "smaps_rollup", "Pss_Anon: 1 kB\n");
	return 0;
}

#define END "Threads:\t1\n"

/* Writes a file of a process; text NULL: a directory, which cannot be read. */
static void
put(int pid, const char *name, const char *text)
{
	auto_free char *dir = mem_printf("%s/%d", scratch, pid);
	auto_free char *path = mem_printf("%s/%s", dir, name);
	auto_fd int fd = -1;

	mkdir(dir, 0755);
	if (text == NULL) {
		ck_assert_int_eq(mkdir(path, 0755), 0);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

static void
put_sockets(unsigned int used)
{
	auto_free char *dir = mem_printf("%s/1", scratch);
	auto_free char *net = mem_printf("%s/1/net", scratch);
	auto_free char *text =
	    mem_printf("sockets: used %u\nTCP: inuse 9 orphan 0\n", used);

	mkdir(dir, 0755);
	mkdir(net, 0755);
	put(1, "net/sockstat", text);
}

/* A process with so many MiB, of which it shares some. */
static void
put_process(int pid, unsigned int anon, unsigned int own)
{
	auto_free char *status = mem_printf("Name:\tRssAnon: 9\n"
	    "State:\tS (sleeping)\nPPid:\t1\nVmRSS:\t 999999999 kB\n"
	    "RssAnon:\t%8u kB\nRssFile:\t  888888888 kB\n"
	    "RssShmem:\t       0 kB\n" END, anon * 1024);
	auto_free char *rollup = mem_printf("00-ff ---p 0 00:00 0 [rollup]\n"
	    "Rss:  99999999 kB\nPss:  88888888 kB\nPss_Anon:  %8u kB\n"
	    "Private_Dirty:  %8u kB\n", own * 1024, own * 1024);

	put(pid, "status", status);
	put(pid, "stat", "1 (a) S 1 1 1 0 -1 4194304 0\n");
	put(pid, "smaps_rollup", rollup);
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void
setup(void)
{
	struct err err;
	size_t i;

	ck_assert_ptr_nonnull(mkdtemp(scratch));
	memory = (struct memory){ .limit = LIMIT,
		.speed = BOX_MEMORY_SPEED,
		.socket_bytes = MIB,
		.usage_fd = ipc_make_counts(sizeof(struct box_usage), &err) };
	memory.proc = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < MEMORY_PLACES; i++) {
		memory.places[i] = (int)i;
		places[i] = (struct statfs){ .f_bsize = 4096,
			.f_blocks = 1000000,
			.f_bfree = 1000000,
			.f_files = 100,
			.f_ffree = 100 };
	}
}

static void
teardown(void)
{
	close(memory.proc);
	close(memory.usage_fd);
	nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Counting */

static struct memory_sum
count(memory_add *add)
{
	struct memory_sum sum;

	ck_assert_int_eq(memory_count(&memory, add, &sum), 0);
	return sum;
}

START_TEST(numbers)
{
	const char *text = "A:\t  12 kB\nAB: 7\nB:x\nRss: 18446744073709551615";

	ck_assert_uint_eq(memory_number(text, "A"), 12);
	ck_assert_uint_eq(memory_bytes(text, "A"), 12 * 1024);
	ck_assert_uint_eq(memory_number(text, "AB"), 7);
	ck_assert_uint_eq(memory_number(text, "B"), 0);
	ck_assert_uint_eq(memory_number(text, "C"), 0);
	ck_assert_uint_eq(memory_number("", "A"), 0);
}
END_TEST

START_TEST(an_empty_box_has_nothing)
{
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 0);
}
END_TEST

/* Every kind of memory that a process has; nothing of process 1. */
START_TEST(kinds_of_memory)
{
	struct memory_sum sum;

	put(1, "status", "RssAnon:\t999 kB\n");
	put(A, "status", "Name:\tx\nRssAnon:\t1 kB\nRssFile:\t1000 kB\n"
	    "RssShmem:\t10 kB\nVmPTE:\t100 kB\nVmSwap:\t10000 kB\n"
	    "HugetlbPages:\t100000 kB\n" END);
	put(A, "smaps_rollup", "Pss: 77 kB\nPss_Anon: 2 kB\nPss_File: 88 kB\n"
	    "Pss_Shmem: 20 kB\nSwap: 99 kB\nSwapPss: 20000 kB\n");
	sum = count(memory_add_quickly);
	ck_assert_uint_eq(sum.bytes, 110101 * KIB);
	ck_assert_uint_eq(sum.processes, 1);
	ck_assert_int_eq(sum.pids[0], A);
	sum = count(memory_add_exactly);
	ck_assert_uint_eq(sum.bytes, 120102 * KIB);
}
END_TEST

/* Who is not known exactly shares nothing; who is gone has nothing. */
START_TEST(hidden_and_gone)
{
	auto_free char *gone = mem_printf("%s/%d", scratch, B);

	put(A, "status", "RssAnon:\t5 kB\nRssShmem:\t2 kB\n" END);
	put(A, "smaps_rollup", "Pss_Anon: 1 kB\n");
	mkdir(gone, 0755);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, KIB);
	/* A kernel that does not tell; one that has no such file. */
	put(A, "smaps_rollup", "Pss: 1 kB\n");
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 5 * KIB);
	put(B, "status", "RssAnon:\t10 kB\n" END);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 15 * KIB);
	/* What cannot be read is no file here. */
	put(B, "smaps_rollup", NULL);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 15 * KIB);
}
END_TEST

/* Two threads, or as many as text says, and no first one that has memory. */
#define HEADLESS(text) "State:\tZ (zombie)\nPPid:\t1\nThreads:\t" text "\n"

static void
put_thread(int pid, int thread)
{
	auto_free char *task = mem_printf("%s/%d/task", scratch, pid);
	auto_free char *path = mem_printf("%s/%d", task, thread);

	mkdir(task, 0755);
	mkdir(path, 0755);
}

/* A program whose first thread has ended: another one tells. */
START_TEST(another_thread_tells)
{
	struct memory_sum sum;

	put(A, "status", HEADLESS("2"));
	put_thread(A, A);
	ck_assert_int_eq(count(memory_add_quickly).missed, 1);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	put_thread(A, B);
	ck_assert_int_eq(count(memory_add_exactly).missed, 1);
	/* It is in no list of processes, but can be opened by its number. */
	put_process(B, 30, 20);
	memset(&sum, 0, sizeof(sum));
	ck_assert_int_eq(memory_add_quickly(&memory, A, &sum), 0);
	ck_assert_uint_eq(sum.bytes, 30 * MIB);
	ck_assert_int_eq(sum.pids[0], A);
	ck_assert_int_eq(memory_add_exactly(&memory, A, &sum), 0);
	ck_assert_uint_eq(sum.bytes, 50 * MIB);
	ck_assert_int_eq(sum.missed, 0);
}
END_TEST

/* One that has ended as a whole has no memory, and none is looked for. */
START_TEST(the_dead_have_nothing)
{
	put(A, "status", HEADLESS("1"));
	ck_assert_int_eq(count(memory_add_quickly).missed, 0);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 0);
}
END_TEST

START_TEST(who_cannot_be_read_ends_the_look)
{
	struct memory_sum sum;

	put(A, "status", NULL);
	ck_assert_int_eq(memory_count(&memory, memory_add_quickly, &sum), -1);
	ck_assert_int_eq(memory_count(&memory, memory_add_exactly, &sum), -1);
}
END_TEST

/* So many groups of the user that the numbers behind are missing. */
START_TEST(half_a_status_is_none)
{
	auto_buffer struct buffer status = { 0 };
	struct memory_sum sum;

	buffer_add_text(&status, "Groups:");
	while (status.len < BOX_MEMORY_TEXT_SIZE)
		buffer_add_text(&status, " 65534");
	buffer_add_text(&status, "\nRssAnon: 1 kB\n" END);
	put(A, "status", status.data);
	ck_assert_int_eq(memory_count(&memory, memory_add_quickly, &sum), -1);
	ck_assert_int_eq(memory_count(&memory, memory_add_exactly, &sum), -1);
}
END_TEST

START_TEST(many_processes)
{
	int pid;

	for (pid = A; pid < A + 300; pid++)
		put_process(pid, 1, 1);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 300 * MIB);
	ck_assert_uint_eq(count(memory_add_quickly).processes, 300);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 300 * MIB);
}
END_TEST

static int look_in_child(void);

/* Writes a map of so many parts. */
static void
put_maps(int pid, unsigned int parts)
{
	auto_buffer struct buffer maps = { 0 };

	while (parts-- > 0)
		buffer_add_text(&maps, "00-ff rw-p 00 00:00 0\n");
	put(pid, "maps", maps.data);
}

/* As many links to each as there are processes; looked at now and then. */
START_TEST(parts_of_memory_are_memory)
{
	uint64_t bytes;

	put(A, "status", END);
	put_maps(A, BOX_MAPS_FREE);
	memory.maps_due = 1;
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	put_maps(A, BOX_MAPS_FREE + 10);
	ck_assert_uint_eq(count(memory_add_quickly).bytes,
	    10 * (BOX_MAP_BYTES + BOX_MAP_LINK_BYTES));
	/* The second one may have half of that. */
	put(B, "status", END);
	put_maps(B, BOX_MAPS_FREE + 10);
	bytes = (20 + BOX_MAPS_FREE / 2) *
	    (BOX_MAP_BYTES + 2 * BOX_MAP_LINK_BYTES);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, bytes);
	memory.maps_due = 0;
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, bytes);
	ck_assert_uint_eq(memory_look(&memory), bytes);
	ck_assert_uint_eq(memory_look(&memory), 0);
	memory.maps_ms = 0;
	memory.limit = 0;
	ck_assert_int_eq(look_in_child(), BOX_EXIT_MEMORY);
}
END_TEST

/* Of many, each may have as many as an interpreter. */
START_TEST(parts_of_many)
{
	int pid;

	memory.maps_due = 1;
	for (pid = A; pid < A + 50; pid++) {
		put(pid, "status", END);
		put_maps(pid, BOX_MAPS_LEAST);
	}
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
}
END_TEST

START_TEST(files_are_memory)
{
	places[0].f_bfree -= 256;
	places[2].f_bfree -= 512;
	places[1].f_ffree -= 10;
	ck_assert_uint_eq(
	    count(memory_add_quickly).bytes, 3 * MIB + 10 * BOX_INODE_BYTES);
}
END_TEST

START_TEST(sockets_are_memory)
{
	put_sockets(BOX_SOCKETS_FREE);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	put_sockets(BOX_SOCKETS_FREE + 7);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 7 * MIB);
	put(1, "net/sockstat", "nothing\n");
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
}
END_TEST

/* Has the memory of its parent, which is this process. */
static int
borrow(void *arg)
{
	(void)arg;
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return 0;
}

/* A child with the memory of its parent; one that only has the same parent. */
START_TEST(borrowed_memory)
{
	static char stack[4096] __attribute__((aligned(64)));
	auto_free char *own = mem_printf(
	    "Name:\tx\nPPid:\t%d\nVmSwap:\t7 kB\n" END, getpid());
	pid_t holder = clone(borrow, stack + sizeof(stack), CLONE_VM, NULL);
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	ck_assert_int_eq(memory_is_borrowed(getpid(), own), 1);
	ck_assert_int_eq(memory_is_borrowed(holder, own), 1);
	ck_assert_int_eq(memory_is_borrowed(child, own), 0);
	ck_assert_int_eq(memory_is_borrowed(A, own), 0);
	ck_assert_int_eq(memory_is_borrowed(getpid(), "PPid:\t1\n"), 0);
	ck_assert_int_eq(memory_is_borrowed(getpid(), "PPid:\t0\n"), 0);
	put(holder, "status", own);
	put(child, "status", own);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 7 * KIB);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 7 * KIB);
	ck_assert_uint_eq(count(memory_add_quickly).processes, 2);
	__real_kill(holder, SIGKILL);
	__real_kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(holder, NULL, __WALL), holder);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

/* Watching */

static const struct {
	uint64_t bytes;
	unsigned int ms;
} waits[] = {
	{ 0, 24 },
	{ 50 * MIB, 12 },
	{ 75 * MIB, 6 },
	{ 90 * MIB, BOX_MEMORY_WAIT_LEAST_MS },
	{ LIMIT, BOX_MEMORY_WAIT_LEAST_MS },
	{ LIMIT + 1, BOX_MEMORY_WAIT_LEAST_MS },
	{ UINT64_MAX, BOX_MEMORY_WAIT_LEAST_MS },
};

START_TEST(waiting)
{
	ck_assert_uint_eq(memory_wait(&memory, waits[_i].bytes), waits[_i].ms);
	memory.speed = BOX_MEMORY_SPEED_MOST;
	ck_assert_uint_eq(memory_wait(&memory, 0), BOX_MEMORY_WAIT_LEAST_MS);
	memory.limit = UINT64_MAX / 4;
	ck_assert_uint_eq(memory_wait(&memory, 0), BOX_MEMORY_WAIT_MOST_MS);
}
END_TEST

START_TEST(speed)
{
	cpu_set_t set;
	int cpu;

	CPU_ZERO(&set);
	CPU_SET(3, &set);
	ck_assert_uint_eq(memory_speed(&set), BOX_MEMORY_SPEED);
	CPU_SET(5, &set);
	ck_assert_uint_eq(memory_speed(&set), 2 * BOX_MEMORY_SPEED);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &set);
	ck_assert_uint_eq(memory_speed(&set), BOX_MEMORY_SPEED_MOST);
}
END_TEST

/* A process that answers each byte. */
static pid_t
start_echo(int line[2])
{
	pid_t child;
	char byte;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, line), 0);
	child = fork();
	if (child == 0)
		while (read(line[1], &byte, 1) == 1)
			if (write(line[1], "", 1) != 1)
				_exit(1);
	return child;
}

static void
have_it_run(const int line[2])
{
	char byte;

	ck_assert_int_eq(write(line[0], "", 1), 1);
	ck_assert_int_eq(read(line[0], &byte, 1), 1);
}

/* As many processes as count that do not run; then one of them does. */
START_TEST(idle)
{
	int line[BOX_MEMORY_SEEN][2];
	pid_t child[BOX_MEMORY_SEEN];
	int i, n = _i == 0 ? 1 : BOX_MEMORY_SEEN;

	ck_assert_int_eq(memory_is_idle(&memory), 0);
	ck_assert_int_eq(memory_is_idle(&memory), 0);
	for (i = 0; i < n; i++) {
		child[i] = start_echo(line[i]);
		have_it_run(line[i]);
		memory.seen[i] = child[i];
	}
	for (i = 0; i < n; i++) {
		/* It may still be on its way to sleep. */
		while (!memory_is_idle(&memory))
			;
		have_it_run(line[i]);
		ck_assert_int_eq(memory_is_idle(&memory), 0);
	}
	__real_kill(child[n - 1], SIGKILL);
	ck_assert_int_eq(waitpid(child[n - 1], NULL, 0), child[n - 1]);
	ck_assert_int_eq(memory_is_idle(&memory), 0);
	ck_assert_int_eq(memory_is_idle(&memory), 0);
	for (i = 0; i < n; i++) {
		__real_kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
		close(line[i][0]);
		close(line[i][1]);
	}
}
END_TEST

/* Returns how a function ends a process, 0 when it does not. */
static int
end_in_child(uint64_t (*function)(struct memory *memory))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		function(&memory);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int
look_in_child(void)
{
	return end_in_child(memory_look);
}

static int
judge_in_child(void)
{
	return end_in_child(memory_judge);
}

START_TEST(looks)
{
	put_process(A, 60, 60);
	ck_assert_uint_eq(memory_look(&memory), 60 * MIB);
	ck_assert_int_eq(memory.seen[0], A);
	ck_assert_int_eq(memory.seen[1], 0);
	/* Both have 60 MiB, but most of it is the same. */
	put_process(A, 60, 35);
	put_process(B, 60, 35);
	ck_assert_uint_eq(memory_look(&memory), 70 * MIB);
	ck_assert_int_ne(memory.seen[1], 0);
	put(A + 5, "status", END);
	ck_assert_uint_eq(memory_look(&memory), 70 * MIB);
	ck_assert_int_eq(memory.seen[0], 0);
	/* Only all of them together can tell that, when they stand still. */
	ck_assert_int_eq(stops, 2);
	ck_assert_int_eq(conts, 2);
	put_process(A, 60, 60);
	put_process(B, 60, 40);
	ck_assert_int_eq(look_in_child(), 0);
	put_process(B, 60, 41);
	ck_assert_int_eq(look_in_child(), BOX_EXIT_MEMORY);
	put(A + 9, "status", NULL);
	ck_assert_int_eq(look_in_child(), BOX_EXIT_BLIND);
}
END_TEST

/* As threads may come and go while one looks. */
START_TEST(whom_nobody_tells_of_is_judged)
{
	put_process(A, 60, 60);
	put(B, "status", HEADLESS("2"));
	ck_assert_uint_eq(memory_look(&memory), 60 * MIB);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(conts, 1);
	put_process(A, 101, 101);
	ck_assert_int_eq(look_in_child(), BOX_EXIT_MEMORY);
}
END_TEST

/* Numbers that are not of one moment end nobody. */
START_TEST(nobody_moves)
{
	put_process(A, 60, 60);
	put_process(B, 60, 60);
	b_lets_go = 1;
	ck_assert_uint_eq(memory_look(&memory), 60 * MIB + KIB);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(conts, 1);
}
END_TEST

/* Past its time a look begins with stopping all. */
START_TEST(stopped_first)
{
	put_process(A, 60, 60);
	memory.planned_ms = memory_ms(CLOCK_MONOTONIC) + 60000;
	ck_assert_uint_eq(memory_look(&memory), 60 * MIB);
	ck_assert_int_eq(stops, 0);
	memory.planned_ms = 1;
	ck_assert_uint_eq(memory_look(&memory), 60 * MIB);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(conts, 1);
	ck_assert_int_eq(memory.seen[0], A);
	put_process(A, 101, 101);
	ck_assert_int_eq(look_in_child(), BOX_EXIT_MEMORY);
}
END_TEST

static void
put_threads(unsigned int threads, unsigned int mib)
{
	auto_free char *status = mem_printf("State:\tS (sleeping)\n"
	    "RssAnon:\t%u kB\nThreads:\t%u\nSigPnd:\t0\n", mib * 1024,
	    threads);

	put_process(B, mib, mib);
	put(B, "status", status);
	put_thread(B, B);
}

/*
 * And where all threads together, with a turn of each, could get above the
 * limit: then they are kept off the first processor, now and later.
 */
START_TEST(crowded)
{
	const unsigned int turn = BOX_MEMORY_TURN / MIB;
	const unsigned int most = turn;
	int cpu;

	memory.limit = (BOX_MEMORY_FEW + 1) * BOX_MEMORY_TURN;
	CPU_ZERO(&of_b);
	CPU_ZERO(&processors);
	for (cpu = 2; cpu < 5; cpu++)
		CPU_SET(cpu, &processors);
	put_process(A, 0, 0);
	put_thread(A, A);
	/* The code is the only process: its own limit is met first. */
	put_threads(BOX_MEMORY_FEW + 1, most);
	memory_look(&memory);
	ck_assert_int_eq(stops, 0);
	put_process(A + 20, 0, 0);
	put_thread(A + 20, A + 20);
	put_threads(BOX_MEMORY_FEW - 2, most + 1);
	memory_look(&memory);
	ck_assert_int_eq(stops, 0);
	put_threads(BOX_MEMORY_FEW - 1, most - turn);
	memory_look(&memory);
	ck_assert_int_eq(stops, 0);
	ck_assert_int_eq(memory.narrow, 0);
	put_threads(BOX_MEMORY_FEW - 1, most - turn + 1);
	ck_assert_uint_eq(
	    memory_look(&memory), (uint64_t)(most - turn + 1) * MIB);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(conts, 1);
	ck_assert_int_eq(CPU_COUNT(&of_watchdog), 1);
	ck_assert(CPU_ISSET(2, &of_watchdog));
	ck_assert_int_eq(CPU_COUNT(&of_a), 2);
	ck_assert(!CPU_ISSET(2, &of_a));
	ck_assert(CPU_EQUAL(&of_a, &of_b));
	ck_assert_uint_eq(memory.speed, 2 * BOX_MEMORY_SPEED);
	/* Now looks are in time; if they took long, they would not be. */
	CPU_ZERO(&of_b);
	memory_look(&memory);
	ck_assert_int_eq(stops, 1);
	memory.look_ms = 1000;
	memory_look(&memory);
	ck_assert_int_eq(stops, 2);
	ck_assert(CPU_EQUAL(&of_a, &of_b));
	memory_look(&memory); /* it did not take long */
	ck_assert_int_eq(stops, 3);
	memory_look(&memory);
	ck_assert_int_eq(stops, 3);
}
END_TEST

/* There is no other than the one that all must have. */
START_TEST(crowded_on_one_processor)
{
	CPU_ZERO(&processors);
	CPU_SET(0, &processors);
	CPU_ZERO(&of_b);
	put_process(A, 0, 0);
	put_process(A + 20, 0, 0);
	put_threads(BOX_MEMORY_FEW, 95);
	memory_look(&memory);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(memory.narrow, 0);
	ck_assert_int_eq(CPU_COUNT(&of_b), 0);
}
END_TEST

/* What the code has stopped itself does not go on because of a look. */
START_TEST(stopped_by_the_code)
{
	put(A, "status", STOPPED "RssAnon:\t1024 kB\n" END);
	put_process(B, 60, 60);
	ck_assert_uint_eq(memory_judge(&memory), 61 * MIB);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(conts, 0);
	ck_assert_int_eq(single_conts, 1);
	ck_assert(starts(read_status(A), AWAITS_STOP STOPPED));
	ck_assert(starts(read_status(B), "Name:"));
}
END_TEST

/* One that goes on is stopped again; what always goes on ends the box. */
START_TEST(continued_by_the_code)
{
	put_process(A, 60, 60);
	put_process(B, 1, 1);
	put_thread(B, B);
	runaway = B;
	runs = BOX_MEMORY_HOLDS - 1;
	ck_assert_uint_eq(memory_judge(&memory), 61 * MIB);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(others, BOX_MEMORY_HOLDS);
	ck_assert_int_eq(conts, 1);
	runs = BOX_MEMORY_HOLDS;
	ck_assert_int_eq(judge_in_child(), BOX_EXIT_LOOSE);
	/* Above the limit or not: while it runs its numbers prove nothing. */
	put_process(A, 200, 200);
	runs = BOX_MEMORY_HOLDS;
	ck_assert_int_eq(judge_in_child(), BOX_EXIT_LOOSE);
	runs = 1;
	ck_assert_int_eq(judge_in_child(), BOX_EXIT_MEMORY);
}
END_TEST

static const struct {
	const char *status;
	int still;
} states[] = {
	{ "State:\tR (running)\nThreads:\t1\nShdPnd:\t0000000000000000\n", 0 },
	{ "State:\tS (sleeping)\nThreads:\t1\nShdPnd:\t0000000000020000\n", 0 },
	{ "State:\tT (stopped)\nThreads:\t1\nShdPnd:\t0000000000000000\n", 1 },
	/* It has the signal, and will take it before anything else. */
	{ "State:\tR (running)\nThreads:\t1\nShdPnd:\t0000000000040000\n", 1 },
	{ "State:\tD (disk sleep)\nThreads:\t1\nShdPnd:\tfffffffffffffeff\n",
	    1 },
	{ "State:\tZ (zombie)\nThreads:\t1\nShdPnd:\t0000000000000000\n", 1 },
	{ "State:\tS (sleeping)\nThreads:\t2\nSigPnd:\t0000000000040000\n", 1 },
	/* Its other threads live. */
	{ "State:\tZ (zombie)\nThreads:\t2\nShdPnd:\t0000000000000000\n", 0 },
	/* It has been killed. */
	{ "State:\tR (running)\nThreads:\t1\nSigPnd:\t0000000000000100\n", 1 },
	{ "", 0 },
};

START_TEST(who_stands_still)
{
	ck_assert_int_eq(memory_is_still(states[_i].status), states[_i].still);
}
END_TEST

START_TEST(who_ends_is_held)
{
	char status[BOX_MEMORY_TEXT_SIZE];

	put(A, "status", "State:\tR (running)\nThreads:\t1\n");
	put(A, "stat", "7 (a) b) R 1 2 3 0 -1 4194368 9 9\n");
	ck_assert_int_eq(memory_read_status(&memory, A, status), 1);
	ck_assert_int_eq(memory_is_held(&memory, A, status), 0);
	put(A, "stat", "7 (a) b) R 1 2 3 0 -1 4194372 9 9\n");
	ck_assert_int_eq(memory_is_held(&memory, A, status), 1);
	put(A, "stat", "7 (a) b) R 1 2");
	ck_assert_int_eq(memory_is_held(&memory, A, status), 0);
}
END_TEST

/* Where the first thread has ended, the others run on, and are stopped. */
START_TEST(a_dead_first_thread)
{
	char status[BOX_MEMORY_TEXT_SIZE];

	put(A, "status", "State:\tZ (zombie)\nThreads:\t2\n");
	put(A, "stat", "1 (a) Z 1 1 1 0 -1 4227148 0\n");
	put_thread(A, A);
	put_thread(A, B);
	put(B, "status", "State:\tR (running)\nThreads:\t2\n");
	put(B, "stat", "1 (a) R 1 1 1 0 -1 4194304 0\n");
	ck_assert_int_eq(memory_read_status(&memory, A, status), 1);
	ck_assert_int_eq(memory_is_held(&memory, A, status), 0);
	ck_assert_int_eq(memory_stop(&memory, A, NULL), 0);
	ck_assert(memory_is_forced(&memory, A));
	put(B, "status", "State:\tT (stopped)\nThreads:\t2\n");
	ck_assert_int_eq(memory_is_held(&memory, A, status), 1);
	/* Here it is being killed, and no signal is taken any more. */
	put(B, "status", "State:\tR (running)\nThreads:\t2\n");
	put(B, "stat", "1 (a) R 1 1 1 0 -1 4194308 0\n");
	ck_assert_int_eq(memory_is_held(&memory, A, status), 1);
}
END_TEST

/* Where one of several threads has stopped, the others will. */
START_TEST(threads_stop_together)
{
	char status[BOX_MEMORY_TEXT_SIZE];

	put(A, "status", "State:\tR (running)\nThreads:\t2\n");
	put(A, "stat", "1 (a) R 1 1 1 0 -1 4194304 0\n");
	put_thread(A, A);
	put_thread(A, B);
	put(B, "status", "State:\tR (running)\nThreads:\t2\n");
	ck_assert_int_eq(memory_read_status(&memory, A, status), 1);
	ck_assert_int_eq(memory_is_held(&memory, A, status), 0);
	put(B, "status", "State:\tT (stopped)\nThreads:\t2\n");
	ck_assert_int_eq(memory_is_held(&memory, A, status), 1);
	/* Where the first waits for a child, each is sent the signal. */
	put(A, "status", AWAITS_STOP "State:\tD (disk sleep)\nThreads:\t2\n");
	put(B, "status", "State:\tR (running)\nThreads:\t2\n");
	ck_assert_int_eq(memory_read_status(&memory, A, status), 1);
	ck_assert_int_eq(memory_is_held(&memory, A, status), 0);
	ck_assert_int_eq(memory_stop(&memory, A, NULL), 0);
	ck_assert_int_eq(stops, 2); /* one for each thread */
	ck_assert_int_eq(memory_read_status(&memory, A, status), 1);
	ck_assert_int_eq(memory_is_held(&memory, A, status), 1);
	/* So it goes on, although it looks as if the code had stopped it. */
	put(A, "status", STOPPED AWAITS_STOP "Threads:\t2\n");
	ck_assert_int_eq(memory_continue(&memory, A, NULL), 0);
	ck_assert_int_eq(single_conts, 1);
}
END_TEST

static void
put_child_of_a(const char *state, unsigned int mib)
{
	auto_free char *status = mem_printf(AWAITS_STOP "State:\t%s\n"
	    "PPid:\t%d\nRssAnon:\t%u kB\n" END, state, A, mib * 1024);

	put(B, "status", status);
	put_thread(B, B);
}

/* The pages of a process that has not stopped yet are not waited for. */
START_TEST(in_the_kernel)
{
	struct memory_sum sum;

	put_process(A, 60, 60);
	put(A, "status", STOPPED "RssAnon:\t61440 kB\n" END);
	put_process(B, 60, 20);
	put_child_of_a("R (running)", 60);
	count(memory_add_quickly);
	memory.held = 1;
	sum = count(memory_add_exactly);
	ck_assert_int_eq(sum.busy, 1);
	ck_assert_uint_eq(sum.bytes, 60 * MIB);
	put_child_of_a("T (stopped)", 60);
	sum = count(memory_add_exactly);
	ck_assert_int_eq(sum.busy, 0);
	ck_assert_uint_eq(sum.bytes, 80 * MIB);
	put_child_of_a("R (running)", 90);
	sum = count(memory_add_exactly);
	ck_assert_int_eq(sum.busy, 1);
	ck_assert_uint_eq(sum.bytes, 110 * MIB);
}
END_TEST

/* A look that takes too long is repeated with all processes stopped. */
START_TEST(late)
{
	struct memory_sum sum;

	put_process(A, 60, 30);
	put_process(B, 60, 30);
	memory.planned_ms = 1;
	ck_assert_int_eq(memory_count(&memory, memory_add_quickly, &sum), 0);
	ck_assert_int_eq(sum.late, 1);
	ck_assert_uint_eq(sum.bytes, 60 * MIB);
	memory.planned_ms = memory_ms(CLOCK_MONOTONIC) + 60000;
	ck_assert_int_eq(memory_count(&memory, memory_add_quickly, &sum), 0);
	ck_assert_int_eq(sum.late, 0);
	ck_assert_uint_eq(sum.bytes, 120 * MIB);
}
END_TEST

/* Uses so much CPU time in a child, and waits there. Returns its number. */
static pid_t
child_that_used(uint64_t ns)
{
	int ready[2];
	char byte;
	pid_t child;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		while (memory_cpu_ns(getpid()) < ns)
			;
		_exit(write(ready[1], "", 1) == 1 ? pause() : 1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void
end_child(pid_t child)
{
	__real_kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* All processes together, whether the code waits for them; each time once. */
START_TEST(usage)
{
	struct box_usage seen;
	pid_t child;

	put(getpid(), "status", "VmHWM:\t  7000 kB\n" END);
	put(A, "status", "VmHWM:\t  9000 kB\n" END);
	while (memory_cpu_ns(getpid()) < 20000000)
		;
	memory_look(&memory);
	ck_assert_int_eq(pread(memory.usage_fd, &seen, sizeof(seen), 0),
	    sizeof(seen));
	ck_assert_uint_eq(seen.peak_kib, 9000);
	ck_assert_uint_ge(seen.cpu_us, 20000);
	ck_assert_uint_le(seen.cpu_us, memory_cpu_ns(getpid()) / 1000);
	/* What has ended still counts; what was seen before does not again. */
	child = child_that_used(20000000);
	put(child, "status", END);
	memory_look(&memory);
	end_child(child);
	memory_look(&memory);
	ck_assert_int_eq(pread(memory.usage_fd, &seen, sizeof(seen), 0),
	    sizeof(seen));
	ck_assert_uint_ge(seen.cpu_us, 40000);
	ck_assert_uint_le(seen.cpu_us, memory_cpu_ns(getpid()) / 1000 + 30000);
	ck_assert_uint_eq(seen.peak_kib, 9000);
}
END_TEST

/* One whose first thread has ended counts: its other threads tell of it. */
START_TEST(usage_without_a_first_thread)
{
	pid_t child = child_that_used(20000000);

	put(child, "status", HEADLESS("2"));
	put_thread(child, child);
	put_thread(child, B);
	put(B, "status", "VmHWM:\t  7000 kB\nRssAnon:\t1 kB\n" END);
	memory_look(&memory);
	end_child(child);
	ck_assert_uint_ge(memory.usage.cpu_us, 20000);
	ck_assert_uint_eq(memory.usage.peak_kib, 7000);
}
END_TEST

/* Numbers that would have one place, and one that is used again. */
START_TEST(clocks)
{
	pid_t first = child_that_used(20000000);
	struct memory_clock *clock = memory_find_clock(&memory, first);
	const pid_t same_place = first + BOX_MEMORY_CLOCKS;

	ck_assert_uint_ge(memory_new_cpu_ns(&memory, first, 0), 20000000);
	ck_assert_uint_eq(memory_new_cpu_ns(&memory, first, 0), 0);
	ck_assert_ptr_eq(memory_find_clock(&memory, first), clock);
	ck_assert_ptr_ne(memory_find_clock(&memory, same_place), clock);
	clock->ns *= 1000;
	ck_assert_uint_ge(memory_new_cpu_ns(&memory, first, 0), 20000000);
	end_child(first);
	ck_assert_ptr_eq(memory_find_clock(&memory, same_place), clock);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, numbers);
	tcase_add_test(tc, an_empty_box_has_nothing);
	tcase_add_test(tc, kinds_of_memory);
	tcase_add_test(tc, hidden_and_gone);
	tcase_add_test(tc, another_thread_tells);
	tcase_add_test(tc, the_dead_have_nothing);
	tcase_add_test(tc, who_cannot_be_read_ends_the_look);
	tcase_add_test(tc, half_a_status_is_none);
	tcase_add_test(tc, many_processes);
	tcase_add_test(tc, parts_of_memory_are_memory);
	tcase_add_test(tc, parts_of_many);
	tcase_add_test(tc, files_are_memory);
	tcase_add_test(tc, sockets_are_memory);
	tcase_add_test(tc, borrowed_memory);
	tcase_add_loop_test(tc, waiting, 0, UNIT_COUNT(waits));
	tcase_add_test(tc, speed);
	tcase_add_loop_test(tc, idle, 0, 2);
	tcase_add_test(tc, looks);
	tcase_add_test(tc, whom_nobody_tells_of_is_judged);
	tcase_add_test(tc, nobody_moves);
	tcase_add_test(tc, stopped_first);
	tcase_add_test(tc, crowded);
	tcase_add_test(tc, crowded_on_one_processor);
	tcase_add_test(tc, stopped_by_the_code);
	tcase_add_test(tc, continued_by_the_code);
	tcase_add_loop_test(tc, who_stands_still, 0, UNIT_COUNT(states));
	tcase_add_test(tc, who_ends_is_held);
	tcase_add_test(tc, a_dead_first_thread);
	tcase_add_test(tc, threads_stop_together);
	tcase_add_test(tc, in_the_kernel);
	tcase_add_test(tc, late);
	tcase_add_test(tc, usage);
	tcase_add_test(tc, usage_without_a_first_thread);
	tcase_add_test(tc, clocks);
}

int
main(void)
{
	return unit_run("memory", add_tests);
}
