/*
 * What is to be run, as a value. Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

void
run_python_reset(struct run_python *run)
{
	free(run->code);
	free(run->servers);
	memset(run, 0, sizeof(*run));
}
