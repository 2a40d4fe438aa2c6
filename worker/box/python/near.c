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

static near_exchange *near_get, *near_set; /* NULL: it was never begun */
/* The allocator of the interpreter, for each kind. */
static struct near_allocator near_before[NEAR_KINDS];
/* Bytes that may still be taken from the heap. */
static size_t near_left;

/* That of both kinds is the same. */
static const struct near_allocator *
near_usual(void)
{
	return &near_before[NEAR_KINDS - 1];
}

static int
near_takes(size_t size)
{
	if (size > near_left) {
		near_end();
		return 0;
	}
	near_left -= size;
	return 1;
}

static void *
near_allocate(void *context, size_t size)
{
	if (!near_takes(size))
		return near_usual()->allocate(context, size);
	return malloc(size > 0 ? size : 1);
}

static void *
near_allocate_zeroed(void *context, size_t count, size_t size)
{
	if (!near_takes(count * size))
		return near_usual()->allocate_zeroed(context, count, size);
	return calloc(count > 0 ? count : 1, size > 0 ? size : 1);
}

static void *
near_reallocate(void *context, void *block, size_t size)
{
	if (block == NULL)
		return near_allocate(context, size);
	return near_usual()->reallocate(context, block, size);
}

void
near_begin(near_exchange *get, near_exchange *set)
{
	struct near_allocator now;
	int kind;

	for (kind = 0; kind < NEAR_KINDS; kind++) {
		get(NEAR_FIRST + kind, &now);
		/* One that checks blocks would not know them. */
		if (now.context != NULL || now.allocate == near_allocate)
			return;
		near_before[kind] = now;
	}
	near_get = get;
	near_set = set;
	near_left = SIZE_MAX;
	for (kind = 0; kind < NEAR_KINDS; kind++) {
		now = near_before[kind];
		now.allocate = near_allocate;
		now.allocate_zeroed = near_allocate_zeroed;
		now.reallocate = near_reallocate;
		set(NEAR_FIRST + kind, &now);
	}
}

void
near_limit(size_t most)
{
	near_left = most;
}

void
near_end(void)
{
	struct near_allocator now;
	int kind;

	near_left = 0;
	for (kind = 0; near_set != NULL && kind < NEAR_KINDS; kind++) {
		near_get(NEAR_FIRST + kind, &now);
		/* Code may have put another allocator around this one. */
		if (now.allocate == near_allocate)
			near_set(NEAR_FIRST + kind, &near_before[kind]);
	}
}
