/*
 * Opens entries of a directory of a box, and nothing else: no link is followed
 * and no other file system entered. Runs in the porter.
 */
#ifndef WORKER_PORTER_BENEATH_H
#define WORKER_PORTER_BENEATH_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Opens the entry name of the directory folder, with the flags of open(2), to
 * which it adds those that prevent leaving it; mode is for O_CREAT, otherwise
 * 0. Returns a descriptor that the caller owns, or -1 with errno.
 */
int beneath_open(int folder, const char *name, uint64_t flags, mode_t mode);

#endif
