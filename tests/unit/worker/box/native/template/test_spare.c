/*
 * Tests of worker/box/native/template/spare: what is left out of a copy is all
 * but what the C library and the code of this file run on, and it is there in
 * the next copy.
 */
#include <gnu/libc-version.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/asan.h"
#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/box/native/native.h"
#include "worker/box/native/template/spare.h"
#include "worker/box/native/template/template.h"

#define LARGE (4 * MIB)

static char *large;              /* what an interpreter maps */
static char *small;              /* of the heap */
static char loaded[LARGE] = "x"; /* of our own object */

static void
setup(void)
{
	/* Nothing beside it, or the kernel makes one of both. */
	char *room = mmap(NULL, LARGE + 2 * MIB, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(room, MAP_FAILED);
	large = room + MIB;
	ck_assert_int_eq(mprotect(large, LARGE, PROT_READ | PROT_WRITE), 0);
	memset(large, 1, LARGE);
	small = malloc(1);
	ck_assert_ptr_nonnull(small);
	*small = 1;
	memset(loaded, 1, sizeof(loaded));
}

/* How a copy of this process ends that reads there. */
static int
copy_reads(const volatile char *place)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		_exit(*place == 1 ? 0 : 2);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

/* From now on it is left out. Returns 0 where that cannot be tried. */
static int
leave_out(void)
{
	struct err err;

#ifdef ASAN_BUILD
	unit_skip("AddressSanitizer runs on memory of its own");
	return 0;
#endif
	setup();
	ck_assert_int_eq(spare_find(&err), 0);
	ck_assert_uint_ge(spare_found()->count, 1);
	ck_assert_int_eq(spare_leave_out(NULL, &err), 0);
	return 1;
}

UNIT_TEST(is_left_out_of_one_copy)
{
	struct err err;
	char here = 1;

	if (!leave_out())
		return;
	ck_assert_int_eq(WTERMSIG(copy_reads(large)), SIGSEGV);
	ck_assert_int_eq(WTERMSIG(copy_reads(large + LARGE - 1)), SIGSEGV);
	ck_assert_int_eq(WTERMSIG(copy_reads(small)), SIGSEGV);
	ck_assert_int_eq(copy_reads(loaded), 0);
	ck_assert_int_eq(copy_reads(&here), 0);
	ck_assert_int_eq(large[LARGE / 2], 1);
	/* A launcher that ended in between changes nothing. */
	ck_assert_int_eq(spare_leave_out(NULL, &err), 0);
	ck_assert_int_eq(spare_take_in(NULL, &err), 0);
	ck_assert_int_eq(copy_reads(large), 0);
	ck_assert_int_eq(copy_reads(large + LARGE - 1), 0);
	ck_assert_int_eq(copy_reads(small), 0);
	free(small);
}

UNIT_TEST(parts_side_by_side_are_one)
{
	const struct spare first = { 0x1000, 0x3000 };
	const struct spare beside = { 0x3000, 0x4000 };
	const struct spare apart = { 0x5000, 0x6000 };
	struct spare_list list = { .count = 0 };
	size_t i;

	spare_add(&list, &first);
	spare_add(&list, &beside);
	spare_add(&list, &apart);
	ck_assert_uint_eq(list.count, 2);
	ck_assert_uint_eq(list.parts[0].start, 0x1000);
	ck_assert_uint_eq(list.parts[0].end, 0x4000);
	ck_assert_uint_eq(list.parts[1].start, 0x5000);
	for (i = 0; i <= BOX_SPARE_MAX; i++)
		spare_add(&list,
		    &(struct spare){ 0x10000 * i, 0x10000 * i + 1 });
	ck_assert_uint_eq(list.count, BOX_SPARE_MAX);
}

/* As in /proc/self/maps, at addresses where there is nothing of ours. */
static const struct {
	const char *line;
	int spare;
} lines[] = {
	{ "10000-410000 rw-p 00000000 00:00 0 \n", 1 },
	{ "10000-11000 rw-p 00000000 00:00 0 \n", 1 },
	{ "10000-410000 r--p 00000000 00:00 0 \n", 1 },
	{ "10000-410000 rwxp 00000000 00:00 0 \n", 1 },
	{ "10000-410000 rw-p 00000000 08:01 7 \n", 1 },
	{ "10000-410000 r-xp 00001000 08:01 7      /usr/lib/a.so\n", 1 },
	{ "10000-410000 rw-p 00000000 00:00 0      [heap]\n", 1 },
	{ "10000-410000 rw-s 00000000 00:00 0 \n", 0 },
	{ "10000-410000 rw-s 00000000 00:05 9      /dev/zero\n", 0 },
	{ "10000-410000 rw-p 00000000 00:00 0      [stack]\n", 0 },
	{ "10000-410000 r-xp 00000000 00:00 0      [vdso]\n", 0 },
	{ "10000-410000 rw-p 00000000 00:00 0      [anon: Mine]\n", 0 },
	{ "nonsense\n", 0 },
	{ "\n", 0 },
};

UNIT_TESTS(only_what_is_private_and_not_the_kernels, UNIT_COUNT(lines))
{
	struct spare part;

	ck_assert_int_eq(spare_read(lines[_i].line, &part), lines[_i].spare);
	if (lines[_i].spare)
		ck_assert_uint_eq(part.start, 0x10000);
}

/* A part that the thread, our object, or the C library lies in. */
UNIT_TESTS(nothing_that_is_needed, 5)
{
	const uintptr_t places[] = {
		(uintptr_t)__builtin_thread_pointer(),
		(uintptr_t)loaded, (uintptr_t)spare_found(),
		(uintptr_t)gnu_get_libc_version(), getauxval(AT_BASE),
	};
	struct spare part;
	char line[128];

	snprintf(line, sizeof(line), "%lx-%lx rw-p 00000000 00:00 0 \n",
	    (unsigned long)(places[_i] & ~4095UL) - 4096,
	    (unsigned long)(places[_i] & ~4095UL) + MIB);
	ck_assert_int_eq(spare_read(line, &part), 0);
}
