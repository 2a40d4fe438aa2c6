/*
 * The relay as a whole: creates its parts, receives their callbacks, and sends
 * the supervisor its messages.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "../common/base/log.h"
#include "../common/base/mem.h"
#include "relay.h"

/*
 * A message to the supervisor failed. If the supervisor has ended, the box ends
 * with it and nothing is logged.
 */
static void __attribute__((noreturn))
relay_unheard(const char *what, const struct err *err)
{
	if (err->code == EPIPE || err->code == ECONNRESET)
		_exit(0);
	fatal("%s: %s", what, err->text);
}

/* Requests the store from the supervisor: at most STORE_FETCHES_MAX times. */
static void
relay_want_store(struct relay *relay)
{
	struct ipc_want_store want = { 0 };
	struct err err;

	if (channel_send_want_store(relay->supervisor, &want, &err) == -1)
		relay_unheard("cannot request the store", &err);
}

static void
relay_box_ready(struct relay *relay)
{
	struct ipc_ready ready = { 0 };
	struct err err;

	relay->ready = true;
	/* The code is sent at once, and RUNNING says the same. */
	if (relay->started)
		return;
	if (channel_send_ready(relay->supervisor, &ready, &err) == -1)
		relay_unheard("cannot report that the box is ready", &err);
}

/* The code is being sent to the box: the deadline runs from now. */
static void
relay_code_sent(struct relay *relay)
{
	struct ipc_running running = { 0 };
	struct err err;

	output_rest(relay->out);
	output_rest(relay->errors);
	if (channel_send_running(relay->supervisor, &running, &err) == -1)
		relay_unheard("cannot report that the code runs", &err);
}

/* The box violated the protocol: requests that the supervisor ends it. */
static void
relay_fault(struct relay *relay, const char *reason)
{
	char text[FAULT_REASON_MAX + 1];
	struct ipc_fault fault = { .reason = text };
	struct err err;

	snprintf(text, sizeof(text), "%s", reason);
	if (channel_send_fault(relay->supervisor, &fault, &err) == -1)
		relay_unheard("cannot report a fault", &err);
	log_warn("protocol violation by the box: %s", reason);
}

/* All pipes are drained: sends the output. */
static void
relay_conclude(struct relay *relay)
{
	struct err err;

	progress_end(relay->progress);
	preview_end(relay->preview);
	if (report_send(relay, NULL, &err) == -1)
		relay_unheard("cannot pass on the output", &err);
}

/* Finishes if all pipes of the box have ended, and all output has gone on. */
static void
relay_check_end(struct relay *relay)
{
	if (relay->open_pipes == 0 && !output_waits(relay->out) &&
	    !output_waits(relay->errors))
		relay_conclude(relay);
}

static void
relay_pipe_ended(struct relay *relay)
{
	relay->open_pipes--;
	relay_check_end(relay);
}

/* A pipe that the output is passed on to has room again. */
static void
relay_moved(struct relay *relay)
{
	if (relay->frames != NULL)
		frames_go_on(relay->frames);
	relay_check_end(relay);
}

/*
 * Of a box with three descriptors: no process is left, and the end of the code
 * has come, so that is all. The client of an engine keeps the pipes open until
 * it has removed the container.
 */
static int
relay_is_complete(struct relay *relay)
{
	return relay->finished && relay->report.end != RELAY_END_NONE;
}

/*
 * The control pipe has ended, or nothing more will come: all output of the code
 * is in the pipes now.
 */
static void
relay_control_ended(struct relay *relay)
{
	output_look(relay->out);
	output_look(relay->errors);
	if (relay_is_complete(relay))
		output_close(relay->outer);
	relay_pipe_ended(relay);
}

void
relay_finish(struct relay *relay)
{
	relay->finished = true;
	if (relay->frames != NULL)
		frames_check(relay->frames);
}

/* The broker */

/* The broker closed its channel, or violated the protocol. */
static void
relay_lose_broker(void *ctx, const struct err *why)
{
	struct relay *relay = ctx;

	if (why != NULL)
		log_error("%s the broker: %s", channel_blame(why), why->text);
	channel_free(&relay->broker);
	calls_close(relay->calls, ROLE_BROKER, CALLS_BROKER_LOST);
}

