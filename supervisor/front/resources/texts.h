/* The description of Caisson for clients. */
#ifndef SUPERVISOR_TEXTS_H
#define SUPERVISOR_TEXTS_H

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../../options/options.h"

/*
 * Append the name and version of Caisson, an object; and the member
 * "instructions" with a comma before it, if a tool runs code. servers: the
 * client may use some.
 */
void texts_add_server(struct buffer *buffer);
void texts_add_instructions(
    struct buffer *buffer, const struct options *options, int servers);

/*
 * Append the result of initialize; the entry of the one resource that is not a
 * file; and its contents, with the address by which it was asked for.
 */
void texts_add_initialize(struct buffer *buffer, const char *version,
    const struct options *options, int servers);
void texts_add_resource(struct buffer *buffer);
void texts_add_capabilities(struct buffer *buffer,
    const struct options *options, struct json_span uri);

#define TEXTS_CAPABILITIES_URI "resource://caisson/capabilities"
/* Its address in the earlier bridge. */
#define TEXTS_FORMER_URI                                                       \
	"resource://mcp-server-code-execution-mode/capabilities"

#endif
