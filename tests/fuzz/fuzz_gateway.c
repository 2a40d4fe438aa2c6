/*
 * Fuzz target of the gateway's state: bytes of clients, what the supervisor
 * answers, clients that leave, and the order of all of it are the input. The
 * supervisor keeps to the protocol, as it is trusted; what it is sent must keep
 * to it, too, and when all clients have left nothing may be held for them.
 *
 * The input is a list of steps. The first byte of each says what it is (low
 * half) and who it is about (high half).
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "fuzz.h"
#include "worker/gateway/callers.h"
#include "worker/gateway/conn.h"
#include "worker/gateway/gateway.h"
#include "worker/gateway/guest.h"
#include "worker/gateway/listener.h"

#define CLIENTS 6
#define BODY_MAX 200
#define ASKS 16
#define VISITS 16

/* Channels: what the gateway sends on them is noted and checked. */

struct channel {
	LIST_ENTRY(channel) entry;
	struct channel_ends ends;
	struct play_ask {
		uint64_t number;
		int streams; /* REPLY has begun a stream */
		int awaits;  /* its body is to be written to a pipe */
	} asks[ASKS];        /* unanswered */
	size_t nasks;
	uint64_t last;
};

static LIST_HEAD(, channel) channels;
static uint64_t visits[VISITS]; /* without an answer */
static size_t nvisits;
static int full; /* nothing can be sent on channels of guests */

struct channel *
channel_new(struct event_base *base, int *fd, const struct channel_ends *ends)
{
	struct channel *channel = mem_alloc(sizeof(*channel));

	fd_close(fd);
	channel->ends = *ends;
	LIST_INSERT_HEAD(&channels, channel, entry);
	return channel;
}

void
channel_free(struct channel **channelp)
{
	struct channel *channel = mem_take(channelp);

	if (channel == NULL)
		return;
	LIST_REMOVE(channel, entry);
	free(channel);
}

size_t
channel_unsent(const struct channel *channel)
{
	return 0;
}

void
channel_pause(struct channel *channel, int paused)
{
}

static void
play_forget(struct channel *channel, size_t n)
{
	memmove(&channel->asks[n], &channel->asks[n + 1],
	    (channel->nasks - n - 1) * sizeof(channel->asks[0]));
	channel->nasks--;
}

static void
play_on_ask(struct channel *channel, const struct ipc_ask *ask)
{
	FUZZ_ASSERT(ask->request == channel->last + 1);
	FUZZ_ASSERT(ask->body.len <= BODY_MAX);
	FUZZ_ASSERT(ask->route == HTTP_ROUTE_MCP_POST || ask->body.len == 0);
	FUZZ_ASSERT(ask->route == HTTP_ROUTE_FILES_PUT || ask->length == 0);
	channel->last = ask->request;
	channel->asks[channel->nasks++] =
	    (struct play_ask){ ask->request, 0, ask->length > 0 };
}

static void
play_on_left(struct channel *channel, uint64_t number)
{
	size_t n;

	for (n = 0; n < channel->nasks; n++)
		if (channel->asks[n].number == number) {
			play_forget(channel, n);
			return;
		}
	FUZZ_ASSERT(!"a request that was not open has left");
}

int
channel_send(struct channel *channel, enum ipc_type type, void *msg,
    struct err *err)
{
	static struct ipc_packet packet;

	if (type != IPC_HELLO && (full || channel->nasks == ASKS))
		return err_set(err, "full");
	/* The bounds of all fields are checked here. */
	FUZZ_ASSERT(ipc_encode(type, msg, &packet, err) == 0);
	ipc_packet_close(&packet);
	if (type == IPC_HELLO) {
		FUZZ_ASSERT(channel == NULL && nvisits < VISITS);
		visits[nvisits++] = ((struct ipc_hello *)msg)->visit;
	} else if (type == IPC_ASK) {
		play_on_ask(channel, msg);
	} else {
		FUZZ_ASSERT(type == IPC_CLIENT_GONE);
		play_on_left(channel, ((struct ipc_client_gone *)msg)->request);
	}
	return 0;
}

/* Steps */

struct play {
	const uint8_t *p, *end;
	struct gateway gateway;
	struct listener doors[2]; /* a Unix socket, and TCP */
	int clients[CLIENTS];     /* the other ends; -1: not connected */
	int reader; /* of the last pipe for a body, or -1 */
};

