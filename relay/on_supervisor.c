/*
 * What the supervisor tells the relay, and what the relay tells it: the whole
 * surface between the two. Runs in the relay.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/fd.h"
#include "../common/log.h"
#include "../common/mem.h"
#include "relay.h"

void
relay_on_prepare(struct relay *relay, struct ipc_prepare *prepare)
{
	log_init("relay", (enum log_level)prepare->log_level);
	relay->calls = calls_new(relay);
	relay->outbox = outbox_new(relay->base, &prepare->control_out);
	relay->open_pipes = 3;
	relay->out = output_new(relay, &prepare->out, prepare->output_max);
	relay->errors =
	    output_new(relay, &prepare->errors, prepare->output_max);
	relay->frames = frames_new(relay, &prepare->control_in);
}

/* Code that came in the packet is used where it is. */
static void
relay_start(struct relay *relay, struct ipc_start *start)
{
	auto_free char *copy = NULL;
	struct err err;

	if (start->code.fd != -1) {
		copy = ipc_blob_copy(&start->code, &err);
		if (copy == NULL)
			fatal("the code cannot be read: %s", err.text);
	}
	frames_start(relay->frames,
	    copy != NULL ? copy : (const char *)start->code.data,
	    start->code.len, &start->servers, (int)start->stored);
}

void
relay_on_start(struct relay *relay, struct ipc_start *start)
{
	log_init("relay", (enum log_level)start->log_level);
	role_enter(ROLE_RELAY, start->execution);
	if (start->servers.len == 0)
		fatal("protocol violation by the supervisor: no array of "
		    "servers");
	if (start->session != -1)
		relay_meet_broker(relay, &start->session);
	else
		calls_close(relay->calls, ROLE_BROKER, CALLS_NO_SERVERS);
	if (!start->stored)
		calls_close(relay->calls, ROLE_STORE, CALLS_NO_STORE);
	relay_start(relay, start);
}

void
relay_on_store(struct relay *relay, struct ipc_store *store)
{
	if (relay->store != NULL)
		fatal("protocol violation by the supervisor: a second store");
	if ((store->store == -1) != (store->reason[0] != '\0'))
		fatal("protocol violation by the supervisor: a store with a "
		    "reason, or neither");
	if (store->store == -1) {
		calls_close(relay->calls, ROLE_STORE, store->reason);
		return;
	}
	relay_meet_store(relay, &store->store);
	calls_go_on(relay->calls);
}

/*
 * The supervisor cannot be told. Where it has ended, everything of this box
 * ends, too, and there is nothing to complain of.
 */
static void __attribute__((noreturn))
relay_unheard(const char *what, const struct err *err)
{
	if (err->code == EPIPE || err->code == ECONNRESET)
		_exit(0);
	fatal("%s: %s", what, err->text);
}

void
relay_want_store(struct relay *relay)
{
	struct ipc_want_store want = { 0 };
	struct err err;

	if (channel_send_want_store(relay->supervisor, &want, &err) == -1)
		relay_unheard("cannot ask for the store", &err);
}

void
relay_box_ready(struct relay *relay)
{
	struct ipc_ready ready = { 0 };
	struct err err;

	if (channel_send_ready(relay->supervisor, &ready, &err) == -1)
		relay_unheard("cannot say that the box is ready", &err);
}

void
relay_code_sent(struct relay *relay)
{
	struct ipc_running running = { 0 };
	struct err err;

	output_rest(relay->out);
	output_rest(relay->errors);
	if (channel_send_running(relay->supervisor, &running, &err) == -1)
		relay_unheard("cannot say that the code runs", &err);
}

void
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

/* Everything is drained: hands over what was kept. */
static void
relay_conclude(struct relay *relay)
{
	auto_buffer struct buffer waiting = { 0 };
	struct output_kept out, errors;
	struct ipc_done done = { 0 };
	struct err err;
	int sent;

	output_take(relay->out, &out);
	output_take(relay->errors, &errors);
	done.out = (struct ipc_blob){ (const uint8_t *)out.data, out.len, -1 };
	done.out_head = out.head;
	done.out_dropped = out.dropped;
	done.errors = (struct ipc_blob){
		(const uint8_t *)errors.data, errors.len, -1
	};
	done.errors_head = errors.head;
	done.errors_dropped = errors.dropped;
	done.tool_calls = calls_made(relay->calls);
	calls_add_waiting(relay->calls, &waiting);
	done.waiting = (struct ipc_bytes){
		(const uint8_t *)waiting.data, waiting.len
	};
	sent = channel_send_done(relay->supervisor, &done, &err);
	free(out.data);
	free(errors.data);
	if (sent == -1)
		relay_unheard("cannot hand over the output", &err);
}

void
relay_pipe_ended(struct relay *relay)
{
	relay->open_pipes--;
	if (relay->open_pipes == 0)
		relay_conclude(relay);
}

void
relay_control_ended(struct relay *relay)
{
	output_look(relay->out);
	output_look(relay->errors);
	relay_pipe_ended(relay);
}
