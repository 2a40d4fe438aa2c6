/*
 * The messages of a relay to the supervisor: the whole surface between the two.
 * Its data about the output is checked before it is used.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/base/log.h"
#include "../common/base/mem.h"
#include "../common/base/text_list.h"
#include "../common/base/utf8.h"
#include "box/box.h"
#include "box/shared/language.h"
#include "handlers.h"

void
supervisor_on_ready(struct box *box, struct ipc_ready *)
{
	box_report(box, BOX_ON_ASKED, NULL);
}

void
supervisor_on_running(struct box *box, struct ipc_running *)
{
	box_report(box, BOX_ON_RUNNING, NULL);
}

void
supervisor_on_want_store(struct box *box, struct ipc_want_store *)
{
	box_on_store_wanted(box);
}

void
supervisor_on_fault(struct box *box, struct ipc_fault *fault)
{
	box_fail(box, "protocol violation by the code: %s", fault->reason);
}

void
supervisor_on_picture(struct box *box, struct ipc_picture *picture)
{
	struct err err;

	if (pictures_add(&box->output.pictures, picture, &err) == -1)
		box_fail(box, "protocol violation by the relay: %s", err.text);
}

void
supervisor_on_place(struct box *box, struct ipc_place *place)
{
	struct err err;

	if (pictures_place(&box->output.pictures, place->at, &err) == -1)
		box_fail(box, "protocol violation by the relay: %s", err.text);
}

void
supervisor_on_progress(struct box *box, struct ipc_progress *progress)
{
	struct err err;

	if (progress_add(&box->output.progress, progress, &err) == -1)
		box_fail(box, "protocol violation by the relay: %s", err.text);
	else
		box_report(box, BOX_ON_PROGRESS, NULL);
}

void
supervisor_on_response(struct box *box, struct ipc_response *response)
{
	struct err err;

	if (box_response_set(&box->output.response, response, &err) == -1)
		box_fail(box, "protocol violation by the relay: %s", err.text);
}

void
supervisor_on_preview(struct box *box, struct ipc_preview *preview)
{
	struct err err;

	if (progress_add_preview(&box->output.progress, preview, &err) == -1)
		box_fail(box, "protocol violation by the relay: %s", err.text);
	else
		box_report(box, BOX_ON_PROGRESS, NULL);
}

/* Returns 0 and the stream, or -1 with err for a protocol violation. */
static int
on_relay_read_stream(const struct ipc_blob *blob, uint64_t head,
    uint64_t dropped, uint64_t max, struct call_stream *stream, struct err *err)
{
	if (blob->len > UTF8_REPAIR_FACTOR * max)
		return err_set(err, "more output than it may keep");
	stream->data = ipc_blob_copy(blob, err);
	if (stream->data == NULL)
		return -1;
	stream->len = blob->len;
	stream->head = head;
	stream->dropped = dropped;
	if (head > stream->len || (dropped == 0 && head != stream->len))
		return err_set(err, "a cut outside of the output");
	if (!utf8_valid(stream->data, head) ||
	    !utf8_valid(stream->data + head, stream->len - head))
		return err_set(err, "output that is not UTF-8");
	return 0;
}

/* Copies a list of calls; NULL: there are none. */
static int
on_relay_copy_calls(const struct ipc_bytes *bytes, char **copy, struct err *err)
{
	const char *text = (const char *)bytes->data;

	if (bytes->len == 0)
		return 0;
	if (!utf8_valid(text, bytes->len) ||
	    memchr(text, '\0', bytes->len) != NULL)
		return err_set(err, "calls that are not text");
	*copy = mem_dup(text, bytes->len);
	return 0;
}

/*
 * Copies the notes of the box, which are shown as they are: each one line. A
 * program of a session that has ended has told its own. Returns 0, or -1 with
 * err.
 */
static int
on_relay_read_notes(
    struct box *box, const struct ipc_bytes *bytes, struct err *err)
{
	const char *text = (const char *)bytes->data;
	unsigned int code;
	size_t n;

	if (bytes->len == 0)
		return 0;
	if (!utf8_valid(text, bytes->len) ||
	    !text_list_complete(text, bytes->len) ||
	    text_list_count(text, bytes->len) > 2 * (NOTES_MAX + 1) ||
	    text_list_count(text, bytes->len) % 2 != 0)
		return err_set(err, "notes that are no list of pairs");
	for (n = 0; n < bytes->len; n++)
		if (text[n] != '\0' &&
		    utf8_unseen(text + n, bytes->len - n, &code) != 0)
			return err_set(err, "a note that cannot be shown");
	buffer_reset(&box->output.notes);
	buffer_add(&box->output.notes, text, bytes->len);
	return 0;
}

