/*
 * One connection: see conn.h. This file makes and frees it, and reads its
 * requests. A client that closes one direction of its connection counts as
 * disconnected. Only the events of its own socket free a connection, so callers
 * of these functions may use it afterwards.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/base/clock.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "callers.h"
#include "check.h"
#include "conn.h"
#include "conn_parts.h"
#include "guest.h"
#include "listener.h"
#include "route.h"

/* While draining, the end of the last connection is that of the process. */
static void
conn_look_drained(const struct gateway *gateway)
{
	if (gateway->draining && gateway->nconns == 0)
		event_base_loopbreak(gateway->base);
}

static void
conn_free(struct conn *conn)
{
	LIST_REMOVE(conn, entry);
	conn->gateway->nconns--;
	if (conn->caller != NULL)
		conn->caller->nconns--;
	caller_drop(&conn->caller);
	caller_drop(&conn->payer);
	conn->gateway->bodies -= conn->held;
	conn->gateway->unsent -= conn->counted;
	if (conn->ask != NULL)
		ask_leave(&conn->ask);
	loop_event_free(&conn->readable);
	loop_event_free(&conn->writable);
	loop_event_free(&conn->closed);
	loop_event_free(&conn->timer);
	loop_event_free(&conn->more);
	conn_stream_reset(conn);
	http_parser_free(&conn->parser);
	buffer_reset(&conn->rest);
	buffer_reset(&conn->unsent);
	fd_close(&conn->fd);
	conn_look_drained(conn->gateway);
	free(conn->address);
	free(conn);
}

int
conn_make_room(struct gateway *gateway, const struct caller *caller)
{
	size_t own = caller == NULL ? 0 : caller->nconns;
	int may = own < HTTP_CONNECTIONS_ADDRESS_MAX;
	struct conn *most = NULL;

	if (may && gateway->nconns < HTTP_CONNECTIONS_MAX)
		return 1;
	if (may)
		most = conn_most_idle(gateway, own);
	if (most == NULL)
		most = conn_first_due(gateway, caller);
	if (most == NULL && may)
		most = conn_most_busy(gateway, own);
	if (most == NULL)
		return 0;
	conn_warn(most, "it has most of too many");
	conn_free(most);
	return 1;
}

void
conn_free_all(struct gateway *gateway)
{
	while (!LIST_EMPTY(&gateway->conns))
		conn_free(LIST_FIRST(&gateway->conns));
}

/* Reading */

/* The operator may have forgotten to allow it. */
static void
conn_warn_foreign(struct conn *conn, const struct http_fault *fault)
{
	auto_buffer struct buffer shown = { 0 };
	auto_free char *why = NULL;

	shown_add_quoted(&shown, fault->value, HTTP_VALUE_SHOWN);
	why = mem_printf("%s: %s \"%s\" would allow it", fault->reason,
	    fault->flag, shown.data);
	caller_warn(conn->gateway, conn->caller, conn->address,
	    fault->value == conn_head(conn)->fields[HTTP_HOST] ?
	    WARNED_HOST : WARNED_ORIGIN, why);
}

/* Refuses the request; where the next one begins is not known then. */
static void
conn_refuse(struct conn *conn, const struct http_fault *fault)
{
	if (fault->flag != NULL)
		conn_warn_foreign(conn, fault);
	conn->last = conn->last || fault->status != 204;
	conn->foreign = fault->status == 403;
	conn_fail(conn, fault->status, 0, fault->reason);
}

/* Returns the address that the log names: the client's own; borrowed. */
static const char *
conn_address(const struct conn *conn)
{
	const char *list = conn_head(conn)->fields[HTTP_FORWARDED_FOR];
	const char *one;
	unsigned char binary[sizeof(struct in6_addr)];

	if (list == NULL || strcmp(conn->address, conn->gateway->proxy) != 0)
		return conn->address;
	/* Its own peer is what the proxy has added at the end. */
	one = strrchr(list, ',');
	one = one == NULL ? list : one + 1;
	one += strspn(one, " ");
	if (strlen(one) > HTTP_ADDRESS_MAX ||
	    (inet_pton(AF_INET, one, binary) != 1 &&
	        inet_pton(AF_INET6, one, binary) != 1))
		return conn->address;
	return one;
}

/*
 * Counts a request of an address, whatever becomes of it, and notes whom the
 * rest of it counts for. Returns 0, or after how many seconds the address may
 * send one.
 */
