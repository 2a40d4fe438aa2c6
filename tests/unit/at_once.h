/*
 * For files whose tests mostly wait for real time to pass: unit_run_at_once()
 * runs them in several processes, side by side. Each process adds every n-th
 * test only, where a loop of n tests counts as n. What they print is kept in
 * files and printed together at the end.
 */
#ifndef TESTS_UNIT_AT_ONCE_H
#define TESTS_UNIT_AT_ONCE_H

#include <sys/wait.h>
#include <unistd.h>

#include "common/mem.h"
#include "unit.h"

/* So many processes, of which this is one. */
static int unit_shares = 1;
static int unit_share;

/* Whether the next test belongs to this process. */
static inline int
unit_is_ours(void)
{
	static int seen;

	return seen++ % unit_shares == unit_share;
}

/* As those of Check, for this process only. */
#undef tcase_add_test
#define tcase_add_test(tc, test) tcase_add_loop_test(tc, test, 0, 1)
#undef tcase_add_loop_test
#define tcase_add_loop_test(tc, test, from, to)                       \
	do {                                                          \
		int turn_;                                            \
                                                                      \
		for (turn_ = (from); turn_ < (int)(to); turn_++)      \
			if (unit_is_ours())                           \
				tcase_add_loop_test_raise_signal(     \
				    tc, test, 0, turn_, turn_ + 1);   \
	} while (0)

/* Starts share n, which writes to a file; returns its process. */
static inline pid_t
unit_start_share(const char *name, void (*add)(TCase *tc), int n, FILE *said)
{
	pid_t pid = said == NULL ? -1 : fork();

	if (pid == -1) {
		perror("start some of the tests");
		exit(EXIT_FAILURE);
	}
	if (pid != 0)
		return pid;
	unit_share = n;
	dup2(fileno(said), STDOUT_FILENO);
	dup2(fileno(said), STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	exit(unit_run(name, add));
}

/* As unit_run(), in so many processes. */
static inline int
unit_run_at_once(const char *name, void (*add)(TCase *tc), int shares)
{
	FILE **said = mem_alloc((size_t)shares * sizeof(FILE *));
	pid_t *pids = mem_alloc((size_t)shares * sizeof(pid_t));
	int n, letter, status, failed = 0;

	unit_shares = shares;
	for (n = 0; n < shares; n++) {
		said[n] = tmpfile();
		pids[n] = unit_start_share(name, add, n, said[n]);
	}
	for (n = 0; n < shares; n++) {
		waitpid(pids[n], &status, 0);
		failed |= status != 0;
		rewind(said[n]);
		while ((letter = getc(said[n])) != EOF)
			putchar(letter);
		fclose(said[n]);
	}
	free(said);
	free(pids);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
