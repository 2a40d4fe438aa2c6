/*
 * The shell: finds the files of the host that it needs, run by the launcher;
 * and becomes the program that starts it (bootstrap.c), run by the code.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mcp.h"
#include "shell.h"
#include "../interpreter/interpreter.h"

/* The default of the option, and the shell that every system has. */
#define SHELL_USUAL "/bin/bash"
#define SHELL_ELSE "/bin/sh"

/* The program, in the view. */
#define SHELL_PROGRAM "/" BOX_PROGRAMS_DIR "/mcp"

int
shell_locate(struct box *box, struct err *err)
{
	if (strcmp(box->setup.interpreter, SHELL_USUAL) == 0 &&
	    !interpreter_is_program(SHELL_USUAL))
		box->setup.interpreter = SHELL_ELSE;
	return interpreter_show(box, err);
}

int
shell_run(struct box *box, struct err *err)
{
	char program[BOX_FOLDER_SIZE + sizeof(SHELL_PROGRAM)];
	const char *shell = box->setup.interpreter;
	const char *const argv[] = { MCP_BOOTSTRAP, shell, NULL };

	/* With reduced isolation the box is a directory of the host. */
	snprintf(program, sizeof(program), "%s" SHELL_PROGRAM,
	    box->weak ? box->folder : "");
	if (interpreter_enter(box, err) == -1)
		return -1;
	interpreter_reset_signals();
	/*
	 * Checked now, it gives an error message; later it would give an exit
	 * code.
	 */
	if (access(shell, X_OK) == -1)
		return interpreter_explain(box, errno, err);
	execve(program, (char *const *)argv, environment_make(box));
	return err_sys(err, "run %s", program);
}
