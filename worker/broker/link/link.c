/* A link: one process of a server: see link.h. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/clock.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/mask.h"
#include "../../../common/base/mem.h"
#include "link.h"
#include "../state/state.h"

/* The conclusion */

/* Why it fails, as what it wrote says. */
static void
link_describe_failure(const struct link *link, struct buffer *reason,
    int ready, int whole)
{
	static const struct buffer none = { 0 };
	struct link_failure failure = {
		ready ? &none : &mcp_client_said(link->client)->banner,
		&link->errors, link->cut, whole
	};

	link->kind->describe_failure(&failure, reason);
}

/*
 * Takes what it has written to standard error so far, masked. While it runs,
 * each time anew: there is more of it later.
 */
static void
link_take_errors(struct link *link)
{
	const struct buffer *errors = pipes_errors(link->pipes, &link->cut);

	buffer_reset(&link->errors);
	if (link->cut)
		mask_rest(&link->errors, &link->masks, errors->data,
		    errors->len);
	else
		mask_text(&link->errors, &link->masks, errors->data,
		    errors->len, SIZE_MAX);
}

/* Why it ended, for one unanswered ask, or as a whole for the operator. */
static void
link_add_lost(struct link *link, const struct ask *ask, int whole,
    struct buffer *reason)
{
	int told = link->kind->tells && link->errors.len > 0;

	/* How it ended, for every unanswered ask. */
	definition_begin_reason(link->definition, reason);
	if (link->cause == LINK_BY_REVOCATION || !link->launched)
		buffer_printf(reason, " %s", link->how);
	else if (link->reached != LINK_READY)
		buffer_printf(reason, " did not start%s%s",
		    told ? "" : ": it ", told ? "" : link->how);
	else
		buffer_printf(reason, " ended before it answered: it %s",
		    link->how);
	if (link->reached == LINK_READY || link->cause == LINK_BY_REVOCATION)
		ask_add_sent(ask, reason);
	if (link->pipes != NULL && link->cause != LINK_BY_REVOCATION)
		link_describe_failure(
		    link, reason, link->reached == LINK_READY, whole);
}

/* Refuses an ask, because the link has ended. */
static void
link_refuse_lost(struct link *link, struct ask *ask)
{
	auto_buffer struct buffer reason = { 0 };

	link_add_lost(link, ask, ask->grant == NULL, &reason);
	ask_refuse(&ask, &reason, (struct json_span){ NULL, 0 });
}

/*
 * Logs the refusal of the first ask, for the operator. A TRY reports it to the
 * user itself, and a server that hung or lost its trust was logged before.
 */
static void
link_log_lost(struct link *link)
{
	const struct ask *ask = TAILQ_FIRST(&link->asks);
	auto_buffer struct buffer reason = { 0 };

	if (ask == NULL || ask->grant == NULL || link->cause != LINK_BY_ITSELF)
		return;
	link_add_lost(link, ask, 1, &reason);
	reason_fit(&reason);
	log_warn("%s", reason.data);
}

/* Refuses all unanswered asks and releases its resources. Once. */
static void
link_conclude(struct link *link)
{
	link->state = LINK_OVER;
	link->broker->open_links--;
	event_del(link->timer);
	if (link->pipes != NULL) {
		pipes_drain(link->pipes);
		link_take_errors(link);
		diagnosis_log(link->definition->name, &link->errors);
	}
	link_log_lost(link);
	while (!TAILQ_EMPTY(&link->asks))
		link_refuse_lost(link, TAILQ_FIRST(&link->asks));
	questions_forget(link, NULL);
	listing_free(&link->listing);
	mcp_client_free(&link->client);
	pipes_free(&link->pipes);
}

/*
 * Whether its end counts as a failed start: it was never ready, or it answered
 * nothing and then hung or ended quickly.
 */
static int
link_has_failed(const struct link *link)
{
	int brief = clock_ms() - link->begun < SERVER_STEADY_MS;

	return link->reached != LINK_READY ||
	    ((brief || link->cause == LINK_BY_SILENCE) &&
	    !mcp_client_said(link->client)->answered);
}

/*
 * Gives up the link. If awaits_end is set, the conclusion waits up to
 * SERVER_END_WAIT_MS for ENDED, which reports how the process ended.
 */
