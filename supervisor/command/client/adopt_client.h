/*
 * The clients: where their configuration files are, and the entry for Caisson
 * in them. Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_CLIENT_H
#define SUPERVISOR_ADOPT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"

/* Where the command that registers us belongs. */
#define ADOPT_CLIENT_COMMAND "on a command line"

struct adopt_client {
	const char *name;   /* name for users */
	const char *source; /* in server_sources.def; NULL: not edited */
	const char *where;  /* of its file, for users: the end of a sentence */
	const char *list;   /* quoted name of its list; NULL: not JSON */
	const char *entry;  /* ours; @ is the quoted program, % a line end */
	bool expands; /* it expands ${VARIABLE} itself */
	const char *command; /* its own, that registers us, with @; or NULL */
};

/* Returns the n-th client, counted from 0, or NULL. */
const struct adopt_client *adopt_client_at(size_t n);

/*
 * Finds a client by its name, in any letter case. Returns NULL with err, which
 * lists the clients.
 */
const struct adopt_client *adopt_client_find(const char *name, struct err *err);

/* The same, but one whose file is not edited is an error that says so. */
const struct adopt_client *adopt_client_find_edited(
    const char *name, struct err *err);

/* Appends our entry of a client with these line ends; path is UTF-8. */
void adopt_client_add_entry(struct buffer *out,
    const struct adopt_client *client, const char *path, const char *line_end);

/* Appends its command that registers us, with path as one word of a shell. */
void adopt_client_add_command(struct buffer *out,
    const struct adopt_client *client, const char *path);

#endif
