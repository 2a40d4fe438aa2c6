/*
 * How each client is told of this program: caisson --print-client-config. Runs
 * in the supervisor; starts and changes nothing.
 */
#ifndef SUPERVISOR_CLIENT_CONFIG_H
#define SUPERVISOR_CLIENT_CONFIG_H

#include <stddef.h>
#include <stdio.h>

#include "../common/err.h"

/*
 * Prints the lines that register a program (self is a link to it) with the
 * client of that name, and to standard error where they belong; for NULL the
 * names of all clients, a line each. Returns 0, or -1 with err: the clients
 * that there are, when name is none of them.
 */
int client_config_print(
    const char *name, const char *self, FILE *out, struct err *err);

/* The name of the n-th client, counted from 0, or NULL. */
const char *client_config_name(size_t n);

#endif
