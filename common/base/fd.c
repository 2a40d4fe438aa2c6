/*
 * Descriptors that close themselves: see fd.h. Linked into every process;
 * opens nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "buffer.h"
#include "fd.h"
#include "../limits.h"

void
fd_close(int *fd)
{
	int saved = errno;

	/* Never retried: on Linux the descriptor is closed even after EINTR. */
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int
fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int
fd_set_nonblock(int fd, int on, struct err *err)
{
	int flags = fcntl(fd, F_GETFL);
	int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;

	if (flags == -1)
		return err_sys(err, "read the flags of descriptor %d", fd);
	if (wanted == flags)
		return 0;
	if (fcntl(fd, F_SETFL, wanted) == -1)
		return err_sys(err, "set the flags of descriptor %d", fd);
	return 0;
}

int
fd_begin_nonblock(int fd, struct err *err)
{
	if (fcntl(fd, F_SETFL, O_NONBLOCK) == -1)
		return err_sys(err, "set the flags of descriptor %d", fd);
	return 0;
}

int
fd_write_all(int fd, const void *data, unsigned long len)
{
	const char *p = data;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		p += n;
		len -= (unsigned long)n;
	}
	return 0;
}

int
fd_read_all(int fd, off_t from, size_t most, struct buffer *buffer)
{
	char *room;
	ssize_t n;

	do {
		room = buffer_reserve(buffer, PIPE_CHUNK);
		n = from == FD_READ_ON ? read(fd, room, PIPE_CHUNK) :
		    pread(fd, room, PIPE_CHUNK, from + (off_t)buffer->len);
		if (n > 0)
			buffer->len += (size_t)n;
		if (buffer->len > most) {
			errno = EFBIG;
			return -1;
		}
	} while (n > 0 || (n == -1 && errno == EINTR));
	return n == -1 ? -1 : 0;
}
