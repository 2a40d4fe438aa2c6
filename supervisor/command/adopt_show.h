/*
 * What a person is shown of a change before it is made: no value of a variable,
 * no header, no URL and no argument that may be a secret. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_ADOPT_SHOW_H
#define SUPERVISOR_ADOPT_SHOW_H

#include <stdio.h>

#include "adopt_plan.h"

/* Prints what goes, what comes and what stays; program is our path. */
void adopt_show(const struct adopt_plan *plan, const char *program,
    const char *own, FILE *out);

/* The same of servers that are copied, and stay in the client's file, too. */
void adopt_show_copies(
    const struct adopt_plan *plan, const char *own, FILE *out);

/* Appends how a server is started: "npx -y *** (TOKEN=***)". */
void adopt_show_server(struct buffer *out, const struct server *server);

/* Appends a text of the files, for a terminal. */
void adopt_show_text(struct buffer *out, const char *text);

#endif
