/*
 * Tests of worker/box/native/memory/memory_share: where shares of pages that
 * were examined before are used again, and where they are not.
 */
#include <limits.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "unit.h"
#include "tests/unit/worker/box/watched.h"

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
		ck_assert_uint_eq(
		    memory_look(&memory), steps[i].seen * MIB);
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
