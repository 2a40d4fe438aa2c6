/*
 * The operands of commands: see command_operand.h. Runs in the supervisor, and
 * in the program that writes the manual pages.
 */
#include <string.h>

#include "command_operand.h"
#include "command_word.h"

size_t
command_operand_count(const char *operands, int must)
{
	size_t n = 0;

	while (operands != NULL && *operands != '\0' &&
	    strncmp(operands, "--", 2) != 0) {
		n += !must || *operands != '[';
		operands += strcspn(operands, " ");
		operands += strspn(operands, " ");
	}
	return n;
}

const char *
command_operand_name(const char *operands, size_t n, size_t *len)
{
	for (; n > 0; n--) {
		operands += strcspn(operands, " ");
		operands += strspn(operands, " ");
	}
	*len = strcspn(operands, " ");
	return operands;
}

const char *
command_rest_name(const char *operands)
{
	const char *rest = operands == NULL ? NULL : strstr(operands, "-- ");

	return rest == NULL ? NULL : rest + strlen("-- ");
}

size_t
command_operands_given(const struct command *command)
{
	return (size_t)(command->operand != NULL) + (command->other != NULL);
}
