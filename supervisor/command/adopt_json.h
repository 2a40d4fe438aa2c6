/*
 * The definition of a server as files of ~/.config/caisson/servers have it.
 * Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_JSON_H
#define SUPERVISOR_ADOPT_JSON_H

#include "../../common/buffer.h"
#include "../servers/servers.h"

/*
 * Begins a file, adds a server to it, ends it; or adds a server alone, as a
 * member of a list. denied is pairs of servers and
 * tools that are denied besides what the server says.
 */
void adopt_json_begin(struct buffer *out);
void adopt_json_add(struct buffer *out, const struct server *server,
    const struct buffer *denied);
void adopt_json_add_member(struct buffer *out, const struct server *server,
    const struct buffer *denied);
void adopt_json_end(struct buffer *out);

/* Whether two entries define the same server. */
int adopt_json_is_same(const struct server *one, const struct server *other);

#endif
