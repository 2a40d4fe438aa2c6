/*
 * The user's directories named by variables, and their owners. If root starts
 * Caisson with another user's HOME, it must not follow that user's files. Runs
 * in the supervisor; opens nothing.
 */
#ifndef SUPERVISOR_HOME_H
#define SUPERVISOR_HOME_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../../common/base/err.h"

/* Returns the value of a variable in envp, or NULL. */
const char *home_variable(char **envp, const char *name);

/*
 * Returns the value in envp of a variable that names a directory, or NULL if it
 * is not an absolute path (as in XDG Base Directory, 0.8).
 */
const char *home_folder(char **envp, const char *name);

/*
 * Returns the owner of a directory, or, if it is missing, of its nearest
 * existing parent; our own user if that cannot be read.
 */
uid_t home_owner(const char *folder);

/*
 * Returns NULL if files below the directory of this variable may be used: the
 * directory, or its nearest existing parent, belongs to us or to root.
 * Otherwise returns the reason with the fix, which the caller frees.
 */
char *home_refusal(char **envp, const char *name);

/*
 * Checks whether a configuration file found at its default path may be used: it
 * belongs to us or to root, and is not writable by every user. Returns 0, or -1
 * with err: the reason, to follow the name of the file.
 */
int home_trusts(const struct stat *st, struct err *err);

/*
 * Finds a directory on the way to a path without symbolic links, or that path,
 * which another user than root can change, and so replace what is below it.
 * Returns it, which the caller frees, or NULL if there is none.
 */
char *home_changeable(const char *path);

/*
 * Returns the servers that the variable MCP_BRIDGE_CONFIG of the earlier bridge
 * defines as JSON, a part of envp; NULL: none.
 */
const char *home_servers(char **envp);

/*
 * Returns our directory below the one that a variable names, or, otherwise, one
 * in the home; NULL: there is none. The caller frees it.
 */
char *home_below(char **envp, const char *variable, const char *otherwise);

/* Returns the variable for the configuration: XDG_CONFIG_HOME or HOME. */
const char *home_settings_variable(char **envp);

/*
 * Returns ~/.config/caisson, or the user's other place for settings, which the
 * caller frees; or NULL with err.
 */
char *home_settings(char **envp, struct err *err);

#endif
