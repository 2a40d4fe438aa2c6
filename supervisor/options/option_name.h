/*
 * Values of options that are names: of modules, of an image, of a user in a
 * container, of hosts and sockets. Runs in the supervisor (and in the program
 * that writes the manual pages); pure.
 */
#ifndef SUPERVISOR_OPTION_NAME_H
#define SUPERVISOR_OPTION_NAME_H

#include "../../common/base/buffer.h"
#include "option_table.h"

/*
 * Parse text as option_value_parse does; *number becomes its length. Names of
 * modules, separated by commas, are valid operands of an import statement: only
 * the interpreter can tell whether they exist. A name is empty or UTF-8 of at
 * most that many bytes without blanks, and does not look like a flag. A user is
 * the numbers of a user and a group, none of them root. Return 0 or -1.
 */
int option_names_parse(const char *text, uint64_t *number);
int option_name_parse(const char *text, uint64_t most, uint64_t *number);
int option_user_parse(const char *text, uint64_t *number);

/*
 * Parses an address, or items separated by commas, as the kind of the row
 * says; *number becomes the length. Returns 0 or -1.
 */
int option_network_parse(
    enum option_kind kind, const char *text, uint64_t *number);

/* The prefix of a Unix socket among SOCKETS. */
#define OPTION_UNIX "unix:"

/* Appends the allowed values of these kinds, other than names of modules. */
void option_name_add_allowed(
    struct buffer *buffer, const struct option_row *row);

#endif
