/*
 * A language without a bootstrap of its own: finds the files of the host that
 * its interpreter needs, run by the launcher; and becomes the program that
 * starts it (shared/bootstrap.c), run by the code.
 */
#include <stdio.h>
#include <string.h>

#include "interpreter.h"
#include "../shared/mcp.h"

/* The program, in the view. */
#define PROGRAM "/" BOX_PROGRAMS_DIR "/mcp"

int
program_locate(struct box *box, struct err *err)
{
	const struct language *language = box->language;

	if (language->usual != NULL &&
	    strcmp(box->setup.interpreter, language->usual) == 0 &&
	    !interpreter_is_program(language->usual))
		box->setup.interpreter = language->instead;
	return interpreter_show(box, err);
}

int
program_run(struct box *box, struct err *err)
{
	char program[BOX_FOLDER_SIZE + sizeof(PROGRAM)];
	const char *const argv[] = { MCP_BOOTSTRAP, box->language->name,
		box->setup.interpreter, NULL };

	/* With reduced isolation the box is a directory of the host. */
	snprintf(program, sizeof(program), "%s" PROGRAM, box->weak.folder);
	return interpreter_become(box, program, argv, err);
}
