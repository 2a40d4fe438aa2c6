/*
 * The parts of children.c, for that file and for its test, which tries both
 * ways to find children on every kernel.
 */
#ifndef SUPERVISOR_PROCESS_CHILDREN_PARTS_H
#define SUPERVISOR_PROCESS_CHILDREN_PARTS_H

#include <dirent.h>
#include <stdio.h>

#include "process.h"

/* The kernel's own list; missing in kernels without CONFIG_PROC_CHILDREN. */
#define CHILDREN_LIST "/proc/thread-self/children"

/*
 * Calls found for each child in list, an open CHILDREN_LIST. Returns how often
 * found returned something other than 0.
 */
size_t children_in_list(FILE *list, children_found *found, void *ctx);

/*
 * The same without the list: reads the parent of every process in proc, an open
 * /proc.
 */
size_t children_in_proc(DIR *proc, children_found *found, void *ctx);

/*
 * Returns the parent of the process name in /proc, of which proc is a
 * descriptor, or 0 if it cannot be read.
 */
pid_t children_parent(int proc, const char *name);

#endif
