/*
 * How the code of a box with three descriptors has ended: the exit status of
 * the box counts, and the report of the box only explains it. Runs in the
 * supervisor; pure functions.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../common/mem.h"
#include "../../common/process_one.h"
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
	end->cause = BOX_CAUSE_CODE;
	if (number == SIGKILL && killed)
		end->cause = BOX_CAUSE_UNTOLD;
	if (number == SIGKILL && reported && report->memory)
		end->cause = BOX_CAUSE_MEMORY;
}

void
box_report_show(const struct box_report *report, struct call_stream *out)
{
	char mark[PROCESS_ONE_END_LEN + 1];

	if (report->end == BOX_REPORT_NONE)
		return;
	snprintf(mark, sizeof(mark), "%s%0*d\n",
	    report->end == BOX_REPORT_EXIT ? PROCESS_ONE_EXIT :
	        report->memory             ? PROCESS_ONE_MEMORY :
	                                     PROCESS_ONE_SIGNAL,
	    PROCESS_ONE_DIGITS, report->status);
	out->data = mem_resize(out->data, out->len + PROCESS_ONE_END_LEN);
	memcpy(out->data + out->len, mark, PROCESS_ONE_END_LEN);
	out->len += PROCESS_ONE_END_LEN;
	/* Where nothing is cut, all of it is the head. */
	if (out->dropped == 0)
		out->head = out->len;
}
