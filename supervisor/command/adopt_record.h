/*
 * What caisson adopt keeps of a change, so that it can be undone: the file as
 * it was and as it became, and each entry that was moved, as it was written.
 * A folder for each change, with the date as its name. Runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_RECORD_H
#define SUPERVISOR_ADOPT_RECORD_H

#include <stddef.h>

#include "../../common/buffer.h"
#include "../../common/err.h"

/* All zeroes is none. */
struct adopt_record {
	char *path; /* of its folder */
	struct buffer before;
	struct buffer after;
	struct buffer own;   /* our file as it was; empty: there was none */
	struct buffer names; /* of the entries, each with a NUL */
	char **texts;        /* one for each of them */
	size_t count;
	int added; /* our entry was put into the file */
};

/* Takes a copy of the text. */
void adopt_record_add(struct adopt_record *record, const char *name,
    const char *text, size_t len);

/*
 * Writes a record into a folder: a whole one or none. Returns 0, or -1 with
 * err; sets its path.
 */
int adopt_record_write(
    struct adopt_record *record, const char *folder, struct err *err);
void adopt_record_reset(struct adopt_record *record);

/* All records of a folder that are not undone, the oldest first. */
struct adopt_records {
	struct adopt_record *list;
	size_t count;
};

/* Returns 0, also when there is none, or -1 with err; free in both cases. */
int adopt_records_read(
    struct adopt_records *records, const char *folder, struct err *err);
void adopt_records_free(struct adopt_records *records);

/*
 * Keeps the client's file with a record that will be marked as undone. Returns
 * 0, or -1 with err.
 */
int adopt_record_keep_edited(const struct adopt_record *record,
    const struct buffer *data, struct err *err);

/* Returns where that is then; the caller frees it. */
char *adopt_record_edited(const struct adopt_record *record);

/* Marks a record as undone. Returns 0, or -1 with err. */
int adopt_record_undone(const struct adopt_record *record, struct err *err);

#endif
