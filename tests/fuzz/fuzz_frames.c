/*
 * Fuzz target of relay/frames, calls, request, streams and outbox: whatever a
 * box says, the broker is sent only what the catalogue can carry, on one line
 * each, an id is under way once, and the box reads one JSON value per line. The
 * first byte chooses the broker and the box, the second one the cutting; the
 * rest is said. In a session the box gets further code behind each end, and
 * nothing of what the code before it has asked is answered.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/ipc/ipc.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "fuzz.h"
#include "relay/relay.h"

#define READY "{\"type\":\"ready\"}\n"

/* Bits of the first byte. */
enum broker {
	BROKER_REFUSES = 1,
	BROKER_IS_SLOW = 2,
	BROKER_IS_FULL = 4,
	BROKER_ENDS = 8,
	BOX_IS_NOT_READY = 16,
	BOX_HAS_THREE = 32, /* descriptors: its output is frames */
	BOX_HAS_SESSION = 64, /* it may have further code */
};

static struct relay relay;
static unsigned int broker;
static int over; /* the box violated the protocol */
static uint64_t asked[REQUESTS_MAX];
static size_t nasked;

/* The rest of the relay. */
static void
control_ended(struct relay *r)
{
}

static void
box_ready(struct relay *r)
{
}

static void
code_sent(struct relay *r)
{
}

static void
fault(struct relay *r, const char *reason)
{
	FUZZ_ASSERT(reason[0] != '\0' && strlen(reason) < ERR_TEXT_SIZE);
	FUZZ_ASSERT(!over);
	over = 1;
}

static int store_wanted;

static void
want_store(struct relay *r)
{
	FUZZ_ASSERT(!store_wanted);
	store_wanted = 1;
}

/* Its end is never closed here. */
static void
lose_store(struct relay *r)
{
	FUZZ_ASSERT(0);
}

static int
echo(struct relay *r, const char *text, size_t len)
{
	FUZZ_ASSERT(len <= ECHO_MAX && text[len] == '\0');
	return len % 2 == 0;
}

static int
printed(struct relay *r, const char *text, size_t len)
{
	FUZZ_ASSERT(len <= ECHO_MAX && text[len] == '\0');
	return len % 2 == 0;
}

static int
show(struct relay *r, const struct request_picture *picture, struct err *why)
{
	struct ipc_picture message;

	if (pictures_take(r, picture, &message, why) == -1)
		return -1;
	FUZZ_ASSERT(r->pictures <= PICTURES_MAX);
	FUZZ_ASSERT(r->pictures_bytes <= PICTURES_BYTES_MAX);
	FUZZ_ASSERT(strlen(message.title) <= PICTURE_TITLE_MAX);
	FUZZ_ASSERT(picture_is_base64(
	    (const char *)message.data.data, message.data.len));
	FUZZ_ASSERT(message.width >= 1 && message.width <= PICTURE_SIDE_MAX);
	FUZZ_ASSERT(message.height >= 1 && message.height <= PICTURE_SIDE_MAX);
	return 0;
}

static int
respond(struct relay *, struct ipc_response *)
{
	return 1;
}

static void
tell(struct relay *r, const struct request_progress *progress)
{
	FUZZ_ASSERT(progress->done <= PROGRESS_MAX);
	FUZZ_ASSERT(progress->total <= PROGRESS_MAX);
	FUZZ_ASSERT(strlen(progress->text) <= PROGRESS_TEXT_MAX);
}

static int between; /* the code has ended */

/* Nothing of that code stays. */
static void
code_ended(struct relay *r, const struct frames_end *end)
{
	FUZZ_ASSERT(broker & BOX_HAS_SESSION && !between && !over);
	FUZZ_ASSERT(end->exit <= END_STATUS_MAX);
	FUZZ_ASSERT(end->threads <= PROGRAM_THREADS_MAX);
	between = 1;
	outbox_forget(r->outbox);
	r->store = NULL;
	r->pictures = r->pictures_bytes = 0;
	nasked = 0;
}

static int
is_complete(struct relay *r)
{
	return r->report.end != RELAY_END_NONE;
}

