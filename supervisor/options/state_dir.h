/* The state directory: finds it, creates it and checks its owner and mode. */
#ifndef SUPERVISOR_STATE_DIR_H
#define SUPERVISOR_STATE_DIR_H

#include "options.h"

/*
 * Returns the path of the directory, which the caller frees: that of the option
 * state_dir, else $XDG_STATE_HOME/caisson, else ~/.local/state/caisson; NULL
 * with err if there is none.
 */
char *state_dir_path(
    const struct options *options, char **envp, struct err *err);

/*
 * Returns whether that directory may exist: 0 only if certainly nothing has
 * ever been kept in it.
 */
int state_dir_may_exist(const struct options *options, char **envp);

/*
 * Checks as state_dir_open does, with the same errors, but creates nothing.
 * Returns 0, or -1 with err.
 */
int state_dir_try(const struct options *options, char **envp, struct err *err);

/*
 * Opens that directory, and creates it (mode 0700, with its parents) if it is
 * missing. Returns a descriptor that the caller owns, or -1 with err if it is
 * unavailable, belongs to another user, is writable by others, or not by us.
 */
int state_dir_open(const struct options *options, char **envp, struct err *err);

/* A file in it, which changes whenever a command enables or disables images. */
#define STATE_DIR_IMAGES "images-changed"

/*
 * Why the directory cannot be used, for boxes and clients: if this Caisson
 * serves any, err is logged and replaced by a sentence without paths of the
 * host.
 */
void state_dir_hide(const struct options *options, struct err *err);

/* Directories in it: files of code, and sockets of running Caissons. */
#define STATE_DIR_FILES "files"
#define STATE_DIR_RUNNING "running"

/*
 * As state_dir_may_exist and state_dir_open, for a directory in it, which is
 * created if it is missing.
 */
int state_dir_may_hold(
    const struct options *options, char **envp, const char *name);
int state_dir_open_inner(const struct options *options, char **envp,
    const char *name, struct err *err);

#endif
