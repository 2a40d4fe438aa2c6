/*
 * Tests of worker/box/python/joined: memory keeps its content, its address and
 * its rights when its pages are exchanged for those of huge pages, and what is
 * no plain memory is left alone. Only root sees where pages lie.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/limits.h"
#include "unit.h"
#include "worker/box/python/python.h"

#define SIZE (5 * BOX_HUGE / 4)
/* Of an entry of /proc/self/pagemap: the number of the page in the machine. */
#define NUMBER ((UINT64_C(1) << 55) - 1)

/* Not where a huge page can begin; each page is written to by itself. */
static char *
map_plain(void)
{
	char *room = mmap(NULL, SIZE + 2 * BOX_HUGE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *start = (char *)(((uintptr_t)room + BOX_HUGE - 1) &
	    ~(BOX_HUGE - 1)) + BOX_HUGE - BOX_PAGE_LEAST;
	size_t i;

	ck_assert_ptr_ne(room, MAP_FAILED);
	ck_assert_int_eq(mprotect(start, SIZE, PROT_READ | PROT_WRITE), 0);
	for (i = 0; i < SIZE; i += BOX_PAGE_LEAST)
		start[SIZE - BOX_PAGE_LEAST - i] = 0;
	for (i = 0; i < SIZE; i++)
		start[i] = (char)(i % 251);
	return start;
}

static void
check(const char *start)
{
	size_t wrong = 0;
	size_t i;

	for (i = 0; i < SIZE; i++)
		wrong += start[i] != (char)(i % 251);
	ck_assert_uint_eq(wrong, 0);
}

/* How many pages of the memory are followed by the next one. */
static size_t
count(const char *start)
{
	static uint64_t entries[SIZE / BOX_PAGE_LEAST];
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t i, found = 0;

	ck_assert_int_eq(pread(fd, entries, sizeof(entries),
	    (off_t)((uintptr_t)start / BOX_PAGE_LEAST * sizeof(entries[0]))),
	    sizeof(entries));
	close(fd);
	for (i = 1; i < SIZE / BOX_PAGE_LEAST; i++)
		found += (entries[i - 1] & NUMBER) + 1 == (entries[i] & NUMBER);
	return found;
}

/* Whether there are huge pages, and this user may know where pages lie. */
static int
can_be_seen(void)
{
	const size_t size = BOX_HUGE;
	char *room;
	int can;

	if (geteuid() != 0)
		return 0;
	room = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(room, 1, 2 * size);
	can = madvise((char *)(((uintptr_t)room + size - 1) & ~(size - 1)),
	    size, 25) == 0; /* MADV_COLLAPSE */
	munmap(room, 2 * size);
	return can;
}

START_TEST(pages_lie_side_by_side_with_the_same_content)
{
	char *plain = map_plain();
	char *heap = malloc(64);

	strcpy(heap, "kept");
	joined_make();
	check(plain);
	ck_assert_str_eq(heap, "kept");
	free(heap);
	memset(plain, 1, SIZE);
	if (can_be_seen())
		ck_assert_uint_ge(count(plain),
		    SIZE / BOX_PAGE_LEAST - SIZE / BOX_HUGE - 2);
}
END_TEST

START_TEST(what_a_fork_leaves_out_is_left_out_after_it)
{
	char *plain = map_plain();
	FILE *maps;
	char line[256];
	int left_out = 0;

	ck_assert_int_eq(madvise(plain, SIZE, MADV_DONTFORK), 0);
	joined_make();
	check(plain);
	maps = fopen("/proc/self/smaps", "re");
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps) != NULL)
		left_out |= strncmp(line, "VmFlags:", 8) == 0 &&
		    strstr(line, " dc") != NULL;
	fclose(maps);
	ck_assert(left_out);
}
END_TEST

/* Writes to every eighth page. */
static void
write_some(void *context)
{
	char *start = context;
	size_t i;

	for (i = 0; i < SIZE; i += 8 * BOX_PAGE_LEAST)
		start[i] = (char)(i % 251);
}

START_TEST(what_is_written_to_is_apart)
{
	char *plain = map_plain();
	size_t before;

	joined_make();
	before = count(plain);
	joined_apart(write_some, plain);
	check(plain);
	if (can_be_seen())
		ck_assert_uint_le(count(plain),
		    before - SIZE / BOX_PAGE_LEAST / 8);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, pages_lie_side_by_side_with_the_same_content);
	tcase_add_test(tc, what_a_fork_leaves_out_is_left_out_after_it);
	tcase_add_test(tc, what_is_written_to_is_apart);
}

int
main(void)
{
	return unit_run("joined", add_tests);
}
