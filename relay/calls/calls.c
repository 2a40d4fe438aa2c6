/*
 * The requests of the code in flight: passes them to the broker or the store,
 * passes the answers to the box, and refuses requests above the limits or with
 * invalid parts, with a sentence. Unread or missing answers cost only this
 * execution. The answers are the frames described in frames.c. Runs in the
 * relay; never waits.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/clock.h"
#include "../../common/json/json.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/utf8.h"
#include "calls.h"

struct calls_one {
	uint64_t id;
	size_t arguments; /* their bytes */
	bool cancelled;    /* the cancel was sent to the broker */
	enum role with;   /* ROLE_BROKER or ROLE_STORE */
	char *frame;      /* the request until the store is available, or NULL
			   */
	size_t frame_len;
	uint64_t begun;   /* when it was made, by clock_ms() */
	bool tool;         /* a call of a tool, which is counted */
	char name[WAITING_NAME_MAX + 1]; /* the name to show, see calls_name; or
					  * empty */
};

struct calls {
	struct relay *relay;
	const struct calls_ends *ends;
	char *closed[ROLES]; /* why every request is refused; NULL if not */
	bool fetching;        /* the store was requested from the supervisor */
	int fetches;         /* how often it was */
	struct calls_one under_way[REQUESTS_MAX];
	size_t count;
	size_t arguments; /* bytes of all requests in flight */
	uint64_t made;    /* tool calls, but for those of unfit arguments */
	struct tally tally; /* those that are no longer in flight */
	void *held; /* see calls_new() */
};

struct calls *
calls_new(struct relay *relay, const struct calls_ends *ends)
{
	struct calls *calls = mem_alloc(sizeof(*calls));

	calls->relay = relay;
	calls->ends = ends;
	/*
	 * With none of its size, musl maps a page for the buffer of each
	 * request and of each answer, and unmaps it.
	 */
	calls->held = mem_alloc(BUFFER_SIZE_FIRST);
	return calls;
}

void
calls_free(struct calls **callsp)
{
	struct calls *calls = mem_take(callsp);

	if (calls == NULL)
		return;
	while (calls->count > 0)
		free(calls->under_way[--calls->count].frame);
	free(calls->closed[ROLE_BROKER]);
	free(calls->closed[ROLE_STORE]);
	free(calls->held);
	free(calls);
}

uint64_t
calls_made(const struct calls *calls)
{
	return calls->made;
}

/* Returns the index of the request in flight, or NULL. */
static struct calls_one *
calls_find(struct calls *calls, uint64_t id)
{
	size_t n;

	for (n = 0; n < calls->count; n++)
		if (calls->under_way[n].id == id)
			return &calls->under_way[n];
	return NULL;
}

/* Answers */

static void
calls_begin(struct outbox_frame *frame, uint64_t id, int success)
{
	*frame = (struct outbox_frame){ .memfd = -1, .tail = "" };
	buffer_reserve(&frame->text, ANSWER_FRAME_MAX);
	buffer_add_text(&frame->text, "{\"type\":\"rpc_response\",\"id\":");
	buffer_add_number(&frame->text, id);
	buffer_add_text(&frame->text,
	    success ? ",\"success\":true," : ",\"success\":false,");
}

static void
calls_refuse(struct calls *calls, uint64_t id, const char *reason)
{
	struct outbox_frame frame;

	calls_begin(&frame, id, 0);
	buffer_add_text(&frame.text, "\"error\":{\"message\":");
	json_add_text(&frame.text, reason);
	buffer_add_text(&frame.text, "}}\n");
	outbox_add(calls->relay->outbox, OUTBOX_REFUSAL, &frame);
}

/* Sends a received answer, unless the box leaves too much unread. */
static void
calls_answer(struct calls *calls, uint64_t id, struct outbox_frame *frame)
{
	size_t len = outbox_frame_len(frame);
	struct err why;

	if (outbox_unread(calls->relay->outbox) + len <= ANSWERS_UNREAD_MAX) {
		outbox_add(calls->relay->outbox, OUTBOX_ANSWER, frame);
		return;
	}
	outbox_frame_reset(frame);
	err_set(&why, "result discarded: with its %zu bytes more than %lu MiB "
	    "of answers would be unread; await calls before making more", len,
	    ANSWERS_UNREAD_MAX / MIB);
	calls_refuse(calls, id, why.text);
}

/* The request is no longer in flight; the last one takes its place. */
static void
calls_remove(struct calls *calls, struct calls_one *one)
{
	calls->arguments -= one->arguments;
	free(one->frame);
	calls->count--;
	*one = calls->under_way[calls->count];
}

