/*
 * The pages of a template that each of its boxes writes to. A box would copy
 * each of them with its first write, and be interrupted for it. So a template
 * makes a sample box, which runs code that does nothing, and then reports the
 * pages that it has written to. Every other box copies these pages with one
 * system call, while its init begins.
 *
 * Linux allows that since 6.13. Before, or without a report, boxes are slower
 * and nothing else differs.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "template.h"
#include "../native.h"
#include "../../../../common/base/fd.h"

/* Since Linux 5.14. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Of an entry of /proc/self/pagemap: proc_pid_pagemap(5). */
#define AHEAD_EXCLUSIVE (1ULL << 56)
#define AHEAD_FILE (1ULL << 61)
#define AHEAD_PRESENT (1ULL << 63)

/* Entries read at a time. */
#define AHEAD_ENTRIES 512

/* Memory of the sample box that no other box has. */
struct ahead_memory {
	struct ahead_list written;
	uint64_t entries[AHEAD_ENTRIES];
};

static struct ahead_list ahead_known;
/* The private memory of the template, for the sample box. */
static struct ahead_list ahead_private;
static int ahead_line = -1; /* of the sample box, to the template */

const struct ahead_list *
ahead_found(void)
{
	return &ahead_known;
}

void
ahead_add(struct ahead_list *list, uintptr_t start, size_t size)
{
	struct iovec *next = list->parts + list->count;

	if (list->count > 0 &&
	    (uintptr_t)next[-1].iov_base + next[-1].iov_len == start)
		next[-1].iov_len += size;
	else if (list->count < BOX_AHEAD_MAX)
		list->parts[list->count++] =
		    (struct iovec){ (void *)start, size };
}

/* The sample box */

int
ahead_is_own(uint64_t entry)
{
	return (entry & (AHEAD_EXCLUSIVE | AHEAD_FILE | AHEAD_PRESENT)) ==
	    (AHEAD_EXCLUSIVE | AHEAD_PRESENT);
}

/* Adds the pages of a part that only this process has. */
static void
ahead_look(struct ahead_memory *memory, int map, const struct iovec *part)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const size_t size = sizeof(memory->entries[0]);
	uintptr_t at = (uintptr_t)part->iov_base;
	size_t left = part->iov_len / page;
	size_t n, i;

	for (; left > 0; left -= n) {
		n = left < AHEAD_ENTRIES ? left : AHEAD_ENTRIES;
		if (pread(map, memory->entries, n * size,
		        (off_t)(at / page * size)) != (ssize_t)(n * size))
			return;
		for (i = 0; i < n; i++, at += page)
			if (ahead_is_own(memory->entries[i]))
				ahead_add(&memory->written, at, page);
	}
}

void
ahead_tell(void)
{
	struct ahead_memory *memory;
	auto_fd int map = -1;
	size_t i;

	if (ahead_line == -1)
		return;
	memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if ((void *)memory == MAP_FAILED || map == -1)
		return;
	for (i = 0; i < ahead_private.count; i++)
		ahead_look(memory, map, &ahead_private.parts[i]);
	(void)fd_write_all(
	    ahead_line, &memory->written, sizeof(memory->written));
}

/*
 * Control pipes as in every box. The frame of the relay is there already, and
 * what the box sends is not read. The first takes the number of the channel to
 * the supervisor, which the sample must not have.
 */
static int
ahead_take_pipes(const void *frame, size_t size)
{
	int code[2], answer[2];

	if (pipe2(code, O_CLOEXEC) == -1 || pipe2(answer, O_CLOEXEC) == -1 ||
	    fd_write_all(code[1], frame, size) == -1 ||
	    dup2(code[0], BOX_CONTROL_IN_FD) == -1 ||
	    dup2(answer[1], BOX_CONTROL_OUT_FD) == -1)
		return -1;
	return 0;
}

/* The template */

/* Reads which memory of the template is private and can be written to. */
static void
ahead_read_private(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	char *line = NULL, shared;
	size_t size = 0;

	ahead_private.count = 0;
	while (maps != NULL && getline(&line, &size, maps) > 0)
		if (sscanf(line, "%lx-%lx rw%*c%c", &start, &end, &shared) ==
		        3 && shared == 'p' &&
		    end - start <= BOX_AHEAD_PART_MAX)
			ahead_add(&ahead_private, start, end - start);
	free(line);
	if (maps != NULL)
		fclose(maps);
}

/* Receives the list of the sample box, and ends that. */
static void
ahead_receive(pid_t box, int line)
{
	struct pollfd told = { .fd = line, .events = POLLIN };
	char *list = (char *)&ahead_known;
	size_t have = 0;
	ssize_t n = 1;

	/*
	 * The list may come in parts: if a user has many pipes, the kernel
	 * makes new ones smaller than the list.
	 */
	while (have < sizeof(ahead_known) && n > 0 &&
	    poll(&told, 1, BOX_AHEAD_WAIT_MS) == 1) {
		n = read(line, list + have, sizeof(ahead_known) - have);
		have += n > 0 ? (size_t)n : 0;
	}
	if (have != sizeof(ahead_known))
		ahead_known.count = 0;
	kill(box, SIGKILL);
	waitpid(box, NULL, 0);
}

int
ahead_sample(const void *frame, size_t size)
{
	struct err ignored;
	int line[2], parent;
	pid_t box;

	ahead_read_private();
	if (pipe2(line, O_CLOEXEC) == -1)
		return 0;
	parent = processes_fork(&box, &ignored);
	if (parent == 0) {
		close(line[0]);
		ahead_line = line[1];
		if (ahead_take_pipes(frame, size) == -1)
			_exit(1);
		return 1;
	}
	close(line[1]);
	if (parent == 1)
		ahead_receive(box, line[0]);
	close(line[0]);
	return 0;
}

/* A box */

int
ahead_copy(struct box *, struct err *)
{
	int self;

	if (ahead_known.count == 0)
		return 0;
	self = pidfd_open((pid_t)syscall(SYS_getpid), 0);
	(void)syscall(SYS_process_madvise, self, ahead_known.parts,
	    ahead_known.count, MADV_POPULATE_WRITE, 0);
	close(self);
	return 0;
}
