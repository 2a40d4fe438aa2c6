/*
 * The definition of a server: see definition.h. Runs in the broker.
 */
#include <stdlib.h>

#include "../../common/json.h"
#include "definition.h"
#include "reason.h"

void
definition_reset(struct definition *definition)
{
	free(definition->name);
	free(definition->alias);
	free(definition->description);
	rules_reset(&definition->rules);
}

void
definition_describe(const struct definition *definition, struct buffer *json)
{
	buffer_add_text(json, "{\"name\":");
	json_add_text(json, definition->name);
	buffer_add_text(json, ",\"alias\":");
	json_add_text(json, definition->alias);
	buffer_add_text(json, ",\"description\":");
	json_add_text(json, definition->description);
}

void
definition_begin_reason(
    const struct definition *definition, struct buffer *reason)
{
	buffer_add_text(reason, "server ");
	reason_add_name(reason, definition->name);
}
