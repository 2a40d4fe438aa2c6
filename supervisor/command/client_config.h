/*
 * How each client is told of this program: caisson --print-client-config. Runs
 * in the supervisor; starts and changes nothing.
 */
#ifndef SUPERVISOR_CLIENT_CONFIG_H
#define SUPERVISOR_CLIENT_CONFIG_H

#include <stddef.h>
#include <stdio.h>

#include "../../common/err.h"

/* Which program is registered, and how it was asked for. */
struct client_config_self {
	const char *exe;     /* a link to the program: /proc/self/exe */
	const char *invoked; /* as it was called: argv[0] */
	const char *search;  /* where it was looked for: PATH; "" for none */
	const char *folder;  /* the working directory, or "" */
};

/*
 * Prints the lines that register a program with the client of that name, and
 * to standard error where they belong; for NULL the names of all clients, a
 * line each. The program is named by the path that invoked leads to, links in
 * it included, as packages upgrade by changing them; where that is not the
 * program, by the path of its file. Returns 0, or -1 with err: the clients that
 * there are, when name is none of them.
 */
int client_config_print(const char *name,
    const struct client_config_self *self, FILE *out, struct err *err);

/* Returns that path, which the caller frees, or NULL with err. */
char *client_config_path(
    const struct client_config_self *self, struct err *err);

/* The name of the n-th client, counted from 0, or NULL. */
const char *client_config_name(size_t n);

#endif
