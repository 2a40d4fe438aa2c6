/*
 * The request for a native box: the part that is the same for all boxes, and
 * for the template that forks them.
 */
#include <errno.h>
#include <sched.h>

#include "../../../common/base/mem.h"
#include "../shared/language.h"
#include "../cgroup/cgroup.h"
#include "native.h"

/* /tmp, /workspace and /dev/shm use memory too: a quarter each. */
#define NATIVE_FILES_SHARE 4

/*
 * Returns how many processors a box may use: those that we may use. This is a
 * system call; to count all processors would mean to read a file.
 */
static unsigned long
native_request_processors(void)
{
	size_t size = sizeof(cpu_set_t);
	auto_free cpu_set_t *set = mem_alloc(size);

	while (sched_getaffinity(0, size, set) == -1) {
		if (errno != EINVAL || size * 8 >= PROCESSORS_MAX)
			return 1;
		/* The kernel supports more processors than fit. */
		size *= 2;
		set = mem_resize(set, size);
	}
	return (unsigned long)CPU_COUNT_S(size, set);
}

/* They are counted once, as for the number of calls at a time. */
static unsigned long
native_request_processors_once(void)
{
	static unsigned long processors;

	if (processors == 0)
		processors = native_request_processors();
	return processors;
}

void
native_request_fill(const struct boxes *boxes, const struct options *options,
    const struct language *language, struct ipc_setup *setup)
{
	const struct cgroup *cgroup = native_boxes(boxes)->cgroup;

	setup->memory_bytes = options->memory;
	setup->processes = options->pids;
	/*
	 * The times of threads add up; this only stops code that the deadline
	 * cannot stop. The call may have the longest time limit.
	 */
	setup->cpu_seconds =
	    options->max_timeout * native_request_processors_once() +
	    BOX_CPU_EXTRA_SECONDS;
	if (setup->cpu_seconds > BOX_CPU_SECONDS_MAX)
		setup->cpu_seconds = BOX_CPU_SECONDS_MAX;
	setup->files_bytes = options->memory / NATIVE_FILES_SHARE;
	setup->data = options_argument(options, ARGUMENT_CONVERSATION);
	setup->processors =
	    cgroup != NULL && cgroup->cpu ? 0 : (options->cpus + 99) / 100;
	setup->grouped = cgroup != NULL;
	setup->weak = options->allow_weak_isolation;
	setup->language = language->name;
	setup->interpreter = language_interpreter(language, options);
	/* WebAssembly, which can use no tools, imports no packages either. */
	setup->packages = language->interpreter == OPTION_ID_JAVASCRIPT &&
	        language->use != NULL ? options->javascript_packages : "";
}
