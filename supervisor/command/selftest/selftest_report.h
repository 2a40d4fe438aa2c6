/*
 * The output of the selftest: failed checks, missing features of this machine,
 * and the result; if verbose, every check. Runs in the supervisor; performs no
 * check.
 */
#ifndef SUPERVISOR_SELFTEST_REPORT_H
#define SUPERVISOR_SELFTEST_REPORT_H

#include <stdbool.h>

struct buffer;

struct selftest_report {
	bool verbose; /* print every check */
	const char *engine;  /* of containers; NULL: boxes are native */
	struct buffer *json; /* empty at first; NULL: text is printed */
	int passed;
	int failures;
	int weak; /* promises that reduced isolation does not make */
};

/* Prints the head of a verbose report. */
void selftest_report_begin(const struct selftest_report *report);

/* Reports that a check has passed, or why it failed. */
void selftest_report_line(struct selftest_report *report, int ok,
    const char *name, const char *detail);

/* Reports a feature that this machine lacks, if no promise depends on it. */
void selftest_report_note(struct selftest_report *report, const char *name,
    const char *detail);

/* Reports which of several mechanisms is used. */
void selftest_report_fact(struct selftest_report *report, const char *name,
    const char *detail);

/* Reports the state with reduced isolation in place of a promise. */
void selftest_report_weak(struct selftest_report *report, const char *name,
    const char *detail);

/* Prints the result. Returns the exit status: 0, or 1. */
int selftest_report_end(const struct selftest_report *report);

#endif
