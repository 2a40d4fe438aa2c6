/*
 * The names of servers that a call requests: texts, each + NUL. Runs in the
 * supervisor; starts nothing.
 */
#ifndef SUPERVISOR_SERVER_NAMES_H
#define SUPERVISOR_SERVER_NAMES_H

#include "../../../common/base/buffer.h"
#include "in_force.h"

/*
 * server_allowed.c: returns whether the server of this name is in allowed; NULL
 * allows all.
 */
int server_allowed(const struct server_texts *allowed, const char *name);

/* server_names.c */

/* Returns whether any server that is configured is allowed. */
int server_names_any(
    const struct in_force *config, const struct server_texts *allowed);

/*
 * Replaces each name by that of the allowed server that it means, as
 * alias_found() says. *names, a list of len bytes, is freed and replaced.
 */
void server_names_settle(char **names, size_t *len, struct in_force *config,
    const struct server_texts *allowed);

/*
 * Checks that each of them is allowed, configured and startable. Returns 0, or
 * -1 with err: which one is not, why, and the fix. A server that is not allowed
 * gets the same error as an unknown one. Paths appear only if ours is set, that
 * is, for the user who started the program.
 */
int server_names_check(const char *names, size_t len, struct in_force *config,
    const struct server_texts *allowed, int ours, struct err *err);

/*
 * Appends the description for the box of those that are configured: a JSON
 * array, on one line, of objects with name, alias and description.
 */
void server_names_add_json(struct buffer *buffer, const char *names,
    size_t len, const struct in_force *config);

#endif
