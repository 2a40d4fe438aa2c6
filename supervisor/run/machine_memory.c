/*
 * How much memory the machine has left for more processes. Runs in the
 * supervisor; reads a file of the kernel.
 */
#include <stdio.h>

#include "session_table.h"

int
machine_memory_left(const char *path, uint64_t *bytes)
{
	FILE *file = fopen(path, "re");
	char line[MACHINE_MEMORY_LINE];
	unsigned long long kib;
	int found = 0;

	if (file == NULL)
		return -1;
	while (!found && fgets(line, sizeof(line), file) != NULL)
		found = sscanf(line, "MemAvailable: %llu kB", &kib) == 1;
	fclose(file);
	if (!found)
		return -1;
	*bytes = kib * UINT64_C(1024);
	return 0;
}
