/*
 * The completion of commands and options in shells: caisson completion. Runs in
 * the supervisor; prints, and changes nothing.
 */
#ifndef SUPERVISOR_COMPLETION_H
#define SUPERVISOR_COMPLETION_H

#include <stdio.h>

#include "../../common/err.h"

/*
 * Prints the lines for a shell: bash, zsh or fish. Returns 0, or -1 with err
 * for any other.
 */
int completion_print(const char *shell, FILE *out, struct err *err);

#endif
