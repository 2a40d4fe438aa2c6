/*
 * How the code of a box with three descriptors has ended: the exit status of
 * the box counts, and the report of the box only explains it. Runs in the
 * supervisor; a pure function.
 */
#include <signal.h>

#include "box.h"

/* The exit status of a process that a signal has killed is this and more. */
#define BOX_REPORT_SIGNALS 128

void
box_report_settle(
    const struct box_report *report, int status, struct box_end *end)
{
	int number = status - BOX_REPORT_SIGNALS;
	int reported = report->end == BOX_REPORT_SIGNAL &&
	    report->status == number;
	/* Code that ends is reported: without a report all was killed. */
	int killed = report->end == BOX_REPORT_NONE && number > 0 &&
	    number < NSIG;

	end->exited = !reported && !killed;
	end->status = end->exited ? status : number;
	end->cause = reported && report->memory && number == SIGKILL ?
	    BOX_CAUSE_MEMORY : BOX_CAUSE_CODE;
}
