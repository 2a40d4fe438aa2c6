/*
 * Tests of worker/box/native/memory/memory_count and memory_read: what a box
 * is found to have, by files that look like those of /proc.
 */
#include <sched.h>
#include <sys/stat.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "watched.h"

UNIT_FIXTURE(watched_setup, watched_teardown)

UNIT_TEST(numbers)
{
	const char *text = "A:\t  12 kB\nAB: 7\nB:x\nRss: 18446744073709551615";

	ck_assert_uint_eq(memory_number(text, "A"), 12);
	ck_assert_uint_eq(memory_bytes(text, "A"), 12 * 1024);
	ck_assert_uint_eq(memory_number(text, "AB"), 7);
	ck_assert_uint_eq(memory_number(text, "B"), 0);
	ck_assert_uint_eq(memory_number(text, "C"), 0);
	ck_assert_uint_eq(memory_number("", "A"), 0);
}

UNIT_TEST(an_empty_box_has_nothing)
{
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 0);
}

/* Every kind of memory that a process has; nothing of process 1. */
UNIT_TEST(kinds_of_memory)
{
	struct memory_sum sum;

	put(1, "status", "RssAnon:\t999 kB\n");
	put(A, "status", "Name:\tx\nRssAnon:\t1 kB\nRssFile:\t1000 kB\n"
	    "RssShmem:\t10 kB\nVmPTE:\t100 kB\nVmSwap:\t10000 kB\n"
	    "HugetlbPages:\t100000 kB\n" END);
	put(A, "smaps_rollup", "Pss: 77 kB\nPss_Anon: 2 kB\nPss_File: 88 kB\n"
	    "Pss_Shmem: 20 kB\nSwap: 99 kB\nSwapPss: 20000 kB\n");
	sum = count(memory_add_quickly);
	ck_assert_uint_eq(sum.bytes, 110101 * KIB);
	ck_assert_uint_eq(sum.processes, 1);
	ck_assert_int_eq(sum.pids[0], A);
	sum = count(memory_add_exactly);
	ck_assert_uint_eq(sum.bytes, 120102 * KIB);
}

/* Who is not known exactly shares nothing; who is gone has nothing. */
UNIT_TEST(hidden_and_gone)
{
	auto_free char *gone = mem_printf("%s/%d", scratch, B);

	put(A, "status", "RssAnon:\t5 kB\nRssShmem:\t2 kB\n" END);
	put(A, "smaps_rollup", "Pss_Anon: 1 kB\n");
	mkdir(gone, 0755);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, KIB);
	/* A kernel that does not tell; one that has no such file. */
	put(A, "smaps_rollup", "Pss: 1 kB\n");
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 5 * KIB);
	put(B, "status", "RssAnon:\t10 kB\n" END);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 15 * KIB);
	/* What cannot be read is no file here. */
	put(B, "smaps_rollup", NULL);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 15 * KIB);
}

/* One that has ended as a whole has no memory, and none is looked for. */
UNIT_TEST(the_dead_have_nothing)
{
	put(A, "status", HEADLESS("1"));
	ck_assert_int_eq(count(memory_add_quickly).missed, 0);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, 0);
}

UNIT_TEST(an_unreadable_process_ends_the_look)
{
	struct memory_sum sum;

	put(A, "status", NULL);
	ck_assert_int_eq(memory_count(&memory, memory_add_quickly, &sum), -1);
	ck_assert_int_eq(memory_count(&memory, memory_add_exactly, &sum), -1);
}

/* Writes a map of so many parts. */
static void
put_maps(int pid, unsigned int parts)
{
	auto_buffer struct buffer maps = { 0 };

	while (parts-- > 0)
		buffer_add_text(&maps, "00-ff rw-p 00 00:00 0\n");
	put(pid, "maps", maps.data);
}

/* As many links to each as there are processes; looked at now and then. */
UNIT_TEST(parts_of_memory_are_memory)
{
	uint64_t bytes;

	put(A, "status", END);
	put_maps(A, BOX_MAPS_FREE);
	memory.maps.due = 1;
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	put_maps(A, BOX_MAPS_FREE + 10);
	ck_assert_uint_eq(count(memory_add_quickly).bytes,
	    10 * (BOX_MAP_BYTES + BOX_MAP_LINK_BYTES));
	/* The second one may have half of that. */
	put(B, "status", END);
	put_maps(B, BOX_MAPS_FREE + 10);
	bytes = (20 + BOX_MAPS_FREE / 2) *
	    (BOX_MAP_BYTES + 2 * BOX_MAP_LINK_BYTES);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, bytes);
	memory.maps.due = 0;
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	ck_assert_uint_eq(count(memory_add_exactly).bytes, bytes);
	ck_assert_uint_eq(memory_look(&memory), bytes);
	ck_assert_uint_eq(memory_look(&memory), 0);
	memory.maps.next_ms = 0;
	memory.limit = 0;
	ck_assert_int_eq(look_in_child(), BOX_EXIT_MEMORY);
}

UNIT_TEST(files_are_memory)
{
	places[0].f_bfree -= 256;
	places[2].f_bfree -= 512;
	places[1].f_ffree -= 10;
	ck_assert_uint_eq(
	    count(memory_add_quickly).bytes, 3 * MIB + 10 * BOX_INODE_BYTES);
}

UNIT_TEST(sockets_are_memory)
{
	put_sockets(BOX_SOCKETS_FREE);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
	put_sockets(BOX_SOCKETS_FREE + 7);
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 7 * MIB);
	put(1, "net/sockstat", "nothing\n");
	ck_assert_uint_eq(count(memory_add_quickly).bytes, 0);
}
