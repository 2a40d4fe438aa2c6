/* The entries of a directory: see entries.h. Used by files and porter. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "entries.h"
#include "fd.h"

static void
entries_close(DIR **dir)
{
	if (*dir != NULL)
		closedir(*dir);
}

int
entries_each(int *folder, void (*tell)(void *ctx, const char *name), void *ctx)
{
	auto_fd int fd = fd_take(folder);
	__attribute__((cleanup(entries_close))) DIR *dir = NULL;
	struct dirent *entry;

	if (fd != -1)
		dir = fdopendir(fd);
	if (dir == NULL)
		return -1;
	fd_take(&fd);
	while (errno = 0, (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			tell(ctx, entry->d_name);
	return errno == 0 ? 0 : -1;
}
