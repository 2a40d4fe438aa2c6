/*
 * Landlock: rights to files, ports and processes that this process gives up
 * for good. A rule set handles every right that the kernel knows, so what no
 * rule allows is denied. Used by lockdown (which allows nothing) and by the
 * box (which allows its view).
 */
#ifndef COMMON_LANDLOCK_H
#define COMMON_LANDLOCK_H

#include <stdint.h>

#include "err.h"

/*
 * Returns the ABI in force here: 0 where the kernel has no landlock or it is
 * switched off, at most LANDLOCK_ABI_KNOWN.
 */
int landlock_abi(void);

/*
 * Returns a rule set that handles every right of this ABI (1 or higher) and
 * allows nothing yet, or -1 with err. The caller owns it.
 */
int landlock_create(int abi, struct err *err);

/*
 * Allows rights (LANDLOCK_ACCESS_FS_*; those that the ABI does not know are
 * left out) at and beneath the file or directory that path_fd shows. For a
 * file that is no directory, the rights that make sense only for one are left
 * out too. Returns 0, or -1 with err.
 */
int landlock_allow(
    int ruleset, int abi, int path_fd, uint64_t rights, struct err *err);

/*
 * Applies the rule set to this thread and all its children. Needs
 * no_new_privs. Returns 0, or -1 with err.
 */
int landlock_enforce(int ruleset, struct err *err);

/* All three for a process that may touch nothing. Returns 0, or -1 with err. */
int landlock_enforce_nothing(int abi, struct err *err);

#endif
