/*
 * Examples of commands in the help. Runs in the supervisor; prints.
 */
#ifndef SUPERVISOR_HELP_EXAMPLES_H
#define SUPERVISOR_HELP_EXAMPLES_H

#include <stdio.h>

/*
 * Prints the examples of the command with this first word, below a heading, if
 * there are any. For NULL these are all; brief means the first few of them.
 */
void help_examples_print(const char *word, int brief, FILE *out);

#endif
