/*
 * Descriptors that close themselves. "auto_fd int fd = -1;" closes fd when
 * the scope ends; "fd_take(&fd)" hands it over and leaves -1 behind, so that
 * every hand-over is visible where it happens. Used by every process; opens
 * nothing.
 */
#ifndef COMMON_FD_H
#define COMMON_FD_H

#include "err.h"

/* Closes *fd unless it is -1, sets it to -1, keeps errno. */
void fd_close(int *fd);

/* Returns *fd and leaves -1 behind: the caller owns the descriptor now. */
int fd_take(int *fd);

/* Sets or clears O_NONBLOCK. Returns 0, or -1 with err. */
int fd_set_nonblock(int fd, int on, struct err *err);

/*
 * Writes all of data to a blocking descriptor, retrying on EINTR.
 * Returns 0, or -1 with errno set.
 */
int fd_write_all(int fd, const void *data, unsigned long len);

#define auto_fd __attribute__((cleanup(fd_close)))

#endif
