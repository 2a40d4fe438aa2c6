/*
 * Finds the containers of a Caisson that has ended. The label and the name of a
 * container identify the Caisson that started it. Runs in the supervisor; reads
 * /proc, and a list that an engine has printed.
 */
#ifndef SUPERVISOR_CONTAINER_SWEEP_H
#define SUPERVISOR_CONTAINER_SWEEP_H

#include <stddef.h>

#include "../../../common/base/err.h"

/* The beginning of the names of all containers. */
#define CONTAINER_SWEEP_PREFIX "caisson-"

/*
 * Returns the label of all containers of this Caisson (CONTAINER_LABEL_RUN),
 * which the caller frees: the boot of the host, the namespace of processes, the
 * process, and its start time. Returns NULL with err if /proc does not tell.
 */
char *container_sweep_label(struct err *err);

/* Returns the name of the container of a box, which the caller frees. */
char *container_sweep_name(const char *label, unsigned long number);

/* The Caisson that looks for them. */
struct container_sweep {
	const char *own;    /* our label */
	const char *locks;  /* container_lock_folder; NULL: none */
	const char *engine; /* its name in these locks */
};

/*
 * Calls found with the name of each container of a list that is of a Caisson
 * that has ended. text, of len bytes, is what the command of
 * container_argv_list has printed. Containers of another boot are left alone,
 * since an engine can serve several hosts; those of other namespaces of
 * processes, which are not seen from here, unless their Caisson has held a lock
 * (lock.h). Lines of any other form are skipped. Returns how many
 * were found.
 */
size_t container_sweep_each(const struct container_sweep *sweep,
    const char *text, size_t len, void (*found)(void *ctx, const char *name),
    void *ctx);

#endif
