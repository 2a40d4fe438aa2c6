/* Messages by HTTP: see connector.h. */
#include <ctype.h>
#include <event2/event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../../common/base/utf8.h"
#include "../../common/limits.h"
#include "connector.h"

#define EXCHANGE_STREAM "text/event-stream"
#define EXCHANGE_JSON "application/json"

struct exchange {
	struct transfers *transfers;
	struct transfer *transfer;
	struct exchange_ends ends;
	struct exchange_wanted wanted; /* but for what is copied below */
	char *url;
	struct buffer headers;
	struct buffer body;  /* of the request */
	struct buffer text;  /* of an answer that is no stream */
	struct sse sse;
	struct event *timer; /* until the stream is resumed */
	const char *large;   /* why no more is read, or NULL */
	struct renew_wait wait;
	unsigned int token;   /* its number, when it was sent */
	unsigned int renewed; /* how often it waited for another */
	struct transfer_head last; /* of a transfer that is over */
	unsigned int redirects;
	unsigned int resumed; /* in a row, without an event */
};

static void exchange_send(struct exchange *exchange);

static void
exchange_free(struct exchange **exchangep)
{
	struct exchange *exchange = mem_take(exchangep);

	renew_cancel(&exchange->wait);
	loop_event_free(&exchange->timer);
	free(exchange->url);
	buffer_reset(&exchange->headers);
	buffer_reset(&exchange->body);
	buffer_reset(&exchange->text);
	sse_reset(&exchange->sse);
	free(exchange);
}

void
exchange_cancel(struct exchange **exchange)
{
	if (*exchange == NULL)
		return;
	transfer_cancel(&(*exchange)->transfer);
	exchange_free(exchange);
}

void
exchange_satisfy(struct exchange *exchange)
{
	exchange->wanted.expects = false;
}

const struct transfer_head *
exchange_head(const struct exchange *exchange)
{
	return exchange->transfer == NULL ? &exchange->last :
	    transfer_head(exchange->transfer);
}

const struct buffer *
exchange_body(const struct exchange *exchange)
{
	return &exchange->text;
}

/* Its end */

static void
exchange_end(struct exchange *exchange, enum exchange_outcome outcome,
    const char *why)
{
	exchange->ends.ended(exchange->ends.ctx, outcome, why);
	exchange_free(&exchange);
}

static void __attribute__((format(printf, 3, 4)))
exchange_fail(struct exchange *exchange, enum exchange_outcome outcome,
    const char *fmt, ...)
{
	auto_free char *shown = url_shown(exchange->url);
	auto_free char *what = NULL, *why = NULL;
	va_list ap;

	va_start(ap, fmt);
	what = mem_vprintf(fmt, ap);
	va_end(ap);
	why = mem_printf("%s %s", shown, what);
	exchange_end(exchange, outcome, why);
}

/* What a status means, and what to do. */
static const struct {
	long status;
	const char *words;
} exchange_statuses[] = {
	{ 400, " Bad Request" },
	{ 401, " Unauthorized" },
	{ 403, " Forbidden" },
	{ 404, " Not Found: there is no MCP server at this path" },
	{ 405, " Method Not Allowed: there is no MCP server at this path" },
	{ 406, " Not Acceptable" },
	{ 429, " Too Many Requests: call it again later" },
	{ 500, " Internal Server Error" },
	{ 502, " Bad Gateway: what is behind it is not there" },
	{ 503, " Service Unavailable: call it again later" },
	{ 504, " Gateway Timeout: what is behind it does not answer" },
};

static const char *
exchange_status_words(long status)
{
	size_t n;

	for (n = 0; n < sizeof(exchange_statuses) /
	         sizeof(exchange_statuses[0]); n++)
		if (exchange_statuses[n].status == status)
			return exchange_statuses[n].words;
	return "";
}

/*
 * A status that is no success; what the server writes about it is cited, but
 * for one that may repeat what it was sent.
 */
