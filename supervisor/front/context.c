/*
 * The context of a request: see context.h. Runs in the supervisor.
 */
#include <string.h>

#include "context.h"

static const struct {
	const char *name;
	enum capability capability;
} context_names[] = {
	{ "roots", CAPABILITY_ROOTS },
	{ "sampling", CAPABILITY_SAMPLING },
	{ "elicitation", CAPABILITY_ELICITATION },
};

unsigned int
context_capabilities(struct json_span object)
{
	unsigned int set = 0;
	struct json_span value;
	size_t i;

	if (object.len == 0 || json_span_kind(object) != JSON_SPAN_OBJECT)
		return 0;
	for (i = 0; i < sizeof(context_names) / sizeof(context_names[0]); i++)
		if (json_span_get(object, context_names[i].name, &value) > 0 &&
		    json_span_kind(value) == JSON_SPAN_OBJECT)
			set |= context_names[i].capability;
	return set;
}

int
context_links(const struct context *context)
{
	/* Versions are dates. */
	return context->version != NULL &&
	    strcmp(context->version, "2025-06-18") >= 0;
}
