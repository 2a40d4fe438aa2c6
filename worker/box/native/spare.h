/*
 * What spare.c finds of the memory of a template, for its test: native.h has
 * the steps.
 */
#ifndef WORKER_BOX_NATIVE_SPARE_H
#define WORKER_BOX_NATIVE_SPARE_H

#include <stddef.h>
#include <stdint.h>

#include "../../../common/limits.h"

/* A part of memory, from an address up to another one. */
struct spare {
	uintptr_t start;
	uintptr_t end;
};

/* Parts in the order of their addresses. */
struct spare_list {
	size_t count;
	struct spare parts[BOX_SPARE_MAX];
};

/* Returns what spare_find() has found last. */
const struct spare_list *spare_found(void);

/*
 * Adds a part, or makes it one with the last part if they lie side by side.
 * Without room for it, it is not added, and so it is copied.
 */
void spare_add(struct spare_list *list, const struct spare *part);

/*
 * Reads a line of /proc/self/maps into part. Returns whether that may be left
 * out of a copy.
 */
int spare_read(const char *line, struct spare *part);

#endif