static void
link_give_up(struct link *link, const char *how, int awaits_end)
{
	struct ask *ask;

	if (link->state >= LINK_AWAITING_END)
		return;
	/* Why it was to be given up says more than how it then ended. */
	if (link->doom != NULL && link->cause != LINK_BY_REVOCATION) {
		how = link->doom;
		awaits_end = 0;
	}
	/* So does how it refused the version with sessions before. */
	if (link->state == LINK_STARTING && link->doom == NULL &&
	    link->cause == LINK_BY_ITSELF &&
	    mcp_client_said(link->client)->refusal.len > 0) {
		how = mcp_client_said(link->client)->refusal.data;
		awaits_end = 0;
	}
	link->reached = link->state;
	while ((ask = TAILQ_FIRST(&link->outgoing)) != NULL)
		ask_move(ask, &link->asks);
	link->state = LINK_AWAITING_END;
	link->how = mem_strdup(how);
	link->ends->lost(link->server, &link->asks, link_has_failed(link), how);
	if (link->pipes != NULL)
		pipes_close(link->pipes);
	if (link->launched && !link->ended)
		link->kind->close(link->broker, link->number);
	if (awaits_end)
		loop_set_timer(link->timer, SERVER_END_WAIT_MS);
	else
		link_conclude(link);
}

/* Gives up from the loop: the caller may be in the middle of a line. */
static void
link_doom(struct link *link, const char *how)
{
	if (link->state >= LINK_AWAITING_END || link->doom != NULL)
		return;
	link->doom = mem_strdup(how);
	loop_set_timer(link->timer, 0);
}

/* Ends a hung server, unless it has answered the ping or a request. */
static void
link_end_hung(struct link *link)
{
	struct err how;

	if (!mcp_client_is_silent(link->client))
		return;
	link->cause = LINK_BY_SILENCE;
	err_set(&how, "was stopped because it answered none of the last %d "
	    "requests in time, nor a ping", SERVER_SILENCES_MAX);
	log_warn("server %s %s; it is restarted on the next call",
	    link->definition->name, how.text);
	link_give_up(link, how.text, 0);
}

static void
link_end_start(struct link *link)
{
	struct err how;

	err_set(&how, "did not answer \"initialize\" within %d seconds",
	    SERVER_START_MS / 1000);
	link_give_up(link, how.text, 0);
}

static void
link_on_timer(evutil_socket_t, short, void *arg)
{
	struct link *link = arg;

	if (link->state == LINK_AWAITING_END)
		link_conclude(link);
	else if (link->doom != NULL)
		link_give_up(link, link->doom, 0);
	else if (link->state == LINK_READY)
		link_end_hung(link);
	else
		link_end_start(link);
}

void
link_settle(struct link *link)
{
	if (link->ends->is_done(link->server) && TAILQ_EMPTY(&link->asks) &&
	    TAILQ_EMPTY(&link->outgoing))
		link_doom(link, "is no longer configured");
}

void
link_revoke(struct link *link, const char *why)
{
	auto_buffer struct buffer how = { 0 };

	link->cause = LINK_BY_REVOCATION;
	reason_add_stopped(&how, why);
	link_give_up(link, how.data, 0);
}

/* Callbacks of the pipes and the client */

static void link_on_room(void *ctx);

static void
link_on_line(void *ctx, const struct line *line)
{
	struct link *link = ctx;

	mcp_client_line(link->client, line);
	/* Calls may have waited for this answer. */
	link_on_room(link);
}

static void
link_on_closed(void *ctx, const char *how)
{
	link_give_up(ctx, how, 1);
}

static int
link_write(void *ctx, const char *data, size_t len)
{
	struct link *link = ctx;

	return pipes_write(link->pipes, data, len);
}

static int
link_try_write(void *ctx, const char *data, size_t len)
{
	struct link *link = ctx;

	return pipes_try_write(link->pipes, data, len);
}

static void
link_on_ready(void *ctx)
{
	struct link *link = ctx;

	link->state = LINK_READY;
	if (link->doom == NULL)
		event_del(link->timer);
	listing_greeted(link->listing);
	link->ends->ready(link->server);
}

void
link_tools_changed(struct link *link)
{
	if (link->listing != NULL)
		listing_changed(link->listing);
}

static void
link_on_changed(void *ctx)
{
	link_tools_changed(ctx);
}

static void link_on_progress(void *ctx, void *call, struct json_span params);

