/*
 * Files given to a box: see porter.h. Runs in the porter, which has no other
 * task: files need not be copied in pieces.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "porter.h"

#define IN_NAME "in"
/* The rights of the code to it: as if the code had created it. */
#define IN_FOLDER_MODE 0755
#define IN_FILE_MODE 0644
/* The size of a hole: a page of the file system of a box. */
#define IN_BLOCK 4096

/* Something else of that name is there, or there is no room. */
static enum file_fault
in_fault(void)
{
	return errno == EEXIST || errno == ENOTDIR || errno == ELOOP ?
	    FILE_FAULT_TAKEN : FILE_FAULT_ROOM;
}

int
in_make(int folder, enum file_fault *fault)
{
	int in = -1;

	/* In a session an earlier call may have got files, too. */
	if (mkdirat(folder, IN_NAME, IN_FOLDER_MODE) == 0 || errno == EEXIST)
		in = beneath_open(folder, IN_NAME, O_PATH | O_DIRECTORY, 0);
	if (in == -1)
		*fault = in_fault();
	return in;
}

/* Writes all bytes at this place. Returns 0, or -1 with errno. */
static int
in_write(int to, const char *data, size_t len, uint64_t at)
{
	ssize_t n;

	while (len > 0) {
		n = pwrite(to, data, len, (off_t)at);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		data += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

static int
in_is_hole(const char *block, size_t len)
{
	return block[0] == '\0' && memcmp(block, block + 1, len - 1) == 0;
}

/* Writes the blocks of a piece that have other bytes than zeroes. */
static int
in_write_blocks(int to, const char *piece, size_t len, uint64_t at)
{
	size_t done, n;

	for (done = 0; done < len; done += n) {
		n = len - done < IN_BLOCK ? len - done : IN_BLOCK;
		if (!in_is_hole(piece + done, n) &&
		    in_write(to, piece + done, n, at + done) == -1)
			return -1;
	}
	return 0;
}

/*
 * A file may have holes where it was written: then the box has room for them
 * only if they remain holes.
 */
static enum file_fault
in_copy(int file, uint64_t offset, int to)
{
	static char piece[FILE_PIECE];
	uint64_t at = 0;
	struct stat st;
	ssize_t n;

	while ((n = pread(file, piece, sizeof(piece),
	            (off_t)(offset + at))) != 0) {
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return FILE_FAULT_UNREADABLE;
		if (in_write_blocks(to, piece, (size_t)n, at) == -1)
			return FILE_FAULT_ROOM;
		at += (uint64_t)n;
	}
	/* A zero at the end gives the file its length. */
	if (fstat(to, &st) == -1 || ((uint64_t)st.st_size < at &&
	    in_write(to, "", 1, at - 1) == -1))
		return FILE_FAULT_ROOM;
	return FILE_FAULT_NONE;
}

/*
 * Opens the folder of a file, and creates what is missing of it; *name becomes
 * the rest of its path. Returns a descriptor, or -1 with errno.
 */
static int
in_enter(int in, const char **name)
{
	auto_fd int folder = beneath_open(in, ".", O_PATH | O_DIRECTORY, 0);
	auto_free char *entry = NULL;
	const char *slash;
	int below;

	while ((slash = strchr(*name, '/')) != NULL) {
		free(entry);
		entry = mem_dup(*name, (size_t)(slash - *name));
		if (mkdirat(folder, entry, IN_FOLDER_MODE) == -1 &&
		    errno != EEXIST)
			return -1;
		below = beneath_open(folder, entry, O_PATH | O_DIRECTORY, 0);
		if (below == -1)
			return -1;
		fd_close(&folder);
		folder = below;
		*name = slash + 1;
	}
	return fd_take(&folder);
}

enum file_fault
in_put(int in, const char *name, int file, uint64_t offset, uint64_t since)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_NOW },
		{ .tv_sec = (time_t)since } };
	auto_fd int folder = in_enter(in, &name);
	auto_fd int to = -1;
	enum file_fault fault;

	if (folder == -1)
		return in_fault();
	/* The call asks for the file that is kept, not for one of its box. */
	unlinkat(folder, name, 0);
	to = beneath_open(
	    folder, name, O_WRONLY | O_CREAT | O_EXCL, IN_FILE_MODE);
	if (to == -1)
		return in_fault();
	fault = in_copy(file, offset, to);
	/* Whether the code changes it is seen by this. */
	if (fault == FILE_FAULT_NONE && futimens(to, times) == -1)
		fault = FILE_FAULT_ROOM;
	if (fault != FILE_FAULT_NONE)
		unlinkat(folder, name, 0);
	return fault;
}
