/*
 * The words of a command line that begins with one: "caisson memory show KEY".
 * Runs in the supervisor; reads argv and nothing else.
 */
#ifndef SUPERVISOR_COMMAND_WORD_H
#define SUPERVISOR_COMMAND_WORD_H

#include "../../common/err.h"

enum command_task {
	COMMAND_NONE,
	COMMAND_SERVERS, /* what flags say of them */
	COMMAND_MEMORY_LIST,
	COMMAND_MEMORY_SHOW,
	COMMAND_MEMORY_REMOVE,
	COMMAND_MEMORY_CLEAR,
	COMMAND_TOOLS_LIST,
	COMMAND_TOOLS_SHOW,
	COMMAND_TOOLS_REMOVE,
	COMMAND_TOOLS_CLEAR,
	COMMAND_TOOLS_PRUNE, /* remove those that are ignored */
	COMMAND_FILES_LIST,
	COMMAND_FILES_SHOW,
	COMMAND_FILES_SAVE,
	COMMAND_FILES_ADD,
	COMMAND_FILES_REMOVE,
	COMMAND_FILES_CLEAR,
};

struct command {
	enum command_task task;
	const char *word;    /* the first one, static */
	const char *operand; /* what it is about, of argv; NULL: nothing */
	const char *other;   /* what may stand behind that; NULL: nothing */
};

/*
 * Reads the words behind argv[0]; the options follow them. Returns how many
 * they are, 0 for none, or -1 with err.
 */
int command_read(
    int argc, char **argv, struct command *command, struct err *err);

#endif
