/*
 * The reserve: a file beside the database that holds disk space for removals.
 * Nothing is saved without it. It is given up if data cannot be removed, or the
 * database cannot be opened, because the disk is full. Runs in the store, in
 * whose working directory the file is.
 */
#ifndef WORKER_STORE_RESERVE_H
#define WORKER_STORE_RESERVE_H

#include "database.h"

#define RESERVE_NAME DATABASE_NAME "-reserve"

/* Creates the file if there is none. Returns 0, or -1 if there is no room. */
int reserve_take(void);

/* Removes the file. Returns 0, or -1 if there is none. */
int reserve_release(void);

/* Whether it exists, which means that something was stored before. */
int reserve_is_there(void);

#endif
