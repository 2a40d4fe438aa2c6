/*
 * The choice "auto" of the option runtime: the first engine that keeps its
 * promises here, or a native box. It is made once, at the start. Runs in the
 * supervisor.
 */
#include "../../common/log.h"
#include "container_boxes.h"
#include "native.h"

static int
runtime_auto_probe(struct boxes *boxes, int only_refuses, struct err *err)
{
	static const struct runtime *const engines[] = { &podman_runtime,
		&docker_runtime, &oci_runtime };
	size_t i;

	for (i = 0; i < sizeof(engines) / sizeof(engines[0]) &&
	     boxes->options->image[0] != '\0'; i++) {
		boxes->runtime = engines[i];
		if (boxes->runtime->probe(boxes, only_refuses, err) == 0) {
			log_warn("runtime auto: code runs in containers of %s",
			    boxes->runtime->name);
			return 0;
		}
		log_info("runtime auto: not %s: %s", boxes->runtime->name,
		    err->text);
		container_boxes_free(boxes);
	}
	boxes->runtime = &native_runtime;
	log_warn("runtime auto: code runs in native boxes, as %s",
	    i == 0 ? "no image is set" :
	             "no container engine can be used (--log-level info says "
	             "why)");
	return boxes->runtime->probe(boxes, only_refuses, err);
}

/* Its probe puts another one in its place, which has all other functions. */
const struct runtime auto_runtime = { .name = "auto",
	.framed = 1,
	.probe = runtime_auto_probe };
