/*
 * Tests of worker/box/python/mappings: the mappings of a library that no
 * process writes to become one, except for data that became read-only after
 * they were written to.
 */
#include <gnu/lib-names.h>

#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "worker/box/python/python.h"

#define MOST 16

struct mapping {
	unsigned long start;
	unsigned long end;
	char rights[8];
};

/* Those of the C library. Returns how many there are. */
static size_t
find(struct mapping *found)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512];
	size_t count = 0;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strstr(line, "/" LIBC_SO) == NULL)
			continue;
		ck_assert_uint_lt(count, MOST);
		ck_assert_int_eq(sscanf(line, "%lx-%lx %4s",
		    &found[count].start, &found[count].end,
		    found[count].rights), 3);
		count++;
	}
	fclose(file);
	return count;
}

UNIT_TEST(what_is_not_written_to_is_one_mapping)
{
	struct mapping before[MOST] = { 0 }, after[MOST] = { 0 };
	size_t count = find(before);

	/* Its head, code, constants, data that are read-only now, and data. */
	if (count != 5) {
		unit_skip("the C library is not mapped in the usual way");
		return;
	}
	mappings_merge();
	ck_assert_uint_eq(find(after), 3);
	ck_assert_uint_eq(after[0].start, before[0].start);
	ck_assert_uint_eq(after[0].end, before[2].end);
	ck_assert_str_eq(after[0].rights, "r-xp");
	ck_assert_mem_eq(&after[1], &before[3], 2 * sizeof(after[1]));
	ck_assert_str_eq(after[1].rights, "r--p");
	ck_assert_str_eq(after[2].rights, "rw-p");
}

UNIT_TEST(a_second_time_changes_nothing)
{
	struct mapping before[MOST] = { 0 }, after[MOST] = { 0 };
	size_t count;

	mappings_merge();
	count = find(before);
	mappings_merge();
	ck_assert_uint_eq(find(after), count);
	ck_assert_mem_eq(before, after, count * sizeof(after[0]));
}
