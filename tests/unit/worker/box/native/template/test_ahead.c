/*
 * Tests of worker/box/native/template/ahead: a sample box tells which memory of
 * the template it has written to, and a copy of this process has that for
 * itself before it writes to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/box/native/native.h"
#include "worker/box/native/template/template.h"

#define FRAME "{\"type\":\"run\"}\n"
#define PAGES 8

static char *memory; /* of the template: that many pages */
static size_t page;

/* processes.c: with a child of this process in the place of a clone. */
int
processes_fork(pid_t *pid, struct err *)
{
	*pid = fork();
	return *pid > 0;
}

static void
setup(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	memset(memory, 1, PAGES * page);
}

/* Whether a page of that memory is in the list. */
static int
is_listed(size_t i)
{
	const struct ahead_list *list = ahead_found();
	const char *at = memory + i * page;
	size_t n;

	for (n = 0; n < list->count; n++)
		if (at >= (char *)list->parts[n].iov_base &&
		    at < (char *)list->parts[n].iov_base +
		            list->parts[n].iov_len)
			return 1;
	return 0;
}

/* The sample box writes to pages 1, 2 and 6. */
static void __attribute__((noreturn))
be_sample(void)
{
	char frame[sizeof(FRAME)];

	if (read(BOX_CONTROL_IN_FD, frame, sizeof(frame)) != strlen(FRAME) ||
	    memcmp(frame, FRAME, strlen(FRAME)) != 0 ||
	    write(BOX_CONTROL_OUT_FD, "x", 1) != 1)
		_exit(1);
	memory[page] = memory[2 * page] = memory[6 * page] = 2;
	ahead_tell();
	_exit(0);
}

static void
make_sample(void)
{
	if (ahead_sample(FRAME, strlen(FRAME)) == 1)
		be_sample();
}

UNIT_TEST(a_sample_box_tells_what_it_has_written_to)
{
	size_t i;

	setup();
	make_sample();
	for (i = 0; i < PAGES; i++)
		ck_assert_msg(is_listed(i) == (i == 1 || i == 2 || i == 6),
		    "page %zu", i);
	/* It was a copy. */
	ck_assert_int_eq(memory[page], 1);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

/* It has ended in another way than boxes do, or was killed. */
UNIT_TESTS(there_may_be_no_list, 2)
{
	struct box box = { 0 };
	struct err err;

	setup();
	if (ahead_sample(FRAME, strlen(FRAME)) == 1) {
		memory[page] = 2;
		if (_i == 0)
			_exit(0);
		abort();
	}
	ck_assert_uint_eq(ahead_found()->count, 0);
	ck_assert_int_eq(ahead_copy(&box, &err), 0);
}

/* Whether this process alone has a page of that memory. */
static int
is_own(size_t i)
{
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	if (pread(map, &entry, sizeof(entry),
	        (off_t)(((uintptr_t)memory / page + i) * sizeof(entry))) !=
	    sizeof(entry))
		_exit(2);
	close(map);
	return ahead_is_own(entry);
}

/* Whether the kernel copies pages of its own process that way. */
static int
can_copy(void)
{
	struct iovec part = { memory, page };
	int self = pidfd_open(getpid(), 0);
	int can = syscall(SYS_process_madvise, self, &part, 1, 23, 0) != -1;

	close(self);
	return can;
}

UNIT_TEST(boxes_copy_what_is_listed)
{
	struct box box = { 0 };
	struct err err;
	int status, copies;
	size_t i;
	pid_t child;

	setup();
	make_sample();
	child = fork();
	if (child == 0) {
		if (ahead_copy(&box, &err) == -1)
			_exit(1);
		/* This copies page 0. Before Linux 6.13 nothing is copied. */
		copies = can_copy();
		for (i = 1; copies && i < PAGES; i++)
			if (is_own(i) != is_listed(i))
				_exit(3);
		for (i = 0; i < PAGES * page; i++)
			if (memory[i] != 1)
				_exit(4);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

static const struct {
	uint64_t entry;
	int own;
} entries[] = {
	{ 0, 0 },
	{ 1ULL << 63, 0 },                           /* shared */
	{ 1ULL << 63 | 1ULL << 56, 1 },
	{ 1ULL << 63 | 1ULL << 56 | 1ULL << 55, 1 }, /* written to lately */
	{ 1ULL << 63 | 1ULL << 61 | 1ULL << 56, 0 }, /* of a file */
	{ 1ULL << 62 | 1ULL << 56, 0 },              /* swapped out */
};

UNIT_TESTS(an_entry_of_the_kernel, UNIT_COUNT(entries))
{
	ck_assert_int_eq(ahead_is_own(entries[_i].entry), entries[_i].own);
}

UNIT_TEST(parts_side_by_side_are_one)
{
	static struct ahead_list list;
	uintptr_t i;

	ahead_add(&list, 0x1000, 0x2000);
	ahead_add(&list, 0x3000, 0x1000);
	ahead_add(&list, 0x5000, 0x1000);
	ck_assert_uint_eq(list.count, 2);
	ck_assert_uint_eq((uintptr_t)list.parts[0].iov_base, 0x1000);
	ck_assert_uint_eq(list.parts[0].iov_len, 0x3000);
	ck_assert_uint_eq((uintptr_t)list.parts[1].iov_base, 0x5000);
	for (i = 1; i <= BOX_AHEAD_MAX; i++)
		ahead_add(&list, 0x10000 * i, 0x1000);
	ck_assert_uint_eq(list.count, BOX_AHEAD_MAX);
}
