/*
 * The clients whose servers can be moved: how their files are called and what
 * our entry looks like in them. Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_CLIENT_H
#define SUPERVISOR_ADOPT_CLIENT_H

#include "../../common/buffer.h"
#include "../../common/err.h"

struct adopt_client {
	const char *name;   /* as the user writes it */
	const char *source; /* as server_sources.def calls it */
	const char *list;   /* the name of its list in quotes; NULL: TOML */
	const char *entry;  /* ours; @ is the program in quotes */
	int expands; /* it fills in ${VARIABLE} itself */
	const char *own; /* a command of its own that registers us, or NULL */
};

/*
 * Finds a client by its name, in any case. Returns NULL with err: those there
 * are, or why its file is not edited.
 */
const struct adopt_client *adopt_client_find(
    const char *name, struct err *err);

/* Appends our entry of a client, whose lines end so; path is UTF-8. */
void adopt_client_add_entry(struct buffer *out,
    const struct adopt_client *client, const char *path,
    const char *line_end);

#endif
