/*
 * Where the entries of a configuration file stand, and where one more would:
 * for a program that cuts and copies bytes and parses none. What is told are
 * positions and blanks, in the file as it was written. Pure but for the sink;
 * runs in the reader.
 */
#ifndef READER_SPOTS_H
#define READER_SPOTS_H

#include "../../common/json_span.h"
#include "../../common/ipc.h"
#include "outline.h"

/* Who is told; a spot is that of the row that was told last. */
struct spots_sink {
	void (*spot)(void *ctx, struct ipc_spot *spot);
	void (*cut)(void *ctx, struct ipc_cut *cut);
	void (*gap)(void *ctx, struct ipc_gap *gap);
	void *ctx;
};

/* All zeroes: not asked for. */
struct spots {
	const char *written; /* the file as it is; NULL: not asked for */
	const char *text;    /* JSON: the same, with its comments blanked */
	size_t len;
	struct json_span list; /* JSON: where one more would go; p NULL: none */
	struct outline outline; /* TOML */
	const struct spots_sink *sink;
};

/* Tells the spot of an entry of the list of a JSON file, and its cuts. */
void spots_tell_member(
    const struct spots *spots, struct json_span name, struct json_span value);

/* Tells where one more entry goes in a JSON file, whose value is file. */
void spots_tell_gap(const struct spots *spots, struct json_span file);

/* The same two for a TOML file, by the name of the entry. */
void spots_tell_sections(const struct spots *spots, struct json_span name,
    struct json_span value);
void spots_tell_end(const struct spots *spots);

/* Tells that all that is put into the file is what is in it. */
void spots_tell_whole(const struct spots *spots);

/* Tells that no entry can be put into the file, and why. */
void spots_tell_none(const struct spots *spots, const char *why);

/*
 * Returns the first member of an entry that only the client which has it can
 * honour, such as a sandbox or an approval for each tool; "" for none.
 */
const char *spots_tied(struct json_span value);

#endif
