/*
 * Where the memory of a template lies. A fork copies an entry for each page,
 * and the end of a box removes each of these: for a huge page, of which a box
 * writes to nothing, that is one entry instead of 512. Memory can become a huge
 * page where it fills one, at an address that is a multiple of its size. So the
 * interpreter's memory is placed there. What boxes write to lies in other huge
 * pages than what they only read: the kernel divides a huge page with the first
 * write to it. If the kernel makes no huge pages, boxes are slower and nothing
 * else differs.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "python.h"
#include "../../../common/limits.h"

/* Since Linux 6.1; the C library of Debian 12 does not name it. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Where the next piece of memory should be, and how many there were. */
static char *pages_next;
static size_t pages_pieces;

static uintptr_t
pages_round_up(uintptr_t address)
{
	return (address + BOX_HUGE - 1) & ~(BOX_HUGE - 1);
}

/*
 * The pieces lie one behind the other, so they are one mapping. Where another
 * mapping is in the way, the kernel chooses the place.
 */
static void *
pages_allocate(void *context, size_t size)
{
	char *piece = mmap(pages_next, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	pages_pieces++;
	if (piece == MAP_FAILED)
		return NULL;
	if (piece == pages_next)
		pages_next += size;
	return piece;
}

/*
 * Has the heap go on where a huge page can begin. What is free at its end is
 * taken, but not written to.
 */
static void
pages_part_heap(void)
{
	size_t left = mallinfo2().keepcost;
	uintptr_t end;

	if (left > BOX_HOLE_SMALL)
		(void)!malloc(left - BOX_HOLE_SMALL);
	end = (uintptr_t)sbrk(0);
	(void)!sbrk((intptr_t)(pages_round_up(end) - end));
}

void
pages_gather(pages_exchange *get, pages_exchange *set)
{
	struct pages_allocator allocator;
	const size_t size = BOX_PIECES + BOX_HUGE;
	uintptr_t room = (uintptr_t)mmap(NULL, size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if ((void *)room == MAP_FAILED || pages_next != NULL)
		return;
	/* Only the address is of use: nothing limits what lies behind it. */
	munmap((void *)room, size);
	pages_next = (char *)pages_round_up(room);
	get(&allocator);
	allocator.allocate = pages_allocate;
	set(&allocator);
	pages_part_heap();
}

void
pages_part(holes_allocate *allocate)
{
	size_t before = pages_pieces;
	size_t taken;

	if (pages_next == NULL)
		return;
	pages_next = (char *)pages_round_up((uintptr_t)pages_next);
	/* What is free in the pieces so far: new ones come after that. */
	for (taken = 0; pages_pieces == before && taken < BOX_HUGE;
	     taken += BOX_BLOCK_MOST)
		(void)allocate(BOX_BLOCK_MOST);
	pages_part_heap();
}

/* The number of pages from there on that are in use, of one huge page. */
static size_t
pages_count(char *start)
{
	static unsigned char pages[BOX_HUGE / BOX_PAGE_LEAST];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t count = 0;
	size_t i;

	if (mincore(start, BOX_HUGE, pages) == -1)
		return 0;
	for (i = 0; i < BOX_HUGE / page; i++)
		count += pages[i] & 1;
	return count * page;
}

static void
pages_enlarge_part(uintptr_t start, uintptr_t end)
{
	for (start = pages_round_up(start); start + BOX_HUGE <= end;
	     start += BOX_HUGE)
		if (pages_count((char *)start) >= BOX_HUGE_USED)
			(void)madvise((void *)start, BOX_HUGE, MADV_COLLAPSE);
}

void
pages_enlarge(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, file;
	char *line = NULL;
	size_t size = 0;

	if (maps == NULL)
		return;
	/* Private memory of no file. */
	while (getline(&line, &size, maps) > 0)
		if (sscanf(line, "%lx-%lx rw-p %*x %*x:%*x %lu", &start, &end,
		        &file) == 3 && file == 0)
			pages_enlarge_part(start, end);
	free(line);
	fclose(maps);
}
