/*
 * Files given to a box: see in.h. Runs in the porter, which has no other task:
 * files need not be copied in pieces.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/limits.h"
#include "beneath.h"
#include "in.h"

#define IN_NAME "in"
/* The rights of the code to it: as if the code had created it. */
#define IN_FOLDER_MODE 0755
#define IN_FILE_MODE 0644

static enum file_fault
in_fault(void)
{
	return errno == EEXIST ? FILE_FAULT_TAKEN : FILE_FAULT_ROOM;
}

int
in_make(int folder, enum file_fault *fault)
{
	int in = -1;

	if (mkdirat(folder, IN_NAME, IN_FOLDER_MODE) == 0)
		in = beneath_open(folder, IN_NAME, O_PATH | O_DIRECTORY, 0);
	if (in == -1)
		*fault = in_fault();
	return in;
}

static enum file_fault
in_copy(int file, uint64_t offset, int to)
{
	static char piece[FILE_PIECE];
	ssize_t n;

	while ((n = pread(file, piece, sizeof(piece), (off_t)offset)) != 0) {
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return FILE_FAULT_UNREADABLE;
		if (fd_write_all(to, piece, (unsigned long)n) == -1)
			return FILE_FAULT_ROOM;
		offset += (uint64_t)n;
	}
	return FILE_FAULT_NONE;
}

enum file_fault
in_put(int in, const char *name, int file, uint64_t offset)
{
	auto_fd int to = beneath_open(
	    in, name, O_WRONLY | O_CREAT | O_EXCL, IN_FILE_MODE);
	enum file_fault fault;

	if (to == -1)
		return in_fault();
	fault = in_copy(file, offset, to);
	if (fault != FILE_FAULT_NONE)
		unlinkat(in, name, 0);
	return fault;
}