/* Handles an answer to a request that got that far: the field of REFUSED. */
static void
calls_end(struct calls *calls, uint64_t id, uint64_t reached)
{
	struct calls_one *one = calls_find(calls, id);

	if (one == NULL)
		fatal("request %llu is answered, which is not in flight",
		    (unsigned long long)id);
	if (one->tool && reached > 0)
		tally_add(&calls->tally, one->name, reached > 1);
	calls_remove(calls, one);
}

void
calls_result(struct calls *calls, struct ipc_result *result)
{
	struct outbox_frame frame;

	calls_end(calls, result->id, 2);
	calls_begin(&frame, result->id, 1);
	buffer_add_text(&frame.text, "\"payload\":");
	outbox_frame_finish(&frame, &result->payload, "}\n");
	calls_answer(calls, result->id, &frame);
}

void
calls_refused(struct calls *calls, struct ipc_refused *refused)
{
	struct outbox_frame frame;

	calls_end(calls, refused->id, refused->reached);
	if (refused->unfit && calls->made > 0)
		calls->made--;
	calls_begin(&frame, refused->id, 0);
	buffer_add_text(&frame.text, "\"error\":{\"message\":");
	json_add_text(&frame.text, refused->reason);
	if (refused->unfit)
		buffer_add_text(&frame.text, ",\"unfit\":true");
	if (refused->error.len > 0)
		buffer_add_text(&frame.text, ",\"error\":");
	outbox_frame_finish(&frame, &refused->error, "}}\n");
	calls_answer(calls, refused->id, &frame);
}

/*
 * Refuses the requests in flight with a peer and, if held is set, those that
 * wait for the store.
 */
static void
calls_give_up(struct calls *calls, enum role with, int held, const char *why)
{
	struct calls_one *one;
	size_t n = calls->count;
	uint64_t id;

	while (n-- > 0) {
		one = &calls->under_way[n];
		if (one->with != with || (one->frame != NULL && !held))
			continue;
		id = one->id;
		if (one->tool)
			tally_add(&calls->tally, one->name, 0);
		calls_remove(calls, one);
		calls_refuse(calls, id, why);
	}
}

void
calls_close(struct calls *calls, enum role with, const char *why)
{
	free(calls->closed[with]);
	calls->closed[with] = mem_strdup(why);
	calls_give_up(calls, with, 1, why);
}

void
calls_lose_store(struct calls *calls)
{
	calls_give_up(calls, ROLE_STORE, 0, CALLS_STORE_LOST);
}

/* Requests */

/* Returns the peer that answers a request. */
static enum role
calls_with(const struct request *request)
{
	return ipc_message(request->type)->to;
}

/*
 * Whether the request is allowed now. An unread answer in the outbox holds a
 * descriptor and therefore counts, too. Returns 0, or -1 with why.
 */
static int
calls_check(
    const struct calls *calls, const struct request *request, struct err *why)
{
	const struct outbox *outbox = calls->relay->outbox;
	const char *closed = calls->closed[calls_with(request)];

	if (closed != NULL)
		return err_set(why, "%s", closed);
	if (request->refusal.text[0] != '\0')
		return err_set(why, "%s", request->refusal.text);
	if (calls->count + outbox_answers(outbox) >= REQUESTS_MAX)
		return err_set(why, "more than %d calls are in flight; await "
		    "some before making more", REQUESTS_MAX);
	if (outbox_unread(outbox) >= ANSWERS_UNREAD_MAX)
		return err_set(why, "more than %lu MiB of answers are unread; "
		    "await some before making more calls",
		    ANSWERS_UNREAD_MAX / MIB);
	if (calls->arguments + request->size > ARGUMENTS_UNDER_WAY_MAX)
		return err_set(why, "the arguments of the calls in flight have "
		    "more than %lu MiB; await some before making more",
		    ARGUMENTS_UNDER_WAY_MAX / MIB);
	return 0;
}

/*
 * Sends a request to its peer. Returns 1; 0 if there is no store or it has just
 * ended; or -1 with why the request fails.
 */
static int
calls_send(struct calls *calls, struct request *request, struct err *why)
{
	struct relay *relay = calls->relay;
	int stored = calls_with(request) == ROLE_STORE;
	struct channel *peer = stored ? relay->store : relay->broker;

	if (stored && peer == NULL)
		return 0;
	if (channel_send(peer, request->type, &request->message, why) == 0)
		return 1;
	if (why->code != EPIPE && why->code != ECONNRESET)
		return err_wrap(why, stored ? "the connection to the store "
		    "failed" : "the connection to the servers failed");
	/* The peer has ended, which has not been noticed yet. */
	if (!stored)
		return err_set(why, "%s", CALLS_BROKER_LOST);
	calls->ends->lose_store(relay);
	return 0;
}

