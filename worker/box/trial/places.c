/* Where the code can write: see trial.h. Runs in the box; changes no file. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "trial.h"

/* The directories that a walk holds open. */
#define PLACES_OPEN 16

/* Returns whether a file system has all these flags, or -1 with errno. */
static int
places_have(const char *path, unsigned long flags)
{
	struct statvfs found;

	return statvfs(path, &found) == -1 ? -1 :
	                                     (found.f_flag & flags) == flags;
}

/* The system, and the folder of ours that this program is in. */
int
places_read_only(void)
{
	int root = places_have("/", ST_RDONLY);

	return root == 1 ? places_have("/proc/self/exe", ST_RDONLY) : root;
}

int
places_noexec(void)
{
	static const char *const places[] = { "/tmp", "/workspace",
		"/workspace/out" };
	int have = 1;
	size_t i;

	for (i = 0; have == 1 && i < sizeof(places) / sizeof(places[0]); i++)
		have = places_have(places[i], ST_NOEXEC | ST_NOSUID | ST_NODEV);
	return have;
}

/* A link to a directory leads to a place that is looked at by itself. */
static int
places_look(const char *path, const struct stat *st __attribute__((unused)),
    int kind, struct FTW *ftw __attribute__((unused)))
{
	struct stat leads;

	if (kind == FTW_SL && stat(path, &leads) == 0 && S_ISDIR(leads.st_mode))
		return 0;
	return access(path, W_OK) == 0;
}

/*
 * A volume of an image is on the disk of the host, without a limit, and may
 * hold programs: so any other directory counts in which something can be
 * written to.
 */
int
places_no_volumes(void)
{
	FILE *file = fopen("/proc/self/mounts", "re");
	char *line = NULL;
	const char *place;
	size_t size = 0;
	int found = 0;

	if (file == NULL)
		return -1;
	while (found == 0 && getline(&line, &size, file) != -1) {
		place = proc_line_volume(line);
		if (place != NULL)
			found = nftw(place, places_look, PLACES_OPEN, FTW_PHYS);
	}
	free(line);
	fclose(file);
	return found == -1 ? -1 : found == 0;
}
