/* The names of signals, and how children ended, for messages to users. */
#include <string.h>
#include <sys/wait.h>

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

char *
signal_or_code(const struct child_end *end)
{
	auto_free char *name = NULL;

	if (end->code == CLD_EXITED)
		return mem_printf("exited with code %d", end->status);
	if (end->status == 0)
		return mem_strdup("ended with unknown status");
	name = signal_name(end->status);
	return mem_printf("was killed by %s", name);
}
