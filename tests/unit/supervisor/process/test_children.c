/*
 * Tests of supervisor/process/children: both ways to find children tell the
 * same.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "tests/unit/unit.h"
#include "supervisor/process/keeper_parts.h"

#define MANY 40

static pid_t pids[MANY];
static int seen[MANY];
static int strangers;

static int
on_found(void *ctx, pid_t pid)
{
	const int *counts = ctx;
	int n;

	for (n = 0; n < MANY; n++)
		if (pids[n] == pid) {
			seen[n]++;
			return *counts;
		}
	strangers++;
	return 0;
}

/* Names of processes are what they like. */
static const char *const names[] = { "plain", "a b", ") R 1 1", "((", "1",
	"\n", "" };

static void
make_children(void)
{
	siginfo_t si;
	int n;

	for (n = 0; n < MANY; n++) {
		pids[n] = fork();
		if (pids[n] == 0) {
			prctl(PR_SET_NAME, names[n % UNIT_COUNT(names)]);
			if (n % 5 == 0)
				_exit(0);
			/* Not a child of the test. */
			if (n % 5 == 1 && fork() == 0)
				prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	/* Ended, and not reaped. */
	for (n = 0; n < MANY; n += 5)
		waitid(P_PID, (id_t)pids[n], &si, WEXITED | WNOWAIT);
}

static void
end_children(void)
{
	int n;

	for (n = 0; n < MANY; n++) {
		kill(pids[n], SIGKILL);
		waitpid(pids[n], NULL, 0);
	}
}

static size_t
find(int way, int counts)
{
	FILE *list = fopen(CHILDREN_LIST, "re");
	DIR *proc = opendir("/proc");
	size_t n = 0;

	memset(seen, 0, sizeof(seen));
	if (way == 0)
		n = children_each(on_found, &counts);
	else if (way == 1)
		n = children_in_proc(proc, on_found, &counts);
	else if (list != NULL)
		n = children_in_list(list, on_found, &counts);
	else
		unit_skip("this kernel has no list of children");
	if (list != NULL)
		fclose(list);
	closedir(proc);
	return n;
}

UNIT_TESTS(finds_every_child, 3)
{
	int fds = unit_open_fds();
	int n;

	make_children();
	if (find(_i, 1) != 0) {
		for (n = 0; n < MANY; n++)
			ck_assert_int_eq(seen[n], 1);
		ck_assert_uint_eq(find(_i, 1), MANY);
		ck_assert_uint_eq(find(_i, 0), 0);
	} else {
		ck_assert_int_eq(_i, 2);
	}
	ck_assert_int_eq(strangers, 0);
	end_children();
	ck_assert_uint_eq(find(_i, 1), 0);
	ck_assert_int_eq(unit_open_fds(), fds);
}

UNIT_TEST(reads_parents)
{
	auto_fd int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[20];

	snprintf(name, sizeof(name), "%d", (int)getpid());
	ck_assert_int_eq(children_parent(proc, name), getppid());
	ck_assert_int_eq(children_parent(proc, "none"), 0);
	ck_assert_int_eq(children_parent(proc, "sys"), 0);
	ck_assert_int_eq(children_parent(-1, name), 0);
}

/* A child with one of its own; both hold the end of a pipe that is ours. */
static pid_t
make_family(int grouped, int *line)
{
	int ends[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		if (grouped)
			setpgid(0, 0);
		if (fork() == 0) {
			if (!grouped)
				prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (write(ends[1], "x", 1) != 1)
				_exit(1);
		}
		for (;;)
			pause();
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &c, 1), 1);
	*line = ends[0];
	return pid;
}

/* With its group, or it alone where that is the group of the test. */
UNIT_TESTS(kills_a_child, 2)
{
	siginfo_t si;
	pid_t pid;
	char c;
	int line;

	pid = make_family(_i, &line);
	ck_assert_int_eq(children_kill(pid), 1);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(si.si_status, SIGKILL);
	while (read(line, &c, 1) > 0)
		;
	/* It is a child until it is reaped, and not afterwards. */
	ck_assert_int_eq(children_kill(pid), 1);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(children_kill(pid), 0);
	close(line);
}