static const struct calls_ends calls_ends = { want_store, lose_store,
	{ echo, printed, show, tell, respond } };
static const struct frames_ends frames_ends = { box_ready, code_sent, fault,
	is_complete, control_ended, code_ended };

static void
check_value(const void *data, size_t len, enum json_span_kind kind)
{
	struct json_span value;
	struct err err;

	FUZZ_ASSERT(json_span_parse(data, len, &value, &err) == 0);
	FUZZ_ASSERT(value.len == len && json_span_kind(value) == kind);
	FUZZ_ASSERT(memchr(data, '\n', len) == NULL);
	FUZZ_ASSERT(memchr(data, '\r', len) == NULL);
}

static void
check_call(struct ipc_call_tool *call)
{
	check_value(call->tool.data, call->tool.len, JSON_SPAN_STRING);
	check_value(
	    call->arguments.data, call->arguments.len, JSON_SPAN_OBJECT);
}

static void
check_ask(struct ipc_ask_server *ask)
{
	if (ask->name.len > 0)
		check_value(ask->name.data, ask->name.len, JSON_SPAN_STRING);
	check_value(ask->arguments.data, ask->arguments.len, JSON_SPAN_OBJECT);
}

static void
check_save(struct ipc_save_memory *save)
{
	struct json_span value;

	FUZZ_ASSERT(json_span_parse((const char *)save->value.data,
	                save->value.len, &value, NULL) == 0);
	FUZZ_ASSERT(memchr(save->value.data, '\n', save->value.len) == NULL);
	FUZZ_ASSERT(memchr(save->value.data, '\r', save->value.len) == NULL);
	if (save->metadata.len > 0)
		check_value(save->metadata.data, save->metadata.len,
		    JSON_SPAN_OBJECT);
}

/* Broker and store: takes what can be encoded, and remembers whom to answer. */
int
channel_send(
    struct channel *channel, enum ipc_type type, void *msg, struct err *err)
{
	static struct ipc_packet packet;
	uint64_t id;
	size_t n;

	FUZZ_ASSERT(!between);
	if (type == IPC_CALL_TOOL)
		check_call(msg);
	if (type == IPC_ASK_SERVER)
		check_ask(msg);
	if (type == IPC_SAVE_MEMORY)
		check_save(msg);
	memcpy(&id, msg, sizeof(id)); /* the first field of all of them */
	FUZZ_ASSERT(ipc_fields(ipc_message(type))[0].offset == 0);
	FUZZ_ASSERT(ipc_encode(type, msg, &packet, err) == 0);
	ipc_packet_close(&packet);
	if (broker & BROKER_IS_FULL && nasked > 2)
		return err_set(err, "the queue is full");
	for (n = 0; n < nasked && asked[n] != id; n++)
		;
	FUZZ_ASSERT((type == IPC_CANCEL_CALL) == (n < nasked));
	if (type == IPC_CANCEL_CALL)
		return 0;
	FUZZ_ASSERT(nasked < REQUESTS_MAX);
	asked[nasked++] = id;
	return 0;
}

/* Sends code to the box. */
static void
start_code(void)
{
	struct ipc_blob servers = { (const uint8_t *)"[]", 2, -1 };
	const struct frames_run run = { .code = "x", .len = 1, .stored = true,
		.echo = true, .progress = 1,
		.session = (broker & BOX_HAS_SESSION) != 0 };

	calls_free(&relay.calls);
	relay.calls = calls_new(&relay, &calls_ends);
	store_wanted = 0;
	between = 0;
	frames_start(relay.frames, &run, &servers);
}

static void
answer_one(void)
{
	struct ipc_result result = { .id = asked[--nasked],
		.payload = { (const uint8_t *)"{}", 2, -1 } };
	struct ipc_refused refused = { .id = result.id,
		.reason = "\n\"no\"",
		.error = result.payload };

	if (broker & BROKER_REFUSES)
		calls_refused(relay.calls, &refused);
	else
		calls_result(relay.calls, &result);
}

