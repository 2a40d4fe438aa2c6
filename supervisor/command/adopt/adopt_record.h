/*
 * The record of a change by caisson adopt, for undoing it: the file before and
 * after, and each moved entry as it was written. Each change has a directory
 * with its date as the name.
 */
#ifndef SUPERVISOR_ADOPT_RECORD_H
#define SUPERVISOR_ADOPT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"

/* All zeroes: no record. */
struct adopt_record {
	char *path; /* of its directory */
	struct buffer before;
	struct buffer after;
	struct buffer target;  /* our file before; empty: there was none */
	struct buffer entries; /* that have moved: pairs of name and text */
	bool added; /* our entry was added to the file */
};

/*
 * Writes a record into a directory, whole or not at all. Returns 0, or -1 with
 * err; sets its path.
 */
int adopt_record_write(
    struct adopt_record *record, const char *folder, struct err *err);
void adopt_record_reset(struct adopt_record *record);

/* All records of a directory that are not undone, the oldest first. */
struct adopt_records {
	struct adopt_record *list;
	size_t count;
};

/* Returns 0, also if there are none, or -1 with err; free in both cases. */
int adopt_records_read(
    struct adopt_records *records, const char *folder, struct err *err);
void adopt_records_free(struct adopt_records *records);

/*
 * Stores the client's file in a record that will be marked as undone. Returns
 * 0, or -1 with err.
 */
int adopt_record_keep_edited(const struct adopt_record *record,
    const struct buffer *data, struct err *err);

/* Returns the path of that file; the caller frees it. */
char *adopt_record_edited(const struct adopt_record *record);

/* Marks a record as undone. Returns 0, or -1 with err. */
int adopt_record_undone(const struct adopt_record *record, struct err *err);

#endif
