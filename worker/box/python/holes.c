/*
 * The holes in the memory of a template: what was in use while modules were
 * imported and is free now, here a block and there one. What boxes allocate
 * would lie in them, and a box copies every page of the template that it
 * writes to. So the template takes what is free, for ever, before it loads
 * what boxes run: that and what they allocate lies close together then.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "python.h"
#include "../../../common/limits.h"

/*
 * Python keeps small blocks in pools, each for one size of them. The first of a
 * pool tells that the pool is new, or was empty, and those before it are full.
 * It may also have been freed in a pool that is in use: then some holes stay.
 * Boxes write to no fewer pages if these are filled, too.
 */
static void
holes_fill_pools(holes_allocate *allocate, size_t size, size_t *taken)
{
	uintptr_t block;
	size_t before = *taken;

	while (*taken < BOX_HOLES_MOST) {
		block = (uintptr_t)allocate(size);
		*taken += size;
		if (block % BOX_POOL_BYTES == BOX_POOL_HEAD &&
		    *taken > before + size)
			return;
	}
}

/* All that is free below the end of the heap, the largest first. */
static void
holes_fill_heap(void)
{
	const char *end = (char *)sbrk(0) - mallinfo2().keepcost;
	size_t size = BOX_HOLE_LARGEST;
	size_t taken = 0;
	char *chunk;

	while (size > 0 && taken < BOX_HOLES_MOST) {
		chunk = malloc(size);
		taken += size;
		if (chunk != NULL && chunk < end)
			continue;
		/*
		 * The C library would keep a small one for the next of this
		 * size. One of each size would lie in the way.
		 */
		if (size > BOX_HOLE_SMALL)
			free(chunk);
		size -= size > BOX_HOLE_SMALL ? size / 4 : BOX_BLOCK_STEP;
	}
}

void
holes_fill(holes_allocate *allocate)
{
	size_t size, taken = 0;

	for (size = BOX_BLOCK_STEP; size <= BOX_BLOCK_MOST;
	     size += BOX_BLOCK_STEP)
		holes_fill_pools(allocate, size, &taken);
	holes_fill_heap();
}
