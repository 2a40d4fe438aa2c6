/*
 * Tests of worker/box/native/memory/memory_share: where shares of pages that
 * were examined before are used again, and where they are not.
 */
#include <limits.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "watched.h"

UNIT_FIXTURE(watched_setup, watched_teardown)

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

static void
put_part(int pid, unsigned int anon, unsigned int part, unsigned int alone)
{
	auto_free char *rollup = mem_printf("Pss_Anon: %u kB\n"
	    "Private_Dirty: %u kB\n", part * 1024, alone * 1024);

	put_process(pid, anon, 0);
	put(pid, "smaps_rollup", rollup);
}

/* Pages are examined again where they may have changed, and above the limit. */
UNIT_TEST(shares)
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
		/* At most 25 MiB of its part are shared. */
		put_part(B, 60, steps[i].own,
		    steps[i].own > 25 ? steps[i].own - 25 : 0);
		put_faults(B, steps[i].minor, steps[i].major);
		put_newest(steps[i].load);
		ck_assert_uint_eq(memory_look(&memory), steps[i].seen * MIB);
	}
}

/*
 * A process starts another one without a page fault, and then changes all of
 * its pages, so that the child has the earlier ones alone.
 */
UNIT_TEST(pages_that_a_child_keeps)
{
	used_ns = 1;
	put_part(A, 60, 60, 60);
	put_faults(A, 1, 0);
	put_part(C, 45, 5, 0);
	put_newest("0.00 0.01 0.05 1/9 70\n");
	ck_assert_uint_eq(memory_look(&memory), 65 * MIB);
	put_part(B, 60, 30, 0);
	put_newest("0.00 0.01 0.05 1/9 71\n");
	ck_assert_uint_eq(memory_look(&memory), 95 * MIB);
	put_faults(A, 2, 0);
	put_part(B, 60, 60, 60);
	ck_assert_int_eq(look_in_child(), BOX_EXIT_MEMORY);
}

/* What a process shares is examined, too, if its number is that of another. */
UNIT_TESTS(reused_only_if_it_holds, 3)
{
	struct memory_clock *known = memory_find_clock(&memory, A);
	struct memory_sum sum = { 0 };

	*known = (struct memory_clock){ .pid = _i == 1 ? C : A, .looked = 1,
		.looked_rss = 2 * MIB, .share = MIB };
	if (_i == 2) /* they cannot be read */
		put(A, "stat", NULL);
	else
		put_faults(A, 0, 0);
	memory.shares.partly = 1;
	ck_assert_int_eq(memory_reuse(&memory, A, 5 * MIB, &sum), _i == 0);
	/* And it has grown without a fault: a huge page. */
	ck_assert_uint_eq(sum.shares, _i == 0 ? 4 * MIB : 0);
}

/* No share is less than what is private. */
UNIT_TEST(more_private_than_shares)
{
	struct memory_sum sum = { 0 };

	*memory_find_clock(&memory, A) = (struct memory_clock){ .pid = A,
		.looked = 1, .share = 5, .private = 10, .faults = 1 };
	put_faults(A, 2, 0);
	memory.shares.partly = 1;
	ck_assert_int_eq(memory_reuse(&memory, A, 0, &sum), 0);
	ck_assert_uint_eq(memory.shares.given, 0);
}

