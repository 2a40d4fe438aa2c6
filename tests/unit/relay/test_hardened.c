/*
 * Tests of caisson-relay and caisson-porter as programs, whichever C library
 * they are linked with: they are loaded anywhere, have no stack that can be
 * executed, bind all symbols at once, and cannot write to relocated data.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static ElfW(Ehdr) *elf;

/* Maps the program into our memory. */
static void
read_program(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_msg(fd != -1 && fstat(fd, &st) == 0, "%s", path);
	elf = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(elf, MAP_FAILED);
	close(fd);
}

static const ElfW(Phdr) *
header(uint32_t type)
{
	const ElfW(Phdr) *all =
	    (const void *)((const char *)elf + elf->e_phoff);
	size_t i;

	for (i = 0; i < elf->e_phnum; i++)
		if (all[i].p_type == type)
			return &all[i];
	return NULL;
}

/* The value of a dynamic entry, or 0. */
static uint64_t
dynamic(int64_t tag)
{
	const ElfW(Phdr) *place = header(PT_DYNAMIC);
	const ElfW(Dyn) *entry;

	ck_assert_ptr_nonnull(place);
	entry = (const void *)((const char *)elf + place->p_offset);
	for (; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry->d_un.d_val;
	return 0;
}

/* Both are arguments of this program. */
UNIT_TESTS(is_linked_so, 2)
{
	read_program(unit_argv[1 + _i]);
	ck_assert_int_eq(elf->e_type, ET_DYN);
	ck_assert_uint_eq(dynamic(DT_TEXTREL), 0);
	ck_assert_uint_ne(dynamic(DT_FLAGS_1) & DF_1_NOW, 0);
	ck_assert_uint_ne(dynamic(DT_FLAGS_1) & DF_1_PIE, 0);
	ck_assert_ptr_nonnull(header(PT_GNU_RELRO));
	ck_assert_ptr_nonnull(header(PT_GNU_STACK));
	ck_assert_uint_eq(header(PT_GNU_STACK)->p_flags & PF_X, 0);
}
