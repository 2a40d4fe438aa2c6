/*
 * How a pidfd tells the status of a process whose parent has waited for it: the
 * headers before Linux 6.15 lack this. The source is
 * include/uapi/linux/pidfd.h there. Constants and a structure only.
 */
#ifndef SUPERVISOR_PIDFD_EXIT_H
#define SUPERVISOR_PIDFD_EXIT_H

#include <stdint.h>
#include <sys/ioctl.h>

/* The first version of struct pidfd_info, of 64 bytes. */
struct pidfd_exit {
	uint64_t mask;
	uint64_t unused[6];
	uint32_t more;
	int32_t exit_code; /* as of wait() */
};

_Static_assert(sizeof(struct pidfd_exit) == 64, "another size of the kernel");

/* The field exit_code is wanted, and is set. */
#define PIDFD_EXIT_INFO (1ULL << 3)
#define PIDFD_EXIT_GET _IOWR(0xFF, 11, struct pidfd_exit)

#endif
