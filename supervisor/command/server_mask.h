/*
 * What is not shown of a server to people and in logs of theirs: values that
 * may be secrets. Runs in the supervisor; pure functions.
 */
#ifndef SUPERVISOR_COMMAND_SERVER_MASK_H
#define SUPERVISOR_COMMAND_SERVER_MASK_H

#include "../servers/servers.h"

/* Shown in the place of a value. */
#define SERVER_MASK "***"

/*
 * Returns whether an argument may be a secret; before is the previous one, or
 * NULL.
 */
int server_mask_hides(const char *argument, const char *before);

/*
 * Returns what a server has written, without the values of its variables and
 * headers, and without its arguments that may be secrets. The caller frees it.
 */
char *server_mask(const struct server *server, const char *text);

#endif