void
relay_meet_broker(struct relay *relay, int *fd)
{
	struct channel_ends ends = { ROLE_RELAY, ROLE_BROKER, relay->routes,
		relay_lose_broker, relay };

	relay->broker = channel_new(relay->base, fd, &ends);
}

/* The store */

void
relay_lose_store(struct relay *relay)
{
	channel_free(&relay->store);
	calls_lose_store(relay->calls);
}

/* The store closed its channel, or violated the protocol. */
static void
relay_end_store(void *ctx, const struct err *why)
{
	if (why != NULL)
		log_error("%s the store: %s", channel_blame(why), why->text);
	relay_lose_store(ctx);
}

void
relay_meet_store(struct relay *relay, int *fd)
{
	struct channel_ends ends = { ROLE_RELAY, ROLE_STORE, relay->routes,
		relay_end_store, relay };

	relay->store = channel_new(relay->base, fd, &ends);
}

/*
 * All text printed so far is in the pipes and is read first. Text that threads
 * and exit handlers print later starts a new line.
 */
static int
relay_echo(struct relay *relay, const char *text, size_t len)
{
	output_look(relay->out);
	output_look(relay->errors);
	if (!output_is_empty(relay->out) || !output_is_empty(relay->errors))
		return 0;
	output_put(relay->out, text, len);
	if (len > 0)
		output_put(relay->out, "\n", 1);
	return 1;
}

/* Reads the output that is in the pipes. */
static int
relay_printed(struct relay *relay, const char *text, size_t len)
{
	output_look(relay->out);
	output_look(relay->errors);
	return printed_has(relay->out, text, len) ||
	    printed_has(relay->errors, text, len);
}

/*
 * The output in the pipes was printed before the picture, so it is read first.
 * The picture is sent at once: it is not lost if the relay ends.
 */
static int
relay_show(struct relay *relay, const struct request_picture *picture,
    struct err *why)
{
	struct ipc_picture message;
	struct err err;

	if (pictures_take(relay, picture, &message, why) == -1)
		return -1;
	output_look(relay->out);
	output_mark(relay->out);
	if (channel_send_picture(relay->supervisor, &message, &err) == -1)
		relay_unheard("cannot pass on a picture", &err);
	return 0;
}

static void
relay_tell(struct relay *relay, const struct request_progress *progress)
{
	preview_end(relay->preview);
	progress_take(relay->progress, progress);
}

static int
relay_respond(struct relay *relay, struct ipc_response *message)
{
	struct err err;

	if (message->body.len > relay->output_max)
		return 0;
	if (channel_send_response(relay->supervisor, message, &err) == -1)
		relay_unheard("cannot pass on a response", &err);
	return 1;
}

static void
relay_send_progress(struct relay *relay, struct ipc_progress *message)
{
	struct err err;

	if (channel_send_progress(relay->supervisor, message, &err) == -1)
		relay_unheard("cannot pass on progress", &err);
}

static void
relay_send_preview(struct relay *relay, struct ipc_preview *message)
{
	struct err err;

	if (channel_send_preview(relay->supervisor, message, &err) == -1)
		relay_unheard("cannot pass on the output so far", &err);
}

/* Beginning, and ends of code in a session */

/* Makes what belongs to one code only. */
static void
relay_begin(struct relay *relay)
{
	static const struct calls_ends calls = { relay_want_store,
		relay_lose_store,
		{ relay_echo, relay_printed, relay_show, relay_tell,
		    relay_respond } };

	relay->calls = calls_new(relay, &calls);
	relay->progress = progress_new(relay, relay_send_progress);
	relay->preview = preview_new(relay, relay_send_preview);
}

/* Removes it: answers that are under way to that code come to no other. */
static void
relay_forget(struct relay *relay)
{
	channel_free(&relay->broker);
	channel_free(&relay->store);
	outbox_forget(relay->outbox);
	calls_free(&relay->calls);
	progress_free(&relay->progress);
	preview_free(&relay->preview);
	notes_reset(&relay->notes);
	relay->pictures = 0;
	relay->pictures_bytes = 0;
	relay->late = 0;
}

/*
 * Code of a session has ended, or says so: its output is in the pipes. Output
 * that comes before further code is not kept.
 */
