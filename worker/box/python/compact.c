/*
 * Where small blocks of the interpreter lie. Its allocator has a page or more
 * for each size, so a few blocks of different sizes lie on as many pages, and a
 * box copies each page that it writes to. The heap of the C library has blocks
 * of all sizes side by side. So the heap takes the place of that allocator
 * while a template makes what its boxes write to, and for the first blocks of a
 * box, which is all that short code needs. Nothing changes for how blocks are
 * freed and resized: the allocator of the interpreter leaves to the C library
 * those that are not its own.
 */
#include <stdlib.h>

#include "python.h"

static compact_exchange *compact_get, *compact_set; /* NULL: not begun */
/* The allocator of the interpreter, for each kind. */
static struct compact_allocator compact_before[COMPACT_KINDS];
/* Bytes that may still be taken from the heap. */
static size_t compact_left;

/* That of both kinds is the same. */
static const struct compact_allocator *
compact_usual(void)
{
	return &compact_before[COMPACT_KINDS - 1];
}

static int
compact_takes(size_t size)
{
	if (size > compact_left) {
		compact_end();
		return 0;
	}
	compact_left -= size;
	return 1;
}

static void *
compact_allocate(void *context, size_t size)
{
	if (!compact_takes(size))
		return compact_usual()->allocate(context, size);
	return malloc(size > 0 ? size : 1);
}

static void *
compact_allocate_zeroed(void *context, size_t count, size_t size)
{
	if (!compact_takes(count * size))
		return compact_usual()->allocate_zeroed(context, count, size);
	return calloc(count > 0 ? count : 1, size > 0 ? size : 1);
}

static void *
compact_reallocate(void *context, void *block, size_t size)
{
	if (block == NULL)
		return compact_allocate(context, size);
	return compact_usual()->reallocate(context, block, size);
}

void
compact_begin(compact_exchange *get, compact_exchange *set)
{
	struct compact_allocator now;
	int kind;

	for (kind = 0; kind < COMPACT_KINDS; kind++) {
		get(COMPACT_FIRST + kind, &now);
		/* One that checks blocks would not know them. */
		if (now.context != NULL || now.allocate == compact_allocate)
			return;
		compact_before[kind] = now;
	}
	compact_get = get;
	compact_set = set;
	compact_left = SIZE_MAX;
	for (kind = 0; kind < COMPACT_KINDS; kind++) {
		now = compact_before[kind];
		now.allocate = compact_allocate;
		now.allocate_zeroed = compact_allocate_zeroed;
		now.reallocate = compact_reallocate;
		set(COMPACT_FIRST + kind, &now);
	}
}

void
compact_limit(size_t most)
{
	compact_left = most;
}

void
compact_end(void)
{
	struct compact_allocator now;
	int kind;

	compact_left = 0;
	for (kind = 0; compact_set != NULL && kind < COMPACT_KINDS; kind++) {
		compact_get(COMPACT_FIRST + kind, &now);
		/* Code may have put another allocator around this one. */
		if (now.allocate == compact_allocate)
			compact_set(
			    COMPACT_FIRST + kind, &compact_before[kind]);
	}
}
