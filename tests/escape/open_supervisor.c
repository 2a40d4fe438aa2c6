/*
 * What turns the objects of caisson into caisson-open, for the protections
 * that begin before a box is started: see open_box.c for how. It heeds the
 * words no_new_privs, environment, fds and life.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "open_words.h"

#define ARGUMENTS 6

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_prctl(int option, ...);
int __wrap_prctl(int option, ...);

/*
 * All workers come by here. A descriptor that was left open by a bug is played
 * by the root directory of the host.
 */
long
__wrap_syscall(long number, ...)
{
	long args[ARGUMENTS];
	va_list ap;
	int i;

	va_start(ap, number);
	for (i = 0; i < ARGUMENTS; i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_close_range && open_has("fds"))
		return open("/", O_RDONLY | O_DIRECTORY) == -1 ? -1 : 0;
	if (number == SYS_execveat && open_has("environment"))
		args[3] = (long)environ;
	return __real_syscall(
	    number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

int
__wrap_prctl(int option, ...)
{
	unsigned long args[4];
	va_list ap;
	int i;

	va_start(ap, option);
	for (i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if ((option == PR_SET_NO_NEW_PRIVS && open_has("no_new_privs")) ||
	    (option == PR_SET_PDEATHSIG && open_has("life")))
		return 0;
	return __real_prctl(option, args[0], args[1], args[2], args[3]);
}
