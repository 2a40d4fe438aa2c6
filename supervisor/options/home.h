/*
 * The folders of the user that variables name, and whether they are the
 * user's own: a program that root starts with another user's HOME must not do
 * what that user's files say. Runs in the supervisor; opens nothing.
 */
#ifndef SUPERVISOR_HOME_H
#define SUPERVISOR_HOME_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../../common/err.h"

/*
 * Returns the value of a variable that names a folder, in envp, or NULL where
 * it is not set to an absolute path (XDG Base Directory, 0.8, says the same).
 */
const char *home_folder(char **envp, const char *name);

/*
 * Returns the owner of a folder, or, where it is missing, of the nearest one
 * above it; our own user where it cannot be looked at.
 */
uid_t home_owner(const char *folder);

/*
 * Returns NULL when what is below the folder of this variable may be used: the
 * folder, or, where it is missing, the nearest one above it, belongs to us or
 * to root. Otherwise returns why not, with the fix; the caller frees it.
 */
char *home_refusal(char **envp, const char *name);

/*
 * Whether a file of configuration that was found in its usual place may be
 * used: it belongs to us or to root, and not every user can write it. Returns
 * 0, or -1 with err: why not, to be put behind the name of the file.
 */
int home_trusts(const struct stat *st, struct err *err);

/* The variable that says where configuration is: XDG_CONFIG_HOME or HOME. */
const char *home_settings_variable(char **envp);

#endif
