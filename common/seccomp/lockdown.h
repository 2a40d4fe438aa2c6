/*
 * The last step of a worker before it reads a byte from outside: it drops all
 * privileges that roles.def does not grant.
 */
#ifndef COMMON_LOCKDOWN_H
#define COMMON_LOCKDOWN_H

#include "../base/err.h"
#include "../role.h"

/* Rights in the directory of a role, and below it. */
enum lockdown_use {
	LOCKDOWN_NO_FILES, /* none: there is no directory */
	LOCKDOWN_KEEPS, /* reads, writes, creates and removes files there */
	LOCKDOWN_READS, /* lists it and reads its files, and changes nothing */
	LOCKDOWN_FILLS, /* creates directories and files, and removes files */
	LOCKDOWN_CONNECTS, /* connects, reads what lockdown.c names for it, and
	                    * replaces files there */
	LOCKDOWN_USES
};

/*
 * Permanently restricts this single-threaded process: no new privileges and no
 * capability, even for root; by landlock (if the kernel has it) no file but for
 * this use of folder (-1: none at all), no port and no signal to other
 * processes; no core dump and no debugger. Only the system calls of the role's
 * list (as relay/lockdown.rules) are allowed; every other one fails with EPERM.
 * Without landlock, only that filter and file permissions confine a role to its
 * directory; one that stores files logs this, one that connects is refused.
 * Returns 0, or -1 with err: the process must then exit.
 */
int lockdown(enum role role, enum lockdown_use use, int folder,
    struct err *err);

#endif
