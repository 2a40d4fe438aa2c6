/*
 * The last step of a worker before it reads a byte from outside: it drops all
 * privileges that roles.def does not grant.
 */
#ifndef COMMON_LOCKDOWN_H
#define COMMON_LOCKDOWN_H

#include "../base/err.h"
#include "../role.h"

/*
 * Permanently restricts this single-threaded process: no new privileges and no
 * capability, even for root; no file, no port and no signal to other processes
 * by landlock (if the kernel has it); no core dump and no debugger. Only the
 * system calls of the role's list (as relay/lockdown.rules) are allowed; every
 * other one fails with EPERM. Returns 0, or -1 with err: the process must then
 * exit.
 */
int lockdown(enum role role, struct err *err);

/* Rights in the role's own directory. */
enum lockdown_use {
	LOCKDOWN_KEEPS, /* reads, writes, creates and removes files there */
	LOCKDOWN_READS, /* lists it and reads its files, and changes nothing */
	LOCKDOWN_FILLS, /* creates directories and files, and removes files */
	LOCKDOWN_USES
};

/*
 * The same for a role with a directory: the given rights remain in folder and
 * below it. Without landlock, only the system call filter and file permissions
 * confine it; a role that stores files logs this.
 */
int lockdown_in(
    enum role role, enum lockdown_use use, int folder, struct err *err);

#endif