/* What clients begin with, so that not all of it must be found. */
static const char *const pieces[] = {
	"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
	"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
	"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\n"
	"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	"2\r\n{}\r\n0\r\n\r\n",
	"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer b\r\n"
	"Accept: text/event-stream\r\n\r\n",
	"POST /mcp HTTP/1.0\r\nHost: localhost\r\n"
	"Content-Type: application/json\r\nContent-Length: 1\r\n\r\n1",
	"POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
	"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n",
	"DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: ab\r\n"
	"Connection: close\r\n\r\n",
	"OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n"
	"Origin: https://page.example\r\n\r\n",
	"POST /mcp HTTP/1.1\r\nHost: evil\r\nOrigin: http://evil\r\n\r\n",
	"GET /files/a/b HTTP/1.1\r\nHost: localhost\r\nRange: bytes=3-\r\n\r\n",
	"PUT /files/a/b HTTP/1.1\r\nHost: localhost\r\n"
	"Content-Length: 100000\r\n\r\n",
	"PUT /files/a/b HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
	"Content-Length: 9\r\n\r\n",
};

#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

static uint8_t
play_byte(struct play *play)
{
	return play->p < play->end ? *play->p++ : 0;
}

static void
play_open(struct play *play, size_t n)
{
	uint8_t how = play_byte(play);
	struct conn_from from = { &play->doors[how & 1], how & 2,
		how & 4 ? "127.0.0.1" : "user 0", NULL };
	int pair[2];

	if (play->clients[n] != -1)
		return;
	if (how & 4)
		from.caller = caller_of(&play->gateway, from.address);
	FUZZ_ASSERT(socketpair(AF_UNIX,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
	play->clients[n] = pair[1];
	conn_new(&play->gateway, &pair[0], &from);
}

static void
play_say(struct play *play, size_t n, const void *data, size_t len)
{
	if (play->clients[n] != -1 &&
	    send(play->clients[n], data, len, MSG_NOSIGNAL) == -1)
		fd_close(&play->clients[n]);
}

static void
play_read(struct play *play, size_t n)
{
	char bytes[4096];
	ssize_t got;

	if (play->clients[n] == -1)
		return;
	got = read(play->clients[n], bytes, sizeof(bytes));
	if (got == 0)
		fd_close(&play->clients[n]);
}

/* The supervisor answers a HELLO. */
static void
play_visit(struct play *play, int welcome)
{
	struct gateway_end end = { &play->gateway, NULL };
	struct ipc_welcome in = { .guest = -1 };
	struct ipc_turn_away out = { .status = 401, .reason = "unknown" };
	size_t n = play_byte(play);

	if (nvisits == 0)
		return;
	n %= nvisits;
	in.visit = out.visit = visits[n];
	visits[n] = visits[--nvisits];
	if (welcome) {
		gateway_on_welcome(&end, &in);
	} else {
		out.seconds = play_byte(play);
		gateway_on_turn_away(&end, &out);
	}
}

static struct channel *
play_channel(struct play *play)
{
	size_t n = play_byte(play);
	struct channel *channel;

	LIST_FOREACH (channel, &channels, entry)
		if (n-- % 4 == 0)
			return channel;
	return LIST_FIRST(&channels);
}

/* It answers a request, or continues an answer; or a request that has left. */
static void
play_answer(struct play *play)
{
	static const char *const sessions[] = { "", "ab",
		"0123456789abcdef0123456789abcdef" };
	static const uint64_t statuses[] = { 200, 202, 400, 404, 503 };
	struct channel *channel = play_channel(play);
	uint8_t how = play_byte(play);
	struct ipc_reply reply = { .status = statuses[how % 5],
		.session = sessions[how % 3],
		.stream = how >> 7,
		.seconds = how & 1 };
	struct ipc_event event = { .last = how >> 7,
		.id = how & 2 ? "7-1" : "" };
	struct ipc_blob blob = { play->p, 0, -1 };
	struct play_ask *ask;
	size_t n = play_byte(play);

	if (channel == NULL || channel->nasks == 0)
		return;
	n %= channel->nasks;
	ask = &channel->asks[n];
	blob.len = play_byte(play);
	if (blob.len > (size_t)(play->end - play->p))
		blob.len = (size_t)(play->end - play->p);
	blob.data = play->p;
	play->p += blob.len;
	if (reply.stream)
		reply.status = 200;
	reply.request = event.request = ask->number;
	if (ask->streams) {
		event.data = blob;
		if (event.last)
			play_forget(channel, n);
		gateway_on_event(channel->ends.ctx, &event);
	} else {
		reply.body = blob;
		if (reply.stream)
			ask->streams = 1;
		else
			play_forget(channel, n);
		gateway_on_reply(channel->ends.ctx, &reply);
	}
}

/* It answers with a file, which may end too early, or takes a body. */
static void
play_file(struct play *play)
{
	struct channel *channel = play_channel(play);
	struct ipc_reply_file reply = { .version = 1, .type = "text/plain" };
	struct ipc_await_body await = { 0 };
	size_t n = play_byte(play);
	uint8_t how = play_byte(play);
	int ends[2];

	if (channel == NULL || channel->nasks == 0 ||
	    channel->asks[n % channel->nasks].streams)
		return;
	n %= channel->nasks;
	reply.request = await.request = channel->asks[n].number;
	if (!(how & 1)) {
		reply.size = how * UINT64_C(1000);
		reply.file = memfd_create("file", MFD_CLOEXEC);
		FUZZ_ASSERT(ftruncate(reply.file, how & 2 ?
		    FILE_HEAD_SIZE : FILE_HEAD_SIZE + how * 1000L) == 0);
		reply.offset = FILE_HEAD_SIZE;
		play_forget(channel, n);
		gateway_on_reply_file(channel->ends.ctx, &reply);
		fd_close(&reply.file);
	} else if (channel->asks[n].awaits) {
		channel->asks[n].awaits = 0;
		FUZZ_ASSERT(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
		await.sink = ends[1];
		fd_close(&play->reader);
		play->reader = ends[0];
		if (how & 2)
			fd_close(&play->reader);
		gateway_on_await_body(channel->ends.ctx, &await);
		fd_close(&await.sink);
	}
}

/* Takes what was passed on of a body. */
static void
play_drink(const struct play *play)
{
	char bytes[4096];

	while (play->reader != -1 &&
	    read(play->reader, bytes, sizeof(bytes)) > 0)
		;
}

static void
play_revoke(struct play *play)
{
	struct channel *channel = play_channel(play);

	if (channel != NULL)
		channel->ends.closed(channel->ends.ctx, NULL);
}

static void
play_bytes(struct play *play, size_t n)
{
	size_t len = play_byte(play);

	if (len > (size_t)(play->end - play->p))
		len = (size_t)(play->end - play->p);
	play_say(play, n, play->p, len);
	play->p += len;
}

static void
play_step(struct play *play)
{
	struct gateway_end end = { &play->gateway, NULL };
	struct ipc_drain drain = { 0 };
	uint8_t what = play_byte(play);
	size_t n = (what >> 4) % CLIENTS;
	const char *piece;

	switch (what & 15) {
	case 0:
	case 1:
		play_open(play, n);
		break;
	case 2:
	case 3:
		piece = pieces[play_byte(play) % PIECES];
		play_say(play, n, piece, strlen(piece));
		break;
	case 4:
		play_bytes(play, n);
		break;
	case 5:
		fd_close(&play->clients[n]);
		break;
	case 6:
		if (play->clients[n] != -1)
			shutdown(play->clients[n], SHUT_WR);
		break;
	case 7:
		play_read(play, n);
		break;
	case 8:
	case 9:
		play_visit(play, 1);
		break;
	case 10:
		play_visit(play, 0);
		break;
	case 11:
	case 12:
		play_answer(play);
		break;
	case 13:
		play_revoke(play);
		break;
	case 14:
		full = !full;
		break;
	default:
		if (play_byte(play) == 15) {
			gateway_on_drain(&end, &drain);
			break;
		}
		play_drink(play);
		play_file(play);
		break;
	}
	event_base_loop(play->gateway.base, EVLOOP_NONBLOCK);
}

/* All clients leave: nothing is held for them any more. */
static void
play_end(struct play *play)
{
	struct gateway *gateway = &play->gateway;
	struct channel *channel;
	size_t n;

	full = 0;
	for (n = 0; n < CLIENTS; n++)
		fd_close(&play->clients[n]);
	fd_close(&play->reader);
	for (n = 0; n < 3 * CLIENTS; n++)
		event_base_loop(gateway->base, EVLOOP_NONBLOCK);
	FUZZ_ASSERT(gateway->nconns == 0 && LIST_EMPTY(&gateway->conns));
	FUZZ_ASSERT(gateway->bodies == 0);
	FUZZ_ASSERT(gateway->unsent == 0);
	FUZZ_ASSERT(gateway->nvisits == nvisits);
	LIST_FOREACH (channel, &channels, entry)
		FUZZ_ASSERT(channel->nasks == 0);
	guest_free_all(gateway);
	callers_free_all(gateway);
	FUZZ_ASSERT(LIST_EMPTY(&channels));
	event_base_free(gateway->base);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char hosts[] = "localhost", none[] = "";
	char origins[] = "https://page.example";
	struct play play = { .p = data, .end = data + size };
	size_t n;

	play.reader = -1;
	signal(SIGPIPE, SIG_IGN);
	nvisits = 0;
	LIST_INIT(&channels);
	play.gateway.base = loop_new(0);
	play.gateway.body_max = BODY_MAX;
	play.gateway.origins = origins;
	play.gateway.proxy = none;
	play.doors[0] = (struct listener){ .gateway = &play.gateway, .fd = -1,
		.local = true, .hosts = none };
	play.doors[1] = (struct listener){ .gateway = &play.gateway, .fd = -1,
		.hosts = hosts };
	for (n = 0; n < CLIENTS; n++)
		play.clients[n] = -1;
	while (play.p < play.end && nvisits < VISITS - 1)
		play_step(&play);
	play_end(&play);
	return 0;
}
