/*
 * The names of servers that a call asks for: a run of texts, each with a NUL
 * behind it. Runs in the supervisor; starts nothing.
 */
#ifndef SUPERVISOR_SERVER_NAMES_H
#define SUPERVISOR_SERVER_NAMES_H

#include "../../common/buffer.h"
#include "in_force.h"

/*
 * server_allowed.c: whether the server of this name is among those that may be
 * used; NULL allows all.
 */
int server_allowed(const struct server_texts *allowed, const char *name);

/* server_names.c */

/*
 * Replaces names that no server in force has, where they differ from the name
 * or alias of one that is allowed in case, marks, or an "mcp_" before it, and
 * mean no other: *names is a list of len bytes, which is freed and made anew.
 */
void server_names_settle(char **names, size_t *len, struct in_force *config,
    const struct server_texts *allowed);

/*
 * Checks that each of them is allowed, in force and can be started. Returns 0,
 * or -1 with err: which one is not, why, and what would be right. A server that
 * is not allowed gets the same error as an unknown one. Paths are named only if
 * ours is set, that is, for the user who started the program.
 */
int server_names_check(const char *names, size_t len, struct in_force *config,
    const struct server_texts *allowed, int ours, struct err *err);

/*
 * Appends what a box is told of those that are in force: a JSON array, one
 * line, of objects with name, alias and description.
 */
void server_names_add_json(struct buffer *buffer, const char *names,
    size_t len, const struct in_force *config);

#endif