/* The cause of an end that was set meanwhile takes precedence. */
static void
link_on_silent(void *ctx)
{
	struct link *link = ctx;

	if (link->doom == NULL)
		loop_set_timer(link->timer, SERVER_PING_MS);
}

static void
link_on_unfit(void *ctx, const char *why)
{
	link_doom(ctx, why);
}

static void
link_on_settled(void *ctx)
{
	link_settle(ctx);
}

/* Start and end */

struct link *
link_new(struct broker *broker, struct server *server,
    const struct definition *definition, const struct link_ends *ends)
{
	struct link *link = mem_alloc(sizeof(*link));

	link->broker = broker;
	link->server = server;
	link->definition = definition;
	link->kind = definition->remote ? &link_remote : &link_process;
	link->ends = ends;
	link->number = ++broker->last_link;
	link->begun = clock_ms();
	link->timer = evtimer_new(broker->base, link_on_timer, link);
	loop_set_timer(link->timer, SERVER_START_MS);
	TAILQ_INIT(&link->asks);
	TAILQ_INIT(&link->outgoing);
	TAILQ_INIT(&link->questions);
	TAILQ_INSERT_TAIL(&broker->links, link, entry);
	broker->open_links++;
	link->kind->open(broker, link->number, definition);
	return link;
}

void
link_free(struct link **linkp)
{
	struct link *link = mem_take(linkp);
	struct ask *ask;

	if (link == NULL)
		return;
	while ((ask = TAILQ_FIRST(&link->asks)) != NULL ||
	    (ask = TAILQ_FIRST(&link->outgoing)) != NULL)
		ask_free(&ask);
	questions_forget(link, NULL);
	listing_free(&link->listing);
	mcp_client_free(&link->client);
	pipes_free(&link->pipes);
	loop_event_free(&link->timer);
	TAILQ_REMOVE(&link->broker->links, link, entry);
	link->ends->freed(link->server);
	free(link->doom);
	free(link->how);
	buffer_reset(&link->masks);
	buffer_reset(&link->errors);
	free(link);
}

size_t
link_count(const struct broker *broker, const char *owner)
{
	const struct link *link;
	size_t n = 0;

	TAILQ_FOREACH (link, &broker->links, entry)
		n += strcmp(link->definition->owner, owner) == 0;
	return n;
}

struct link *
link_find(struct broker *broker, uint64_t number)
{
	struct link *link;

	TAILQ_FOREACH (link, &broker->links, entry)
		if (link->number == number)
			return link;
	return NULL;
}

void
link_launched(struct link *link, struct ipc_launched *msg)
{
	struct pipes_ends pipes = { link_on_line, link_on_closed,
		link_on_room, link, &link->broker->unwritten };
	struct mcp_client_ends client = { link_write, link_try_write,
		link_on_ready, link_on_changed, link_on_progress,
		questions_request, link_on_silent, link_on_unfit, link };

	link->launched = true;
	if (link->state >= LINK_AWAITING_END) {
		/* The pipes of the message are closed after this. */
		link->kind->close(link->broker, link->number);
		return;
	}
	link->state = LINK_STARTING;
	if (msg->masks.len > 0)
		buffer_add(&link->masks, msg->masks.data, msg->masks.len);
	link->pipes = pipes_new(link->broker->base, &msg->in, &msg->out,
	    &msg->errors, &pipes);
	link->client = mcp_client_new(
	    link->definition->name, &link->masks, &client);
	link->listing = listing_new(link->broker, link->definition,
	    link->client, &link->masks, &link->asks, link_on_settled, link);
	mcp_client_greet(link->client, link->definition->sampling.narrowed);
}

void
link_ended(struct link *link, const char *how)
{
	link->ended = true;
	/* Its last answers may be unread. */
	if (link->state <= LINK_READY && link->pipes != NULL)
		pipes_drain(link->pipes);
	if (link->state == LINK_AWAITING_END) {
		free(link->how);
		link->how = mem_strdup(how);
		link->ends->ended(link->server, how);
		link_conclude(link);
	}
	link_give_up(link, how, 0);
	link_free(&link);
}

/* Asks */

static void
link_refuse(struct ask *ask, const char *words)
{
	auto_buffer struct buffer text = { 0 };

	buffer_printf(&text, ": %s", words);
	ask_refuse_words(&ask, text.data);
}

