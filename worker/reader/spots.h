/*
 * The positions of entries in a configuration file, and the position for a
 * further one: for a program that cuts and inserts bytes without parsing. The
 * reports are positions and blanks in the file as it was written. Pure except
 * for the sink; runs in the reader.
 */
#ifndef READER_SPOTS_H
#define READER_SPOTS_H

#include "../../common/json/json_span.h"
#include "../../common/ipc/ipc.h"
#include "outline.h"

/* The receiver; a spot belongs to the last reported row. */
struct spots_sink {
	void (*spot)(void *ctx, struct ipc_spot *spot);
	void (*cut)(void *ctx, struct ipc_cut *cut);
	void (*gap)(void *ctx, struct ipc_gap *gap);
	void *ctx;
};

/* All zeroes: not requested. */
struct spots {
	const char *written; /* the file unchanged; NULL: not requested */
	const char *text;    /* JSON: the same, with its comments blanked */
	size_t len;
	struct json_span list; /* JSON: position for an addition; p NULL: none
			        */
	struct outline outline; /* TOML */
	const struct spots_sink *sink;
};

/* Reports the spot of an entry in the list of a JSON file, and its cuts. */
void spots_tell_member(
    const struct spots *spots, struct json_span name, struct json_span value);

/*
 * Reports the position for an additional entry in a JSON file, whose value is
 * file.
 */
void spots_tell_gap(const struct spots *spots, struct json_span file);

/* The same two for a TOML file, by the name of the entry. */
void spots_tell_sections(const struct spots *spots, struct json_span name,
    struct json_span value);
void spots_tell_end(const struct spots *spots);

/* Reports that the file is empty, so an addition is its only content. */
void spots_tell_whole(const struct spots *spots);

/* Reports that no entry can be added to the file, and why. */
void spots_tell_none(const struct spots *spots, const char *why);

#endif
