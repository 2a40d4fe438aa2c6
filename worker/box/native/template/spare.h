/*
 * The unneeded memory of a template, as found by spare.c, for its test:
 * template.h has the steps.
 */
#ifndef WORKER_BOX_NATIVE_TEMPLATE_SPARE_H
#define WORKER_BOX_NATIVE_TEMPLATE_SPARE_H

#include <stddef.h>
#include <stdint.h>

#include "../../../../common/limits.h"

/* A range of memory, from an address up to another one. */
struct spare {
	uintptr_t start;
	uintptr_t end;
};

/* Ranges in the order of their addresses. */
struct spare_list {
	size_t count;
	struct spare parts[BOX_SPARE_MAX];
};

/* Returns the last result of spare_find(). */
const struct spare_list *spare_found(void);

/*
 * Adds a range, or merges it with the last one if they are adjacent. Without
 * room for it, it is not added, and is therefore copied.
 */
void spare_add(struct spare_list *list, const struct spare *part);

/*
 * Reads a line of /proc/self/maps into part. Returns whether it may be excluded
 * from a copy.
 */
int spare_read(const char *line, struct spare *part);

#endif
