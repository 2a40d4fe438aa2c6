/*
 * The table of runtimes, one row each. All use the box protocol over the pipes
 * they are given.
 */
#include <string.h>

#include "container/container.h"
#include "box.h"

static const struct runtime *const runtime_table[] = {
#define RUNTIME(name) &name##_runtime,
#include "../options/runtimes.def"
};

/* By the engine that a path names. */
static const struct runtime *const runtime_engines[] = {
	[CONTAINER_PODMAN] = &podman_runtime,
	[CONTAINER_DOCKER] = &docker_runtime,
};

const struct runtime *
runtime_find(const char *name)
{
	size_t i;
	int engine;

	if (name[0] == '/') {
		engine = container_program_engine(name);
		return engine == -1 ? NULL : runtime_engines[engine];
	}
	for (i = 0; i < sizeof(runtime_table) / sizeof(runtime_table[0]); i++)
		if (strcmp(runtime_table[i]->name, name) == 0)
			return runtime_table[i];
	return NULL;
}
