/*
 * The definition of a server in the form of files in ~/.config/caisson/servers.
 * Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_JSON_H
#define SUPERVISOR_ADOPT_JSON_H

#include "../../../common/base/buffer.h"
#include "../../servers/servers.h"

/*
 * Begin a file, add a server to it, end it; or add a server alone, as a member
 * of a list. denied contains pairs of server and tool, to deny in addition to
 * the server's own rules.
 */
void adopt_json_begin(struct buffer *out);
void adopt_json_add(struct buffer *out, const struct server *server,
    const struct buffer *denied);
void adopt_json_add_member(struct buffer *out, const struct server *server,
    const struct buffer *denied);
void adopt_json_end(struct buffer *out);

/* Returns whether two entries define the same server. */
int adopt_json_is_same(const struct server *one, const struct server *other);

#endif