/* A call that may be sent: in a queue of which the first is sent first. */
static void
link_put(struct link *link, struct ask *ask)
{
	int first = TAILQ_EMPTY(&link->outgoing);

	ask_move(ask, &link->outgoing);
	if (first)
		link_on_room(link);
}

/* What was asked first has its answers, or a hindrance. */
static void
link_repeat(struct ask *ask)
{
	struct link *link = ask->link;
	auto_free char *words = NULL;

	/* The end of the link refuses it. */
	if (link->state != LINK_READY)
		return;
	if (ask->hindrance == NULL) {
		link_put(link, ask);
		return;
	}
	words = mem_printf("it asks for something first, and got no answer: %s",
	    ask->hindrance);
	link_refuse(ask, words);
	link_settle(link);
}

static void
link_pass_result(struct ask *ask, struct json_span result)
{
	auto_free char *line = NULL;
	struct json_span type;
	struct err err;

	if (mcp_client_said(ask->link->client)->stateless &&
	    json_span_get(result, "resultType", &type) > 0 &&
	    json_span_is(type, "input_required")) {
		ask->repeat = link_repeat;
		questions_required(ask->link, ask, result);
		return;
	}
	if (result.len > RESULT_MAX) {
		err_set(&err, "its result has %zu bytes, above the limit of "
		    "%lu MiB", result.len, RESULT_MAX / MIB);
		link_refuse(ask, err.text);
		return;
	}
	if (memchr(result.p, '\r', result.len) != NULL) {
		line = mem_alloc(result.len);
		json_span_copy_line(result, line);
		result.p = line;
	}
	ask_answer(&ask, result.p, result.len);
}

/* It answers the code, which gets it as it gets a result: as it is. */
static void
link_pass_error(struct ask *ask, struct json_span error)
{
	auto_buffer struct buffer reason = { 0 };

	definition_begin_reason(ask->definition, &reason);
	buffer_add_text(&reason, ": ");
	reason_add_error(&reason, error, NULL);
	ask_refuse(&ask, &reason, error);
}

/* A page of what a server lists. */
static void
link_pass_page(struct link *link, struct ask *ask, struct json_span result)
{
	struct err err;
	int more = method_add_page(ask, result, &err);

	if (more == -1)
		link_refuse(ask, err.text);
	else if (more)
		link_put(link, ask);
	else
		ask_answer(&ask, ask->entries.data, ask->entries.len);
}

static void
link_on_called(void *ctx, const struct mcp_answer *answer)
{
	struct ask *ask = ctx;
	struct link *link = ask->link;
	struct err err;

	switch (answer->outcome) {
	case MCP_RESULT:
		if (ask->method != NULL && method_lists(ask->method))
			link_pass_page(link, ask, answer->value);
		else
			link_pass_result(ask, answer->value);
		break;
	case MCP_ERROR:
		link_pass_error(ask, answer->value);
		break;
	case MCP_BROKEN:
		err_set(&err, "its answer cannot be used: %s", answer->why);
		link_refuse(ask, err.text);
		break;
	}
	link_settle(link);
}

/* The server did not answer a call or report progress for too long. */
static void
link_on_silence(evutil_socket_t, short, void *arg)
{
	auto_buffer struct buffer words = { 0 };
	struct ask *ask = arg;
	struct link *link = ask->link;
	uint64_t seconds;
	const char *unit;

	/* It may wait for the client, whose answer lets it wait anew. */
	if (questions_count(link, ask->execution) > 0) {
		loop_set_timer(ask->patience, ask->silence);
		return;
	}
	mcp_client_time_out(link->client, ask->sent);
	seconds = ask->silence / 1000;
	unit = seconds == 1 ? "second" : "seconds";
	buffer_printf(&words, " did not %s %s\"",
	    ask->sent != 0 ? "answer" : "read",
	    ask->method == NULL ? "the call of its tool " : "");
	reason_add_string(&words, (struct json_span){ ask->tool.data,
	    ask->tool.len }, NULL);
	if (ask->last && ask->progress)
		buffer_printf(&words, "\" within %" PRIu64 " seconds, the "
		    "maximum even with progress reports "
		    "(CAISSON_TOOL_CEILING)", ask->longest / 1000);
	else
		buffer_printf(&words, "\"%s %" PRIu64 " %s "
		    "(CAISSON_TOOL_TIMEOUT)", ask->progress ?
		        ", and reported no progress for" : " within",
		    seconds, unit);
	ask_add_sent(ask, &words);
	ask->outcome = AUDIT_TIMEOUT;
	ask_refuse_words(&ask, words.data);
	link_settle(link);
}