static void
exchange_fail_status(struct exchange *exchange)
{
	long status = exchange_head(exchange)->status;
	const char *type = exchange_head(exchange)->type;
	char *said = exchange->text.data, *p;
	size_t len = exchange->text.len;
	const char *fix = "";

	if (status == 401 || (strcmp(type, EXCHANGE_JSON) != 0 &&
	        strcmp(type, "text/plain") != 0))
		len = 0;
	if (len > 0)
		len = utf8_valid_prefix(said, utf8_cut(said, len, 200));
	for (p = said; p < said + len; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	if (status == 401 || status == 403)
		fix = transfers_have_credentials(exchange->transfers) ?
		    ": it refuses the header Authorization of its entry" :
		    status == 403 && exchange->token > 0 ?
		    ": its login may not do this" :
		    ": give its entry the header Authorization";
	exchange_fail(exchange, status == 404 && exchange->wanted.session ?
	    EXCHANGE_GONE : EXCHANGE_REFUSED, "answered %ld%s%s%s%.*s%s",
	    status, exchange_status_words(status), fix,
	    len == 0 ? "" : "; it says \"", (int)len, len == 0 ? "" : said,
	    len == 0 ? "" : "\"");
}

static int
exchange_is_redirect(const struct transfer_head *head)
{
	return head->location[0] != '\0' &&
	    (head->status == 301 || head->status == 302 ||
	        head->status == 303 || head->status == 307 ||
	        head->status == 308);
}

/* Sends the same, with its method and body, to where it is told to. */
static void
exchange_follow(struct exchange *exchange)
{
	const struct transfer_head *head = exchange_head(exchange);
	char *to = url_redirect(exchange->url, head->location);
	auto_free char *place = NULL;

	if (to == NULL) {
		place = url_shown(head->location);
		exchange_fail(exchange, EXCHANGE_REFUSED, "redirects to %s, "
		    "which gets no headers of its entry: write that address "
		    "into the entry if you trust it", place);
		return;
	}
	if (++exchange->redirects > CONNECTOR_REDIRECTS_MAX) {
		free(to);
		exchange_fail(exchange, EXCHANGE_REFUSED,
		    "redirects more than %d times", CONNECTOR_REDIRECTS_MAX);
		return;
	}
	free(exchange->url);
	exchange->url = to;
	exchange_send(exchange);
}

/* Another token */

static void
exchange_on_renewed(void *ctx, const char *why)
{
	struct exchange *exchange = ctx;

	if (why == NULL)
		exchange_send(exchange);
	else
		exchange_fail(exchange, EXCHANGE_REFUSED, "answered %ld: %s",
		    exchange->last.status, why);
}

/* Returns whether it is sent again with another token, now or later. */
static int
exchange_renew(struct exchange *exchange)
{
	static char none[] = "";
	const struct transfer_head *head = exchange_head(exchange);
	struct challenge challenge = { 0 };
	int renewed;

	if (head->status != 401 && head->status != 403)
		return 0;
	renewed = renew_start(
	    exchange->wanted.renew, exchange->token, head, &exchange->wait);
	if (renewed == -1)
		return 0;
	exchange->last = (struct transfer_head){ head->status, none, none,
		none, none, none };
	/* It is freed behind us. */
	exchange->transfer = NULL;
	if (exchange->renewed++ == CONNECTOR_RENEWS_MAX) {
		challenge_read(head->challenge, &challenge);
		exchange_fail(exchange, EXCHANGE_REFUSED, "answered %ld to a "
		    "token that is new (%s): log in by '%s'%s",
		    exchange->last.status, challenge.error == NULL ?
		    "it does not say why" : challenge.error,
		    renew_command(exchange->wanted.renew), challenge.bound ?
		    "; is the clock of this machine right?" : "");
		challenge_reset(&challenge);
	} else if (renewed)
		exchange_send(exchange);
	return 1;
}

/* Resuming a stream */

static void
exchange_on_timer(evutil_socket_t, short, void *ctx)
{
	struct exchange *exchange = ctx;
	auto_free char *line =
	    mem_printf("Last-Event-ID: %s", exchange->sse.id.data);

	text_list_add(&exchange->headers, line);
	exchange->wanted.method = "GET";
	exchange_send(exchange);
	exchange->headers.len -= strlen(line) + 1;
}

/* Returns whether the stream can be read on, and does so. */
static int
exchange_resume(struct exchange *exchange)
{
	unsigned long ms = exchange->sse.retry_ms;

	if (!exchange->wanted.expects || exchange->sse.id.len <= 1 ||
	    exchange->resumed++ == CONNECTOR_RESUMES_MAX)
		return 0;
	/* Its transfer is freed behind us. */
	exchange->transfer = NULL;
	if (ms == 0)
		ms = CONNECTOR_RETRY_MS;
	loop_set_timer(exchange->timer,
	    ms < CONNECTOR_RETRY_MS_MAX ? ms : CONNECTOR_RETRY_MS_MAX);
	return 1;
}

/* The answer */

static void
exchange_on_event(void *ctx, const char *type, const char *data, size_t len)
{
	struct exchange *exchange = ctx;

	exchange->resumed = 0;
	if (strcmp(type, "message") == 0) {
		exchange->ends.message(exchange->ends.ctx, data, len);
	} else {
		auto_free char *text = mem_dup(data, len);

		exchange->ends.event(exchange->ends.ctx, type, text);
	}
}

static int
exchange_on_data(void *ctx, const char *data, size_t len)
{
	struct exchange *exchange = ctx;
	const struct transfer_head *head = exchange_head(exchange);

	if (head->status / 100 == 2 &&
	    strcmp(head->type, EXCHANGE_STREAM) == 0) {
		if (sse_feed(&exchange->sse, data, len, CONNECTOR_LINE_MAX,
		        exchange_on_event, exchange) == 0)
			return 0;
	} else if (exchange->text.len + len <= CONNECTOR_LINE_MAX) {
		buffer_add(&exchange->text, data, len);
		return 0;
	}
	exchange->large = "sent a message above the limit";
	return -1;
}

/* The whole answer came, with a status of success. */
static void
exchange_succeed(struct exchange *exchange)
{
	const struct transfer_head *head = exchange_head(exchange);

	if (strcmp(head->type, EXCHANGE_JSON) == 0 && exchange->text.len > 0)
		exchange->ends.message(exchange->ends.ctx,
		    exchange->text.data, exchange->text.len);
	if (!exchange->wanted.expects) {
		exchange_end(exchange, EXCHANGE_DONE, NULL);
	} else if (strcmp(head->type, EXCHANGE_JSON) == 0 ||
	    strcmp(head->type, EXCHANGE_STREAM) == 0) {
		if (!exchange_resume(exchange))
			exchange_fail(exchange, EXCHANGE_FAILED,
			    "ended its answer without a response%s",
			    strcmp(head->type, EXCHANGE_JSON) == 0 ?
			    ": is its path right?" : "");
	} else {
		exchange_fail(exchange, EXCHANGE_REFUSED,
		    "answered with %s instead of MCP: is its path right?",
		    head->type[0] == '\0' ? "nothing" : head->type);
	}
}

static void
exchange_on_ended(void *ctx, const char *why, int sent)
{
	struct exchange *exchange = ctx;
	const struct transfer_head *head = exchange_head(exchange);

	if (exchange->large != NULL) {
		exchange_fail(exchange, EXCHANGE_FAILED, "%s of %lu MiB",
		    exchange->large, CONNECTOR_LINE_MAX / MIB);
	} else if (why != NULL) {
		if (!exchange->wanted.expects && head->status / 100 == 2)
			exchange_end(exchange, EXCHANGE_DONE, NULL);
		else if (!exchange_resume(exchange))
			exchange_fail(exchange,
			    sent ? EXCHANGE_FAILED : EXCHANGE_REFUSED,
			    sent ? "ended the connection: %s" :
			           "cannot be reached: %s", why);
	} else if (exchange_renew(exchange)) {
		/* It goes on, or has ended. */
	} else if (exchange_is_redirect(head)) {
		exchange_follow(exchange);
	} else if (head->status / 100 == 2) {
		exchange_succeed(exchange);
	} else {
		exchange_fail_status(exchange);
	}
}

/* Its start */

static void
exchange_send(struct exchange *exchange)
{
	const struct transfer_ends ends = { exchange_on_data,
		exchange_on_ended, exchange };
	const struct transfer_wanted wanted = {
		.method = exchange->wanted.method,
		.url = exchange->url,
		.headers = &exchange->headers,
		.body = exchange->body.data,
		.len = exchange->body.len,
		.again = exchange->wanted.again };

	exchange->text.len = 0;
	exchange->token = renew_number(exchange->wanted.renew);
	exchange->transfer =
	    transfer_start(exchange->transfers, &wanted, &ends);
}

struct exchange *
exchange_start(struct event_base *base, struct transfers *transfers,
    const struct exchange_wanted *wanted, const struct exchange_ends *ends)
{
	struct exchange *exchange = mem_alloc(sizeof(*exchange));

	exchange->transfers = transfers;
	exchange->ends = *ends;
	exchange->wanted = *wanted;
	exchange->url = mem_strdup(wanted->url);
	buffer_add(&exchange->headers, wanted->headers->data,
	    wanted->headers->len);
	if (wanted->len > 0)
		buffer_add(&exchange->body, wanted->body, wanted->len);
	exchange->wait.done = exchange_on_renewed;
	exchange->wait.ctx = exchange;
	exchange->timer = evtimer_new(base, exchange_on_timer, exchange);
	exchange_send(exchange);
	return exchange;
}
