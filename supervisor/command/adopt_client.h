/*
 * The clients whose servers can be moved: their configuration files, and the
 * entry for Caisson in them. Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_CLIENT_H
#define SUPERVISOR_ADOPT_CLIENT_H

#include "../../common/buffer.h"
#include "../../common/err.h"

struct adopt_client {
	const char *name;   /* name for users */
	const char *source; /* name in server_sources.def */
	const char *list;   /* quoted name of its list; NULL: TOML */
	const char *entry;  /* ours; @ is the quoted program */
	int expands; /* it expands ${VARIABLE} itself */
	const char *own; /* its command that registers us, or NULL */
};

/*
 * Finds a client by its name, in any letter case. Returns NULL with err, which
 * lists the clients, or says why the client's file is not edited.
 */
const struct adopt_client *adopt_client_find(
    const char *name, struct err *err);

/* Appends our entry of a client with these line ends; path is UTF-8. */
void adopt_client_add_entry(struct buffer *out,
    const struct adopt_client *client, const char *path,
    const char *line_end);

#endif
