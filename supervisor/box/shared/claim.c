/*
 * How the code of a box with three descriptors has ended: as its process 1
 * claims, which the code can forge, as it can choose how it ends. Runs in the
 * supervisor; pure functions.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/process_one.h"
#include "runtime.h"

/* The exit status of a process that a signal has killed is this and more. */
#define BOX_CLAIM_SIGNALS 128

void
box_claim_settle(
    const struct box_claim *claim, int status, struct box_end *end)
{
	end->cause = BOX_CAUSE_CODE;
	end->exited = claim->end == BOX_CLAIM_EXIT;
	if (end->exited)
		end->exit_code = claim->status;
	else
		end->signal = claim->status;
	if (claim->end == BOX_CLAIM_SIGNAL && claim->status == SIGKILL &&
	    claim->memory)
		end->cause = BOX_CAUSE_MEMORY;
	/* Code that ends is reported: without a report all was killed. */
	if (claim->end == BOX_CLAIM_NONE) {
		end->signal = status - BOX_CLAIM_SIGNALS;
		if (end->signal == SIGKILL)
			end->cause = BOX_CAUSE_UNTOLD;
	}
}

void
box_claim_show(const struct box_claim *claim, struct call_stream *out)
{
	char mark[PROCESS_ONE_END_LEN + 1];

	if (claim->end == BOX_CLAIM_NONE)
		return;
	snprintf(mark, sizeof(mark), "%s%0*d\n",
	    claim->end == BOX_CLAIM_EXIT ? PROCESS_ONE_EXIT :
	        claim->memory             ? PROCESS_ONE_MEMORY :
	                                     PROCESS_ONE_SIGNAL,
	    PROCESS_ONE_DIGITS, claim->status);
	out->data = mem_resize(out->data, out->len + PROCESS_ONE_END_LEN);
	memcpy(out->data + out->len, mark, PROCESS_ONE_END_LEN);
	out->len += PROCESS_ONE_END_LEN;
	/* Where nothing is cut, all of it is the head. */
	if (out->dropped == 0)
		out->head = out->len;
}
