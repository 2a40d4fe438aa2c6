/*
 * Read-only relocated data: see relro.h. Linked into every confined process,
 * run once by those that are linked with musl.
 */
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "relro.h"

/* The first object is the program; a static one has no other. */
static int
relro_protect_first(struct dl_phdr_info *info, size_t, void *)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from, to;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO)
			continue;
		from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		to = (from + info->dlpi_phdr[i].p_memsz) & ~(page - 1);
		from &= ~(page - 1);
		return mprotect((void *)from, to - from, PROT_READ) == -1 ?
		    -1 : 1;
	}
	return 0;
}

int
relro_protect(struct err *err)
{
	if (dl_iterate_phdr(relro_protect_first, NULL) == -1)
		return err_sys(err, "make relocated data read-only");
	return 0;
}