/* Returns 0, or -1 with err and no text for a protocol violation. */
static int
on_relay_read_calls(const struct ipc_bytes *waiting,
    const struct ipc_bytes *told, struct box_calls *calls, struct err *err)
{
	if (on_relay_copy_calls(waiting, &calls->waiting, err) == 0 &&
	    on_relay_copy_calls(told, &calls->told, err) == 0)
		return 0;
	box_calls_reset(calls);
	return -1;
}

/* Copies the report of the end, and the errors of a box that did not start. */
static int
on_relay_read_report(
    struct box *box, const struct ipc_done *done, struct err *err)
{
	const char *text = (const char *)done->start_errors.data;
	size_t len = done->start_errors.len;

	if (done->end == BOX_CLAIM_NONE &&
	    (done->end_status != 0 || done->end_memory != 0 ||
	        done->cpu_us != 0 || done->peak_kib != 0))
		return err_set(err, "a status without an end");
	if (done->begun != BEGUN_NOT && !(box->how & BOX_SENTINELS))
		return err_set(err, "marks of a box that makes none");
	if (done->end != BOX_CLAIM_NONE && box->language->image != NULL &&
	    !(box->how & BOX_SENTINELS))
		return err_set(err, "the end of a box that does not tell it");
	if (!utf8_valid(text, len))
		return err_set(err, "errors that are not UTF-8");
	box->claim.end = (int)done->end;
	box->claim.status = (int)done->end_status;
	box->claim.memory = done->end_memory != 0;
	box->claim.cpu_us = done->cpu_us;
	box->claim.peak_kib = done->peak_kib;
	box->claim.begun = (enum begun)done->begun;
	if (len > 0)
		box->claim.errors = mem_dup(text, len);
	return 0;
}

/* Only passed on: its bytes are those of the code. */
void
supervisor_on_kept(struct box *box, struct ipc_kept *kept)
{
	uint64_t most = options_output_kept(box->boxes->options);

	if (most > 0 && most < box->limits->max_output)
		most = box->limits->max_output;
	box_kept_reset(&box->output.kept);
	if (kept->out.len > most || kept->errors.len > most) {
		box_fail(box, "protocol violation by the relay: more output "
		    "than it may keep");
		return;
	}
	box->output.kept.any = true;
	ipc_blob_take(&box->output.kept.out, &kept->out);
	ipc_blob_take(&box->output.kept.errors, &kept->errors);
	box->output.kept.missing = kept->missing;
}

void
supervisor_on_program_ended(struct box *box, struct ipc_program_ended *ended)
{
	uint64_t max = box->limits->max_output;
	struct call_stream out = { 0 }, errors = { 0 };
	struct box_calls calls = { .tool_calls = ended->tool_calls };
	const struct box_told told = { .program = ended, .out = &out,
		.errors = &errors, .calls = &calls };
	struct err err;

	if (on_relay_read_stream(&ended->out, ended->out_head,
	        ended->out_dropped, max, &out, &err) == -1 ||
	    on_relay_read_stream(&ended->errors, ended->errors_head,
	        ended->errors_dropped, max, &errors, &err) == -1 ||
	    pictures_check(&box->output.pictures, &out, &err) == -1 ||
	    on_relay_read_notes(box, &ended->notes, &err) == -1 ||
	    on_relay_read_calls(
	        &ended->waiting, &ended->calls, &calls, &err) == -1) {
		free(out.data);
		free(errors.data);
		box_fail(box, "protocol violation by the relay: %s", err.text);
		return;
	}
	box_report(box, BOX_ON_PROGRAM_ENDED, &told);
}

void
supervisor_on_done(struct box *box, struct ipc_done *done)
{
	uint64_t max = box->limits->max_output;
	struct call_stream out = { 0 }, errors = { 0 };
	struct box_calls calls = { .tool_calls = done->tool_calls };
	const struct box_told told = { .out = &out, .errors = &errors,
		.calls = &calls };
	struct err err;

	if (on_relay_read_stream(&done->out, done->out_head, done->out_dropped,
	        max, &out, &err) == -1 ||
	    on_relay_read_stream(&done->errors, done->errors_head,
	        done->errors_dropped, max, &errors, &err) == -1 ||
	    pictures_check(&box->output.pictures, &out, &err) == -1 ||
	    on_relay_read_report(box, done, &err) == -1 ||
	    on_relay_read_notes(box, &done->notes, &err) == -1 ||
	    on_relay_read_calls(
	        &done->waiting, &done->calls, &calls, &err) == -1) {
		free(out.data);
		free(errors.data);
		out = errors = (struct call_stream){ 0 };
		box_spoil(box, "protocol violation by the relay: %s", err.text);
	}
	box_report(box, BOX_ON_DRAINED, &told);
}
