/*
 * For the file with main() of a process that locks itself down. It disables the
 * leak search of AddressSanitizer at exit, which needs clone and ptrace; the
 * lockdown refuses both. Unit tests search for leaks. Included once by each
 * such process.
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
