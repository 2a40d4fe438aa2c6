/* What a connection waits for, and for how long: see conn_parts.h. */
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "callers.h"
#include "conn_parts.h"
#include "http.h"

const struct http_head *
conn_head(const struct conn *conn)
{
	return http_parser_head(conn->parser);
}

struct buffer *
conn_body(struct conn *conn)
{
	return http_parser_body(conn->parser);
}

void
conn_count_body(struct conn *conn)
{
	size_t len = conn_body(conn)->len;

	conn->gateway->bodies += len;
	conn->gateway->bodies -= conn->held;
	conn->held = len;
}

void
conn_warn(struct conn *conn, const char *why)
{
	caller_warn(conn->gateway, conn->caller, conn->address, WARNED_OTHER,
	    why);
}

void
conn_break(struct conn *conn)
{
	event_active(conn->closed, EV_CLOSED, 0);
}

void
conn_stream_reset(struct conn *conn)
{
	loop_event_free(&conn->stream.writable);
	fd_close(&conn->stream.sink);
	fd_close(&conn->stream.file);
}

void
conn_set_timer(struct conn *conn, unsigned int seconds)
{
	const struct timeval tv = { .tv_sec = seconds };

	event_add(conn->timer, &tv);
}

/*
 * One request of each connection is read in a pass of the loop, so that a
 * client that sends many at once does not delay others. Until the rest was
 * used, no more is read.
 */
void
conn_read_on(struct conn *conn)
{
	static const struct timeval at_once = { 0 };

	if (conn->state == CONN_READING && conn->rest.len > 0) {
		event_del(conn->readable);
		event_add(conn->more, &at_once);
	} else {
		event_add(conn->readable, NULL);
	}
}

/*
 * Libevent tells of a reset as of bytes that can be read, again and again, so
 * the socket is left out of the loop, and looked at by a timer.
 */
void
conn_hold_body(struct conn *conn)
{
	static const struct timeval later = { .tv_usec = HTTP_LOOK_MS * 1000 };
	struct pollfd socket = { .fd = conn->fd, .events = POLLRDHUP };

	event_del(conn->readable);
	event_del(conn->closed);
	if (poll(&socket, 1, 0) > 0)
		conn_break(conn);
	else
		event_add(conn->more, &later);
}

/* The next request may already be there. */
void
conn_next(struct conn *conn)
{
	conn->state = CONN_READING;
	conn->bare = true;
	caller_drop(&conn->payer);
	http_parser_next(conn->parser);
	conn_count_body(conn);
	conn_set_timer(conn, HTTP_IDLE_SECONDS);
	/* conn_feed reads on by itself. */
	if (conn->feeding)
		conn->feeding = false;
	else
		conn_read_on(conn);
}

/*
 * Closing a socket with unread bytes would destroy the answer on its way to the
 * client, so these are awaited for a while.
 */
void
conn_linger(struct conn *conn)
{
	conn->state = CONN_LINGERING;
	shutdown(conn->fd, SHUT_WR);
	event_add(conn->readable, NULL);
	conn_set_timer(conn, HTTP_LINGER_SECONDS);
}
