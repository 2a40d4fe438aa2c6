/*
 * The memory of a template that the init of a forked box does not need, which
 * is nearly all of it. Copying and freeing the page tables of that memory would
 * take longer than everything else that init does. So the launcher has the
 * kernel exclude it from one copy, that of init.
 *
 * The memory that init needs remains: the program itself, the C library and its
 * loader, the thread block, and mappings named by the kernel. The heap does
 * not: in normal operation init allocates nothing, and uses no function of the
 * C library that depends on data there, such as the locale, or handlers that
 * others have added to printf(), as libquadmath does. If a step of init fails,
 * it tries to report that; should it crash in doing so, the launcher sees its
 * end.
 */
#include <gnu/lib-names.h>

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "template.h"
#include "spare.h"

static struct spare_list spare_known;

const struct spare_list *
spare_found(void)
{
	return &spare_known;
}

/* Whether the number is an address in that part. */
static int
spare_has(const struct spare *part, uintptr_t address)
{
	return address >= part->start && address < part->end;
}

/* Whether a loaded object has a segment in that part. */
static int
spare_has_object(const struct spare *part, const struct dl_phdr_info *info)
{
	const ElfW(Phdr) *header = info->dlpi_phdr;
	uintptr_t start;

	for (; header < info->dlpi_phdr + info->dlpi_phnum; header++) {
		start = info->dlpi_addr + header->p_vaddr;
		if (header->p_type == PT_LOAD && start < part->end &&
		    part->start < start + header->p_memsz)
			return 1;
	}
	return 0;
}

/* Whether it is the C library, or its loader. */
static int
spare_is_library(const struct dl_phdr_info *info)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	return slash != NULL && (strcmp(slash + 1, LIBC_SO) == 0 ||
	    strcmp(slash + 1, LD_SO) == 0);
}

/* Whether an object that init needs has a segment in that part. */
static int
spare_is_needed(struct dl_phdr_info *info, size_t, void *arg)
{
	const uintptr_t ours = (uintptr_t)&spare_known;

	return spare_has_object(arg, info) && (spare_is_library(info) ||
	    spare_has_object(&(struct spare){ ours, ours + 1 }, info));
}

static int
spare_count_library(struct dl_phdr_info *info, size_t, void *arg)
{
	int *count = arg;

	*count += spare_is_library(info);
	return 0;
}

/* Whether both have their usual names. */
static int
spare_knows_libraries(void)
{
	int count = 0;

	dl_iterate_phdr(spare_count_library, &count);
	return count == 2;
}

int
spare_read(const char *line, struct spare *part)
{
	unsigned long start, end;
	int named = 0;
	char shared;

	if (sscanf(line, "%lx-%lx %*c%*c%*c%c %*x %*x:%*x %*u %n", &start, &end,
	        &shared, &named) != 3)
		return 0;
	*part = (struct spare){ start, end };
	return shared == 'p' && named > 0 &&
	    (line[named] != '[' || strncmp(line + named, "[heap]", 6) == 0) &&
	    !spare_has(part, (uintptr_t)__builtin_thread_pointer()) &&
	    dl_iterate_phdr(spare_is_needed, part) == 0;
}

void
spare_add(struct spare_list *list, const struct spare *part)
{
	struct spare *next = list->parts + list->count;

	if (list->count > 0 && next[-1].end == part->start)
		next[-1].end = part->end;
	else if (list->count < BOX_SPARE_MAX)
		list->parts[list->count++] = *part;
}

/*
 * The kernel makes one part of zeroed data and memory beside it that was mapped
 * for anything else, such as that of the interpreter, and a part is copied as a
 * whole. Memory with another flag remains a part of its own. The flag itself
 * does not matter: a box writes no core dump.
 */
static int
spare_separate(struct dl_phdr_info *info, size_t size, void *)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const ElfW(Phdr) *header = info->dlpi_phdr;
	struct spare object = { 0, UINTPTR_MAX };
	struct spare zeroed;

	if (!spare_is_needed(info, size, &object))
		return 0;
	for (; header < info->dlpi_phdr + info->dlpi_phnum; header++) {
		zeroed.start = info->dlpi_addr + header->p_vaddr;
		zeroed.end = zeroed.start + header->p_memsz;
		zeroed.start += header->p_filesz;
		if (header->p_type != PT_LOAD ||
		    header->p_memsz == header->p_filesz)
			continue;
		zeroed.start = (zeroed.start + page - 1) & ~(page - 1);
		zeroed.end = (zeroed.end + page - 1) & ~(page - 1);
		(void)madvise((void *)zeroed.start, zeroed.end - zeroed.start,
		    MADV_DONTDUMP);
	}
	return 0;
}

int
spare_find(struct err *err)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct spare part;
	char *line = NULL;
	size_t size = 0;

	if (maps == NULL)
		return err_sys(err, "open /proc/self/maps");
	spare_known.count = 0;
	dl_iterate_phdr(spare_separate, NULL);
	while (spare_knows_libraries() && getline(&line, &size, maps) > 0)
		if (spare_read(line, &part))
			spare_add(&spare_known, &part);
	free(line);
	fclose(maps);
	return 0;
}

/* It does not matter if a part was unmapped meanwhile. */
static int
spare_advise(int advice, struct err *err)
{
	const struct spare *part;

	for (part = spare_known.parts;
	    part < spare_known.parts + spare_known.count; part++)
		if (madvise((void *)part->start, part->end - part->start,
		        advice) == -1 && errno != ENOMEM)
			return err_sys(err, "exclude memory of the template "
			    "from a copy");
	return 0;
}

int
spare_leave_out(struct box *, struct err *err)
{
	return spare_advise(MADV_DONTFORK, err);
}

int
spare_take_in(struct box *, struct err *err)
{
	return spare_advise(MADV_DOFORK, err);
}
