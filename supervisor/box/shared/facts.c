/*
 * The facts that a runtime reports about a box, passed on by code that does not
 * depend on the runtime. Runs in the supervisor.
 */
#include <stdlib.h>

#include "runtime.h"

void
box_facts_add(struct buffer *json, const struct box_facts *facts)
{
	facts->runtime->add_facts(json, facts->own);
}

void
box_facts_add_short(struct buffer *json, const struct box_facts *facts)
{
	buffer_printf(json, "{\"runtime\":\"%s\",\"level\":\"%s\"}",
	    facts->runtime->name,
	    facts->level != NULL ? facts->level : "full");
}

void
box_facts_free(struct box_facts *facts)
{
	free(facts->own);
	*facts = (struct box_facts){ 0 };
}
