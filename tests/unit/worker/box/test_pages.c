/*
 * Tests of worker/box/python/pages: memory of the interpreter begins where a
 * huge page can, and becomes one where it fills it, with the same content. So
 * does its program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/box/python/python.h"

#define PIECE MIB
#define PIECES 6
#define PROGRAM (4 * BOX_HUGE + BOX_HUGE / 2)

static struct pages_allocator current;

static void
get(struct pages_allocator *allocator)
{
	*allocator = current;
}

static void
set(struct pages_allocator *allocator)
{
	current = *allocator;
}

static void *
allocate_nothing(void *context, size_t size)
{
	return NULL;
}

static void
free_nothing(void *context, void *piece, size_t size)
{
}

/* As the interpreter does, one after the other. */
static char *
allocate_pieces(void)
{
	char *first = NULL;
	char *piece;
	size_t i;

	current = (struct pages_allocator){ &current, allocate_nothing,
		free_nothing };
	pages_gather(get, set);
	ck_assert_ptr_eq(current.context, &current);
	ck_assert(current.free == free_nothing);
	for (i = 0; i < PIECES; i++) {
		piece = current.allocate(current.context, PIECE);
		ck_assert_ptr_nonnull(piece);
		if (first == NULL)
			first = piece;
		ck_assert_ptr_eq(piece, first + i * PIECE);
	}
	return first;
}

/* Bytes of this process in memory or, with that name, in huge pages. */
static unsigned long
bytes(const char *name)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	unsigned long kib = 0;
	char line[256];

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			sscanf(line + strlen(name), ": %lu", &kib);
	fclose(file);
	return kib * KIB;
}

/* Whether this kernel makes as many huge pages as a test needs. */
static int
has_huge_pages(void)
{
	const size_t size = PIECES * PIECE;
	char *room = mmap(NULL, size + BOX_HUGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start = (char *)(((uintptr_t)room + BOX_HUGE - 1) &
	    ~(BOX_HUGE - 1));
	int has;

	ck_assert_ptr_ne(room, MAP_FAILED);
	memset(start, 1, size);
	has = madvise(start, size, 25) == 0; /* MADV_COLLAPSE */
	munmap(room, size + BOX_HUGE);
	return has;
}

UNIT_TEST(pieces_begin_where_a_huge_page_can)
{
	ck_assert_uint_eq((uintptr_t)allocate_pieces() % BOX_HUGE, 0);
}

/* An allocator that takes small blocks from the pieces, as Python's does. */
static void *
allocate_block(size_t size)
{
	static char *piece;
	static size_t used = PIECE;

	if (used + size > PIECE) {
		piece = current.allocate(current.context, PIECE);
		used = 0;
	}
	used += size;
	return piece + used - size;
}

static void *
allocate_no_block(size_t size)
{
	return NULL;
}

/* The heap, too; what is free before that stays unused. */
UNIT_TEST(what_follows_begins_with_a_huge_page)
{
	char *first = allocate_pieces();
	char *piece = allocate_block(BOX_BLOCK_STEP);
	char *end, *chunk;

	ck_assert_ptr_eq(piece, first + PIECES * PIECE);
	pages_part(allocate_block);
	end = sbrk(0);
	ck_assert_uint_eq((uintptr_t)end % BOX_HUGE, 0);
	piece = allocate_block(BOX_BLOCK_STEP);
	ck_assert(piece >= first + PIECES * PIECE + BOX_HUGE);
	ck_assert(piece < first + PIECES * PIECE + BOX_HUGE + PIECE);
	holes_fill(allocate_no_block);
	chunk = malloc(BOX_HOLE_LARGEST);
	ck_assert(chunk >= end);
	free(chunk);
}

static char program[PROGRAM];

static void
fill_program(void)
{
	size_t i;

	for (i = 0; i < PROGRAM; i++)
		program[i] = (char)(i % 251);
}

UNIT_TEST(what_fills_huge_pages_becomes_huge)
{
	char *first = allocate_pieces();
	unsigned long huge, all;

	fill_program();
	huge = bytes("AnonHugePages");
	if (!has_huge_pages()) {
		unit_skip("this kernel makes no huge pages");
		return;
	}
	/* Where every process has huge pages, these can be huge before. */
	memcpy(first, program, 2 * BOX_HUGE);
	/* The third is hardly in use: memory would only be added. */
	first[2 * BOX_HUGE] = 1;
	all = bytes("Rss");
	pages_enlarge();
	ck_assert_uint_ge(bytes("AnonHugePages"), huge + 2 * BOX_HUGE);
	ck_assert_uint_lt(bytes("Rss"), all + BOX_HUGE / 2);
	ck_assert_int_eq(memcmp(first, program, 2 * BOX_HUGE), 0);
}
