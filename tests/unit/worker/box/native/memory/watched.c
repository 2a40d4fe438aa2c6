/*
 * The box that the tests of the watchdog play: see watched.h.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/box_usage.h"
#include "common/base/fd.h"
#include "common/ipc/ipc.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "watched.h"

char scratch[] = "/tmp/caisson-test-memory-XXXXXX";
struct memory memory;
struct statfs places[MEMORY_PLACES];
int stops, conts;

int
__wrap_fstatfs64(int fd, struct statfs *fs)
{
	if (fd >= MEMORY_PLACES)
		return (int)__real_syscall(SYS_fstatfs, fd, fs);
	*fs = places[fd];
	return 0;
}

pid_t borrower;

/* Whether two processes have the same memory (kcmp). */
long
__wrap_syscall(long number, pid_t pid, ...)
{
	ck_assert_int_eq(number, SYS_kcmp);
	return pid != borrower;
}

int step_ns, step_more_ns;
static int passed_ns;
int used_ns, busy;
int slow, takes_at;

/* The clock of a process has the complement of its number in it. */
static int
of_process(clockid_t clock, struct timespec *now)
{
	int pid = (int)~((unsigned int)clock >> 3 | 7U << 29);

	*now = (struct timespec){ .tv_nsec = used_ns };
	if (pid == busy)
		used_ns++;
	if (pid == slow && takes_at > 0 && --takes_at == 0)
		put(slow, "status", STOPPED END);
	return 0;
}

/*
 * No time passes but step_ns, however busy the machine is. CPU
 * time is real, unless all processes wait for a processor.
 */
int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	if (used_ns > 0 && clock < 0)
		return of_process(clock, now);
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, now);
	*now = (struct timespec){ .tv_sec = 1000000, .tv_nsec = passed_ns };
	passed_ns += step_ns;
	step_ns += step_more_ns;
	return 0;
}

pid_t no_affinity;
cpu_set_t processors, of_watchdog, of_a, of_b;
static cpu_set_t of_another;

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
	if (pid != 0 && pid == no_affinity)
		return -1;
	*processors_of(pid) = *set;
	return 0;
}

int b_lets_go;
int runaway, runs;
int others, single_conts, stops_at_once;
int forks, forks_most;
int last_thread, gone_thread;

int
starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

const char *
read_status(int pid)
{
	auto_free char *path = mem_printf("%s/%d/status", scratch, pid);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	static char text[4096];
	ssize_t n = fd == -1 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n == -1)
		return NULL;
	text[n] = '\0';
	return text;
}

/* SIGCONT discards every signal that stops. */
static const char *
without_stops(const char *status)
{
	if (starts(status, STOPPED))
		return without_stops(status + strlen(STOPPED));
	if (starts(status, AWAITS_STOP))
		return without_stops(status + strlen(AWAITS_STOP));
	return status;
}

static void
signal_one(int pid, int sig)
{
	const char *old = read_status(pid);
	auto_free char *new = NULL;

	if (old == NULL || (sig == SIGSTOP && pid == runaway && runs-- > 0))
		return;
	if (pid == slow && sig == SIGSTOP)
		new = mem_printf(AWAITS_STOP "State:\tR (running)\n%s", old);
	else if (sig == SIGCONT)
		new = mem_strdup(without_stops(old));
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
	ck_assert(sig == SIGCONT || (sig == SIGSTOP && pid == -1));
	stops_at_once += sig == SIGSTOP;
	conts += sig == SIGCONT && pid == -1;
	single_conts += sig == SIGCONT && pid != -1;
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
	else if (tid == gone_thread)
		return -1;
	else
		last_thread = tid;
	if (forks > 0 && stops_at_once == 0 &&
	    (forks_most == 0 || forks <= forks_most))
		put_process(FORKED + forks++, 0, 0);
	if (b_lets_go)
		put(B, "smaps_rollup", "Pss_Anon: 1 kB\n");
	return 0;
}

void
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

void
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

void
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
	return remove(path);
}

void
watched_setup(void)
{
	struct err err;
	size_t i;

	ck_assert_ptr_nonnull(mkdtemp(scratch));
	memory = (struct memory){ .limit = LIMIT,
		.nplaces = MEMORY_PLACES,
		.pace.speed = BOX_MEMORY_SPEED,
		.socket_bytes = MIB,
		.usage_fd = ipc_make_usage(sizeof(struct box_usage), &err) };
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

void
watched_teardown(void)
{
	close(memory.proc);
	close(memory.usage_fd);
	nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

struct memory_sum
count(memory_add *add)
{
	struct memory_sum sum;

	ck_assert_int_eq(memory_count(&memory, add, &sum), 0);
	return sum;
}

void
put_thread(int pid, int thread)
{
	auto_free char *task = mem_printf("%s/%d/task", scratch, pid);
	auto_free char *path = mem_printf("%s/%d", task, thread);

	mkdir(task, 0755);
	mkdir(path, 0755);
}

int
look_in_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		memory_look(&memory);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}
