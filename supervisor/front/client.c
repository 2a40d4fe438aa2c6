/*
 * The MCP client on standard input and output: bytes into lines, lines into
 * bytes. Never blocks: what the client does not read waits here, up to a
 * bound. Runs in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../supervisor.h"
#include "front.h"

struct client {
	int in;
	int out;
	int ready; /* out never makes a writer wait */
	int in_changed; /* it was made not to block, for the time of the run */
	int out_changed;
	struct event *readable;
	struct event *writable;
	struct lines *lines;
	struct buffer unsent;
	size_t sent; /* of unsent */
	struct mcp *mcp;
	void (*ended)(void *ctx);
	void *ctx;
};

/*
 * Other processes may have the same open file, and go on with it: it is left as
 * it was found.
 */
static void
client_close(int *fd, int changed)
{
	struct err err;

	if (*fd != -1 && changed && fd_set_nonblock(*fd, 0, &err) == -1)
		log_warn("%s", err.text);
	fd_close(fd);
}

/* The client is gone; told once, from here or from a failed write. */
static void
client_end(struct client *client)
{
	void (*ended)(void *ctx) = client->ended;

	if (ended == NULL)
		return;
	client->ended = NULL;
	event_del(client->readable);
	mcp_on_end(client->mcp);
	ended(client->ctx);
}

/* A last line without a newline is a line too. */
static void
client_finish_line(struct client *client)
{
	size_t room;

	if (!lines_pending(client->lines))
		return;
	*lines_room(client->lines, &room) = '\n';
	lines_added(client->lines, 1);
	mcp_on_lines(client->mcp, client->lines);
}

static void
client_on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct client *client = arg;
	size_t room;
	char *data = lines_room(client->lines, &room);
	ssize_t n = client->out == -1 ? 0 : read((int)fd, data, room);

	(void)what;
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		if (n == -1)
			log_warn("reading from the client: errno %d", errno);
		client_finish_line(client);
		client_end(client);
		return;
	}
	lines_added(client->lines, (size_t)n);
	mcp_on_lines(client->mcp, client->lines);
}

/* Gives up on a client that does not take its answers. */
static void
client_drop(struct client *client, const char *why)
{
	log_warn("the client is gone: %s", why);
	event_del(client->writable);
	buffer_reset(&client->unsent);
	client->sent = 0;
	client_close(&client->out, client->out_changed);
	/* The end is told from the loop: not under a sender's feet. */
	event_active(client->readable, EV_READ, 0);
}

static void
client_on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct client *client = arg;
	ssize_t n = write((int)fd, client->unsent.data + client->sent,
	    client->unsent.len - client->sent);

	(void)what;
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == -1) {
		client_drop(client, strerror(errno));
		return;
	}
	client->sent += (size_t)n;
	if (client->sent < client->unsent.len)
		return;
	buffer_reset(&client->unsent);
	client->sent = 0;
	event_del(client->writable);
}

int
client_flushed(const struct client *client)
{
	return client->unsent.len == client->sent;
}

/*
 * Mostly there is room, and the answer leaves at once: what follows a call is
 * done behind it. Returns how much was written.
 */
static size_t
client_write_now(struct client *client, const struct buffer *lines)
{
	ssize_t n;

	if (!client->ready || !client_flushed(client))
		return 0;
	n = write(client->out, lines->data, lines->len);
	/* An error is met again, and told, from the loop. */
	return n > 0 ? (size_t)n : 0;
}

void
client_send(struct client *client, struct buffer *lines)
{
	size_t written;

	if (client->out == -1 || lines->len == 0) {
		buffer_reset(lines);
		return;
	}
	/* What was sent is dropped when it is the larger part: O(n) in all. */
	if (client->sent > client->unsent.len / 2) {
		buffer_drop_front(&client->unsent, client->sent);
		client->sent = 0;
	}
	/* One answer of any size may still go; the next finds it unread. */
	if (client->unsent.len - client->sent > CLIENT_UNSENT_MAX) {
		buffer_reset(lines);
		client_drop(client, "it does not read its answers");
		return;
	}
	written = client_write_now(client, lines);
	buffer_add(&client->unsent, lines->data + written,
	    lines->len - written);
	buffer_reset(lines);
	if (!client_flushed(client))
		event_add(client->writable, NULL);
}

int
client_busy(const struct client *client)
{
	return client->unsent.len - client->sent > CLIENT_UNSENT_BUSY;
}

/*
 * Pipes and sockets can be made not to block; a terminal is shared. Returns
 * whether it does not block, with *changed when it did.
 */
static int
client_set_nonblock(int fd, int *changed)
{
	int before = fcntl(fd, F_GETFL);
	struct stat st;
	struct err err;

	if (fstat(fd, &st) == -1 ||
	    !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return 0;
	if (fd_set_nonblock(fd, 1, &err) == 0) {
		*changed = before != -1 && (before & O_NONBLOCK) == 0;
		return 1;
	}
	log_warn("%s", err.text);
	return 0;
}

struct client *
client_new(struct supervisor *sv, int *in, int *out, void (*ended)(void *ctx),
    void *ctx)
{
	struct client *client = mem_alloc(sizeof(*client));

	client->in = fd_take(in);
	client->out = fd_take(out);
	client->ended = ended;
	client->ctx = ctx;
	client->lines = lines_new(sv->options.max_code * CLIENT_LINE_FACTOR +
	    CLIENT_LINE_EXTRA);
	client->mcp = mcp_new(sv, client);
	client_set_nonblock(client->in, &client->in_changed);
	client->ready =
	    client_set_nonblock(client->out, &client->out_changed);
	client->readable = event_new(sv->base, client->in,
	    EV_READ | EV_PERSIST, client_on_readable, client);
	client->writable = event_new(sv->base, client->out,
	    EV_WRITE | EV_PERSIST, client_on_writable, client);
	event_add(client->readable, NULL);
	return client;
}

void
client_free(struct client **clientp)
{
	struct client *client = mem_take(clientp);

	if (client == NULL)
		return;
	mcp_free(&client->mcp);
	loop_event_free(&client->readable);
	loop_event_free(&client->writable);
	lines_free(&client->lines);
	buffer_reset(&client->unsent);
	client_close(&client->in, client->in_changed);
	client_close(&client->out, client->out_changed);
	free(client);
}
