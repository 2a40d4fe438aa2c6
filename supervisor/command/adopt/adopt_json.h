/*
 * The definition of a server in the form of files in ~/.config/caisson/servers,
 * and these files, which belong to the user who starts Caisson. Pure; runs in
 * the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_JSON_H
#define SUPERVISOR_ADOPT_JSON_H

#include <jansson.h>

#include "../../../common/base/buffer.h"
#include "../../servers/servers.h"

/* Returns a file without servers, for adopt_json_write. */
json_t *adopt_json_new(void);

/*
 * Returns the file of that path with this content, or NULL with err if it is
 * not one of the form that is written here.
 */
json_t *adopt_json_read(
    const struct buffer *data, const char *path, struct err *err);

/*
 * Adds a server to a file. denied contains pairs of server and tool, to deny in
 * addition to the server's own rules.
 */
void adopt_json_add(json_t *file, const struct server *server,
    const struct buffer *denied);

/* Removes a server. Returns 0, or -1 if the file has none of this name. */
int adopt_json_remove(json_t *file, const char *name);

/* Returns how many servers a file has. */
size_t adopt_json_count(const json_t *file);

/* Appends the text of a file, and frees it. Returns 0, or -1 with err. */
int adopt_json_write(json_t *file, struct buffer *out, struct err *err);

/* Returns whether two entries define the same server. */
int adopt_json_is_same(const struct server *one, const struct server *other);

#endif
