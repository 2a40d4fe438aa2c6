/*
 * Finds the program of a command: see servers.h. Runs in the supervisor; reads
 * attributes of files and opens none.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/mem.h"
#include "servers.h"

/* The name under which Caisson is installed. */
#define SERVER_PROGRAM_SELF "caisson"

static int
server_program_is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/*
 * Returns the path of name in a directory, relative to from; the caller frees
 * it.
 */
static char *
server_program_path(const char *from, const char *folder, size_t len,
    const char *name)
{
	if (len > 0 && folder[0] == '/')
		return mem_printf("%.*s/%s", (int)len, folder, name);
	if (len > 0)
		return mem_printf("%s/%.*s/%s", from, (int)len, folder, name);
	return mem_printf("%s/%s", from, name);
}

char *
server_program_find(const char *command, const char *search, const char *folder)
{
	size_t len;

	if (strchr(command, '/') != NULL) {
		auto_free char *path = command[0] == '/' ?
		    mem_strdup(command) :
		    mem_printf("%s/%s", folder, command);

		return server_program_is_executable(path) ? mem_take(&path) :
		    NULL;
	}
	for (;; search += len + 1) {
		len = strcspn(search, ":");
		auto_free char *path =
		    server_program_path(folder, search, len, command);

		if (server_program_is_executable(path))
			return mem_take(&path);
		if (search[len] == '\0')
			return NULL;
	}
}

int
server_program_is_file(const char *path, const char *other)
{
	struct stat one, two;

	return stat(path, &one) == 0 && stat(other, &two) == 0 &&
	    one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

int
server_program_is_self(
    const char *command, const char *program, const char *self)
{
	const char *name = strrchr(command, '/');

	if (strcmp(name == NULL ? command : name + 1, SERVER_PROGRAM_SELF) == 0)
		return 1;
	return program != NULL && server_program_is_file(program, self);
}
