/*
 * Landlock: this process permanently gives up rights to files, ports and
 * processes. A rule set handles every right that the kernel supports, so
 * anything that no rule allows is denied. Used by lockdown (which allows
 * nothing, or one directory) and by the box (which allows its view).
 */
#ifndef COMMON_LANDLOCK_H
#define COMMON_LANDLOCK_H

#include <stdint.h>

#include "../base/err.h"

/*
 * Returns the ABI in force; 0 if the kernel has no landlock or it is disabled,
 * at most LANDLOCK_ABI_KNOWN.
 */
int landlock_abi(void);

/*
 * Returns a rule set that handles every right of this ABI (1 or higher) and
 * allows nothing yet, but to connect by TCP if connects is set; or -1 with err.
 * The caller owns it.
 */
int landlock_create(int abi, int connects, struct err *err);

/*
 * Allows rights (LANDLOCK_ACCESS_FS_*; those missing in the ABI are ignored) at
 * and beneath the file or directory of path_fd. For a file, the rights that
 * apply only to directories are ignored, too. Returns 0, or -1 with err.
 */
int landlock_allow(
    int ruleset, int abi, int path_fd, uint64_t rights, struct err *err);

/*
 * Applies the rule set to this thread and all its children. Needs
 * no_new_privs. Returns 0, or -1 with err.
 */
int landlock_enforce(int ruleset, struct err *err);

/*
 * Does all three for a process that may use no file. Returns 0, or -1 with err.
 */
int landlock_enforce_nothing(int abi, struct err *err);

#endif
