/*
 * Tests of worker/box/native/memory/memory_hold: which processes of a box
 * stand still, which are stopped again and which are continued.
 */
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "watched.h"

UNIT_FIXTURE(watched_setup, watched_teardown)

/* Returns how a look that stops all processes ends a process. */
static int
look_in_child_late(void)
{
	memory.pace.planned_ms = 1;
	memory.maps.next_ms = 0;
	return look_in_child();
}

/* What the code has stopped itself does not go on because of a look. */
UNIT_TEST(stopped_by_the_code)
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

/*
 * Where one has not taken its signal yet, each is looked at again: it may have
 * stopped itself meanwhile. What has been forked since is not touched.
 */
UNIT_TEST(one_that_takes_its_signal_late)
{
	put_process(A, 60, 60);
	put_process(B, 1, 1);
	slow = B;
	ck_assert_uint_eq(memory_judge(&memory), 61 * MIB);
	ck_assert_int_eq(conts, 0);
	ck_assert_int_eq(single_conts, 2);
	ck_assert(starts(read_status(A), "Name:"));
	ck_assert(starts(read_status(B), "State:\tR"));
	/* It has done so by the time that it is looked at again. */
	put(B, "status", STOPPED "ShdPnd:\t0000000000040000\n" END);
	ck_assert_int_eq(memory_choose(&memory, B, NULL), 0);
	put_process(C, 1, 1);
	ck_assert_int_eq(memory_choose(&memory, C, NULL), 0);
	ck_assert_int_eq(single_conts, 2);
}

/*
 * Where each process that is stopped leaves one that it was forking, all are
 * stopped at once. What the code has stopped itself stays so.
 */
UNIT_TEST(forked_without_end)
{
	int i;

	put(A, "status", STOPPED "RssAnon:\t1024 kB\n" END);
	put_process(B, 60, 60);
	forks = 1;
	ck_assert_uint_eq(memory_judge(&memory), 61 * MIB);
	ck_assert_int_eq(stops_at_once, 1);
	ck_assert_int_gt(forks, BOX_MEMORY_SINGLY);
	ck_assert_int_eq(conts, 0);
	ck_assert_ptr_nonnull(strstr(read_status(A), STOPPED));
	ck_assert(starts(read_status(B), "Name:"));
	for (i = 1; i < forks; i++)
		ck_assert(starts(read_status(FORKED + i), "Name:"));
	ck_assert_int_eq(single_conts, forks);
	/* Of the next look this is no concern. */
	ck_assert_uint_eq(memory_judge(&memory), 61 * MIB);
	ck_assert_int_eq(stops_at_once, 1);
	ck_assert_ptr_nonnull(strstr(read_status(A), STOPPED));
	ck_assert(starts(read_status(B), "Name:"));
}

/* Some forks are found before anything is counted. */
UNIT_TEST(forked_a_few_times)
{
	put_process(A, 60, 60);
	used_ns = 1;
	forks = 1;
	forks_most = 3;
	ck_assert_uint_eq(memory_judge(&memory), 60 * MIB);
	ck_assert_int_eq(forks, 4);
	ck_assert_uint_eq(memory.hold.tried_ns, 0);
}

/* Whoever is continued again and again ends the box, if it runs meanwhile. */
UNIT_TEST(a_process_that_cannot_be_stopped)
{
	put_process(A, 60, 60);
	runaway = A;
	runs = 20 * BOX_MEMORY_HOLDS;
	used_ns = 1;
	ck_assert_int_eq(look_in_child_late(), 0);
	busy = A;
	ck_assert_int_eq(look_in_child_late(), BOX_EXIT_LOOSE);
}

/* One that is in the kernel for long does not. */
UNIT_TEST(a_process_that_takes_its_signal_late)
{
	put_process(A, 60, 60);
	put_thread(A, A);
	slow = A;
	used_ns = 1;
	busy = A;
	takes_at = 20 * BOX_MEMORY_HOLDS;
	ck_assert_int_eq(look_in_child_late(), 0);
}

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

UNIT_TESTS(threads_that_stand_still, UNIT_COUNT(states))
{
	ck_assert_int_eq(memory_is_still(states[_i].status), states[_i].still);
}

/* Where the first thread has ended, the others run on, and are stopped. */
UNIT_TEST(a_dead_first_thread)
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

static void
put_child_of_a(const char *state, unsigned int mib)
{
	auto_free char *status = mem_printf(AWAITS_STOP "State:\t%s\n"
	    "PPid:\t%d\nRssAnon:\t%u kB\n" END, state, A, mib * 1024);

	put(B, "status", status);
	put_thread(B, B);
}

/* The pages of a process that has not stopped yet are not waited for. */
UNIT_TEST(in_the_kernel)
{
	struct memory_sum sum;

	put_process(A, 60, 60);
	put(A, "status", STOPPED "RssAnon:\t61440 kB\n" END);
	put_process(B, 60, 20);
	put_child_of_a("R (running)", 60);
	count(memory_add_quickly);
	memory.hold.state = MEMORY_HELD;
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
