/*
 * What the tools that run code tell of themselves in the same words: arguments
 * and answers. Runs in the supervisor.
 */
#ifndef SUPERVISOR_TOOL_SCHEMA_H
#define SUPERVISOR_TOOL_SCHEMA_H

#include "../../common/buffer.h"
#include "../options/options.h"

/*
 * Appends those members of the properties, behind code, that the option
 * arguments names.
 */
void tool_schema_add_common(
    struct buffer *json, const struct options *options);

/* Appends outputSchema and annotations, with a comma before. */
void tool_schema_add_rest(
    struct buffer *json, const struct options *options);

#endif