static unsigned int
conn_charge(struct conn *conn)
{
	struct gateway *gateway = conn->gateway;
	struct caller *caller = caller_of(gateway, conn_address(conn));
	struct caller *guest =
	    conn->listener->figures ? NULL :
	    guest_caller(gateway, conn_head(conn), conn->local_user);
	unsigned int wait = conn->listener->local ?
	    0 :
	    caller_charge(caller, clock_ms());

	conn->payer = caller_share(guest == NULL ? caller : guest);
	caller_drop(&caller);
	return wait;
}

/* Its guest is welcome, and its body is not needed any more. */
static void
conn_on_passed(void *ctx, struct caller *guest)
{
	struct conn *conn = ctx;

	caller_drop(&conn->payer);
	conn->payer = caller_share(guest);
	conn_count_body(conn);
}

static void
conn_on_request(struct conn *conn)
{
	const struct ask_client client = { .head = conn_head(conn),
		.body = conn_body(conn),
		.passed = conn_on_passed,
		.answer = conn_answer,
		.fail = conn_fail,
		.event = conn_event,
		.file = conn_file,
		.await_body = conn_await_body,
		.ctx = conn,
		.local_user = conn->local_user,
		.figures = conn->listener->figures,
		.counted = !conn->listener->local,
		.address = conn_address(conn) };

	conn->state = CONN_ASKED;
	event_del(conn->timer);
	conn->ask = guest_ask(conn->gateway, &client);
}

/* unread: bytes of the body that have come already */
static void
conn_on_head(struct conn *conn, size_t unread)
{
	const struct http_head *head = conn_head(conn);
	const struct check check = { conn->listener->hosts,
		conn->gateway->origins, conn->local_user,
		conn->listener->figures };
	struct http_fault fault = { 0 };
	int refused = check_head(&check, head, &fault) == -1;
	unsigned int wait = conn_charge(conn);

	conn->bare = false;
	conn->last = head->last || conn->gateway->draining;
	if (wait > 0) {
		conn->last = 1;
		conn->foreign = fault.status == 403;
		conn_fail(conn, 429, wait, "too many requests of this address");
		return;
	}
	if (refused) {
		conn_refuse(conn, &fault);
		return;
	}
	if (route_streams(head->method, head->target)) {
		conn_on_request(conn);
		return;
	}
	conn_go_on(conn, unread);
}

/*
 * All clients together have sent too much that is not complete: refuses the
 * largest of the guest or address that has sent most. Others that are slow, or
 * send little, are not disturbed.
 */
static void
conn_on_too_much(const struct gateway *gateway)
{
	struct conn *most = conn_heaviest(gateway, conn_use_body);

	if (most == NULL)
		return;
	buffer_reset(conn_body(most));
	conn_count_body(most);
	most->last = 1;
	conn_fail(most, 503, 1,
	    "too many large requests are being received: try again");
}

static void
conn_on_bad(struct conn *conn)
{
	conn->last = 1;
	conn_refuse(conn, http_parser_fault(conn->parser));
}

/* Reads one step from what has come. Returns how many bytes it used. */
static size_t
conn_step(struct conn *conn, const char *data, size_t len)
{
	int begun = http_parser_begun(conn->parser);
	size_t used;
	enum http_state state =
	    http_parser_read(conn->parser, data, len, &used);

	if (!begun && http_parser_begun(conn->parser))
		conn_set_timer(conn, HTTP_REQUEST_SECONDS);
	conn_count_body(conn);
	if (state == HTTP_HEAD)
		conn_on_head(conn, len - used);
	else if (state == HTTP_END)
		conn_on_request(conn);
	else if (state == HTTP_BAD)
		conn_on_bad(conn);
	else
		conn->feeding = false;
	if (conn->gateway->bodies > HTTP_BODIES_MAX)
		conn_on_too_much(conn->gateway);
	return used;
}

/* Reads until a request is complete, or bytes are missing. */
static void
conn_feed(struct conn *conn)
{
	size_t at = 0;

	conn->feeding = true;
	while (conn->state == CONN_READING && conn->feeding)
		at += conn_step(
		    conn, conn->rest.data + at, conn->rest.len - at);
	conn->feeding = false;
	buffer_drop_front(&conn->rest, at);
	if (conn->rest.len == 0)
		buffer_reset(&conn->rest);
	conn_read_on(conn);
}

