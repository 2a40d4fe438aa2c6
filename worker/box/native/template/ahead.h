/*
 * The pages that boxes write to, as found by ahead.c, for its test: template.h
 * has the steps.
 */
#ifndef WORKER_BOX_NATIVE_TEMPLATE_AHEAD_H
#define WORKER_BOX_NATIVE_TEMPLATE_AHEAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "../../../../common/limits.h"

/* Ranges of memory, in the order of their addresses. */
struct ahead_list {
	size_t count;
	struct iovec parts[BOX_AHEAD_MAX];
};

/* Returns the list of the template. */
const struct ahead_list *ahead_found(void);

/*
 * Adds a range, or merges it with the last one if they are adjacent. Without
 * room for it, it is not added.
 */
void ahead_add(struct ahead_list *list, uintptr_t start, size_t size);

/*
 * Whether a page is in memory, is not that of a file, and is mapped by this
 * process only, by its entry in /proc/self/pagemap.
 */
int ahead_is_own(uint64_t entry);

#endif
