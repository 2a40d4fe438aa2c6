/*
 * The mappings of a template: a fork copies each of them, and the end of a box
 * removes each. A library has one for its head, one for its code and one for
 * its constants, because only code is executed. Where all of them can be, as in
 * a template, they are one. What is written to, or was until the library was
 * loaded, stays as it is.
 */
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "python.h"

/* Segments of an object, side by side, that no process writes to. */
struct mappings_run {
	uintptr_t start;
	uintptr_t end;
	size_t count;
	int code; /* one of them is executed */
};

static void
mappings_make_one(const struct mappings_run *run)
{
	/* If it is refused, they stay several. */
	if (run->count > 1 && run->code)
		(void)mprotect((void *)run->start, run->end - run->start,
		    PROT_READ | PROT_EXEC);
}

/* Adds a segment, or begins a new run. */
static void
mappings_add(struct mappings_run *run, const ElfW(Phdr) *header,
    uintptr_t base)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (base + header->p_vaddr) & ~(page - 1);
	uintptr_t end = (base + header->p_vaddr + header->p_memsz + page - 1) &
	    ~(page - 1);

	if (run->count == 0 || start != run->end) {
		mappings_make_one(run);
		*run = (struct mappings_run){ .start = start };
	}
	run->end = end;
	run->count++;
	run->code |= (header->p_flags & PF_X) != 0;
}

static int
mappings_merge_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const ElfW(Phdr) *header = info->dlpi_phdr;
	struct mappings_run run = { 0 };

	(void)size;
	(void)arg;
	/* The program itself has no name: see pages_enlarge_program(). */
	if (info->dlpi_name[0] == '\0')
		return 0;
	for (; header < info->dlpi_phdr + info->dlpi_phnum; header++)
		if (header->p_type == PT_LOAD && !(header->p_flags & PF_W))
			mappings_add(&run, header, info->dlpi_addr);
	mappings_make_one(&run);
	return 0;
}

void
mappings_merge(void)
{
	dl_iterate_phdr(mappings_merge_object, NULL);
}
