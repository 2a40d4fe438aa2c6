/*
 * Tests of worker/box/native/memory/memory, memory_pace and memory_usage: when
 * a box is looked at again, when it is ended, and what its processes have
 * used. The real box is in tests/e2e/memory.test.mjs.
 */
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "common/base/mem.h"
#include "tests/unit/unit.h"
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

UNIT_FIXTURE(watched_setup, watched_teardown)

UNIT_TESTS(waiting, UNIT_COUNT(waits))
{
	ck_assert_uint_eq(memory_wait(&memory, waits[_i].bytes), waits[_i].ms);
	memory.pace.speed = BOX_MEMORY_SPEED_MOST;
	ck_assert_uint_eq(memory_wait(&memory, 0), BOX_MEMORY_WAIT_LEAST_MS);
	memory.pace.narrow = 1;
	ck_assert_uint_eq(memory_wait(&memory, 0), BOX_MEMORY_WAIT_NARROW_MS);
	memory.pace.narrow = 0;
	memory.limit = UINT64_MAX / 4;
	ck_assert_uint_eq(memory_wait(&memory, 0), BOX_MEMORY_WAIT_MOST_MS);
}

UNIT_TEST(speed)
{
	cpu_set_t set;
	int cpu;

	CPU_ZERO(&set);
	CPU_SET(3, &set);
	ck_assert_uint_eq(memory_speed(&set), BOX_MEMORY_SPEED);
	CPU_SET(5, &set);
	ck_assert_uint_eq(memory_speed(&set), 2 * BOX_MEMORY_SPEED);
	step_ns = 1000000;
	ck_assert_uint_eq(memory_speed(&set), 4 * BOX_MEMORY_SAMPLE * 1000);
	/* The fastest sample counts, the first or the last. */
	step_more_ns = 1000;
	ck_assert_uint_eq(memory_speed(&set), 4 * BOX_MEMORY_SAMPLE * 1000);
	step_ns = 1000000 + (2 * BOX_MEMORY_SAMPLES - 2) * 1000;
	step_more_ns = -1000;
	ck_assert_uint_eq(memory_speed(&set), 4 * BOX_MEMORY_SAMPLE * 1000);
	step_more_ns = 0;
	step_ns = 1000;
	ck_assert_uint_eq(memory_speed(&set), 2 * BOX_MEMORY_SPEED);
	step_ns = 0;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &set);
	ck_assert_uint_eq(memory_speed(&set), BOX_MEMORY_SPEED_MOST);
}

UNIT_TEST(looks)
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

/* Past its time a look begins with stopping all. */
UNIT_TEST(stopped_first)
{
	put_process(A, 60, 60);
	memory.pace.planned_ms = memory_ms(CLOCK_MONOTONIC) + 60000;
	ck_assert_uint_eq(memory_look(&memory), 60 * MIB);
	ck_assert_int_eq(stops, 0);
	memory.pace.planned_ms = 1;
	ck_assert_uint_eq(memory_look(&memory), 60 * MIB);
	ck_assert_int_eq(stops, 1);
	ck_assert_int_eq(conts, 1);
	ck_assert_int_eq(memory.seen[0], A);
	put_process(A, 101, 101);
	ck_assert_int_eq(look_in_child(), BOX_EXIT_MEMORY);
}

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
UNIT_TEST(crowded)
{
	const unsigned int turn = BOX_MEMORY_TURN / MIB;
	const unsigned int most = turn;
	int cpu;

	used_ns = 1;
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
	ck_assert_int_eq(memory.pace.narrow, 0);
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
	ck_assert_uint_eq(memory.pace.speed, 2 * BOX_MEMORY_SPEED);
	/* Now looks are in time; if they took long, they would not be. */
	CPU_ZERO(&of_b);
	memory_look(&memory);
	ck_assert_int_eq(stops, 1);
	memory.pace.look_ms = 1000;
	memory_look(&memory);
	ck_assert_int_eq(stops, 2);
	ck_assert(CPU_EQUAL(&of_a, &of_b));
	/* A has a single thread, which cannot come back. */
	CPU_ZERO(&of_a);
	CPU_ZERO(&of_b);
	memory_look(&memory); /* it did not take long */
	ck_assert_int_eq(stops, 3);
	ck_assert_int_eq(CPU_COUNT(&of_a), 0);
	ck_assert_int_eq(CPU_COUNT(&of_b), 2);
	memory_look(&memory);
	ck_assert_int_eq(stops, 3);
}

/*
 * A process is kept off once, unless another one had its place in the table, it
 * has not stopped, or that fails.
 */
UNIT_TEST(kept_off)
{
	int cpu;

	CPU_ZERO(&processors);
	for (cpu = 2; cpu < 5; cpu++)
		CPU_SET(cpu, &processors);
	put_process(A, 0, 0);
	put_thread(A, A);
	memory_keep_processor(&memory);
	*memory_find_clock(&memory, A) =
	    (struct memory_clock){ .pid = C, .kept_off = 1 };
	for (cpu = 0; cpu < 5; cpu++) {
		CPU_ZERO(&of_a);
		used_ns = cpu > 0; /* C has ended */
		no_affinity = cpu == 3 ? A : 0;
		memory_judge(&memory);
		ck_assert_int_eq(CPU_COUNT(&of_a), cpu == 3 ? 0 : 2);
		slow = cpu == 1 ? A : 0;
	}
	CPU_ZERO(&of_a);
	memory_judge(&memory);
	ck_assert_int_eq(CPU_COUNT(&of_a), 0);
}

/* A look that takes too long is repeated with all processes stopped. */
UNIT_TEST(late)
{
	struct memory_sum sum;

	put_process(A, 60, 30);
	put_process(B, 60, 30);
	memory.pace.planned_ms = 1;
	ck_assert_int_eq(memory_count(&memory, memory_add_quickly, &sum), 0);
	ck_assert_int_eq(sum.late, 1);
	ck_assert_uint_eq(sum.bytes, 60 * MIB);
	memory.pace.planned_ms = memory_ms(CLOCK_MONOTONIC) + 60000;
	ck_assert_int_eq(memory_count(&memory, memory_add_quickly, &sum), 0);
	ck_assert_int_eq(sum.late, 0);
	ck_assert_uint_eq(sum.bytes, 120 * MIB);
}
