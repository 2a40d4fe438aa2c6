/*
 * The answers of a connection: their heads, their bytes, also of files, and
 * those that the client has not read yet.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "conn_parts.h"
#include "http.h"
#include "listener.h"
#include "response.h"

size_t
conn_unsent(const struct conn *conn)
{
	return conn->unsent.len - conn->sent;
}

/* What was read of a file is sent: reads on. */
static void
conn_refill(struct conn *conn)
{
	static char chunk[PIPE_CHUNK];
	struct conn_stream *stream = &conn->stream;
	size_t len = stream->left < sizeof(chunk) ? (size_t)stream->left :
	                                            sizeof(chunk);
	ssize_t n = len == 0 ? 0 :
	    pread(stream->file, chunk, len, (off_t)stream->at);

	if (len > 0 && n <= 0) {
		conn_break(conn);
		return;
	}
	buffer_add(&conn->unsent, chunk, (size_t)n);
	stream->at += (uint64_t)n;
	stream->left -= (uint64_t)n;
	if (stream->left == 0) {
		conn_stream_reset(conn);
		conn->state = conn->last ? CONN_CLOSING : CONN_WRITING;
	}
	/* Others have their turn first. */
	event_add(conn->writable, NULL);
}

/* All bytes are written. */
static void
conn_on_flushed(struct conn *conn)
{
	event_del(conn->writable);
	if (conn->state == CONN_CLOSING ||
	    (conn->state == CONN_WRITING && conn->gateway->draining))
		conn_linger(conn);
	else if (conn->state == CONN_WRITING)
		conn_next(conn);
	else if (conn->state == CONN_SENDING)
		conn_refill(conn);
}

/*
 * Forgets what was sent, and counts the rest. If all clients together leave too
 * much unread, one of those that leave most is disconnected.
 */
static void
conn_count_unsent(struct conn *conn)
{
	struct gateway *gateway = conn->gateway;
	struct conn *most;

	if (conn_unsent(conn) == 0) {
		buffer_reset(&conn->unsent);
		conn->sent = 0;
	} else if (conn->sent > conn->unsent.len / 2) {
		buffer_drop_front(&conn->unsent, conn->sent);
		conn->sent = 0;
	}
	gateway->unsent += conn->unsent.len;
	gateway->unsent -= conn->counted;
	conn->counted = conn->unsent.len;
	if (gateway->unsent <= HTTP_UNSENT_MAX)
		return;
	most = conn_heaviest(gateway, conn_use_unsent);
	conn_warn(most, "too many answers are not read");
	conn_break(most);
}

void
conn_write(struct conn *conn)
{
	ssize_t n = send(conn->fd, conn->unsent.data + conn->sent,
	    conn_unsent(conn), MSG_NOSIGNAL);

	if (n == -1 && errno != EAGAIN && errno != EINTR) {
		conn_break(conn);
		return;
	}
	if (n > 0) {
		conn->sent += (size_t)n;
		conn->silent = 0;
	}
	conn_count_unsent(conn);
	if (conn_unsent(conn) == 0)
		conn_on_flushed(conn);
	else
		event_add(conn->writable, NULL);
}

void
conn_go_on(struct conn *conn, size_t unread)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";

	if (!conn_head(conn)->expects || unread > 0)
		return;
	buffer_add_text(&conn->unsent, go_on);
	conn_write(conn);
}

void
conn_on_writable(evutil_socket_t, short, void *arg)
{
	struct conn *conn = arg;

	conn_write(conn);
}

/*
 * The head of an answer to the present request. Where the next one begins is
 * unknown, if this one was not read.
 */
static struct response
conn_response(struct conn *conn, int status)
{
	const struct http_head *head = conn_head(conn);
	struct response response = { .status = status,
		.minor = conn->bare ? 1 : head->minor,
		.last = conn->last,
		.session = "",
		.target = conn->bare ? NULL : head->target,
		.bodiless = !conn->bare && strcmp(head->method, "HEAD") == 0,
		.now = time(NULL) };

	if (!conn->bare && !http_parser_ended(conn->parser))
		conn->last = response.last = 1;
	response.authorized =
	    !conn->bare && head->fields[HTTP_AUTHORIZATION] != NULL;
	if (!conn->bare && !conn->foreign)
		response.origin = head->fields[HTTP_ORIGIN];
	return response;
}

