/*
 * The reserve: see reserve.h. Runs in the store, which opens files through
 * SQLite only.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "reserve.h"

int
reserve_is_there(void)
{
	return faccessat(AT_FDCWD, RESERVE_NAME, F_OK, AT_SYMLINK_NOFOLLOW) ==
	    0;
}

int
reserve_release(void)
{
	return unlink(RESERVE_NAME);
}

/* Written, because not every file system reserves room for an allocation. */
static int
reserve_write(sqlite3_file *file)
{
	auto_free char *bytes = mem_alloc(DATABASE_PIECE);
	sqlite3_int64 at;

	memset(bytes, 0xff, DATABASE_PIECE);
	for (at = 0; at < (sqlite3_int64)DATABASE_RESERVE;
	     at += (sqlite3_int64)DATABASE_PIECE)
		if (file->pMethods->xWrite(
		        file, bytes, (int)DATABASE_PIECE, at) != SQLITE_OK)
			break;
	/*
	 * Half is better than nothing: the log's index may have taken the rest.
	 */
	return at >= (sqlite3_int64)DATABASE_RESERVE / 2 ? 0 : -1;
}

int
reserve_take(void)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	auto_free sqlite3_file *file = mem_alloc((size_t)vfs->szOsFile);
	int code, done;

	if (reserve_is_there())
		return 0;
	errno = 0;
	code = vfs->xOpen(vfs, RESERVE_NAME, file, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE |
	    SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_WAL, NULL);
	/* Another store may be faster. */
	if (code != SQLITE_OK)
		return errno == ENOSPC || errno == EDQUOT ? -1 : 0;
	done = reserve_write(file);
	file->pMethods->xClose(file);
	if (done == -1)
		reserve_release();
	return done;
}
