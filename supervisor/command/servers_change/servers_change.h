/*
 * caisson servers add, remove and import: changes of the user's own files of
 * servers. Each run changes one file as a whole, or none. Runs in the
 * supervisor, which copies bytes of these files and parses none.
 */
#ifndef SUPERVISOR_SERVERS_CHANGE_H
#define SUPERVISOR_SERVERS_CHANGE_H

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../shared/command.h"

/* The source of our own files in server_sources.def. */
#define SERVERS_CAISSON_SOURCE "~/.config/caisson/servers/*.json"

/*
 * servers_value.c: appends the variable of --env to a list of pairs. given is
 * KEY=VALUE; or KEY, whose value is that in the environment, else a line of
 * standard input, which a terminal does not display. Prints which of these two
 * it was. Returns 0, or -1 with err.
 */
int servers_value_add(const char *flag, const char *given, char **envp,
    struct buffer *pairs, struct err *err);

#endif
