/*
 * Bodies that are passed on as they arrive, of which no more than PIPE_CHUNK is
 * held: see conn_parts.h.
 */
#include <errno.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "conn_parts.h"
#include "http.h"

/*
 * All is written, or the pipe takes no more, which the answer explains. If the
 * body is not complete, its end tells the reader of the pipe so.
 */
static void
conn_end_body(struct conn *conn)
{
	conn_stream_reset(conn);
	conn->state = CONN_ASKED;
	event_del(conn->timer);
	if (!http_parser_ended(conn->parser))
		conn_hold_body(conn);
}

/* So many bytes were passed on: a client may be slow, but not endlessly. */
static void
conn_on_poured(struct conn *conn, size_t len)
{
	conn->stream.poured += len;
	if (conn->stream.poured < HTTP_POUR_STEP)
		return;
	conn->stream.poured = 0;
	conn_set_timer(conn, HTTP_REQUEST_SECONDS);
}

void
conn_pour(struct conn *conn)
{
	struct buffer *body = conn_body(conn);
	ssize_t n = 0;
	size_t used;

	http_parser_read(conn->parser, conn->rest.data, conn->rest.len, &used);
	buffer_drop_front(&conn->rest, used);
	if (body->len > 0)
		n = write(conn->stream.sink, body->data, body->len);
	if (n > 0) {
		buffer_drop_front(body, (size_t)n);
		conn_on_poured(conn, (size_t)n);
	}
	if (n == -1 && errno != EAGAIN && errno != EINTR) {
		buffer_reset(body);
		conn_end_body(conn);
	} else if (body->len > 0) {
		event_add(conn->stream.writable, NULL);
		conn_hold_body(conn);
	} else if (http_parser_ended(conn->parser)) {
		conn_end_body(conn);
	} else {
		event_add(conn->readable, NULL);
	}
	conn_count_body(conn);
}

static void
conn_on_pourable(evutil_socket_t, short, void *arg)
{
	conn_pour(arg);
}

void
conn_await_body(void *ctx, int *sink)
{
	struct conn *conn = ctx;

	conn->stream.sink = fd_take(sink);
	conn->stream.writable = event_new(conn->gateway->base,
	    conn->stream.sink, EV_WRITE, conn_on_pourable, conn);
	conn->stream.poured = 0;
	conn->state = CONN_POURING;
	conn_set_timer(conn, HTTP_REQUEST_SECONDS);
	conn_go_on(conn, conn->rest.len);
	conn_pour(conn);
}
