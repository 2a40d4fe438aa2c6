/*
 * The memory of a template that the init of a forked box has no use for: what
 * the interpreter has mapped for its objects. Copying the tables of those pages
 * would take longer than all else that init does, and so would freeing them. So
 * the launcher has the kernel leave them out of one copy, that of init.
 *
 * Left out is only what belongs to nobody but the allocator of the interpreter:
 * large, without a name, and neither a part of a loaded object nor of a thread.
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "box.h"

struct spare {
	uintptr_t start;
	uintptr_t end;
};

static struct spare spare_parts[BOX_SPARE_MAX];
static size_t spare_count;

/* Whether a loaded object has a part of its own in there. */
static int
spare_is_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct spare *part = arg;
	const ElfW(Phdr) *header = info->dlpi_phdr;
	uintptr_t start;

	(void)size;
	for (; header < info->dlpi_phdr + info->dlpi_phnum; header++) {
		start = info->dlpi_addr + header->p_vaddr;
		if (header->p_type == PT_LOAD && start < part->end &&
		    part->start < start + header->p_memsz)
			return 1;
	}
	return 0;
}

/* Whether the number is that of an address in there. */
static int
spare_has(const struct spare *part, uintptr_t address)
{
	return address >= part->start && address < part->end;
}

/* Reads a line of /proc/self/maps. Returns whether it may be left out. */
static int
spare_read(const char *line, struct spare *part)
{
	unsigned long start, end, inode;
	int named = 0;

	if (sscanf(line, "%lx-%lx rw-p %*x %*x:%*x %lu %n", &start, &end,
	        &inode, &named) != 3)
		return 0;
	*part = (struct spare){ start, end };
	return inode == 0 && line[named] == '\0' &&
	    end - start >= BOX_SPARE_LEAST &&
	    !spare_has(part, (uintptr_t)__builtin_thread_pointer()) &&
	    dl_iterate_phdr(spare_is_loaded, part) == 0;
}

int
spare_find(struct err *err)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t size = 0;

	if (maps == NULL)
		return err_sys(err, "open /proc/self/maps");
	spare_count = 0;
	while (spare_count < BOX_SPARE_MAX && getline(&line, &size, maps) > 0)
		if (spare_read(line, &spare_parts[spare_count]))
			spare_count++;
	free(line);
	fclose(maps);
	return 0;
}

/* That a part is gone meanwhile does not matter. */
static void
spare_advise(int advice)
{
	size_t i;

	for (i = 0; i < spare_count; i++)
		(void)madvise((void *)spare_parts[i].start,
		    spare_parts[i].end - spare_parts[i].start, advice);
}

int
spare_leave_out(struct box *box, struct err *err)
{
	(void)box;
	(void)err;
	spare_advise(MADV_DONTFORK);
	return 0;
}

int
spare_take_in(struct box *box, struct err *err)
{
	(void)box;
	(void)err;
	spare_advise(MADV_DOFORK);
	return 0;
}
