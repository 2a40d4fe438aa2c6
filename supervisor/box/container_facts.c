/*
 * What holds for a box that is a container, for its answer and for the
 * selftest: see container_boxes.h. Runs in the supervisor; only composes text.
 */
#include <stdlib.h>

#include "../../common/json.h"
#include "../../common/mem.h"
#include "container_boxes.h"

struct container_facts {
	char *image;
	const char *name; /* of the runtime, static */
	enum container_engine engine;
	int keeps_files;
};

void *
container_facts_new(const char *image, const char *name,
    enum container_engine engine, int keeps_files)
{
	struct container_facts *facts = mem_alloc(sizeof(*facts));

	facts->image = mem_strdup(image);
	facts->name = name;
	facts->engine = engine;
	facts->keeps_files = keeps_files;
	return facts;
}

/* Appends what these containers do not keep of the promises of native boxes. */
static void
container_facts_add_missing(struct buffer *json, enum container_engine engine)
{
	const struct container_kept *kept;
	const char *before = "";
	size_t n;

	buffer_add_text(json, "\"missing\":[");
	for (n = 0; (kept = container_kept_at(n)) != NULL; n++) {
		if (kept->by[engine])
			continue;
		buffer_add_text(json, before);
		json_add_text(json, kept->promise);
		before = ",";
	}
	buffer_add_text(json, "]");
}

void
container_facts_add(struct buffer *json, const void *own)
{
	const struct container_facts *facts = own;

	buffer_printf(json, "{\"runtime\":\"%s\",\"level\":\"full\",\"image\":",
	    facts->name);
	json_add_text(json, facts->image);
	buffer_add_text(json, ",");
	container_facts_add_missing(json, facts->engine);
	buffer_printf(json, ",\"namespaces\":[\"mnt\",\"pid\",\"net\","
	    "\"ipc\",\"uts\",\"cgroup\"],\"seccomp\":\"allow-list\","
	    "\"landlock\":null,\"overlay\":false,\"proc\":true,"
	    "\"limits\":\"cgroup\",\"network\":\"none\"%s}",
	    facts->keeps_files ? "" : ",\"files\":\"none\"");
}

void
container_facts_free(void *own)
{
	struct container_facts *facts = own;

	free(facts->image);
	free(facts);
}

static const struct container_kept container_kept[] = {
#define CONTAINER_KEPT(promise, podman, docker, oci)                           \
	{ promise, { [CONTAINER_PODMAN] = (podman),                            \
	               [CONTAINER_DOCKER] = (docker),                          \
	               [CONTAINER_OCI] = (oci) } },
#include "container_kept.def"
#undef CONTAINER_KEPT
};

const struct container_kept *
container_kept_at(size_t n)
{
	return n < sizeof(container_kept) / sizeof(container_kept[0]) ?
	    &container_kept[n] : NULL;
}
