/*
 * The state directory: where it is, and that it is ours. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_STATE_H
#define SUPERVISOR_STATE_H

#include "options.h"

/*
 * Returns the path of the directory, which the caller frees: that of the
 * option state_dir, else $XDG_STATE_HOME/caisson, else
 * ~/.local/state/caisson; NULL with err where there is no such place.
 */
char *state_path(
    const struct options *options, char **envp, struct err *err);

/*
 * Opens that directory, and makes it (mode 0700, with those above it) when it
 * is missing. Returns a descriptor that the caller owns, or -1 with err when it
 * cannot be had, belongs to another user, can be written by others, or not by
 * us.
 */
int state_open(const struct options *options, char **envp, struct err *err);

#endif
