/*
 * What a box of these options is as a container: see container.h. Runs in
 * the supervisor; starts nothing.
 */
#include "container.h"
#include "../shared/language.h"

/* /tmp, /workspace, /data and /dev/shm use memory too: a quarter each. */
#define CONTAINER_FILES_SHARE 4

int
container_has_data(const struct boxes *boxes, const struct language *language)
{
	return language->image != NULL ||
	    options_argument(boxes->options, ARGUMENT_CONVERSATION);
}

void
container_request_fill(const struct boxes *boxes,
    const struct options *options, unsigned long number, const char *name,
    const struct language *language, struct container *container)
{
	const struct container_boxes *shared = container_boxes(boxes);
	int own = language->uid != 0 &&
	    options->sources[OPTION_ID_CONTAINER_USER] == OPTIONS_DEFAULT;

	*container = (struct container){ .name = name,
		.run = shared->label,
		.number = number,
		.image = language->image == NULL ? shared->image :
		    language->image,
		.uid = own ? language->uid : shared->uid,
		.gid = own ? language->gid : shared->gid,
		.profile = shared->profile,
		.bootstrap = language->image == NULL ? shared->bootstrap :
		    NULL,
		.first = language->image == NULL ? NULL : shared->first,
		.programs = language->programs,
		.command = language->command,
		.memory_bytes = options->memory,
		.files_bytes = options->memory / CONTAINER_FILES_SHARE,
		.data = container_has_data(boxes, language),
		.processes = options->pids + language->helpers +
		    CONTAINER_HELPER_PROCESSES,
		.cpus = options->cpus,
		.threads = library_threads(options->memory),
		.user_processes = shared->user_processes,
		/* If we and the keeper are killed, the engine ends it. */
		.lifetime = POOL_AGE_MS / 1000 + options->max_timeout +
		    CONTAINER_LIFETIME_EXTRA };
}
