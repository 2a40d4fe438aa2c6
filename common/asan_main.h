/*
 * For the file with main() of a process that locks itself down: in a build
 * with AddressSanitizer it searches for no leaks at its end, for which it would
 * have to clone and ptrace, which it may not. Leaks are searched for in the
 * unit tests. Included once by each such process.
 */
#ifndef COMMON_ASAN_MAIN_H
#define COMMON_ASAN_MAIN_H

#include "asan.h"

#ifdef ASAN_BUILD
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

#endif
