/*
 * Files that are installed with the workers: see process.h. Runs in the
 * supervisor; opens nothing.
 */
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/mem.h"
#include "process.h"

char *
process_beside(const char *name)
{
	static const char *const places[] = { ".", CAISSON_LIBEXEC_RELATIVE };
	char self[PATH_MAX] = "";
	const char *folder;
	char *found = NULL;
	size_t i;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) == -1)
		return NULL;
	folder = dirname(self);
	for (i = 0; i < 2 && found == NULL; i++) {
		auto_free char *path =
		    mem_printf("%s/%s/%s", folder, places[i], name);

		found = realpath(path, NULL);
	}
	return found;
}