/*
 * Requests the store from the supervisor. Returns 0, or -1 with why that is not
 * possible.
 */
static int
calls_fetch_store(struct calls *calls, struct err *why)
{
	if (calls->fetching)
		return 0;
	if (calls->fetches == STORE_FETCHES_MAX)
		return err_set(why, "%s", CALLS_STORE_GONE);
	calls->fetching = true;
	calls->fetches++;
	calls->ends->want_store(calls->relay);
	return 0;
}

/* Sends a request that waited for the store. Returns like calls_send. */
static int
calls_send_held(
    struct calls *calls, const struct calls_one *one, struct err *why)
{
	const struct json_span frame = { one->frame, one->frame_len };
	struct request request;
	int sent = request_read(frame, &request, why);

	if (sent == 0)
		sent = calls_send(calls, &request, why);
	request_release(&request);
	return sent;
}

/* Returns a request that waits for the store, or NULL. */
static struct calls_one *
calls_next_held(struct calls *calls)
{
	size_t n;

	for (n = 0; n < calls->count; n++)
		if (calls->under_way[n].frame != NULL)
			return &calls->under_way[n];
	return NULL;
}

void
calls_go_on(struct calls *calls)
{
	struct calls_one *one;
	struct err why;
	uint64_t id;
	int sent;

	calls->fetching = false;
	while ((one = calls_next_held(calls)) != NULL) {
		sent = calls_send_held(calls, one, &why);
		if (sent == 1) {
			free(mem_take(&one->frame));
		} else if (sent == -1) {
			id = one->id;
			calls_remove(calls, one);
			calls_refuse(calls, id, why.text);
		} else {
			/*
			 * The store has ended: waiting requests go to the next
			 * one.
			 */
			if (calls_fetch_store(calls, &why) == -1)
				calls_close(calls, ROLE_STORE, why.text);
			return;
		}
	}
}

/*
 * "gh.talk", "read_resource of gh", or "tools/list of gh", which code waits for
 * when it first uses a server. The tool is shown as the code wrote it; all are
 * one line.
 */
static void
calls_name(struct calls_one *one, const struct request *request)
{
	const struct ipc_call_tool *call = &request->message.call_tool;
	auto_buffer struct buffer name = { 0 };

	one->tool = request->type == IPC_CALL_TOOL;
	if (!one->tool && request->type != IPC_LIST_TOOLS &&
	    request->type != IPC_ASK_SERVER)
		return;
	if (request->type == IPC_ASK_SERVER) {
		const struct ipc_ask_server *ask = &request->message.ask_server;

		shown_add(&name, ask->what, strlen(ask->what));
		buffer_add_text(&name, " of ");
		shown_add(&name, ask->server, strlen(ask->server));
	} else if (one->tool) {
		shown_add(&name, call->server, strlen(call->server));
		buffer_add_text(&name, ".");
		shown_add(&name, (const char *)call->tool.data + 1,
		    call->tool.len - 2);
	} else {
		const char *server = request->message.list_tools.server;

		buffer_add_text(&name, "tools/list of ");
		shown_add(&name, server, strlen(server));
	}
	memcpy(one->name, name.data,
	    utf8_cut(name.data, name.len, WAITING_NAME_MAX));
	one->begun = clock_ms();
}

/*
 * Makes the request, which waits if there is no store yet. Returns 0, or -1
 * with why it is refused.
 */
static int
calls_make(struct calls *calls, struct request *request, struct err *why)
{
	struct calls_one one = { .id = request->id, .arguments = request->size,
		.with = calls_with(request) };
	int sent;

	if (calls_check(calls, request, why) == -1)
		return -1;
	sent = calls_send(calls, request, why);
	if (sent == -1 || (sent == 0 && calls_fetch_store(calls, why) == -1))
		return -1;
	if (sent == 0) {
		one.frame_len = request->frame.len;
		one.frame = mem_dup(request->frame.p, request->frame.len);
	}
	calls_name(&one, request);
	calls->made += (uint64_t)one.tool;
	calls->under_way[calls->count++] = one;
	calls->arguments += one.arguments;
	return 0;
}

/* Answers that there are no servers, if there is no broker. */
static void
calls_list_none(struct calls *calls, uint64_t id)
{
	struct ipc_result none = { .id = id,
		.payload = { (const uint8_t *)"[]", 2, -1 } };

	calls->under_way[calls->count++] =
	    (struct calls_one){ .id = id, .with = ROLE_BROKER };
	calls_result(calls, &none);
}

/* Whether the code requests the list of servers and there are none. */
static int
calls_is_list_of_none(const struct calls *calls, const struct request *request)
{
	const char *closed = calls->closed[ROLE_BROKER];

	return request->local == NULL && closed != NULL &&
	    request->type == IPC_LIST_SERVERS &&
	    strcmp(closed, CALLS_NO_SERVERS) == 0 &&
	    calls->count < REQUESTS_MAX;
}

