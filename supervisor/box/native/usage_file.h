/*
 * The usage files of native boxes (common/box_usage.def), one for each. A file
 * is used for another box when no process of the former one is left that could
 * write to it: that takes less time than to make and to remove one. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_USAGE_FILE_H
#define SUPERVISOR_USAGE_FILE_H

#include "../../../common/base/err.h"

struct box_usage;
struct child;
struct usage_file;
struct event_base;

/*
 * Returns the file for the box of this number, or NULL with err. The base must
 * be the same each time.
 */
struct usage_file *usage_file_take(
    struct event_base *base, unsigned long box, struct err *err);

/* Returns its descriptor, which the caller lends to the box. */
int usage_file_fd(const struct usage_file *file);

/* Returns 0, or -1 if process 1 of the box has written no counts yet. */
int usage_file_read(const struct usage_file *file, struct box_usage *usage);

/* This process of the box can write to it until it is reaped. */
void usage_file_share(struct usage_file *file, struct child *child);

/* No other process can. Without this it is used for no other box. */
void usage_file_complete(struct usage_file *file);

/* The box needs it no more. NULL inside is accepted. */
void usage_file_release(struct usage_file **file);

/*
 * Closes the files that no box has. That is also done when no box is left, and
 * the loop closes those that were not needed for USAGE_FILES_SPARE_MS.
 */
void usage_file_finish(void);

#endif
