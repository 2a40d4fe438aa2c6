/*
 * The words of the file "open" beside the running binary, separated by blanks:
 * the protections that caisson-open and caisson-box-open leave out. The file is
 * read when the program starts; without it nothing is left out. Linked into
 * those two programs of the tests, never into one that is installed.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "open_words.h"

/* More than all words together. */
static char open_text[1024];

/* Before main: the box may soon be unable to reach the file. */
static void __attribute__((constructor)) open_read(void)
{
	char path[PATH_MAX + sizeof("/open")];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	int fd;

	if (n == -1)
		abort();
	path[n] = '\0';
	snprintf(strrchr(path, '/'), sizeof("/open"), "/open");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return;
	n = read(fd, open_text, sizeof(open_text) - 1);
	close(fd);
	if (n == -1)
		abort();
}

int
open_has(const char *word)
{
	const char *found = open_text;
	size_t len = strlen(word);

	while ((found = strstr(found, word)) != NULL) {
		if ((found == open_text || found[-1] == ' ') &&
		    strchr(" \n", found[len]) != NULL)
			return 1;
		found += len;
	}
	return 0;
}