static void
link_on_progress(void *ctx, void *call, struct json_span params)
{
	struct ask *ask = call;

	questions_tell(ctx, ask, ASK_CLIENT_PROGRESS, params);
	ask->progress = true;
	ask_wait(ask);
}

/* Sends a call; returns 0 if the server takes no byte of it now. */
static int
link_send(struct link *link, struct ask *ask)
{
	struct json_span params = { ask->params.data, ask->params.len };
	const struct definition *definition = link->definition;
	unsigned int asks = (ask->asks & (definition->sampling.narrowed ?
	    ~0U : ~(unsigned int)ASK_CLIENT_SAMPLING)) |
	    (definition->roots.allow.len > 0 ? ASK_CLIENT_ROOTS : 0);
	auto_buffer struct buffer next = { 0 };
	uint64_t sent;

	if (ask->pages.count > 0) {
		struct json_span cursor = pages_cursor(&ask->pages);

		buffer_add_text(&next, "{\"cursor\":");
		buffer_add(&next, cursor.p, cursor.len);
		buffer_add_text(&next, "}");
		params = (struct json_span){ next.data, next.len };
	} else if (ask->inputs.len > 0) {
		buffer_add(&next, params.p, params.len - 1);
		buffer_add(&next, ask->inputs.data, ask->inputs.len);
		buffer_add_text(&next, "}}");
		params = (struct json_span){ next.data, next.len };
	}
	sent = mcp_client_call(link->client, ask->method == NULL ?
	    "tools/call" : method_name(ask->method), params, asks,
	    link_on_called, ask);
	if (sent == 0)
		return 0;
	if (ask->sent == 0)
		ask->begun = clock_ms();
	ask->sent = sent;
	link->ends->sent(link->server, ask);
	ask_move(ask, &link->asks);
	ask_wait(ask);
	return 1;
}

/*
 * Sends the calls that the server takes now. The others stay in the queue, so
 * that cancelled ones are never sent and executed.
 */
static void
link_on_room(void *ctx)
{
	struct link *link = ctx;

	while (!TAILQ_EMPTY(&link->outgoing) &&
	    pipes_unwritten(link->pipes) == 0 &&
	    link_send(link, TAILQ_FIRST(&link->outgoing)))
		;
}

/* Refuses what the server has said that it does not have. */
static void
link_refuse_without(struct ask *ask)
{
	const char *needed = mcp_client_capability(method_needs(ask->method));
	auto_buffer struct buffer words = { 0 };

	buffer_printf(&words, " has no %s: it does not declare the capability "
	    "\"%s\" when it starts", needed, needed);
	ask->outcome = AUDIT_REFUSED;
	ask_refuse_words(&ask, words.data);
}

void
link_ask(struct link *link, struct ask *ask)
{
	ask->link = link;
	if (ask->method != NULL &&
	    !mcp_client_has(link->client, method_needs(ask->method))) {
		link_refuse_without(ask);
		return;
	}
	if (ask->kind == ASK_CALL) {
		ask->begun = clock_ms();
		ask->patience =
		    evtimer_new(link->broker->base, link_on_silence, ask);
		ask_wait(ask);
		link_put(link, ask);
		return;
	}
	ask_move(ask, &link->asks);
	/* A call that was not judged is the server's to judge. */
	if (ask->listed != NULL && ask->says.len == 0 &&
	    !mcp_client_has(link->client, MCP_TOOLS))
		ask_answer(&ask, "", 0);
	else
		listing_ask(link->listing, ask);
}

void
link_withdraw(struct link *link, struct ask *ask, const char *why)
{
	if (ask->sent != 0)
		mcp_client_cancel(link->client, ask->sent, why);
	else if (ask->kind == ASK_TOOLS && link->listing != NULL)
		listing_withdraw(link->listing, ask);
}

void
link_add_starting(struct link *link, struct buffer *reason)
{
	buffer_add_text(reason, " is still starting after ");
	reason_add_seconds(reason, (clock_ms() - link->begun + 500) / 1000);
	if (link->pipes == NULL)
		return;
	buffer_add_text(reason, ": it has not answered \"initialize\"");
	link_take_errors(link);
	link_describe_failure(link, reason, 0, 0);
}
