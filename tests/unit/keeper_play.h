/*
 * What the tests of supervisor/process/keeper share: a program below a keeper,
 * as the test holds it.
 */
#ifndef TESTS_UNIT_KEEPER_PLAY_H
#define TESTS_UNIT_KEEPER_PLAY_H

#include <unistd.h>

#include "common/buffer.h"
#include "unit.h"
#include "supervisor/process/process.h"

struct held {
	int in, out;
	int errors; /* of a server; a container has those of the test */
	int pidfd; /* of its keeper */
	pid_t keeper;
};

static inline int
note_child(void *ctx, pid_t pid)
{
	*(pid_t *)ctx = pid;
	return 1;
}

/* Returns the only child of the test. */
static inline pid_t
only_child(void)
{
	pid_t child;

	ck_assert_uint_eq(children_each(note_child, &child), 1);
	return child;
}

/* Waits for the "x" that a program prints when it runs. */
static inline void
await(const struct held *held)
{
	char c;

	ck_assert_int_eq(read(held->out, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
}

/* Returns all that is printed until no process is left that could print. */
static inline char *
read_all(int fd)
{
	struct buffer said = { 0 };
	ssize_t n;

	do {
		n = read(fd, buffer_reserve(&said, 4096), 4096);
		ck_assert_int_ne(n, -1);
		said.len += (size_t)n;
	} while (n > 0);
	buffer_add_text(&said, "");
	return buffer_take(&said, NULL);
}

#endif
