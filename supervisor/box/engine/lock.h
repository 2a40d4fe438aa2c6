/*
 * Whether a Caisson in another namespace of processes still runs, where /proc
 * does not show its process. Each Caisson with boxes in containers holds a lock
 * until it ends. Runs in the supervisor; writes empty files into one directory
 * of its user.
 */
#ifndef SUPERVISOR_CONTAINER_LOCK_H
#define SUPERVISOR_CONTAINER_LOCK_H

#include <stddef.h>

#include "../../../common/base/err.h"

/*
 * Returns the directory of these locks, which the caller frees: of root, or of
 * an ordinary user for whom the system has made a directory for this boot. It
 * is created if it is missing. NULL with err: there is none.
 */
char *container_lock_folder(struct err *err);

/*
 * Returns the kind of a lock, which the caller frees: the engine, and a hash of
 * len bytes that select the containers which its list covers
 * (container_program_key).
 */
char *container_lock_kind(const char *engine, const char *key, size_t len);

/*
 * Takes the lock of this Caisson, whose kind and label (container_sweep_label)
 * name it. Returns a descriptor, which the caller owns and which ends the lock,
 * or -1 with err.
 */
int container_lock_take(const char *folder, const char *kind, const char *label,
    struct err *err);

/* Ends it, and removes its file. -1 inside is accepted. */
void container_lock_end(
    const char *folder, const char *kind, const char *label, int *lock);

/*
 * Returns whether the Caisson of that label has held a lock of this engine, of
 * any kind, and has ended.
 */
int container_lock_is_free(
    const char *folder, const char *engine, const char *label);

/*
 * Removes the files of those that have ended and are not named in a text of
 * len bytes, the list of all containers of this kind. Files of other kinds
 * stay: their containers are in other lists.
 */
void container_lock_clean(const char *folder, const char *kind,
    const char *text, size_t len);

#endif
