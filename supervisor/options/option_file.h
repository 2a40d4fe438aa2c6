/*
 * The configuration file: one flat JSON object of options. Runs in the
 * supervisor; opens that one file for reading.
 */
#ifndef SUPERVISOR_OPTION_FILE_H
#define SUPERVISOR_OPTION_FILE_H

#include "../../common/err.h"

/* One member, its value as text. Returns 0, or -1 with err to stop. */
typedef int option_file_member(
    void *ctx, const char *key, const char *value, struct err *err);

/*
 * Returns where the file is: $XDG_CONFIG_HOME/caisson/config.json, or else
 * $HOME/.config/caisson/config.json, of the variables in envp. The caller
 * frees it. NULL when neither is an absolute path: then there is no file.
 */
char *option_file_path(char **envp);

/*
 * Reads the file and calls each for every member in its order. Numbers and
 * switches are given as text; NULL stands for what is no value. Returns 1,
 * 0 when there is no such file, or -1 with err: the file's name and what is
 * wrong with it, with line and column where it is not JSON, or what each said.
 */
int option_file_read(const char *path, option_file_member *each, void *ctx,
    struct err *err);

#endif
