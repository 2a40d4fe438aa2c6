/* The context of a request: see rpc.h. */
#include <string.h>

#include "rpc.h"

static const struct {
	const char *name;
	enum client_asked capability;
} context_names[] = {
	{ "roots", ASK_CLIENT_ROOTS },
	{ "sampling", ASK_CLIENT_SAMPLING },
	{ "elicitation", ASK_CLIENT_FORM },
};

unsigned int
context_capabilities(struct json_span object)
{
	unsigned int set = 0;
	struct json_span value, mode;
	size_t i;

	if (object.len == 0 || json_span_kind(object) != JSON_SPAN_OBJECT)
		return 0;
	for (i = 0; i < sizeof(context_names) / sizeof(context_names[0]); i++)
		if (json_span_get(object, context_names[i].name, &value) > 0 &&
		    json_span_kind(value) == JSON_SPAN_OBJECT)
			set |= context_names[i].capability;
	/* Without a word of its modes it has forms. */
	if ((set & ASK_CLIENT_FORM) != 0 &&
	    json_span_get(object, "elicitation", &value) > 0 &&
	    json_span_get(value, "url", &mode) > 0)
		set = (set | ASK_CLIENT_URL) &
		    (json_span_get(value, "form", &mode) > 0 ? ~0U :
		        ~(unsigned int)ASK_CLIENT_FORM);
	return set;
}

int
context_links(const struct context *context)
{
	/* Versions are dates. */
	return context->version != NULL &&
	    strcmp(context->version, "2025-06-18") >= 0;
}
