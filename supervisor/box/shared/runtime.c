/*
 * What the life of boxes and their runtimes have in common: see runtime.h. Code
 * can forge what its box claims, as it can choose how it ends.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../../../common/process_one.h"
#include "runtime.h"

/* The exit status of a process that a signal has killed is this and more. */
#define BOX_CLAIM_SIGNALS 128

void
box_report(struct box *box, enum box_event event, const struct box_told *told)
{
	static const struct box_told nothing;

	box->boxes->report(box, event, told == NULL ? &nothing : told);
}

static void __attribute__((format(printf, 3, 0)))
box_report_failure(struct box *box, bool untold, const char *fmt, va_list ap)
{
	const struct box_told told = { .untold = untold,
		.failure = mem_vprintf(fmt, ap) };

	box_report(box, BOX_ON_FAILED, &told);
}

void
box_fail(struct box *box, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	box_report_failure(box, false, fmt, ap);
	va_end(ap);
}

void
box_spoil(struct box *box, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	box_report_failure(box, true, fmt, ap);
	va_end(ap);
}

void
box_facts_add(struct buffer *json, const struct box_facts *facts)
{
	if (facts->runtime->add_facts == NULL)
		box_facts_add_short(json, facts);
	else
		facts->runtime->add_facts(json, facts->detail);
}

void
box_facts_add_short(struct buffer *json, const struct box_facts *facts)
{
	buffer_printf(json, "{\"runtime\":\"%s\",\"level\":\"%s\"}",
	    facts->runtime->name, facts->weak != NULL ? "weak" : "full");
}

void
box_facts_free(struct box_facts *facts)
{
	free(facts->detail);
	*facts = (struct box_facts){ 0 };
}

void
box_kept_reset(struct box_kept *kept)
{
	if (kept->any) {
		ipc_blob_reset(&kept->out);
		ipc_blob_reset(&kept->errors);
	}
	*kept = (struct box_kept){ 0 };
}

void
box_calls_reset(struct box_calls *calls)
{
	free(mem_take(&calls->waiting));
	free(mem_take(&calls->told));
}

void
box_response_reset(struct box_response *response)
{
	free(mem_take(&response->head));
	free(mem_take(&response->body));
	*response = (struct box_response){ 0 };
}

int
box_response_set(struct box_response *response,
    const struct ipc_response *message, struct err *err)
{
	box_response_reset(response);
	*response = (struct box_response){ message->status,
		(enum response_form)message->form, mem_strdup(message->head),
		ipc_blob_copy(&message->body, err), message->body.len };
	if (response->body == NULL)
		return -1;
	return response_head_valid(response->head) &&
	        response_body_valid(
	            response->form, response->body, response->len) ? 0 :
	    err_set(err, "an invalid response");
}

void
box_output_reset(struct box_output *output)
{
	free(output->out.data);
	free(output->errors.data);
	output->out = output->errors = (struct call_stream){ 0 };
	pictures_reset(&output->pictures);
	box_response_reset(&output->response);
	box_kept_reset(&output->kept);
	box_calls_reset(&output->calls);
	buffer_reset(&output->notes);
}

int
box_open_workspace(int out_dir, struct err *err)
{
	auto_fd int workspace =
	    openat(out_dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat inner, outer;

	if (workspace == -1 || fstat(out_dir, &inner) == -1 ||
	    fstat(workspace, &outer) == -1)
		return err_sys(err, "open /workspace");
	/* Nothing contains a file system whose box has ended. */
	if (inner.st_dev == outer.st_dev)
		return err_set(err, "the box has ended");
	return fd_take(&workspace);
}

void
box_claim_settle(const struct box_claim *claim, int status, struct box_end *end)
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
	char sentinel[PROCESS_ONE_END_LEN + 1];

	if (claim->end == BOX_CLAIM_NONE)
		return;
	snprintf(sentinel, sizeof(sentinel), "%s%0*d\n",
	    claim->end == BOX_CLAIM_EXIT ? PROCESS_ONE_EXIT :
	        claim->memory             ? PROCESS_ONE_MEMORY :
	                                     PROCESS_ONE_SIGNAL,
	    PROCESS_ONE_DIGITS, claim->status);
	out->data = mem_resize(out->data, out->len + PROCESS_ONE_END_LEN);
	memcpy(out->data + out->len, sentinel, PROCESS_ONE_END_LEN);
	out->len += PROCESS_ONE_END_LEN;
	/* Where nothing is cut, all of it is the head. */
	if (out->dropped == 0)
		out->head = out->len;
}
