/*
 * Finds the containers of a Caisson that has ended. The label and the name of a
 * container identify the Caisson that started it. Runs in the supervisor; reads
 * /proc, and a list that an engine has printed.
 */
#ifndef SUPERVISOR_CONTAINER_SWEEP_H
#define SUPERVISOR_CONTAINER_SWEEP_H

#include <stddef.h>

#include "../../common/err.h"

/*
 * Returns the label of all containers of this Caisson (CONTAINER_LABEL_RUN),
 * which the caller frees: the boot of the host, the namespace of processes, the
 * process, and its start time. Returns NULL with err if /proc does not tell.
 */
char *container_sweep_label(struct err *err);

/* Returns the name of the container of a box, which the caller frees. */
char *container_sweep_name(const char *label, unsigned long number);

/*
 * Calls found with the name of each container of a list that is of a Caisson
 * that has ended. own is our label; text, of len bytes, is what the command of
 * container_argv_list has printed. Containers of another boot, and of other
 * namespaces of processes, are left alone, since their processes are not seen
 * from here: an engine can serve several hosts. Lines of any other form are
 * skipped. Returns how many were found.
 */
size_t container_sweep_each(const char *own, const char *text, size_t len,
    void (*found)(void *ctx, const char *name), void *ctx);

#endif
