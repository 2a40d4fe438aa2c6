/*
 * A configuration file of a client with entries cut out and others put in:
 * bytes are copied, none is parsed. The reader has said where what stands
 * (server_spots.h). Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_EDIT_H
#define SUPERVISOR_ADOPT_EDIT_H

#include <stddef.h>

#include "../../common/buffer.h"
#include "../../common/err.h"
#include "../servers/server_spots.h"

/* An entry of the file. */
struct adopt_entry {
	const struct server_spot *spot;
	int cut; /* whether it goes; one that is fixed stays */
};

struct adopt_edit {
	const char *data; /* of the file */
	size_t len;
	struct adopt_entry *entries; /* in the order of the file */
	size_t count;
	const struct server_gap *gap;
	/* Members of JSON, or sections of TOML without the last line end: */
	const char *const *puts;
	size_t put_count;
	const char *list; /* the name of the list of servers, in quotes */
};

/*
 * Appends the new file. Returns 0, or -1 with err where something would stand
 * outside of the file, or nothing can be put into it.
 */
int adopt_edit(
    const struct adopt_edit *edit, struct buffer *out, struct err *err);

#endif