/* When all must be examined: each row differs in one thing from the first. */
UNIT_TEST(all_is_examined)
{
	static const struct {
		bool whole, due;
		enum memory_held state;
		uint64_t last_pid, threads; /* before */
		const char *load;
		unsigned int now; /* threads */
		int may;
	} rows[] = {
		{ 0, 0, MEMORY_HELD, 70, 3, "0 0 0 1/9 72\n", 5, 1 },
		{ 1, 0, MEMORY_HELD, 70, 3, "0 0 0 1/9 72\n", 5, 0 },
		{ 0, 1, MEMORY_HELD, 70, 3, "0 0 0 1/9 72\n", 5, 0 },
		{ 0, 0, MEMORY_HELD_AT_ONCE, 70, 3, "0 0 0 1/9 72\n", 5, 0 },
		{ 0, 0, MEMORY_HELD, 0, 3, "0 0 0 1/9 2\n", 5, 0 },
		{ 0, 0, MEMORY_HELD, 70, 3, "0 0 0 1/9 73\n", 5, 0 },
		{ 0, 0, MEMORY_HELD, 70, 3, "0 0 0 1/9 69\n", 2, 0 },
		{ 0, 0, MEMORY_HELD, 70, 3, "", 5, 0 },
	};
	struct memory_sum sum = { 0 };
	size_t i;

	for (i = 0; i < UNIT_COUNT(rows); i++) {
		memory.shares.whole = rows[i].whole;
		memory.maps.due = rows[i].due;
		memory.hold.state = rows[i].state;
		memory.shares.last_pid = rows[i].last_pid;
		memory.shares.threads = rows[i].threads;
		put_newest(rows[i].load);
		sum.threads = rows[i].now;
		ck_assert_msg(memory_may_reuse(&memory, &sum) == rows[i].may,
		    "row %zu", i);
	}
}

/* When the count that follows must examine all. */
UNIT_TEST(all_is_examined_next)
{
	static const struct {
		unsigned int busy, loose;
		bool noted, partly;
		const char *load; /* there was one thread with number 70 */
		int whole;
	} rows[] = {
		{ 0, 0, 0, 1, "0 0 0 1/9 70\n", 0 },
		{ 0, 0, 0, 0, "0 0 0 1/9 71\n", 0 },
		{ 1, 0, 0, 1, "0 0 0 1/9 70\n", 1 },
		{ 0, 1, 0, 1, "0 0 0 1/9 70\n", 1 },
		{ 0, 0, 1, 1, "0 0 0 1/9 70\n", 1 },
		{ 0, 0, 0, 1, "0 0 0 1/9 71\n", 1 },
		{ 0, 0, 0, 0, "0 0 0 1/9 71\n", 0 },
	};
	size_t i;

	for (i = 0; i < UNIT_COUNT(rows); i++) {
		const struct memory_sum sum = { .busy = rows[i].busy,
			.loose = rows[i].loose, .threads = 1 };

		memory.shares.last_pid = 70;
		memory.shares.threads = 1;
		put_newest(rows[i].load);
		memory_begin_shares(&memory, rows[i].partly);
		if (rows[i].noted) /* a process that has no place */
			memory_note_share(&memory, A, 0, 0, 0);
		memory_end_shares(&memory, &sum);
		ck_assert_msg(
		    memory.shares.whole == rows[i].whole, "row %zu", i);
	}
}

/* A count that finds processes without a place examines all. */
UNIT_TEST(too_many_for_the_table)
{
	int i;

	used_ns = 1;
	put_part(A, 60, 35, 0);
	put_part(B, 60, 35, 0);
	put_newest("0 0 0 1/9 70\n");
	ck_assert_uint_eq(memory_judge(&memory), 70 * MIB);
	put_part(B, 60, 20, 0);
	ck_assert_uint_eq(memory_judge(&memory), 70 * MIB);
	for (i = 0; i < BOX_MEMORY_CLOCKS; i++)
		put_process(FORKED + i, 0, 0);
	put_newest("0 0 0 1/9 326\n");
	ck_assert_uint_eq(memory_judge(&memory), 55 * MIB);
}

/* So does one where a process has changed what it borrows of its parent. */
UNIT_TEST(borrowed)
{
	static const char child[] = STOPPED "PPid:\t4194401\n" END;
	unsigned int faults;

	used_ns = 1;
	borrower = B;
	put_newest("0 0 0 1/9 70\n");
	memory.limit = 40 * MIB;
	for (faults = 1; faults < 3; faults++) {
		put_part(A, 60, 34 + faults, 0);
		put(B, "status", child);
		put_faults(B, faults, 0);
		ck_assert_uint_eq(memory_judge(&memory), (34 + faults) * MIB);
	}
}
