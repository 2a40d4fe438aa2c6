/*
 * caisson hello: greets who is named. Runs in the supervisor.
 */
#include <stdio.h>

#include "supervisor/command/shared/command.h"
#include "supervisor/options/options.h"

int
hello_run(struct command_setup *setup, struct err *)
{
	const char *name = setup->options->command.operand;

	printf("hello %s\n", name == NULL ? "world" : name);
	return 0;
}
