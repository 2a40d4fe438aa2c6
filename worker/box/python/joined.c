/*
 * Memory of a template that fills no huge page where it lies: the heap, the
 * program's data, what the interpreter took before pages_gather(). Its pages
 * lie anywhere, so a fork and the end of a box handle each by itself. Pages
 * that lie side by side, as those of a huge page do, are handled together. So
 * this memory is copied into huge pages, and these take its place: at such an
 * address the kernel divides them, but the pages stay side by side.
 *
 * A box copies the pages that it writes to, which takes longer for one of many.
 * The template makes these single again: while another process has all pages,
 * it copies each that it writes to itself, and then it does what a box does.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "python.h"
#include "../../../common/limits.h"

/* Since Linux 6.1; the C library of Debian 12 does not name it. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* A line of /proc/self/smaps, and the flags in it of memory without others. */
#define JOINED_FLAGS "VmFlags:"
#define JOINED_PLAIN "rd wr mr mw me ac sd"

/* Mappings that are copied, and their bytes. */
struct joined_list {
	size_t count;
	size_t bytes;
	struct {
		char *start;
		size_t size;
	} parts[BOX_JOINED_MOST];
};

static struct joined_list joined_parts;

/* One mapping, as /proc/self/smaps describes it. */
struct joined_mapping {
	uintptr_t start;
	uintptr_t end;
	unsigned long used; /* bytes that are not those of a file */
	unsigned long huge; /* of these, in huge pages */
};

static int
joined_has(const struct joined_mapping *mapping, const void *address)
{
	return mapping->start <= (uintptr_t)address &&
	    (uintptr_t)address < mapping->end;
}

/*
 * Whether a mapping is private memory that is written to, and nothing else: a
 * copy would not have other properties, such as not being copied by a fork.
 */
static int
joined_is_plain(const char *flags)
{
	char flag[3];
	int written = 0;
	int len;

	for (; sscanf(flags, " %2s%n", flag, &len) == 1; flags += len) {
		if (strstr(JOINED_PLAIN, flag) == NULL)
			return 0;
		written |= strcmp(flag, "wr") == 0;
	}
	return written;
}

/* Adds a mapping, unless it is one that the exchange itself needs. */
static void
joined_add(struct joined_list *list, const struct joined_mapping *mapping)
{
	const size_t size = mapping->end - mapping->start;

	if (mapping->used < mapping->huge + BOX_JOINED_LEAST ||
	    mapping->used < size / 2 || list->count == BOX_JOINED_MOST ||
	    joined_has(mapping, list) ||
	    joined_has(mapping, __builtin_thread_pointer()) ||
	    joined_has(mapping, __builtin_frame_address(0)))
		return;
	list->parts[list->count].start = (char *)mapping->start;
	list->parts[list->count++].size = size;
	list->bytes += size;
}

static void
joined_find(struct joined_list *list)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	struct joined_mapping mapping = { 0 };
	unsigned long start, end, kib;
	char *line = NULL;
	size_t size = 0;

	while (maps != NULL && getline(&line, &size, maps) > 0) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			mapping = (struct joined_mapping){ start, end, 0, 0 };
		else if (sscanf(line, "Anonymous: %lu", &kib) == 1)
			mapping.used = kib * KIB;
		else if (sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			mapping.huge = kib * KIB;
		else if (strncmp(line, JOINED_FLAGS, strlen(JOINED_FLAGS)) == 0
		    && joined_is_plain(line + strlen(JOINED_FLAGS)))
			joined_add(list, &mapping);
	}
	free(line);
	if (maps != NULL)
		fclose(maps);
}

/*
 * Exchanges all parts for copies, in the room. The heap can be one of them: no
 * function that allocates is called here.
 */
static void
joined_exchange(const struct joined_list *list, char *room, size_t size)
{
	char *copy = room;
	size_t i;

	for (i = 0; i < list->count; copy += list->parts[i++].size)
		memcpy(copy, list->parts[i].start, list->parts[i].size);
	if (madvise(room, size, MADV_COLLAPSE) == -1)
		return;
	for (copy = room, i = 0; i < list->count; copy += list->parts[i++].size)
		(void)mremap(copy, list->parts[i].size, list->parts[i].size,
		    MREMAP_MAYMOVE | MREMAP_FIXED, list->parts[i].start);
}

void
joined_make(void)
{
	size_t size;
	char *room;

	joined_parts = (struct joined_list){ 0 };
	joined_find(&joined_parts);
	size = (joined_parts.bytes + BOX_HUGE - 1) & ~(BOX_HUGE - 1);
	room = mmap(NULL, size + BOX_HUGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return;
	joined_exchange(&joined_parts,
	    room + BOX_HUGE - (uintptr_t)room % BOX_HUGE, size);
	munmap(room, size + BOX_HUGE);
}

/* Has all pages until the line ends. */
static void __attribute__((noreturn))
joined_hold(int line)
{
	char end;

	(void)!read(line, &end, 1);
	_exit(0);
}

void
joined_apart(void (*write)(void *context), void *context)
{
	int line[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) == -1)
		return;
	child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		close(line[0]);
		joined_hold(line[1]);
	}
	close(line[1]);
	write(context);
	close(line[0]);
	if (child != -1)
		waitpid(child, NULL, 0);
}