/* The answer is complete in unsent. */
static void
conn_finish(struct conn *conn)
{
	conn->ask = NULL;
	conn_stream_reset(conn);
	conn->state = conn->last ? CONN_CLOSING : CONN_WRITING;
	conn_set_timer(conn, HTTP_STALL_SECONDS);
	conn_write(conn);
}

void
conn_fail(void *ctx, int status, uint64_t retry, const char *message)
{
	struct conn *conn = ctx;
	struct response response = conn_response(conn, status);

	response.retry = retry;
	if (status == 204)
		response_add(&conn->unsent, &response, NULL, 0);
	else
		response_add_error(&conn->unsent, &response, message);
	conn_finish(conn);
}

void
conn_answer(void *ctx, const struct ipc_reply *reply, const char *body,
    size_t len)
{
	struct conn *conn = ctx;
	struct response response = conn_response(conn, (int)reply->status);

	response.retry = reply->seconds;
	response.session = reply->session;
	if (!reply->stream) {
		response.plain = conn->listener->figures;
		response_add(&conn->unsent, &response, body, len);
		conn_finish(conn);
		return;
	}
	/* Without chunks, only closing the connection ends the stream. */
	if (response.minor == 0)
		conn->last = response.last = 1;
	response_add_stream(&conn->unsent, &response);
	conn->state = CONN_STREAMING;
	conn_set_timer(conn, HTTP_ALIVE_SECONDS);
	conn_write(conn);
}

void
conn_event(void *ctx, const char *id, const char *data, size_t len, int last)
{
	struct conn *conn = ctx;
	struct response response = conn_response(conn, 200);

	if (conn_unsent(conn) > HTTP_EVENTS_UNSENT_MAX) {
		conn_warn(conn, "it does not read its events");
		if (last)
			conn->ask = NULL;
		conn_break(conn);
		return;
	}
	if (len > 0 || *id != '\0')
		response_add_event(&conn->unsent, &response, id, data, len);
	if (last) {
		response_add_end(&conn->unsent, &response);
		conn_finish(conn);
		return;
	}
	conn_set_timer(conn, HTTP_ALIVE_SECONDS);
	conn_write(conn);
}

void
conn_send_alive(struct conn *conn)
{
	struct response response = conn_response(conn, 200);

	response_add_alive(&conn->unsent, &response);
	conn_write(conn);
}

/* Files: no more than PIPE_CHUNK of one is held. */

/* Sets which part of the file is sent. Returns the status. */
static int
conn_choose(const struct conn *conn, struct response_file *file)
{
	const char *range = conn_head(conn)->fields[HTTP_RANGE];
	const char *only = conn_head(conn)->fields[HTTP_IF_RANGE];
	const char *known = conn_head(conn)->fields[HTTP_IF_NONE_MATCH];
	auto_buffer struct buffer tag = { 0 }, weak = { 0 };

	buffer_printf(&tag, "\"%llu\"", (unsigned long long)file->version);
	buffer_printf(&weak, "W/%s", tag.data);
	if (http_list_has(known, tag.data) || http_list_has(known, weak.data) ||
	    http_list_has(known, "*"))
		return 304;
	if ((only != NULL && strcmp(only, tag.data) != 0) ||
	    strcmp(conn_head(conn)->method, "GET") != 0)
		range = NULL;
	switch (http_range(range, file->size, &file->from, &file->len)) {
	case 1:
		return 206;
	case -1:
		return 416;
	default:
		file->from = 0;
		file->len = file->size;
		return 200;
	}
}

void
conn_file(void *ctx, struct ipc_reply_file *reply)
{
	struct conn *conn = ctx;
	struct response_file file = { .version = reply->version,
		.type = reply->type, .size = reply->size };
	struct response response =
	    conn_response(conn, conn_choose(conn, &file));

	if (response.status == 304) {
		fd_close(&reply->file);
		response.version = file.version;
		response_add(&conn->unsent, &response, NULL, 0);
		conn_finish(conn);
		return;
	}
	if (response.status == 416) {
		fd_close(&reply->file);
		response.whole = file.size;
		response_add_error(&conn->unsent, &response, "the file ends "
		    "before this range: Content-Range has its size");
		conn_finish(conn);
		return;
	}
	response_add_file(&conn->unsent, &response, &file);
	conn->ask = NULL;
	conn->stream.file = fd_take(&reply->file);
	conn->stream.at = reply->offset + file.from;
	conn->stream.left = response.bodiless ? 0 : file.len;
	conn->state = CONN_SENDING;
	conn_set_timer(conn, HTTP_STALL_SECONDS);
	conn_write(conn);
}
