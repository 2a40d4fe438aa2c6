/*
 * Descriptors that close themselves. "auto_fd int fd = -1;" closes fd at the
 * end of its scope. "fd_take(&fd)" returns it and stores -1, so that every
 * transfer of ownership is visible in the code. Used by every process; opens
 * nothing.
 */
#ifndef COMMON_FD_H
#define COMMON_FD_H

#include <sys/types.h>

#include "err.h"

struct buffer;

/* Closes *fd unless it is -1, sets it to -1, keeps errno. */
void fd_close(int *fd);

/* Returns *fd and stores -1: the caller now owns the descriptor. */
int fd_take(int *fd);

/* Sets or clears O_NONBLOCK. Returns 0, or -1 with err. */
int fd_set_nonblock(int fd, int on, struct err *err);

/*
 * Sets O_NONBLOCK on a new descriptor, which has no other flag that could be
 * lost: one system call instead of two. Returns 0, or -1 with err.
 */
int fd_begin_nonblock(int fd, struct err *err);

/*
 * Writes all of data to a blocking descriptor, retrying on EINTR.
 * Returns 0, or -1 with errno set.
 */
int fd_write_all(int fd, const void *data, unsigned long len);

/* Instead of an offset: reads on where the descriptor stands. */
#define FD_READ_ON ((off_t)-1)

/*
 * Appends all bytes from an offset of a blocking descriptor, and a NUL behind
 * them, to an empty buffer; retries on EINTR. Returns 0, or -1 with errno set:
 * EFBIG if there are more than most, of which the buffer has the first.
 */
int fd_read_all(int fd, off_t from, size_t most, struct buffer *buffer);

#define auto_fd __attribute__((cleanup(fd_close)))

#endif
