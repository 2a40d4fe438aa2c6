/*
 * The configuration file: one flat JSON object of options. Runs in the
 * supervisor; opens only that file, for reading.
 */
#ifndef SUPERVISOR_OPTION_FILE_H
#define SUPERVISOR_OPTION_FILE_H

#include "../../common/base/err.h"

/*
 * Called for a member, its value as text. Returns 0, 1 if the value may be
 * invalid, or -1 with err.
 */
typedef int option_file_member(
    void *ctx, const char *key, const char *value, struct err *err);

/*
 * Returns the path of the file: $XDG_CONFIG_HOME/caisson/config.json, or else
 * $HOME/.config/caisson/config.json, with the variables in envp. The caller
 * frees it. NULL if neither is an absolute path: then there is no file.
 */
char *option_file_path(char **envp);

/*
 * Reads the file and calls each for every member in order. Numbers and switches
 * are passed as text; NULL means an invalid value. Returns 1, 0 if there is no
 * such file, or -1 with err: the name of the file and its fault, with line and
 * column if it is not JSON, or the errors of each, a line for each.
 */
int option_file_read(const char *path, option_file_member *each, void *ctx,
    struct err *err);

#endif