/*
 * Answers a request that is for the relay itself. Returns 0, or -1 with err for
 * a protocol violation.
 */
static int
calls_answer_local(
    struct calls *calls, const struct request *request, struct err *err)
{
	struct local_answer answer = { 0 };
	struct outbox_frame frame;

	if (request->local(calls->relay, &calls->ends->local, request->payload,
	        &answer, err) == -1)
		return -1;
	if (answer.refusal.text[0] != '\0') {
		calls_refuse(calls, request->id, answer.refusal.text);
		return 0;
	}
	calls_begin(&frame, request->id, 1);
	buffer_printf(&frame.text, "\"payload\":%s}\n",
	    answer.value ? "true" : "false");
	calls_answer(calls, request->id, &frame);
	return 0;
}

/*
 * Makes or refuses the request. Returns 0, or -1 with err for a protocol
 * violation.
 */
static int
calls_take(struct calls *calls, struct request *request, struct err *err)
{
	struct err why;

	if (calls_find(calls, request->id) != NULL)
		return err_set(err, "a request with the id of one in flight");
	if (calls_is_list_of_none(calls, request)) {
		calls_list_none(calls, request->id);
		return 0;
	}
	if (request->local != NULL) {
		if (calls_answer_local(calls, request, err) == -1)
			return -1;
	} else if (calls_make(calls, request, &why) == 0) {
		return 0;
	} else {
		calls_refuse(calls, request->id, why.text);
	}
	if (outbox_unread(calls->relay->outbox) >
	    ANSWERS_UNREAD_MAX + REFUSALS_UNREAD_MAX)
		return err_set(err, "too many requests without reading any "
		    "answer");
	return 0;
}

int
calls_request(struct calls *calls, struct json_span frame, struct err *err)
{
	struct request request;
	int taken = request_read(frame, &request, err);

	if (taken == 0)
		taken = calls_take(calls, &request, err);
	request_release(&request);
	return taken;
}

int
calls_cancel(struct calls *calls, struct json_span frame, struct err *err)
{
	struct ipc_cancel_call cancel;
	struct calls_one *one;
	struct err why;

	if (request_read_cancel(frame, &cancel.id, err) == -1)
		return -1;
	one = calls_find(calls, cancel.id);
	/* Requests of the store are not cancelled: they take little time. */
	if (one == NULL || one->cancelled || one->with == ROLE_STORE)
		return 0;
	one->cancelled = true;
	/* That the broker has ended is noticed soon; it sends no answer. */
	if (channel_send_cancel_call(calls->relay->broker, &cancel, &why) == -1)
		log_debug("request %llu cannot be cancelled: %s",
		    (unsigned long long)cancel.id, why.text);
	return 0;
}

/* Returns the oldest request with a name after this id, or NULL. */
static const struct calls_one *
calls_next(const struct calls *calls, uint64_t id)
{
	const struct calls_one *one, *next = NULL;

	for (one = calls->under_way; one < calls->under_way + calls->count;
	     one++)
		if (one->name[0] != '\0' && !one->cancelled && one->id > id &&
		    (next == NULL || one->id < next->id))
			next = one;
	return next;
}

void
calls_add_waiting(const struct calls *calls, struct buffer *text)
{
	const struct calls_one *one = calls_next(calls, 0);
	size_t shown = 0, more = 0;

	for (; one != NULL; one = calls_next(calls, one->id)) {
		auto_buffer struct buffer quoted = { 0 };
		const char *name = one->tool ?
		    tally_shown(one->name, &quoted) : one->name;

		if (shown == WAITING_SHOWN || name == NULL) {
			more++;
			continue;
		}
		buffer_printf(text, "%s%s (%llu s)", shown++ > 0 ? ", " : "",
		    name,
		    (unsigned long long)(clock_ms() - one->begun) / 1000);
	}
	if (more > 0)
		buffer_printf(
		    text, "%s%zu more", shown > 0 ? " and " : "", more);
}

/* What is in flight has no answer yet. */
void
calls_add_tally(const struct calls *calls, struct buffer *text)
{
	struct tally tally = calls->tally;
	const struct calls_one *one;

	for (one = calls->under_way; one < calls->under_way + calls->count;
	     one++)
		if (one->tool)
			tally_add(&tally, one->name, 0);
	tally_write(&tally, text);
}

int
calls_oversized(struct calls *calls, const struct line *line, struct err *err)
{
	struct request request;

	if (!request_glimpse(line, &request))
		return err_set(err, "a frame of %zu bytes", line->total);
	return calls_take(calls, &request, err);
}
