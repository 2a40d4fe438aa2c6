/*
 * The names of signals, for messages to users. Runs in the supervisor.
 */
#include <string.h>

#include "../../common/base/mem.h"
#include "process.h"

char *
signal_name(int number)
{
	const char *name = sigabbrev_np(number);

	if (name != NULL)
		return mem_printf("SIG%s", name);
	if (number == SIGRTMIN)
		return mem_strdup("SIGRTMIN");
	return mem_printf("SIGRTMIN%+d", number - SIGRTMIN);
}
