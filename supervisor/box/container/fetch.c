/*
 * The image of containers, where none is set: one of this machine, or else
 * Python's own, which the engine fetches for the first call, and which is then
 * tried as every image is at the start.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/limits.h"
#include "../engine/engine.h"
#include "container.h"

/* Names as podman and docker list them: the first that is there is used. */
static const char *const container_fetch_images[] = {
	"localhost/caisson/python:latest", /* image add */
	"localhost/caisson-python:latest", "caisson-python:latest", /* build */
	"python:3.14-slim", CONTAINER_FETCH_IMAGE,
};

#define CONTAINER_FETCH_IMAGES                                                 \
	(sizeof(container_fetch_images) / sizeof(container_fetch_images[0]))

struct container_fetch {
	struct boxes *boxes;
	struct engine_call *call; /* that fetches, and then that tries */
	void (*done)(void *ctx, const char *why);
	void *ctx;
};

int
container_fetch_choose(struct boxes *boxes, struct err *err)
{
	struct container_boxes *shared = container_boxes(boxes);
	auto_buffer struct buffer words = { 0 }, answer = { 0 };
	auto_free char *lines = NULL;
	size_t i;

	shared->image = mem_strdup(boxes->options->image);
	if (shared->image[0] != '\0')
		return 0;
	container_argv_images(&words, shared->program, "dangling=false",
	    "{{.Repository}}:{{.Tag}}");
	if (container_engine_tell(shared, &words, "for Python",
	        CONTAINER_LIST_MS, &answer, err) == -1)
		return -1;
	lines = mem_printf("\n%.*s", (int)answer.len,
	    answer.data == NULL ? "" : answer.data);
	shared->lacking = true;
	for (i = 0; i < CONTAINER_FETCH_IMAGES && shared->lacking; i++) {
		auto_free char *line =
		    mem_printf("\n%s\n", container_fetch_images[i]);

		shared->lacking = strstr(lines, line) == NULL;
	}
	free(shared->image);
	shared->image = mem_strdup(shared->lacking ? CONTAINER_FETCH_IMAGE :
	                               container_fetch_images[i - 1]);
	return 0;
}

const char *
container_fetch_lacks(const struct boxes *boxes)
{
	const struct container_boxes *shared = container_boxes(boxes);

	return shared->lacking ? shared->image : NULL;
}

/* It is over, and freed; why is NULL after a success. */
static void
container_fetch_end(struct container_fetch *fetch, const char *why)
{
	struct container_boxes *shared = container_boxes(fetch->boxes);
	struct container_fetch over = *fetch;

	shared->lacking = why != NULL;
	container_fetch_free(&shared->fetch);
	over.done(over.ctx, why);
}

static void
container_fetch_on_tried(void *ctx, struct container_answer *answer)
{
	struct container_fetch *fetch = ctx;
	struct err err;
	int failed = container_trial_judge(fetch->boxes, answer, &err);

	container_fetch_end(fetch, failed == -1 ? err.text : NULL);
}

static void
container_fetch_on_pulled(void *ctx, struct container_answer *answer)
{
	struct container_fetch *fetch = ctx;
	struct err err;

	if (answer->status != 0) {
		const struct container_boxes *shared =
		    container_boxes(fetch->boxes);
		auto_free char *errors = container_engine_errors(answer);
		auto_buffer struct buffer why = { 0 };

		/* The reason of the engine, and the fix. */
		buffer_printf(&why, "the image %s was not fetched",
		    shared->image);
		if (answer->late)
			buffer_printf(&why, " within %d s",
			    CONTAINER_FETCH_MS / 1000);
		else
			container_fault_quote(&why, ": ", errors);
		buffer_printf(&why, "; 'caisson image build python --engine "
		    "%s' makes one without a registry",
		    container_names[shared->engine]);
		container_fetch_end(fetch, why.data);
		return;
	}
	container_engine_free(&fetch->call);
	fetch->call = container_trial_begin(
	    fetch->boxes, container_fetch_on_tried, fetch, &err);
	if (fetch->call == NULL)
		container_fetch_end(fetch, err.text);
}

int
container_fetch_begin(struct boxes *boxes,
    void (*done)(void *ctx, const char *why), void *ctx, struct err *err)
{
	struct container_boxes *shared = container_boxes(boxes);
	struct container_fetch *fetch = mem_alloc(sizeof(*fetch));
	auto_buffer struct buffer words = { 0 };

	*fetch = (struct container_fetch){ .boxes = boxes, .done = done,
		.ctx = ctx };
	shared->fetch = fetch;
	text_list_add(&words, shared->program);
	text_list_add(&words, "pull");
	text_list_add(&words, shared->image);
	fetch->call = container_engine_query(boxes->base, shared, &words,
	    CONTAINER_FETCH_MS, container_fetch_on_pulled, fetch, err);
	if (fetch->call != NULL)
		return 0;
	container_fetch_free(&shared->fetch);
	return -1;
}

void
container_fetch_free(struct container_fetch **fetchp)
{
	struct container_fetch *fetch = mem_take(fetchp);

	if (fetch == NULL)
		return;
	container_engine_free(&fetch->call);
	free(fetch);
}
