/* Compares files: see same.h. Runs in files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "same.h"

struct same {
	int a;
	int b;
	uint64_t offset; /* in b */
	uint64_t size;
	uint64_t compared; /* bytes */
};

/* Returns whether all bytes are read. */
static int
same_read(int fd, char *data, size_t len, uint64_t at)
{
	ssize_t n;

	do
		n = pread(fd, data, len, (off_t)at);
	while (n == -1 && errno == EINTR);
	return n == (ssize_t)len;
}

struct same *
same_new(int a, int *b, uint64_t offset, uint64_t size)
{
	struct same *same = mem_alloc(sizeof(*same));

	same->a = a;
	same->b = fd_take(b);
	same->offset = offset;
	same->size = size;
	return same;
}

enum same_state
same_go_on(struct same *same)
{
	static char a[FILE_PIECE], b[FILE_PIECE];
	uint64_t left = same->size - same->compared;
	size_t len = left < sizeof(a) ? (size_t)left : sizeof(a);

	if (left == 0)
		return SAME_EQUAL;
	if (!same_read(same->a, a, len, same->compared) ||
	    !same_read(same->b, b, len, same->offset + same->compared) ||
	    memcmp(a, b, len) != 0)
		return SAME_DIFFERENT;
	same->compared += len;
	return SAME_COMPARES;
}

uint64_t
same_changed(struct timespec at)
{
	return ((uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec) &
	    INT64_MAX;
}

void
same_free(struct same **samep)
{
	struct same *same = mem_take(samep);

	if (same == NULL)
		return;
	fd_close(&same->b);
	free(same);
}
