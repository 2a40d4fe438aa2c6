/*
 * Cuts entries out of a client's configuration file and inserts others: it
 * copies bytes and parses none. The reader has reported all positions
 * (server_locations.h). Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_EDIT_H
#define SUPERVISOR_ADOPT_EDIT_H

#include <stddef.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../servers/server_locations.h"

/* An entry of the file. */
struct adopt_entry {
	const struct server_location *location;
	bool cut; /* remove it, unless it is fixed */
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
 * Appends the new file. Returns 0, or -1 with err if a position is outside of
 * the file, or if nothing can be inserted.
 */
int adopt_edit(
    const struct adopt_edit *edit, struct buffer *out, struct err *err);

#endif
