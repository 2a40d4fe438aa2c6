/*
 * The reserve: a file beside the database that holds room on the disk for
 * removing what is kept. Nothing is saved unless it is there, and it is given
 * up when something cannot be removed, or the database not opened, for want of
 * room. Runs in the store, in whose working directory the file lies.
 */
#ifndef WORKER_STORE_RESERVE_H
#define WORKER_STORE_RESERVE_H

#include "database.h"

#define RESERVE_NAME DATABASE_NAME "-reserve"

/* Makes the file when there is none. Returns 0, or -1 when there is no room. */
int reserve_take(void);

/* Removes the file. Returns 0, or -1 when there is none. */
int reserve_release(void);

/* Whether there is one, so that something has been saved before. */
int reserve_is_there(void);

#endif
