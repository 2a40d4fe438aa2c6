/*
 * Which sandbox: a row per runtime. All speak the box protocol over the pipes
 * they are given, so nobody else knows which one runs. Runs in the supervisor.
 */
#include <string.h>
#include <unistd.h>

#include "../common/fd.h"
#include "box.h"

/* /tmp, /workspace and /dev/shm count as memory too: a quarter each. */
#define RUNTIME_FILES_SHARE 4

static unsigned long
runtime_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned long)n : 1;
}

/* What a box is asked to be, from the options. */
static void
runtime_native_request(const struct box *box, struct ipc_setup *setup)
{
	const struct options *options = &box->sv->options;

	setup->uid = identity_box(box->number);
	setup->memory = options->memory;
	setup->processes = options->pids;
	/*
	 * Threads add up: only what the deadline cannot stop is stopped. The
	 * call that it will run may ask for the longest.
	 */
	setup->cpu_seconds =
	    options->max_timeout * runtime_processors() + BOX_CPU_EXTRA_SECONDS;
	if (setup->cpu_seconds > BOX_CPU_SECONDS_MAX)
		setup->cpu_seconds = BOX_CPU_SECONDS_MAX;
	setup->files_bytes = options->memory / RUNTIME_FILES_SHARE;
	setup->grouped = box->sv->cgroup != NULL;
	setup->weak = options->allow_weak_isolation;
	setup->python = options->python;
}

static int
runtime_native_start(
    struct box *box, struct box_pipes *pipes, struct err *err)
{
	struct ipc_setup setup = { 0 };
	struct channel *channel = box_start_launcher(box, err);

	if (channel == NULL)
		return -1;
	runtime_native_request(box, &setup);
	setup.control_in = fd_take(&pipes->control_in);
	setup.control_out = fd_take(&pipes->control_out);
	setup.out = fd_take(&pipes->out);
	setup.errors = fd_take(&pipes->errors);
	return channel_send_setup(channel, &setup, err);
}

static const struct runtime runtime_table[] = {
	{ "native", runtime_native_start },
};

const struct runtime *
runtime_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(runtime_table) / sizeof(runtime_table[0]); i++)
		if (strcmp(runtime_table[i].name, name) == 0)
			return &runtime_table[i];
	return NULL;
}
