/*
 * The state shared by all native boxes: their cgroup, or the reason why there
 * is none, and the templates that fork them.
 */
#include <stdlib.h>

#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../cgroup/cgroup.h"
#include "native.h"

/*
 * Without a cgroup for it, the limit on processors is kept by choosing some for
 * each box. That does not divide one.
 */
static void
native_boxes_choose_processors(const struct boxes *boxes, const char *why)
{
	struct native_boxes *shared = boxes->shared;
	unsigned int cpus = boxes->options->cpus;
	auto_buffer struct buffer name = { 0 };

	if (cpus % 100 == 0 || (shared->cgroup != NULL && shared->cgroup->cpu))
		return;
	options_add_name(&name, boxes->options, OPTION_ID_CPUS);
	log_warn("%s is rounded up to whole processors, %u, as there is no "
	    "delegated cgroup with the controller cpu (%s); for a part of one, "
	    "start Caisson with %s", name.data, (cpus + 99) / 100, why,
	    CGROUP_HOW);
}

/*
 * Prepares limits of whole boxes, if this system lets us set them. Otherwise
 * boxes have other limits.
 */
static int
native_boxes_prepare_cgroup(struct boxes *boxes, struct err *failed)
{
	struct native_boxes *shared = boxes->shared;
	struct err err = { .text = "it is not delegated" };

	shared->cgroup =
	    cgroup_new(boxes->base, "/proc/self", boxes->options, &err);
	native_boxes_choose_processors(boxes, err.text);
	if (shared->cgroup != NULL)
		return 0;
	shared->cgroup_reason = mem_strdup(err.text);
	log_debug("boxes get no cgroups: %s", shared->cgroup_reason);
	return boxes->options->cgroup != CGROUP_REQUIRED ? 0 :
	    err_set(failed, "a cgroup is required (setting cgroup), but "
	        "sandboxes cannot have one: %s; start Caisson in a session of "
	        "systemd, or as its service ('caisson service install')",
	        err.text);
}

static void
native_boxes_note_unused(const struct boxes *boxes)
{
	const struct options *options = boxes->options;
	auto_buffer struct buffer image = { 0 }, runtime = { 0 };

	if (options->image[0] == '\0')
		return;
	options_add_name(&image, options, OPTION_ID_IMAGE);
	options_add_name(&runtime, options, OPTION_ID_RUNTIME);
	log_warn("%s has no effect in native boxes: set %s to podman or "
	    "docker, or leave the image out", image.data, runtime.data);
}

int
native_probe(struct boxes *boxes, int only_refuses, struct err *err)
{
	struct native_boxes *shared = mem_alloc(sizeof(*shared));

	boxes->shared = shared;
	native_boxes_note_unused(boxes);
	if (only_refuses && boxes->options->cpus == 0)
		return 0;
	if (native_boxes_prepare_cgroup(boxes, err) == -1)
		return -1;
	if (!only_refuses && boxes->options->template)
		shared->templates = templates_new(boxes);
	return 0;
}

void
native_finish(struct boxes *boxes)
{
	struct native_boxes *shared = mem_take(&boxes->shared);

	templates_free(&shared->templates);
	reaper_finish(SHUTDOWN_REAP_MS);
	cgroup_free(&shared->cgroup);
	free(shared->cgroup_reason);
	free(shared);
}
