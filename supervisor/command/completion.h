/*
 * The completion of commands and options in shells: caisson completion. Runs in
 * the supervisor; prints, and changes nothing.
 */
#ifndef SUPERVISOR_COMPLETION_H
#define SUPERVISOR_COMPLETION_H

#include <stdio.h>

/* Prints the lines for a shell: bash, zsh or fish. */
void completion_print(const char *shell, FILE *out);

#endif
