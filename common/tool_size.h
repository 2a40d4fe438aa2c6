/*
 * How much of a model's context the definitions of tools take. Used by the
 * supervisor and the broker; a pure function over bytes.
 */
#ifndef COMMON_TOOL_SIZE_H
#define COMMON_TOOL_SIZE_H

#include <stdint.h>

#include "json_span.h"

/*
 * Returns the bytes of what hosts show a model of each tool in "tools" of a
 * value, the result of tools/list: objects with its name, description and
 * input schema, as they were written. Returns 0 where there is no such list.
 */
uint64_t tool_size(struct json_span result);

#endif
