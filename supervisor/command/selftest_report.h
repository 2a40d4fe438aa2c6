/*
 * What the selftest prints: the checks that failed, what is missing here, and
 * the result; when asked to be verbose, every check. Runs in the supervisor;
 * tries nothing.
 */
#ifndef SUPERVISOR_SELFTEST_REPORT_H
#define SUPERVISOR_SELFTEST_REPORT_H

struct selftest_report {
	int verbose; /* every check is printed */
	int passed;
	int failures;
	int weak; /* promises that are not made at the weaker level */
};

/* Prints the head of a verbose report. */
void selftest_report_begin(const struct selftest_report *report);

/* Tells that a check has passed, or why it failed. */
void selftest_report_line(struct selftest_report *report, int ok,
    const char *name, const char *detail);

/* Tells what this machine lacks, although no promise depends on it. */
void selftest_report_note(struct selftest_report *report, const char *name,
    const char *detail);

/* Tells how something is done here, where nothing is missing. */
void selftest_report_fact(struct selftest_report *report, const char *name,
    const char *detail);

/* Tells what holds at the weaker level instead of a promise. */
void selftest_report_weak(struct selftest_report *report, const char *name,
    const char *detail);

/* Prints the result. Returns the exit status: 0, or 1. */
int selftest_report_end(const struct selftest_report *report);

#endif
