/*
 * Tests of worker/box/python/holes: what is free in the middle of memory is
 * taken, and an allocator that is another one than Python's does no harm.
 */
#include <stdint.h>
#include <stdlib.h>

#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/box/python/python.h"

#define CHUNKS 4096

static size_t asked;
static uintptr_t next;

/* Blocks of a size lie one behind the other, in pools. */
static void *
allocate_from_pools(size_t size)
{
	uintptr_t place = next % BOX_POOL_BYTES;
	uintptr_t block;

	if (place < BOX_POOL_HEAD)
		next += BOX_POOL_HEAD - place;
	if (place + size > BOX_POOL_BYTES)
		next += BOX_POOL_BYTES - place + BOX_POOL_HEAD;
	block = next;
	next += size;
	asked += size;
	return (void *)block;
}

static void *
allocate_nothing(size_t size)
{
	asked += size;
	return NULL;
}

/* The heap is that of the C library. */
static int
has_heap(void)
{
	if (UNIT_ASAN)
		unit_skip("AddressSanitizer has an allocator of its own");
	return !UNIT_ASAN;
}

UNIT_TEST(leaves_no_hole_in_the_heap)
{
	static char *chunks[CHUNKS];
	const char *last = NULL;
	size_t i;

	if (!has_heap())
		return;
	for (i = 0; i < CHUNKS; i++) {
		chunks[i] = malloc(i % 1500 + 1);
		last = chunks[i] > last ? chunks[i] : last;
	}
	for (i = 0; i < CHUNKS - 1; i += 2)
		free(chunks[i]);
	next = BOX_POOL_BYTES;
	holes_fill(allocate_from_pools);
	for (i = 0; i < CHUNKS; i += 2) {
		chunks[i] = malloc(i % 1500 + 1);
		ck_assert(chunks[i] > last);
	}
}

/* One pool of each size, or less than two where none was begun. */
UNIT_TEST(takes_no_more_than_the_pools_that_are_begun)
{
	size_t sizes = BOX_BLOCK_MOST / BOX_BLOCK_STEP;

	if (!has_heap())
		return;
	asked = 0;
	next = BOX_POOL_BYTES;
	holes_fill(allocate_from_pools);
	ck_assert_uint_gt(asked, 0);
	ck_assert_uint_lt(asked, 2 * sizes * BOX_POOL_BYTES);
}

UNIT_TEST(gives_up_where_there_are_no_pools)
{
	if (!has_heap())
		return;
	asked = 0;
	holes_fill(allocate_nothing);
	ck_assert_uint_le(asked, BOX_HOLES_MOST + BOX_BLOCK_MOST);
}
