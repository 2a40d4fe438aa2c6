/* Copies of files that commands write. */
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "command.h"

int
command_copy(int from, uint64_t offset, int to, struct err *err)
{
	static char chunk[PIPE_CHUNK];
	ssize_t n;

	while ((n = pread(from, chunk, sizeof(chunk), (off_t)offset)) > 0) {
		if (fd_write_all(to, chunk, (size_t)n) == -1)
			return err_sys(err, "it cannot be written");
		offset += (uint64_t)n;
	}
	return n == -1 ? err_sys(err, "it cannot be read") : 0;
}
