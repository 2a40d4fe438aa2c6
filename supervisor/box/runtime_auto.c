/*
 * The choice "auto" of the option runtime: the first engine that keeps its
 * promises here, or a native box. It is made once, at the start. Runs in the
 * supervisor.
 */
#include "../../common/log.h"
#include "../../common/mem.h"
#include "container_boxes.h"
#include "native.h"

/* In the order in which they are tried. */
static const struct runtime *const runtime_auto_engines[CONTAINER_ENGINES] = {
	[CONTAINER_PODMAN] = &podman_runtime,
	[CONTAINER_DOCKER] = &docker_runtime,
	[CONTAINER_OCI] = &oci_runtime,
};

static int
runtime_auto_is_installed(enum container_engine engine)
{
	auto_free char *path = container_program_path(
	    engine, runtime_auto_engines[engine]->name, 0);

	return path != NULL;
}

/*
 * Tries all engines. Returns 0 with the first that works, or -1 with err: why
 * the first that is installed does not.
 */
static int
runtime_auto_try(struct boxes *boxes, int only_refuses, struct err *err)
{
	enum container_engine engine;
	struct err failed;
	int installed = 0;

	err_set(err, "podman, docker, crun and runc are not installed: 'apt "
	    "install podman'");
	for (engine = 0; engine < CONTAINER_ENGINES; engine++) {
		boxes->runtime = runtime_auto_engines[engine];
		if (boxes->runtime->probe(boxes, only_refuses, &failed) == 0)
			return 0;
		log_info("runtime auto: not %s: %s", boxes->runtime->name,
		    failed.text);
		if (!installed && runtime_auto_is_installed(engine)) {
			installed = 1;
			*err = failed;
		}
		container_boxes_free(boxes);
	}
	return -1;
}

static int
runtime_auto_probe(struct boxes *boxes, int only_refuses, struct err *err)
{
	const char *image = boxes->options->image;

	if (image[0] == '\0') {
		log_warn("runtime auto: code runs in native boxes, as no image "
		    "is set");
	} else if (runtime_auto_try(boxes, only_refuses, err) == 0) {
		log_warn("runtime auto: code runs in containers of %s",
		    boxes->runtime->name);
		return 0;
	} else {
		log_warn("runtime auto: code runs in native boxes, as no "
		    "engine can use the image %s: %s", image, err->text);
	}
	boxes->runtime = &native_runtime;
	return boxes->runtime->probe(boxes, only_refuses, err);
}

/* Its probe puts another one in its place, which has all other functions. */
const struct runtime auto_runtime = { .name = "auto",
	.framed = 1,
	.probe = runtime_auto_probe };
