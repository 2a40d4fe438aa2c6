/*
 * The part of a model's context that the definitions of tools use. Used by the
 * supervisor and the broker; a pure function over bytes.
 */
#ifndef COMMON_TOOL_SIZE_H
#define COMMON_TOOL_SIZE_H

#include <stdint.h>

#include "json/json_span.h"

/*
 * Returns the bytes that hosts show a model for the tools in a value, the
 * result of tools/list: objects with name, description and input schema, as
 * they were written. Returns 0 if there is no such list.
 */
uint64_t tool_size(struct json_span result);

#endif
