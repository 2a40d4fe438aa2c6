/*
 * The parts of the descriptions of tools that run code which are the same for
 * all of them: arguments and results. Runs in the supervisor.
 */
#ifndef SUPERVISOR_TOOL_SCHEMA_H
#define SUPERVISOR_TOOL_SCHEMA_H

#include "../../../common/base/buffer.h"
#include "../../options/options.h"

/*
 * Returns what a description adds to "no earlier state": the arguments by which
 * a call can have it, or "" without them.
 */
const char *tool_schema_except(const struct options *options);

/*
 * Appends the members after code of the properties, as the option arguments
 * says.
 */
void tool_schema_add_common(
    struct buffer *json, const struct options *options);

/* Appends outputSchema and annotations, with a leading comma. */
void tool_schema_add_rest(
    struct buffer *json, const struct options *options);

#endif
