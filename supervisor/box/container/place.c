/*
 * Where a daemon runs a container: see container.h. Its processes are not
 * below ours, so the engine is asked, and what it says is compared with the
 * kernel: a daemon of another machine has other processes. Runs in the
 * supervisor; of the answer it reads a number and an id of a strict form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "container.h"

struct container_place {
	struct engine_call *call;
	char id[CONTAINER_ENGINE_ID + 1]; /* of the container */
	void (*found)(void *ctx, pid_t pid);
	void *ctx;
};

/* Returns the process that an answer names, or 0. */
static pid_t
container_place_read(
    struct container_place *place, struct container_answer *answer)
{
	char *id = place->id;
	int pid, end = 0;

	buffer_add(&answer->out, "", 1);
	if (answer->status != 0 ||
	    sscanf(answer->out.data, "%9d %64[0-9a-f]\n%n", &pid, id, &end) !=
	        2 ||
	    strlen(id) != CONTAINER_ENGINE_ID ||
	    (size_t)end != answer->out.len - 1)
		return 0;
	return pid > 0 && container_process_is_of(pid, id) ? pid : 0;
}

static void
container_place_on_done(void *ctx, struct container_answer *answer)
{
	struct container_place *place = ctx;

	place->found(place->ctx, container_place_read(place, answer));
}

int
container_place_is_of(const struct container_place *place, pid_t pid)
{
	return container_process_is_of(pid, place->id);
}

struct container_place *
container_place_ask(struct event_base *base,
    const struct container_boxes *shared, const char *name,
    void (*found)(void *ctx, pid_t pid), void *ctx, struct err *err)
{
	struct container_place *place = mem_alloc(sizeof(*place));
	auto_buffer struct buffer words = { 0 };

	container_argv_inspect(&words, shared->program, name);
	place->found = found;
	place->ctx = ctx;
	place->call = container_engine_query(base, shared, &words,
	    CONTAINER_LIST_MS, container_place_on_done, place, err);
	if (place->call == NULL)
		container_place_free(&place);
	return place;
}

void
container_place_free(struct container_place **place_ptr)
{
	struct container_place *place = mem_take(place_ptr);

	if (place == NULL)
		return;
	container_engine_free(&place->call);
	free(place);
}
