/* Everything that a descriptor has to read, into a buffer. Opens nothing. */
#ifndef COMMON_FD_READ_H
#define COMMON_FD_READ_H

#include <sys/types.h>

#include "buffer.h"

/* Instead of an offset: reads on where the descriptor stands. */
#define FD_READ_ON ((off_t)-1)

/*
 * Appends all bytes from an offset of a blocking descriptor, and a NUL behind
 * them, to an empty buffer; retries on EINTR. Returns 0, or -1 with errno set:
 * EFBIG if there are more than most, of which the buffer has the first.
 */
int fd_read_all(int fd, off_t from, size_t most, struct buffer *buffer);

#endif
