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

/* What a role does with the one directory that is left to it. */
enum lockdown_use {
	LOCKDOWN_KEEPS, /* reads, writes, makes and removes files there */
	LOCKDOWN_READS, /* lists it and reads its files, and changes nothing */
	LOCKDOWN_FILLS, /* makes directories and files, and removes files */
	LOCKDOWN_USES
};

/*
 * The same for a role that has a directory: of folder and what lies below it,
 * that much is left. Without landlock, the filter and the files' own rights are
 * all that confines it, which the log says for one that keeps files.
 */
int lockdown_in(
    enum role role, enum lockdown_use use, int folder, struct err *err);

#endif