static void
conn_on_more(evutil_socket_t, short, void *arg)
{
	struct conn *conn = arg;

	if (conn->state != CONN_READING &&
	    !event_pending(conn->readable, EV_READ, NULL)) {
		conn_hold_body(conn);
		return;
	}
	event_add(conn->closed, NULL);
	if (conn->state == CONN_READING && conn->rest.len > 0)
		conn_feed(conn);
}

static void
conn_on_readable(evutil_socket_t fd, short, void *arg)
{
	static char chunk[PIPE_CHUNK];
	struct conn *conn = arg;
	ssize_t n = read((int)fd, chunk, sizeof(chunk));

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		conn_free(conn);
		return;
	}
	if (conn->state == CONN_LINGERING)
		return;
	buffer_add(&conn->rest, chunk, (size_t)n);
	if (conn->state == CONN_READING) {
		conn_feed(conn);
	} else if (conn->state == CONN_POURING) {
		conn_pour(conn);
	} else if (conn->ask != NULL && !http_parser_ended(conn->parser)) {
		conn_hold_body(conn);
	} else if (conn->rest.len > HTTP_AHEAD_MAX) {
		conn_warn(conn,
		    "it sends more requests than it awaits answers of");
		conn_break(conn);
	}
}

static void
conn_on_closed(evutil_socket_t, short, void *arg)
{
	struct conn *conn = arg;

	conn_free(conn);
}

/* Sends a sign of life, unless the client has still not read the last ones. */
static void
conn_on_quiet(struct conn *conn)
{
	conn->silent += HTTP_ALIVE_SECONDS;
	if (conn_unsent(conn) > 0 && conn->silent > HTTP_STALL_SECONDS) {
		conn_free(conn);
		return;
	}
	conn_set_timer(conn, HTTP_ALIVE_SECONDS);
	if (conn_unsent(conn) == 0)
		conn_send_alive(conn);
}

static void
conn_on_timer(evutil_socket_t, short, void *arg)
{
	struct conn *conn = arg;
	static const struct http_fault late = { .status = 408,
		.reason = "the request did not arrive in time" };

	if (conn->state == CONN_POURING)
		ask_leave(&conn->ask);
	if (conn->state == CONN_STREAMING)
		conn_on_quiet(conn);
	else if (conn->state == CONN_POURING)
		conn_refuse(conn, &late);
	else if (conn->state == CONN_READING && http_parser_begun(conn->parser))
		conn_refuse(conn, &late);
	else if ((conn->state == CONN_WRITING ||
	             conn->state == CONN_SENDING ||
	             conn->state == CONN_CLOSING) &&
	    conn->silent == 0) {
		/* It reads, slowly. */
		conn->silent = HTTP_STALL_SECONDS;
		conn_set_timer(conn, HTTP_STALL_SECONDS);
	} else
		conn_free(conn);
}

static void
conn_drain(struct conn *conn)
{
	conn->last = 1;
	if (conn->state == CONN_READING && !http_parser_begun(conn->parser))
		conn_break(conn);
}

void
conn_drain_all(struct gateway *gateway)
{
	struct conn *conn;

	LIST_FOREACH(conn, &gateway->conns, entry)
		conn_drain(conn);
	conn_look_drained(gateway);
}

void
conn_new(struct gateway *gateway, int *fd, const struct conn_from *from)
{
	struct conn *conn = mem_alloc(sizeof(*conn));

	conn->gateway = gateway;
	conn->listener = from->listener;
	conn->local_user = from->local_user;
	conn->caller = from->caller;
	if (conn->caller != NULL)
		conn->caller->nconns++;
	conn->address = mem_strdup(from->address);
	conn->fd = fd_take(fd);
	conn->bare = true;
	conn->stream.sink = conn->stream.file = -1;
	conn->parser = http_parser_new(gateway->body_max);
	conn->readable = event_new(gateway->base, conn->fd,
	    EV_READ | EV_PERSIST, conn_on_readable, conn);
	conn->writable = event_new(
	    gateway->base, conn->fd, EV_WRITE, conn_on_writable, conn);
	conn->closed = event_new(gateway->base, conn->fd,
	    EV_CLOSED | EV_PERSIST, conn_on_closed, conn);
	conn->timer = evtimer_new(gateway->base, conn_on_timer, conn);
	conn->more = evtimer_new(gateway->base, conn_on_more, conn);
	event_add(conn->readable, NULL);
	event_add(conn->closed, NULL);
	conn_set_timer(conn, HTTP_IDLE_SECONDS);
	LIST_INSERT_HEAD(&gateway->conns, conn, entry);
	gateway->nconns++;
}
