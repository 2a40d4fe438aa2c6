/*
 * What a row of commands.def says of operands, such as "NAME [PATH]" or "NAME
 * -- COMMAND [ARG]". Runs in the supervisor; pure.
 */
#ifndef SUPERVISOR_COMMAND_OPERAND_H
#define SUPERVISOR_COMMAND_OPERAND_H

#include <stddef.h>

struct command;

/* How many operands a command takes, or, with must set, needs. */
size_t command_operand_count(const char *operands, int must);

/* The n-th operand, as the row has it; *len: its length. */
const char *command_operand_name(
    const char *operands, size_t n, size_t *len);

/* What stands behind "--" of a command that takes a command line, or NULL. */
const char *command_rest_name(const char *operands);

/* How many operands a command line gives. */
size_t command_operands_given(const struct command *command);

#endif
