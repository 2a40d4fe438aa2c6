/*
 * The last thing a worker of ours does before it reads a byte from outside:
 * it gives up everything that roles.def does not grant it.
 */
#ifndef COMMON_LOCKDOWN_H
#define COMMON_LOCKDOWN_H

#include "err.h"
#include "role.h"

/*
 * For good, for this single-threaded process: no new privileges, no file, no
 * port, no signal to outside by landlock (where the kernel has it), no core
 * and no debugger, and of all system calls only those that the role's list
 * (lockdown_ROLE.rules) allows; every other one fails with EPERM. Returns 0,
 * or -1 with err: the process must then end.
 */
int lockdown(enum role role, struct err *err);

/*
 * The same for a role that keeps files: what lies in the directory folder may
 * still be read, written, made and removed. Without landlock, the filter and
 * the files' own rights are all that confines it, which the log says.
 */
int lockdown_in(enum role role, int folder, struct err *err);

#endif
