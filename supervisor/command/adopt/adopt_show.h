/*
 * The description of a change for users before it is made. It contains no
 * values of variables, headers, URLs, or arguments that may be secrets.
 */
#ifndef SUPERVISOR_ADOPT_SHOW_H
#define SUPERVISOR_ADOPT_SHOW_H

#include "adopt_plan.h"

/*
 * Prints the removed, added and kept entries, or those that are copied;
 * program is our path.
 */
void adopt_show(
    const struct adopt_plan *plan, const char *program, const char *target);

/* The same as one JSON object. */
void adopt_show_json(const struct adopt_plan *plan, const char *target);

/* Appends the command of a server: "npx -y *** (TOKEN=***)". */
void adopt_show_server(struct buffer *out, const struct server *server);

/* Appends a text of the files, escaped for a terminal. */
void adopt_show_text(struct buffer *out, const char *text);

#endif
