/*
 * The operands in a row of commands.def, such as "NAME [PATH]" or "NAME --
 * COMMAND [ARG]". Runs in the supervisor; pure.
 */
#ifndef SUPERVISOR_COMMAND_OPERAND_H
#define SUPERVISOR_COMMAND_OPERAND_H

#include <stddef.h>

struct command;

/* Returns how many operands a command accepts, or, with must set, needs. */
size_t command_operand_count(const char *operands, int must);

/* Returns the n-th operand, as in the row, and its length in *len. */
const char *command_operand_name(
    const char *operands, size_t n, size_t *len);

/* Returns the name of the command line after "--" for a command, or NULL. */
const char *command_rest_name(const char *operands);

/* Returns how many operands are on a command line. */
size_t command_operands_given(const struct command *command);

#endif
