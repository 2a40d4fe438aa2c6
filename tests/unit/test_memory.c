/*
 * Tests of worker/box/native/memory, memory_pace and memory_usage: when a box
 * is looked at again, when it is ended, and what its processes have used. The
 * real box is in test_box.
 */
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/mem.h"
#include "unit.h"
#include "watched.h"

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
	memory.narrow = 1;
	ck_assert_uint_eq(memory_wait(&memory, 0), BOX_MEMORY_WAIT_NARROW_MS);
	memory.narrow = 0;
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

/* The numbers of page faults, and that of the newest process. */
static void
put_faults(int pid, unsigned int minor, unsigned int major)
{
	auto_free char *stat = mem_printf(
	    "1 (a) 9) S 1 1 1 0 -1 4194304 %u 7 %u 7\n", minor, major);

	put(pid, "stat", stat);
}

static void
put_newest(const char *load)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/loadavg", scratch);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(load, file);
	fclose(file);
}

/* Pages are examined again where they may have changed, and above the limit. */
START_TEST(shares)
{
	static const struct {
		unsigned int minor, major, own; /* of B, in MiB */
		const char *load;
		unsigned int seen; /* MiB */
	} steps[] = {
		{ 1, 1, 35, "0.00 0.01 0.05 1/9 70\n", 70 },
		{ 1, 1, 20, "0.00 0.01 0.05 1/9 70\n", 70 },
		/* What it shared may belong to the other one now. */
		{ 2, 1, 20, "0.00 0.01 0.05 1/9 70\n", 35 + 20 + 25 },
		{ 2, 2, 30, "0.00 0.01 0.05 1/9 70\n", 35 + 30 },
		/* One has come and gone. */
		{ 2, 2, 40, "0.00 0.01 0.05 1/9 71\n", 75 },
		{ 2, 2, 50, "0.00 0.01 0.05 1/9 71\n", 75 },
		{ 2, 2, 50, "0.00 0.01 0.05 1/9 7\n", 85 },
		{ 2, 2, 60, "", 95 },
	};
	size_t i;

	used_ns = 1;
	put_process(A, 60, 35);
	put_faults(A, 5, 0);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		put_process(B, 60, steps[i].own);
		put_faults(B, steps[i].minor, steps[i].major);
		put_newest(steps[i].load);
		ck_assert_uint_eq(
		    memory_look(&memory), steps[i].seen * MIB);
	}
}
END_TEST

/* A new process is examined, and so are all when one has ended. */
START_TEST(shares_of_new_processes)
{
	char path[PATH_MAX];

	used_ns = 1;
	put_process(A, 60, 35);
	put_process(B, 60, 35);
	put_newest("0.00 0.01 0.05 1/9 70\n");
	ck_assert_uint_eq(memory_look(&memory), 70 * MIB);
	put_process(A, 60, 10);
	put_process(C, 60, 10);
	put_newest("0.00 0.01 0.05 1/9 71\n");
	ck_assert_uint_eq(memory_look(&memory), 80 * MIB);
	put_process(B, 0, 0);
	snprintf(path, sizeof(path), "%s/%d/status", scratch, B);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_uint_eq(memory_look(&memory), 20 * MIB);
}
END_TEST

/* As threads may come and go while one looks. */
START_TEST(processes_without_figures_are_stopped)
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

/* Numbers that are not of one moment end no process. */
START_TEST(figures_of_different_moments_end_none)
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
	tcase_add_checked_fixture(tc, watched_setup, watched_teardown);
	tcase_add_loop_test(tc, waiting, 0, UNIT_COUNT(waits));
	tcase_add_test(tc, speed);
	tcase_add_loop_test(tc, idle, 0, 2);
	tcase_add_test(tc, looks);
	tcase_add_test(tc, shares);
	tcase_add_test(tc, shares_of_new_processes);
	tcase_add_test(tc, processes_without_figures_are_stopped);
	tcase_add_test(tc, figures_of_different_moments_end_none);
	tcase_add_test(tc, stopped_first);
	tcase_add_test(tc, crowded);
	tcase_add_test(tc, crowded_on_one_processor);
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