/* The box reads all that there is: that is whole lines. */
static void
check_box(int fd)
{
	auto_buffer struct buffer read_all = { 0 };
	struct json_span value;
	char *p, *end, *newline;
	ssize_t n;

	while ((n = read(fd, buffer_reserve(&read_all, PIPE_CHUNK),
	            PIPE_CHUNK)) > 0) {
		read_all.len += (size_t)n;
		event_base_loop(relay.base, EVLOOP_NONBLOCK);
	}
	p = read_all.data;
	for (end = p + read_all.len; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		FUZZ_ASSERT(newline != NULL);
		FUZZ_ASSERT(json_span_parse(
		                p, (size_t)(newline - p), &value, NULL) == 0);
	}
}

static void
say(int fd, const char *data, size_t len)
{
	FUZZ_ASSERT(len == 0 || write(fd, data, len) == (ssize_t)len);
	event_base_loop(relay.base, EVLOOP_NONBLOCK);
}

/* Says all, in pieces as long as step, while the relay listens. */
static void
talk(int out, int in, const char *data, size_t len, size_t step)
{
	size_t n;

	for (; len > 0 && !over; len -= n) {
		n = len < step ? len : step;
		say(out, data, n);
		data += n;
		check_box(in);
		if (between)
			start_code();
		if (store_wanted && relay.store == NULL) {
			/* Never looked into: channel_send() is ours. */
			relay.store = (void *)&relay;
			calls_go_on(relay.calls);
		}
		if (!(broker & BROKER_IS_SLOW))
			while (nasked > 0)
				answer_one();
		check_box(in);
	}
	if (broker & BROKER_ENDS) {
		calls_close(relay.calls, ROLE_BROKER, CALLS_BROKER_LOST);
		nasked = 0;
	}
	while (nasked > 0)
		answer_one();
	check_box(in);
}

/* Never cut here: it is as long as it was said, or shorter. */
static void
check_stream(struct output **output, size_t said)
{
	struct output_text kept;

	output_take(*output, &kept);
	FUZZ_ASSERT(kept.len <= UTF8_REPAIR_FACTOR * said);
	FUZZ_ASSERT(kept.dropped <= said);
	FUZZ_ASSERT(utf8_valid(kept.data, kept.len));
	free(kept.data);
	output_free(output);
}

static void
open_streams(void)
{
	relay.out = output_new_put(KIB);
	relay.errors = output_new_put(KIB);
	relay.outer = broker & BOX_HAS_THREE ? output_new_put(KIB) : NULL;
	relay.report = (struct relay_report){ 0 };
}

static void
check_streams(size_t said)
{
	FUZZ_ASSERT(relay.outer != NULL || relay.report.end == RELAY_END_NONE);
	FUZZ_ASSERT(relay.report.status <= END_STATUS_MAX);
	check_stream(&relay.out, said);
	check_stream(&relay.errors, said);
	output_free(&relay.outer);
}

static void
open_relay(int *to_relay, int *to_box)
{
	int in[2], out[2];

	FUZZ_ASSERT(pipe(in) == 0 && pipe(out) == 0);
	*to_relay = in[1];
	*to_box = out[0];
	FUZZ_ASSERT(fd_set_nonblock(*to_box, 1, NULL) == 0);
	if (relay.base == NULL)
		relay.base = loop_new(0);
	relay.outbox = outbox_new(relay.base, &out[1]);
	relay.store = NULL;
	open_streams();
	relay.frames = frames_new(&relay, &in[0], &frames_ends);
	start_code();
	over = 0;
	nasked = 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int to_relay, to_box;

	if (size < 2)
		return 0;
	broker = bytes[0];
	open_relay(&to_relay, &to_box);
	if (!(broker & BOX_IS_NOT_READY))
		say(to_relay, READY, strlen(READY));
	talk(to_relay, to_box, (const char *)bytes + 2, size - 2,
	    (size_t)bytes[1] * bytes[1] + 1);
	frames_free(&relay.frames);
	outbox_free(&relay.outbox);
	calls_free(&relay.calls);
	check_streams(size);
	FUZZ_ASSERT(notes_told(&relay.notes).len <= NOTES_BYTES_MAX);
	notes_reset(&relay.notes);
	fd_close(&to_relay);
	fd_close(&to_box);
	return 0;
}
