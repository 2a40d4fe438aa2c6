/*
 * What holds for a box that is a container, for its answer and for the
 * selftest: see container.h. Runs in the supervisor; only composes text.
 */
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "container.h"

struct container_facts {
	const char *name; /* of the runtime, static */
	bool keeps_files;
	char image[];
};

void *
container_facts_new(const char *image, const char *name, int keeps_files)
{
	size_t size = strlen(image) + 1;
	struct container_facts *facts = mem_alloc(sizeof(*facts) + size);

	memcpy(facts->image, image, size);
	facts->name = name;
	facts->keeps_files = keeps_files != 0;
	return facts;
}

void
container_facts_add(struct buffer *json, const void *detail)
{
	const struct container_facts *facts = detail;
	const char *promise, *before;
	size_t n;

	buffer_printf(json, "{\"runtime\":\"%s\",\"level\":\"full\",\"image\":",
	    facts->name);
	json_add_text(json, facts->image);
	buffer_add_text(json, ",");
	before = "";
	buffer_add_text(json, "\"missing\":[");
	for (n = 0; (promise = container_missing_promise(n)) != NULL; n++) {
		buffer_add_text(json, before);
		json_add_text(json, promise);
		before = ",";
	}
	buffer_add_text(json, "]");
	buffer_printf(json, ",\"namespaces\":[\"mnt\",\"pid\",\"net\","
	    "\"ipc\",\"uts\",\"cgroup\"],\"seccomp\":\"allow-list\","
	    "\"landlock\":null,\"overlay\":false,\"proc\":true,"
	    "\"limits\":\"cgroup\",\"network\":\"none\"%s}",
	    facts->keeps_files ? "" : ",\"files\":\"none\"");
}

static const char *const container_unkept[] = {
#define CONTAINER_LACKS(promise) promise,
#include "missing_promises.def"
#undef CONTAINER_LACKS
};

const char *
container_missing_promise(size_t n)
{
	return n < sizeof(container_unkept) / sizeof(container_unkept[0]) ?
	    container_unkept[n] : NULL;
}
