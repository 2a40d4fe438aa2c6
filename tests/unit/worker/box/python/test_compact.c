/*
 * Tests of worker/box/python/compact: blocks come from the heap until the limit
 * is reached, and what others have put in the place of an allocator stays.
 */
#include <stdlib.h>

#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/box/python/python.h"

static struct compact_allocator current[COMPACT_FIRST + COMPACT_KINDS];
static size_t usual; /* blocks that the allocator of the interpreter made */

static void *
allocate(void *context, size_t size)
{
	usual++;
	return malloc(size);
}

static void *
allocate_zeroed(void *context, size_t count, size_t size)
{
	usual++;
	return calloc(count, size);
}

static void *
reallocate(void *context, void *block, size_t size)
{
	usual++;
	return realloc(block, size);
}

static void
release(void *context, void *block)
{
	free(block);
}

static void
get(int kind, struct compact_allocator *allocator)
{
	*allocator = current[kind];
}

static void
set(int kind, struct compact_allocator *allocator)
{
	current[kind] = *allocator;
}

static void
begin(void *context)
{
	int kind;

	for (kind = COMPACT_FIRST; kind < COMPACT_FIRST + COMPACT_KINDS; kind++)
		current[kind] = (struct compact_allocator){ context, allocate,
			allocate_zeroed, reallocate, release };
	usual = 0;
	compact_begin(get, set);
}

/* Makes and frees blocks of a kind, in each way. */
static void
use(int kind)
{
	const struct compact_allocator *of = &current[kind];
	char *block = of->allocate(of->context, 0);
	char *zeroed = of->allocate_zeroed(of->context, BOX_BLOCK_STEP, 2);
	char *grown = of->reallocate(of->context, NULL, BOX_BLOCK_STEP);
	size_t i;

	ck_assert_ptr_nonnull(block);
	ck_assert_ptr_nonnull(grown);
	for (i = 0; i < BOX_BLOCK_STEP * 2; i++)
		ck_assert_int_eq(zeroed[i], 0);
	of->free(of->context, block);
	of->free(of->context, zeroed);
	of->free(of->context, grown);
}

static void
use_both(void)
{
	int kind;

	for (kind = COMPACT_FIRST; kind < COMPACT_FIRST + COMPACT_KINDS; kind++)
		use(kind);
}

UNIT_TEST(blocks_come_from_the_heap_until_the_end)
{
	begin(NULL);
	use_both();
	ck_assert_uint_eq(usual, 0);
	compact_end();
	ck_assert_ptr_eq(current[COMPACT_FIRST].allocate, allocate);
	use_both();
	ck_assert_uint_gt(usual, 0);
}

UNIT_TEST(the_end_comes_with_the_first_block_above_the_limit)
{
	const struct compact_allocator *of = &current[COMPACT_FIRST];

	begin(NULL);
	compact_limit(BOX_BLOCK_MOST);
	of->free(of->context, of->allocate(of->context, BOX_BLOCK_MOST));
	ck_assert_uint_eq(usual, 0);
	of->free(of->context, of->allocate(of->context, 1));
	ck_assert_uint_eq(usual, 1);
	ck_assert_ptr_eq(current[COMPACT_FIRST].allocate, allocate);
	ck_assert_ptr_eq(current[COMPACT_FIRST + 1].allocate, allocate);
}

static struct compact_allocator inner;

static void *
allocate_around(void *context, size_t size)
{
	return inner.allocate(inner.context, size);
}

/* As tracemalloc does. */
UNIT_TEST(an_allocator_around_it_stays)
{
	begin(NULL);
	compact_limit(0);
	inner = current[COMPACT_FIRST];
	current[COMPACT_FIRST].allocate = allocate_around;
	release(NULL, current[COMPACT_FIRST].allocate(NULL, 1));
	ck_assert_uint_eq(usual, 1);
	ck_assert_ptr_eq(current[COMPACT_FIRST].allocate, allocate_around);
	current[COMPACT_FIRST] = inner;
	release(NULL, current[COMPACT_FIRST].allocate(NULL, 1));
	ck_assert_uint_eq(usual, 2);
	ck_assert_ptr_eq(current[COMPACT_FIRST].allocate, allocate);
}

UNIT_TEST(an_allocator_with_a_context_is_left_alone)
{
	begin(&usual);
	ck_assert_ptr_eq(current[COMPACT_FIRST].allocate, allocate);
	use_both();
	ck_assert_uint_gt(usual, 0);
	compact_end();
	ck_assert_ptr_eq(current[COMPACT_FIRST].context, &usual);
}
