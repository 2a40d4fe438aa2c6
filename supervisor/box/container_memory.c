/*
 * Whether a container has run out of memory: see container_boxes.h. Process 1
 * of docker reports nothing, and the status of its client is the same after any
 * SIGKILL. The container and its cgroup are gone by then, but the daemon keeps
 * its last events. Runs in the supervisor; of the answer it only looks for a
 * line with the name of the container, and logs one line of the errors.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../common/clock.h"
#include "../../common/log.h"
#include "../../common/loop.h"
#include "../../common/mem.h"
#include "../process/process.h"
#include "container_boxes.h"
#include "container_fault.h"

struct container_memory {
	const struct container_boxes *shared;
	struct engine_call *call;
	struct event *timer; /* the answer is not awaited longer */
	int given_up;        /* nor is it of use */
	char *name;          /* of the container */
	void (*told)(void *ctx, int lacked);
	void *ctx;
};

/* Logs that the engine has not answered, and why. */
static void
container_memory_warn(const struct container_memory *memory,
    const struct container_answer *answer)
{
	const struct container_boxes *shared = memory->shared;
	auto_buffer struct buffer why = { 0 };
	auto_free char *errors = container_engine_errors(answer);
	auto_free char *killer = signal_name(answer->killer);

	if (answer->late) {
		buffer_printf(&why, "it did not answer within %d s",
		    CONTAINER_OOM_MS / 1000);
	} else if (answer->cut) {
		buffer_printf(&why, "it printed more than %lu MiB",
		    ENGINE_OUT_MAX / MIB);
	} else if (answer->status == -1) {
		buffer_printf(&why, "it was killed by %s", killer);
	} else {
		buffer_printf(
		    &why, "it exited with status %d", answer->status);
		container_fault_quote(&why, ": ", errors);
	}
	buffer_add(&why, "", 1);
	log_warn("%s cannot tell whether the container %s ran out of memory: "
	    "%s; check it with '%s ps'", shared->program, memory->name,
	    why.data, shared->program);
}

/* Returns whether an answer has a line that is the name and nothing else. */
static int
container_memory_has(
    const struct container_memory *memory, struct container_answer *answer)
{
	char *rest, *line;

	if (answer->status != 0) {
		container_memory_warn(memory, answer);
		return 0;
	}
	buffer_add(&answer->out, "", 1);
	for (rest = answer->out.data; (line = strsep(&rest, "\n")) != NULL;)
		if (strcmp(line, memory->name) == 0)
			return 1;
	return 0;
}

static void
container_memory_on_done(void *ctx, struct container_answer *answer)
{
	struct container_memory *memory = ctx;

	memory->told(memory->ctx, container_memory_has(memory, answer));
}

/* The result must not wait until a keeper has ended an engine that hangs. */
static void
container_memory_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct container_memory *memory = arg;
	const struct container_answer none = { .late = 1 };

	(void)fd;
	(void)what;
	if (!memory->given_up)
		container_memory_warn(memory, &none);
	memory->told(memory->ctx, 0);
}

struct container_memory *
container_memory_ask(struct event_base *base,
    const struct container_boxes *shared, const char *name,
    void (*told)(void *ctx, int lacked), void *ctx, struct err *err)
{
	struct container_memory *memory = mem_alloc(sizeof(*memory));
	const struct timeval most = clock_timeval(CONTAINER_OOM_MS);
	auto_buffer struct buffer words = { 0 };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	container_argv_oom(&words, shared->program, name, &now);
	memory->shared = shared;
	memory->name = mem_strdup(name);
	memory->told = told;
	memory->ctx = ctx;
	memory->timer = evtimer_new(base, container_memory_on_timer, memory);
	event_add(memory->timer, &most);
	memory->call = container_engine_query(base, shared, &words,
	    CONTAINER_OOM_MS, container_memory_on_done, memory, err);
	if (memory->call == NULL)
		container_memory_free(&memory);
	return memory;
}

void
container_memory_give_up(struct container_memory *memory)
{
	const struct timeval now = { 0 };

	if (memory == NULL)
		return;
	memory->given_up = 1;
	event_add(memory->timer, &now);
}

void
container_memory_free(struct container_memory **memoryp)
{
	struct container_memory *memory = mem_take(memoryp);

	if (memory == NULL)
		return;
	loop_event_free(&memory->timer);
	container_engine_free(&memory->call);
	free(memory->name);
	free(memory);
}
