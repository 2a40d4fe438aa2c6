/*
 * The bundles of the runtime oci on disk: for each container a directory with
 * config.json, which crun or runc reads when it starts the container, and a
 * directory of states. Runs in the supervisor.
 */
#ifndef SUPERVISOR_CONTAINER_BUNDLE_H
#define SUPERVISOR_CONTAINER_BUNDLE_H

#include "container_boxes.h"

/*
 * Finds the root of the image, and makes the directory of bundles and that of
 * states, unless only_looks is set. Returns 0, or -1 with err.
 */
int container_bundle_open(
    struct boxes *boxes, int only_looks, struct err *err);

/*
 * Writes the bundle of a container. Returns its directory, which the caller
 * frees, or NULL with err.
 */
char *container_bundle_write(const struct container_boxes *shared,
    const struct container *container, struct err *err);

/* Remove a bundle, if it is there: by its directory, or by the container. */
void container_bundle_remove(const char *folder);
void container_bundle_remove_named(const char *name);

/*
 * Appends all bundles and states in the form of the list of an engine: see
 * container_sweep_each.
 */
void container_bundle_list(
    const struct container_boxes *shared, struct buffer *lines);

#endif
