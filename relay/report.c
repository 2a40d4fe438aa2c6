/*
 * What the relay reports of code that has ended: the shown output, the
 * positions of pictures in it, the calls without an answer, and the notes. Runs
 * in the relay; never decides that code has ended.
 */
#include <stdlib.h>

#include "relay.h"

/* What the fields of a message refer to. */
struct report {
	struct output_text out, errors, outer;
	struct buffer waiting, calls;
};

/* Reports the positions of the pictures in the output. */
static int
report_place_pictures(
    struct relay *relay, const struct output_text *out, struct err *err)
{
	struct ipc_place place;
	size_t n;

	for (n = 0; n < relay->pictures; n++) {
		place.at = out->marks[n];
		if (channel_send_place(relay->supervisor, &place, err) == -1)
			return err_wrap(err, "the position of a picture");
	}
	return 0;
}

/*
 * Reports what is kept of the streams, before the shown text is taken, if one
 * of them is cut.
 */
static int
report_kept(struct relay *relay, struct err *err)
{
	struct ipc_kept kept = { 0 };

	kept.out = output_kept(relay->out, &kept.missing);
	kept.errors = output_kept(relay->errors, &kept.missing);
	if (kept.out.len == 0 && kept.errors.len == 0)
		return 0;
	if (kept.out.len == 0)
		kept.out = output_kept_uncut(relay->out);
	else if (kept.errors.len == 0)
		kept.errors = output_kept_uncut(relay->errors);
	return channel_send_kept(relay->supervisor, &kept, err);
}

/* Takes the output, and refers to it in the fields of IPC_PROGRAM_FIELDS. */
static void
report_begin(struct relay *relay, struct report *report, struct ipc_done *done)
{
	const struct output_text *out = &report->out, *errors = &report->errors;

	output_take(relay->out, &report->out);
	output_take(relay->errors, &report->errors);
	calls_add_waiting(relay->calls, &report->waiting);
	done->out = (struct ipc_blob){ (void *)out->data, out->len, -1 };
	done->out_head = out->head;
	done->out_dropped = out->dropped;
	done->errors =
	    (struct ipc_blob){ (void *)errors->data, errors->len, -1 };
	done->errors_head = errors->head;
	done->errors_dropped = errors->dropped;
	done->tool_calls = calls_made(relay->calls);
	done->waiting = (struct ipc_bytes){ (void *)report->waiting.data,
		report->waiting.len };
	done->notes = notes_told(&relay->notes);
	calls_add_tally(relay->calls, &report->calls);
	done->calls = (struct ipc_bytes){ (void *)report->calls.data,
		report->calls.len };
}

static void
report_free(struct report *report)
{
	free(report->out.data);
	free(report->errors.data);
	free(report->outer.data);
	buffer_reset(&report->waiting);
	buffer_reset(&report->calls);
}

/* The report of the end, and the errors of a box that was never ready. */
static void
report_add_end(
    struct relay *relay, struct report *report, struct ipc_done *done)
{
	struct output_text *outer = &report->outer;

	output_report(relay->out, &relay->report);
	done->end = relay->report.end;
	done->end_status = relay->report.status;
	done->end_memory = (uint64_t)relay->report.memory;
	done->cpu_us = relay->report.cpu_us;
	done->peak_kib = relay->report.peak_kib;
	done->begun = output_begun(relay->out);
	if (relay->outer == NULL || relay->ready)
		return;
	output_take(relay->outer, outer);
	done->start_errors =
	    (struct ipc_bytes){ (void *)outer->data, outer->len };
}

/* Sends PROGRAM_ENDED, which begins as DONE does. */
static int
report_send_program(struct relay *relay, const struct ipc_done *done,
    const struct frames_end *end, struct err *err)
{
	struct ipc_program_ended ended = { .out = done->out,
		.out_head = done->out_head,
		.out_dropped = done->out_dropped,
		.errors = done->errors,
		.errors_head = done->errors_head,
		.errors_dropped = done->errors_dropped,
		.tool_calls = done->tool_calls,
		.waiting = done->waiting,
		.notes = done->notes,
		.calls = done->calls,
		.exit = end->exit,
		.threads = end->threads,
		.late = relay->late };

	return channel_send_program_ended(relay->supervisor, &ended, err);
}

int
report_send(struct relay *relay, const struct frames_end *end, struct err *err)
{
	struct report report = { 0 };
	struct ipc_done done = { 0 };
	int sent;

	if (report_kept(relay, err) == -1)
		return err_wrap(err, "the kept output");
	report_begin(relay, &report, &done);
	if (end == NULL)
		report_add_end(relay, &report, &done);
	sent = report_place_pictures(relay, &report.out, err);
	if (sent == 0)
		sent = end != NULL ?
		    report_send_program(relay, &done, end, err) :
		    channel_send_done(relay->supervisor, &done, err);
	report_free(&report);
	return sent;
}
