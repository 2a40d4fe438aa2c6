/*
 * The positions of entries in a configuration file, and the position for a
 * further one: for a program that cuts and inserts bytes without parsing. The
 * reports are positions and blanks in the file as it was written. Pure except
 * for the sink; runs in the reader.
 */
#ifndef READER_LOCATIONS_H
#define READER_LOCATIONS_H

#include "../../common/json/json_span.h"
#include "../../common/ipc/ipc.h"
#include "outline.h"

/*
 * The receiver of rows: messages to the supervisor, which are valid only during
 * the call. LOCATION and CUT belong to the last row.
 */
struct config_sink {
	void (*tell)(void *ctx, enum ipc_type type, void *msg);
	void *ctx;
	int locations; /* positions are requested */
};

/* All zeroes: not requested. */
struct locations {
	const char *written; /* the file unchanged; NULL: not requested */
	const char *text;    /* JSON: the same, with its comments blanked */
	size_t len;
	struct json_span list; /* JSON: position for an addition; p NULL: none
			        */
	struct outline outline; /* TOML */
	const struct config_sink *sink;
};

/* Reports the location of an entry in the list of a JSON file, and its cuts. */
void locator_tell_member(const struct locations *locations,
    struct json_span name, struct json_span value);

/*
 * Reports the position for an additional entry in a JSON file, whose value is
 * file.
 */
void locator_tell_gap(const struct locations *locations, struct json_span file);

/* The same two for a TOML file, by the name of the entry. */
void locator_tell_sections(const struct locations *locations,
    struct json_span name, struct json_span value);
void locator_tell_end(const struct locations *locations);

/* Reports that the file is empty, so an addition is its only content. */
void locator_tell_whole(const struct locations *locations);

/* Reports that no entry can be added to the file, and why. */
void locator_tell_none(const struct locations *locations, const char *why);

#endif
