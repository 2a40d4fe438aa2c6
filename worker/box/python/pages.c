/*
 * The huge pages of a template. A fork copies an entry for each page, and the
 * end of a box removes it: for a huge page one instead of 512. The kernel
 * divides a huge page for a box that writes to it, which takes less than that
 * copy. A huge page begins at a multiple of its size, so the memory of the
 * interpreter lies side by side from such an address on. If the kernel makes no
 * huge pages, boxes are slower and nothing else differs.
 */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "python.h"
#include "../../../common/limits.h"

/* Since Linux 6.1; the C library of Debian 12 does not name it. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define PAGES_HUGE (2 * MIB) /* with pages of 4 KiB; others are not made */
#define PAGES_FREE (64 * MIB) /* free addresses: most modules take less */

/* Where the next piece of memory should be. */
static char *pages_next;

/* Where something else is in the way, the kernel chooses the place. */
static void *
pages_allocate(void *, size_t size)
{
	char *piece = mmap(pages_next, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (piece == MAP_FAILED)
		return NULL;
	pages_next = piece + size;
	return piece;
}

static void
pages_free(void *, void *piece, size_t size)
{
	munmap(piece, size);
}

const struct pages_allocator *
pages_gather(void)
{
	static const struct pages_allocator allocator = {
		NULL, pages_allocate, pages_free };
	char *room = mmap(NULL, PAGES_FREE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room != MAP_FAILED) {
		munmap(room, PAGES_FREE);
		pages_next = room + PAGES_HUGE -
		    (uintptr_t)room % PAGES_HUGE;
	}
	return &allocator;
}

/* From the last huge page below an address down to the first that is none. */
static void
pages_enlarge_below(char *end)
{
	end -= (uintptr_t)end % PAGES_HUGE;
	do
		end -= PAGES_HUGE;
	while (madvise(end, PAGES_HUGE, MADV_COLLAPSE) == 0);
}

void
pages_enlarge(void)
{
	pages_enlarge_below(pages_next);
	pages_enlarge_below(sbrk(0));
}
