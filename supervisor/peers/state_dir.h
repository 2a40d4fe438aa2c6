/*
 * The state directory: where it is, and that it is ours. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_STATE_DIR_H
#define SUPERVISOR_STATE_DIR_H

#include "../options/options.h"

/*
 * Returns the path of the directory, which the caller frees: that of the
 * option state_dir, else $XDG_STATE_HOME/caisson, else
 * ~/.local/state/caisson; NULL with err where there is no such place.
 */
char *state_dir_path(
    const struct options *options, char **envp, struct err *err);

/*
 * Whether that directory may be there: returns 0 only when it is certain that
 * nothing has ever been kept in it.
 */
int state_dir_may_exist(const struct options *options, char **envp);

/*
 * What state_dir_open would say of it: the same errors, but nothing is made.
 * Returns 0, or -1 with err.
 */
int state_dir_try(const struct options *options, char **envp, struct err *err);

/*
 * Opens that directory, and makes it (mode 0700, with those above it) when it
 * is missing. Returns a descriptor that the caller owns, or -1 with err when it
 * cannot be had, belongs to another user, can be written by others, or not by
 * us.
 */
int state_dir_open(const struct options *options, char **envp, struct err *err);

/*
 * As state_dir_may_exist and state_dir_open, for the directory "files" in it,
 * which is made when it is missing.
 */
int state_dir_may_hold_files(const struct options *options, char **envp);
int state_dir_open_files(
    const struct options *options, char **envp, struct err *err);

#endif
