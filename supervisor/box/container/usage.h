/*
 * What a container has used, as the kernel has counted it in the cgroup of the
 * container, of version 1 or 2. Runs in the supervisor, which only reads.
 */
#ifndef SUPERVISOR_CONTAINER_USAGE_H
#define SUPERVISOR_CONTAINER_USAGE_H

#include <stdint.h>
#include <sys/types.h>

struct container_usage;

/* Where cgroups are mounted. */
#define CONTAINER_USAGE_ROOT "/sys/fs/cgroup"

/*
 * Opens the counts of the container in which this process runs. CPU time counts
 * from now on. To be called before the container receives code; the number of
 * the process must be its own. proc is /proc and root CONTAINER_USAGE_ROOT.
 * Returns NULL where the container has no cgroup of its own, or its counts are
 * not below root.
 */
struct container_usage *container_usage_open(
    const char *proc, const char *root, pid_t pid);

/* Closes them. NULL inside is accepted; *usage becomes NULL. */
void container_usage_free(struct container_usage **usage);

/*
 * Reads them, unless the engine has removed the cgroup already: then the
 * numbers of the last time remain. NULL is accepted.
 */
void container_usage_read(struct container_usage *usage);

/*
 * The container has reported these counts of its cgroup: they are used where
 * they are higher than what was read. NULL is accepted.
 */
void container_usage_raise(
    struct container_usage *usage, uint64_t cpu_us, uint64_t peak_kib);

/*
 * The CPU time in microseconds, and the largest amount of memory in KiB, as of
 * the last time they were read; 0 before that, and for NULL.
 */
uint64_t container_usage_cpu_us(const struct container_usage *usage);
uint64_t container_usage_peak_kib(const struct container_usage *usage);

#endif
