/*
 * Tests of worker/box/python/pages: memory of the interpreter begins where a
 * huge page can, and becomes huge pages with the same content.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/box/python/python.h"

#define PIECES 5

/* As the interpreter does, one after the other. */
static char *
allocate_pieces(void)
{
	const struct pages_allocator *allocator = pages_gather();
	char *first = allocator->allocate(NULL, MIB);
	size_t i;

	ck_assert_ptr_nonnull(first);
	for (i = 1; i < PIECES; i++)
		ck_assert_ptr_eq(allocator->allocate(NULL, MIB),
		    first + i * MIB);
	return first;
}

/* KiB of this process that are in huge pages. */
static unsigned long
huge(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	unsigned long kib = 0;
	char line[256];

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		(void)sscanf(line, "AnonHugePages: %lu", &kib);
	fclose(file);
	return kib;
}

UNIT_TEST(pieces_lie_side_by_side_where_a_huge_page_can_begin)
{
	ck_assert_uint_eq((uintptr_t)allocate_pieces() % (2 * MIB), 0);
}

UNIT_TEST(pieces_that_fill_huge_pages_become_huge)
{
	char *first = allocate_pieces();
	unsigned long before = huge();
	size_t i;

	for (i = 0; i < PIECES; i++)
		memset(first + i * MIB, 'a' + (int)i, MIB);
	pages_enlarge();
	if (huge() == before)
		unit_skip("this kernel makes no huge pages");
	else
		ck_assert_uint_ge(huge(), before + 4 * MIB / KIB);
	for (i = 0; i < PIECES * MIB; i++)
		ck_assert_int_eq(first[i], 'a' + (int)(i / MIB));
}
