/*
 * Replays files through a fuzz target, in any compiler's build: every file of
 * the folders that are named, in the order of their names. Part of every test
 * run, so that what fuzzing once found is never found again by users.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "fuzz.h"

static void
replay_file(const char *path)
{
	auto_buffer struct buffer content = { 0 };
	FILE *file = fopen(path, "rb");
	auto_free uint8_t *exact = NULL;
	size_t n;

	if (file == NULL) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	do {
		n = fread(buffer_reserve(&content, BUFSIZ), 1, BUFSIZ, file);
		content.len += n;
	} while (n > 0);
	fclose(file);
	/* Exact, so that ASan and valgrind see a byte too far. */
	exact = mem_resize(NULL, content.len);
	if (content.len > 0)
		memcpy(exact, content.data, content.len);
	LLVMFuzzerTestOneInput(exact, content.len);
}

/* Returns how many files the folder has. */
static int
replay_folder(const char *folder)
{
	struct dirent **entries;
	struct stat st;
	int n, files = 0, count = scandir(folder, &entries, NULL, alphasort);

	if (count == -1) {
		perror(folder);
		exit(EXIT_FAILURE);
	}
	for (n = 0; n < count; n++) {
		auto_free struct dirent *entry = entries[n];
		auto_free char *path =
		    mem_printf("%s/%s", folder, entry->d_name);

		if (stat(path, &st) == -1 || !S_ISREG(st.st_mode))
			continue;
		/* Flushed: after a crash the last line names the file. */
		printf("%s\n", path);
		fflush(stdout);
		replay_file(path);
		files++;
	}
	free(entries);
	return files;
}

int
main(int argc, char **argv)
{
	int n, files = 0;

	for (n = 1; n < argc; n++)
		files += replay_folder(argv[n]);
	printf("%d files\n", files);
	/* An empty corpus proves nothing. */
	return files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
