/*
 * The lock of a directory, which programs of ours hold for a moment while they
 * replace a file in it. Runs in the supervisor and in its commands.
 */
#ifndef SUPERVISOR_FOLDER_LOCK_H
#define SUPERVISOR_FOLDER_LOCK_H

/*
 * Locks a directory, which the caller has opened, until that descriptor is
 * closed. Waits for another program, up to two seconds. Returns 0, or -1 with
 * errno.
 */
int folder_lock(int dir);

#endif
