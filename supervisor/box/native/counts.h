/*
 * The files of counts of native boxes (common/box_usage.def). A file is used
 * for another box when no process of the former one is left that could write to
 * it: that takes less time than to make and to remove one. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_COUNTS_H
#define SUPERVISOR_COUNTS_H

#include "../../../common/base/err.h"

struct box_usage;
struct child;
struct counts;
struct event_base;

/*
 * Returns the file for the box of this number, or NULL with err. The base must
 * be the same each time.
 */
struct counts *counts_take(
    struct event_base *base, unsigned long box, struct err *err);

/* Returns its descriptor, which the caller lends to the box. */
int counts_fd(const struct counts *counts);

/* Returns 0, or -1 if process 1 of the box has written no counts yet. */
int counts_read(const struct counts *counts, struct box_usage *usage);

/* This process of the box can write to it until it is reaped. */
void counts_share(struct counts *counts, struct child *child);

/* No other process can. Without this it is used for no other box. */
void counts_complete(struct counts *counts);

/* The box needs it no more. NULL inside is accepted. */
void counts_release(struct counts **counts);

/*
 * Closes the files that no box has. That is also done when no box is left, and
 * the loop closes those that were not needed for COUNTS_SPARE_MS.
 */
void counts_finish(void);

#endif
