/*
 * The output of the selftest: see selftest_report.h. Runs in the supervisor.
 */
#include <stdio.h>
#include <unistd.h>

#include "../../options/text/colour.h"
#include "../../options/text/json_report.h"
#include "selftest_report.h"

static void
selftest_report_print(const struct selftest_report *report,
    enum colour colour, const char *word, const char *name,
    const char *detail)
{
	if (report->json != NULL) {
		json_report_open(report->json, NULL, '{');
		json_report_text(report->json, "result", word);
		json_report_text(report->json, "name", name);
		json_report_text(report->json, "detail", detail);
		json_report_close(report->json, '}');
		return;
	}
	colour_print(stdout, colour, word, 4);
	printf("  %-28s  %s\n", name, detail);
}

void
selftest_report_begin(const struct selftest_report *report)
{
	if (report->json != NULL) {
		json_report_text(report->json, "version", CAISSON_VERSION);
		json_report_open(report->json, "checks", '[');
	} else if (report->verbose) {
		printf("caisson %s, as uid %u\n", CAISSON_VERSION,
		    (unsigned int)geteuid());
	}
}

void
selftest_report_line(struct selftest_report *report, int ok, const char *name,
    const char *detail)
{
	report->passed += ok;
	report->failures += !ok;
	if (!ok || report->verbose)
		selftest_report_print(report, ok ? COLOUR_GOOD : COLOUR_BAD,
		    ok ? "ok" : "FAIL", name, detail);
}

void
selftest_report_note(struct selftest_report *report, const char *name,
    const char *detail)
{
	selftest_report_print(report, COLOUR_NOTE, "note", name, detail);
}

void
selftest_report_fact(struct selftest_report *report, const char *name,
    const char *detail)
{
	if (report->verbose)
		selftest_report_print(
		    report, COLOUR_NOTE, "note", name, detail);
}

void
selftest_report_weak(struct selftest_report *report, const char *name,
    const char *detail)
{
	report->weak++;
	selftest_report_print(report, COLOUR_NOTE, "weak", name, detail);
}

static int
selftest_report_end_json(const struct selftest_report *report)
{
	json_report_close(report->json, ']');
	json_report_number(report->json, "passed", (uint64_t)report->passed);
	json_report_number(report->json, "failed", (uint64_t)report->failures);
	json_report_number(report->json, "weak", (uint64_t)report->weak);
	json_report_print(report->json);
	return report->failures + report->weak == 0 ? 0 : 1;
}

int
selftest_report_end(const struct selftest_report *report)
{
	const char *hint = report->verbose ? "" : " (-v lists all checks)";

	if (report->json != NULL)
		return selftest_report_end_json(report);
	if (report->failures > 0)
		printf("%d check%s failed, %d passed%s.\n", report->failures,
		    report->failures == 1 ? "" : "s", report->passed, hint);
	else if (report->weak > 0)
		printf("%d checks passed%s. This machine supports only reduced "
		    "isolation, which does not make %d of the promises; "
		    "CAISSON_ALLOW_WEAK_ISOLATION allows it.\n",
		    report->passed, hint, report->weak);
	else if (report->engine != NULL)
		printf("%d checks passed%s: containers of %s keep their "
		    "promises. Native boxes keep more: see "
		    "caisson-box(7).\n", report->passed, hint,
		    report->engine);
	else
		printf("%d checks passed%s: this machine keeps every promise "
		    "of the box.\n", report->passed, hint);
	return report->failures + report->weak == 0 ? 0 : 1;
}
