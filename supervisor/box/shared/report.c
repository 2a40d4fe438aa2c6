/*
 * How the code of a box with three descriptors has ended: as its process 1 has
 * reported, which the code can forge, as it can choose how it ends. Runs in the
 * supervisor; pure functions.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/process_one.h"
#include "box.h"

/* The exit status of a process that a signal has killed is this and more. */
#define BOX_REPORT_SIGNALS 128

void
box_report_settle(
    const struct box_report *report, int status, struct box_end *end)
{
	end->cause = BOX_CAUSE_CODE;
	end->exited = report->end == BOX_REPORT_EXIT;
	end->status = report->status;
	if (report->end == BOX_REPORT_SIGNAL && report->status == SIGKILL &&
	    report->memory)
		end->cause = BOX_CAUSE_MEMORY;
	/* Code that ends is reported: without a report all was killed. */
	if (report->end == BOX_REPORT_NONE) {
		end->status = status - BOX_REPORT_SIGNALS;
		if (end->status == SIGKILL)
			end->cause = BOX_CAUSE_UNTOLD;
	}
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
