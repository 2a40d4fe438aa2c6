/*
 * What every file of unit tests needs: to add its tests to the program, and a
 * count of open descriptors. Every test runs in a process of its own (Check
 * forks), so tests may change descriptors, signals and limits as they like.
 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* Set under ASan, which aborts where malloc fails and keeps freed memory. */
#if defined(__SANITIZE_ADDRESS__)
#define UNIT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNIT_ASAN 1
#endif
#endif
#ifndef UNIT_ASAN
#define UNIT_ASAN 0
#endif

/* Sanitizers and valgrind are slow; a hang must end all the same. */
#define UNIT_TIMEOUT_SECONDS 120

#define UNIT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Says why a test did not run; the caller returns then. */
static inline void
unit_skip(const char *why)
{
	printf("SKIP: %s\n", why);
	fflush(stdout);
}

/* How many descriptors this process has open. */
static inline int
unit_open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = -3; /* ".", ".." and the directory itself */

	ck_assert_msg(dir != NULL, "/proc/self/fd cannot be read");
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/*
 * The tests of a file add themselves, so that several files make one program
 * with the main() of unit_main.c: UNIT_TEST(name) { ... }. In one of several,
 * _i counts from 0; one of UNIT_EXITS must end its process with that status.
 */
#define UNIT_ROW(name, signal, status, count)                                  \
	static void name(int _i);                                              \
	static const TTest name##_row = { #name, name, __FILE__, __LINE__ };   \
	static void __attribute__((constructor)) name##_add(void)              \
	{                                                                      \
		_tcase_add_test(unit_case(__FILE__), &name##_row, signal,      \
		    status, 0, (int)(count));                                  \
	}                                                                      \
	static void name(int _i __attribute__((unused)))

#define UNIT_TEST(name)		       UNIT_ROW(name, 0, 0, 1)
#define UNIT_TESTS(name, count)	       UNIT_ROW(name, 0, 0, count)
#define UNIT_EXITS(name, status, count) UNIT_ROW(name, 0, status, count)

/* One process for all, where there are many and each is small. */
#define UNIT_EACH(name, count)                                                 \
	static void name##_one(int _i);                                        \
	UNIT_TEST(name)                                                        \
	{                                                                      \
		int unit_i;                                                    \
		for (unit_i = 0; unit_i < (int)(count); unit_i++)              \
			name##_one(unit_i);                                    \
	}                                                                      \
	static void name##_one(int _i)

/* What is called before and after each test of the file, in its process. */
#define UNIT_FIXTURE(before, after)                                            \
	static void __attribute__((constructor)) unit_add_fixture(void)        \
	{                                                                      \
		tcase_add_checked_fixture(                                     \
		    unit_case(__FILE__), before, after);                       \
	}

/* unit_main.c: returns the case of a file, which is made if it is the first. */
TCase *unit_case(const char *file);

/* The arguments of the program. */
extern char **unit_argv;

/* Runs all tests, for a main() of its own; returns the status for it. */
int unit_run(void);

#endif
