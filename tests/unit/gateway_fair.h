/*
 * The gateway's files in the process of the test, which is their loop, their
 * clients and, at the other end of their channels, their supervisor.
 */
#ifndef TESTS_UNIT_GATEWAY_FAIR_H
#define TESTS_UNIT_GATEWAY_FAIR_H

#include <errno.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/limits.h"
#include "common/loop.h"
#include "common/mem.h"
#include "unit.h"
#include "worker/gateway/callers.h"
#include "worker/gateway/conn.h"
#include "worker/gateway/gateway.h"
#include "worker/gateway/guest.h"
#include "worker/gateway/listener.h"

#define POST_AS(token)                                                         \
	"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"  \
	"Authorization: Bearer " token "\r\nContent-Length: 2\r\n\r\n{}"

static struct gateway gateway;
static struct listener door; /* of TCP */
static uint64_t visit;       /* that came last */
static char visitor[HTTP_ADDRESS_MAX + 1];

/* Channels, of which only the last number of a request is kept. */

struct channel {
	struct channel_ends ends;
	uint64_t last;
};

static struct channel *made; /* last */

struct channel *
channel_new(
    struct event_base *base, int *fd, const struct channel_ends *ends)
{
	(void)base;
	(void)fd;
	made = mem_alloc(sizeof(*made));
	made->ends = *ends;
	return made;
}

void
channel_free(struct channel **channel)
{
	free(mem_take(channel));
}

int
channel_send(struct channel *channel, enum ipc_type type, void *msg,
    struct err *err)
{
	(void)err;
	if (type == IPC_HELLO) {
		visit = ((struct ipc_hello *)msg)->visit;
		snprintf(visitor, sizeof(visitor), "%s",
		    ((struct ipc_hello *)msg)->address);
	} else if (type == IPC_ASK)
		channel->last = ((struct ipc_ask *)msg)->request;
	return 0;
}

/* Welcomes the guest that has come last. Returns its channel. */
static inline struct channel *
welcome(void)
{
	struct gateway_end whole = { &gateway, NULL };
	struct ipc_welcome in = { .visit = visit, .guest = -1 };

	gateway_on_welcome(&whole, &in);
	return made;
}

/* Answers its last request, with a stream if there is no body. */
static inline void
reply_to(struct channel *channel, const char *body)
{
	struct ipc_reply answer = { .request = channel->last,
		.status = 200,
		.session = "",
		.stream = body == NULL,
		.body = { (const uint8_t *)body,
		    body == NULL ? 0 : strlen(body), -1 } };

	gateway_on_reply(channel->ends.ctx, &answer);
}

/* The fixture */

static inline void
begin(void)
{
	static char none[] = "";

	gateway.base = loop_new(0);
	gateway.body_max = 4 * MIB;
	gateway.origins = none;
	gateway.proxy = none;
	door = (struct listener){ .gateway = &gateway,
		.fd = -1,
		.hosts = none };
}

static inline void
end(void)
{
	conn_free_all(&gateway);
	ck_assert_uint_eq(gateway.nconns, 0);
	ck_assert_uint_eq(gateway.bodies, 0);
	ck_assert_uint_eq(gateway.unsent, 0);
	guest_free_all(&gateway);
	callers_free_all(&gateway);
	event_base_free(gateway.base);
}

static inline void
pass(int times)
{
	while (times-- > 0)
		event_base_loop(
		    gateway.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

/* Clients */

/* Returns the client's end of a connection from this address. */
static inline int
client_at(const char *address)
{
	struct conn_from from = { &door, 0, address,
		caller_of(&gateway, address) };
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	conn_new(&gateway, &pair[0], &from);
	return pair[1];
}

/* Makes the guest of this request welcome. Returns its channel. */
static inline struct channel *
guest_at(const char *address, const char *request, int *client)
{
	*client = client_at(address);
	ck_assert_int_eq(send(*client, request, strlen(request), 0),
	    (ssize_t)strlen(request));
	pass(1);
	return welcome();
}

static inline void
say(int client, const char *text)
{
	ck_assert_int_eq(send(client, text, strlen(text), MSG_NOSIGNAL),
	    (ssize_t)strlen(text));
}

/* Sends bytes of a body, as the gateway takes them. */
static inline void
say_much(int client, size_t len)
{
	static const char part[16 * KIB];

	for (; len > 0; len -= len < sizeof(part) ? len : sizeof(part)) {
		(void)send(client, part,
		    len < sizeof(part) ? len : sizeof(part), MSG_NOSIGNAL);
		pass(1);
	}
}

/* Returns whether the gateway has disconnected it; reads what came before. */
static inline int
is_closed(int client)
{
	static char text[MIB];
	ssize_t n;

	do
		n = read(client, text, sizeof(text));
	while (n > 0);
	return n == 0 || errno == ECONNRESET;
}

/* Returns what the client can read now, until the next call. */
static inline const char *
hear(int client)
{
	static char text[MIB];
	ssize_t n = read(client, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

/* Returns how many answers it can read now, which must have this status. */
static inline unsigned int
answers(int client, const char *status)
{
	static const char head[] = "HTTP/1.1 ";
	const char *text = hear(client);
	unsigned int count = 0;

	while ((text = strstr(text, head)) != NULL) {
		text += strlen(head);
		ck_assert_int_eq(strncmp(text, status, strlen(status)), 0);
		count++;
	}
	return count;
}

#endif
