/*
 * The entry for Caisson in the configuration of each client: caisson
 * --print-client-config. Runs in the supervisor; starts and changes nothing.
 */
#ifndef SUPERVISOR_CLIENT_CONFIG_H
#define SUPERVISOR_CLIENT_CONFIG_H

#include <stdio.h>

#include "../../../common/base/err.h"

/* The program to register, and how it was invoked. */
struct client_config_self {
	const char *exe;     /* a link to the program: /proc/self/exe */
	const char *invoked; /* argv[0] */
	const char *search;  /* PATH; "" for none */
	const char *folder;  /* the working directory, or "" */
	char **envp;         /* variables that name the user's folders */
};

/*
 * Prints the lines that register a program with the client of that name, and,
 * to standard error, their place. If name is NULL, prints the names of all
 * clients, one per line. The program is named by the path of invoked, without
 * resolving links, because packages change these on upgrades. If that is not
 * the program, it is named by the path of its file. Returns 0, or -1 with err,
 * which lists the clients, if name is unknown. If json is set, prints
 * all of that to standard output, as one JSON object.
 */
int client_config_print(const char *name, const struct client_config_self *self,
    int json, FILE *out, struct err *err);

/* Returns that path, which the caller frees, or NULL with err. */
char *client_config_path(
    const struct client_config_self *self, struct err *err);

#endif
