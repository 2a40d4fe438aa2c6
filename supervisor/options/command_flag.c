/*
 * The flags of commands: see command_flag.h. Runs in the supervisor, and in
 * the program that writes the manual pages.
 */
#include <string.h>

#include "command_flag.h"
#include "option_table.h"
#include "text/suggest.h"

static const struct command_flag_row command_flag_rows[COMMAND_FLAGS] = {
#define COMMAND_FLAG(NAME, name, letter, value, TIMES, doc)                    \
	[COMMAND_FLAG_##NAME] = { #name, letter, value, COMMAND_##TIMES, doc },
#include "commands.def"
};

static const struct {
	enum command_task task;
	enum command_flag flag;
} command_flag_takers[] = {
#define COMMAND_TAKES(TASK, NAME) { COMMAND_##TASK, COMMAND_FLAG_##NAME },
#include "commands.def"
};

#define TAKERS (sizeof(command_flag_takers) / sizeof(command_flag_takers[0]))

const struct command_flag_row *
command_flag_row(enum command_flag flag)
{
	return &command_flag_rows[flag];
}

enum command_flag
command_flag_find(const char *arg, size_t len)
{
	char name[OPTION_NAME_SIZE];
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++) {
		const struct command_flag_row *row = command_flag_row(flag);

		option_flag(row->key, name);
		if (strlen(name) == len && memcmp(name, arg, len) == 0)
			return flag;
		if (row->letter != 0 && len == 2 && arg[0] == '-' &&
		    arg[1] == row->letter)
			return flag;
	}
	return COMMAND_FLAG_NONE;
}

int
command_takes(enum command_task task, enum command_flag flag)
{
	size_t i;

	for (i = 0; i < TAKERS; i++)
		if (command_flag_takers[i].task == task &&
		    command_flag_takers[i].flag == flag)
			return 1;
	return 0;
}

void
command_flag_suggest(struct suggest *suggest, enum command_task task)
{
	size_t i;

	for (i = 0; i < TAKERS; i++)
		if (command_flag_takers[i].task == task)
			suggest_try(suggest,
			    command_flag_row(command_flag_takers[i].flag)->key);
}

int
command_flag_give(struct command_flags *flags, enum command_flag flag,
    const char *value, struct err *err)
{
	const struct command_flag_row *row = command_flag_row(flag);
	char name[OPTION_NAME_SIZE];

	option_flag(row->key, name);
	if (row->times == COMMAND_ONCE && command_has(flags, flag))
		return err_set(err, "%s is given twice: give it once", name);
	if (flags->count == COMMAND_GIVEN_MAX)
		return err_set(err, "%s is one flag too many: a command takes "
		    "at most %d", name, COMMAND_GIVEN_MAX);
	flags->given[flags->count].flag = flag;
	flags->given[flags->count++].value = value;
	return 0;
}

int
command_has(const struct command_flags *flags, enum command_flag flag)
{
	size_t i;

	for (i = 0; i < flags->count; i++)
		if (flags->given[i].flag == flag)
			return 1;
	return 0;
}

const char *
command_value(
    const struct command_flags *flags, enum command_flag flag, size_t n)
{
	size_t i;

	for (i = 0; i < flags->count; i++)
		if (flags->given[i].flag == flag && n-- == 0)
			return flags->given[i].value;
	return NULL;
}