static void
relay_code_ended(struct relay *relay, const struct frames_end *end)
{
	struct err err;

	output_settle(relay->out);
	output_settle(relay->errors);
	progress_end(relay->progress);
	preview_end(relay->preview);
	if (report_send(relay, end, &err) == -1)
		relay_unheard("cannot pass on the output", &err);
	relay_forget(relay);
	relay_begin(relay);
	output_drop(relay->out);
	output_drop(relay->errors);
	relay->started = false;
}

/* The code of a box with three descriptors has no pipes of its own. */
static void
relay_prepare_output(struct relay *relay, struct ipc_prepare *prepare)
{
	size_t max = prepare->output_max;

	if (prepare->control_in == -1 && prepare->out == -1)
		fatal("protocol violation by the supervisor: a box without "
		    "output");
	if (prepare->out == -1) {
		relay->open_pipes = 2;
		relay->out = output_new_put(max);
		relay->errors = output_new_put(max);
		relay->outer = output_new_tail(relay, &prepare->errors,
		    START_ERRORS_MAX, relay_pipe_ended);
		return;
	}
	relay->open_pipes = prepare->control_in == -1 ? 2 : 3;
	relay->out = output_new(relay, &prepare->out, max, relay_pipe_ended);
	relay->errors =
	    output_new(relay, &prepare->errors, max, relay_pipe_ended);
	if (prepare->sentinels)
		output_expect_process_one(relay->out, relay_box_ready);
}

void
relay_prepare(struct relay *relay, struct ipc_prepare *prepare)
{
	static const struct frames_ends frames = { relay_box_ready,
		relay_code_sent, relay_fault, relay_is_complete,
		relay_control_ended, relay_code_ended };

	relay_begin(relay);
	relay->outbox = outbox_new(relay->base, &prepare->control_out);
	relay->output_max = prepare->output_max;
	relay_prepare_output(relay, prepare);
	output_keep(relay->out, prepare->kept_max);
	output_keep(relay->errors, prepare->kept_max);
	if (prepare->control_in != -1)
		relay->frames =
		    frames_new(relay, &prepare->control_in, &frames);
}

/*
 * Returns these bytes: within the packet in place, else a copy that the caller
 * frees, too.
 */
static const char *
relay_read_blob(const struct ipc_blob *blob, const char *what, char **copy)
{
	struct err err;

	if (blob->fd == -1)
		return (const char *)blob->data;
	*copy = ipc_blob_copy(blob, &err);
	if (*copy == NULL)
		fatal("%s unreadable: %s", what, err.text);
	return *copy;
}

/*
 * A box without a bootstrap reads its variables (common/process_one.h), then
 * its code to the end of the file, and can make no requests.
 */
static void
relay_start_plain(struct relay *relay, struct ipc_start *start)
{
	struct outbox_frame code = { .memfd = -1, .tail = "" };
	auto_free char *copy = NULL;
	const char *input =
	    relay_read_blob(&start->input, "the input is", &copy);

	buffer_printf(&code.text, "%0*zx", PROCESS_ONE_INPUT_DIGITS,
	    start->input.len);
	buffer_add(&code.text, input, start->input.len);
	outbox_frame_finish(&code, &start->code, "");
	outbox_add(relay->outbox, OUTBOX_RUN, &code);
	outbox_finish(relay->outbox);
	relay_code_sent(relay);
	if (start->progress)
		preview_begin(relay->preview);
}

void
relay_start(struct relay *relay, struct ipc_start *start)
{
	struct frames_run run = { .len = start->code.len,
		.stored = (int)start->stored,
		.echo = start->echo,
		.progress = start->progress,
		.session = start->session };
	auto_free char *code = NULL, *input = NULL;

	relay->late = output_resume(relay->out) + output_resume(relay->errors);
	if (start->out_copy != -1)
		output_pass_on(
		    relay->out, relay, &start->out_copy, relay_moved);
	if (start->errors_copy != -1)
		output_pass_on(
		    relay->errors, relay, &start->errors_copy, relay_moved);
	if (relay->frames == NULL) {
		relay_start_plain(relay, start);
		return;
	}
	if (start->progress) {
		progress_allow(relay->progress);
		preview_begin(relay->preview);
	}
	run.code = relay_read_blob(&start->code, "the code is", &code);
	run.input = relay_read_blob(&start->input, "the input is", &input);
	run.input_len = start->input.len;
	frames_start(relay->frames, &run, &start->servers);
}
