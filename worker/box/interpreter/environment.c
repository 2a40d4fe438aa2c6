/*
 * The environment variables of the code: none of the host's, and settings that
 * adapt libraries to a box. Made by the code, just before it becomes the
 * interpreter.
 */
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>

#include "interpreter.h"
#include "../../../common/seccomp/library_threads.h"
#include "../../../common/base/mem.h"

/* The PATH, without the directory of the interpreter. */
#define ENVIRONMENT_PATH "/usr/local/bin:/usr/bin:/bin"

/* With reduced isolation they are below the private directory. */
static const struct {
	const char *name;
	const char *path;
} environment_places[] = {
	{ "HOME", "/workspace" },
	{ "TMPDIR", "/tmp" },
	/* Cached data of libraries is kept apart from the files of the code. */
	{ "XDG_CACHE_HOME", "/tmp/.cache" },
	{ "MPLCONFIGDIR", "/tmp/.cache/matplotlib" },
};

/* A variable with one of these paths, and the text around the path. */
#define ENVIRONMENT_PLACE_MAX 64

static const char *const environment_fixed[] = {
	"LANG=C.UTF-8",
	"TERM=dumb",
	/* Into files: there is no screen, and Debian's default is a window. */
	"MPLBACKEND=Agg",
	/* Each arena reserves 64 MiB of address space. */
	"MALLOC_ARENA_MAX=2",
};

/* Those of the language, and how many there are. */
static const char *environment_more[ENVIRONMENT_MORE];
static size_t environment_more_count;

#define ENVIRONMENT_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Whether an interpreter is in a directory of the default PATH. */
static int
environment_is_usual(const char *interpreter, size_t folder)
{
	static const char *const usual[] = { "/usr/local/bin/", "/usr/bin/",
		"/bin/" };
	size_t i;

	for (i = 0; i < ENVIRONMENT_COUNT(usual); i++)
		if (strlen(usual[i]) == folder &&
		    memcmp(usual[i], interpreter, folder) == 0)
			return 1;
	return 0;
}

/*
 * The programs of the bootstrap come first, then those beside an interpreter in
 * another directory. Static: within the limits of the code, AddressSanitizer
 * can allocate little.
 */
static char *
environment_path(const struct box *box)
{
	static char path[2 * PATH_MAX];
	const char *interpreter = box->setup.interpreter;
	size_t folder = (size_t)(strrchr(interpreter, '/') + 1 - interpreter);
	int usual = environment_is_usual(interpreter, folder);

	snprintf(path, sizeof(path), "PATH=%s%s%.*s%s" ENVIRONMENT_PATH,
	    box->programs ? box->weak.folder : "",
	    box->programs ? "/" BOX_PROGRAMS_DIR ":" : "",
	    usual ? 0 : (int)folder - 1, interpreter, usual ? "" : ":");
	return path;
}

void
environment_add(const char *variable)
{
	if (environment_more_count < ENVIRONMENT_MORE)
		environment_more[environment_more_count++] = variable;
}

char *const *
environment_make(const struct box *box)
{
	struct library_threads threads =
	    library_threads(box->setup.memory_bytes);
	static char *variables[ENVIRONMENT_COUNT(environment_places) +
	    ENVIRONMENT_COUNT(environment_fixed) + ENVIRONMENT_MORE + 4];
	static char places[ENVIRONMENT_COUNT(environment_places)]
	    [BOX_FOLDER_SIZE + ENVIRONMENT_PLACE_MAX];
	size_t i, n = 0;

	for (i = 0; i < ENVIRONMENT_COUNT(environment_places); i++) {
		snprintf(places[i], sizeof(places[i]), "%s=%s%s",
		    environment_places[i].name, box->weak.folder,
		    environment_places[i].path);
		variables[n++] = places[i];
	}
	for (i = 0; i < ENVIRONMENT_COUNT(environment_fixed); i++)
		variables[n++] = mem_strdup(environment_fixed[i]);
	for (i = 0; i < environment_more_count; i++)
		variables[n++] = mem_strdup(environment_more[i]);
	variables[n++] = environment_path(box);
	variables[n++] = mem_printf(LIBRARY_THREADS_BLAS, threads.blas);
	variables[n++] = mem_printf(LIBRARY_THREADS_OMP, threads.omp);
	return variables;
}
