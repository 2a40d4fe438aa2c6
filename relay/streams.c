/*
 * The output of a box with three descriptors, and the end of its code: frames,
 * where other boxes have pipes of their own and the supervisor sees the end.
 * Bounds each frame, decodes it, and adds the bytes to the stream. Runs in the
 * relay; never interprets the bytes.
 */
#include "../common/base/base64.h"
#include "relay.h"

/* Adds the bytes of a frame to a stream. Returns 1, or -1 with err. */
static int
streams_add(struct output *output, struct json_span frame, struct err *err)
{
	auto_buffer struct buffer bytes = { 0 };
	struct json_span_member data = { .name = "data" };
	size_t len;

	json_span_members(frame, &data, 1);
	if (data.count != 1 || json_span_kind(data.value) != JSON_SPAN_STRING)
		return err_set(err, "output without a valid \"data\"");
	len = data.value.len - 2;
	if (len > OUTPUT_FRAME_MAX)
		return err_set(err, "output of %zu bytes in one frame", len);
	if (base64_read(&bytes, data.value.p + 1, len) == -1)
		return err_set(err, "output that is not base64");
	output_put(output, bytes.data, bytes.len);
	return 1;
}

/* Reads a member that may be missing. Returns 0, or -1 with err. */
static int
streams_count(
    const struct json_span_member *member, uint64_t *count, struct err *err)
{
	if (member->count == 0 || member_number(member, count, NULL) == 0)
		return 0;
	return err_set(err, "an end with an invalid \"%s\"", member->name);
}

/* The code has ended, by itself or by a signal. Returns 1, or -1 with err. */
static int
streams_end(
    struct relay_report *report, struct json_span frame, struct err *err)
{
	struct json_span_member members[] = { { .name = "exit" },
		{ .name = "signal" },
		{ .name = "memory" }, { .name = "cpu" }, { .name = "peak" } };
	const struct json_span_member *signal = &members[1];
	const struct json_span_member *memory = &members[2];
	uint64_t status, least, most;

	json_span_members(frame, members, 5);
	if (members[0].count + signal->count != 1)
		return err_set(err, "an end without one exit code or signal");
	least = signal->count;
	most = signal->count == 1 ? RELAY_SIGNAL_MAX : END_STATUS_MAX;
	if (member_number(&members[signal->count], &status, NULL) == -1 ||
	    status < least || status > most)
		return err_set(err, "an end with an invalid \"%s\"",
		    members[signal->count].name);
	if (streams_count(&members[3], &report->cpu_us, err) == -1 ||
	    streams_count(&members[4], &report->peak_kib, err) == -1)
		return -1;
	report->end = signal->count == 1 ? RELAY_END_SIGNAL : RELAY_END_EXIT;
	report->status = status;
	report->memory = memory->count == 1 &&
	    json_span_kind(memory->value) == JSON_SPAN_TRUE;
	return 1;
}

int
streams_wait(const struct relay *relay)
{
	return relay->outer != NULL &&
	    (output_waits(relay->out) || output_waits(relay->errors));
}

int
streams_take(struct relay *relay, struct json_span frame,
    struct json_span type, struct err *err)
{
	if (relay->outer == NULL)
		return 0;
	if (relay->report.end != RELAY_END_NONE)
		return err_set(err, "a frame after the end of the code");
	if (json_span_is(type, "out"))
		return streams_add(relay->out, frame, err);
	if (json_span_is(type, "err"))
		return streams_add(relay->errors, frame, err);
	if (json_span_is(type, "end"))
		return streams_end(&relay->report, frame, err);
	return 0;
}
