/*
 * Tests of the gateway's fairness: what one client does, or one address, or one
 * owner, does not take from others what they need. The gateway's files run in
 * the test, one pass of the loop at a time, so that their order is certain.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/gateway/callers.h"
#include "worker/gateway/conn.h"
#include "worker/gateway/conn_parts.h"
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
static int full; /* the queue of every channel, to requests */

struct channel *
channel_new(struct event_base *base, int *fd, const struct channel_ends *ends)
{
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
	if (type == IPC_HELLO) {
		visit = ((struct ipc_hello *)msg)->visit;
		snprintf(visitor, sizeof(visitor), "%s",
		    ((struct ipc_hello *)msg)->address);
	} else if (type == IPC_ASK && full)
		return err_set(err, "the queue is full");
	else if (type == IPC_ASK)
		channel->last = ((struct ipc_ask *)msg)->request;
	return 0;
}

/* Welcomes the guest that has come last. Returns its channel. */
static struct channel *
welcome(void)
{
	struct gateway_end whole = { &gateway, NULL };
	struct ipc_welcome in = { .visit = visit, .guest = -1 };

	gateway_on_welcome(&whole, &in);
	return made;
}

/* Answers its last request, with a stream if there is no body. */
static void
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

static void
begin(void)
{
	static char none[] = "";

	gateway.base = loop_new(0);
	gateway.body_max = 4 * MIB;
	gateway.origins = none;
	gateway.proxy = none;
	door = (struct listener){ .gateway = &gateway, .fd = -1,
		.hosts = none };
}

static void
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

static void
pass(int times)
{
	while (times-- > 0)
		event_base_loop(gateway.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

/* Clients */

/* Returns the client's end of a connection from this address. */
static int
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
static struct channel *
guest_at(const char *address, const char *request, int *client)
{
	*client = client_at(address);
	ck_assert_int_eq(send(*client, request, strlen(request), 0),
	    (ssize_t)strlen(request));
	pass(1);
	return welcome();
}

static void
say(int client, const char *text)
{
	ck_assert_int_eq(send(client, text, strlen(text), MSG_NOSIGNAL),
	    (ssize_t)strlen(text));
}

/* Sends bytes of a body, as the gateway takes them. */
static void
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
static int
is_closed(int client)
{
	static char text[MIB];
	ssize_t n;

	do
		n = read(client, text, sizeof(text));
	while (n > 0);
	return n == 0 || errno == ECONNRESET;
}

/* Reads what is there. Returns how many bytes, 0 at the end, or -1. */
static int
read_some(int fd)
{
	static char text[MIB];

	return (int)read(fd, text, sizeof(text));
}

/* Returns what the client can read now, until the next call. */
static const char *
hear(int client)
{
	static char text[MIB];
	ssize_t n = read(client, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

/* Returns how many answers it can read now, which must have this status. */
static unsigned int
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

#define OPTIONS "OPTIONS /mcp HTTP/1.1\r\nHost: a\r\n\r\n"

UNIT_FIXTURE(begin, end)

UNIT_TEST(a_connection_has_one_request_in_a_pass)
{
	int many = client_at("192.0.2.1");
	int other = client_at("192.0.2.2");
	int i;

	for (i = 0; i < 10; i++)
		say(many, OPTIONS);
	say(other, OPTIONS);
	pass(1);
	ck_assert_uint_eq(answers(many, "204"), 1);
	ck_assert_uint_eq(answers(other, "204"), 1);
	/* Others are served in between; all of them are answered. */
	pass(2);
	say(other, OPTIONS);
	ck_assert_uint_eq(answers(many, "204"), 2);
	pass(1);
	ck_assert_uint_eq(answers(other, "204"), 1);
	pass(10);
	ck_assert_uint_eq(answers(many, "204"), 7);
	say(many, OPTIONS);
	pass(1);
	ck_assert_uint_eq(answers(many, "204"), 1);
	close(many);
	close(other);
}

/* Returns an answer of so many bytes. */
static char *
answer_of(size_t len)
{
	char *text = mem_alloc(len + 1);

	memset(text, 'x', len);
	return text;
}

UNIT_TEST(a_full_queue_says_which_requests_were_taken)
{
	int first, second = client_at("192.0.2.1");

	guest_at("192.0.2.1", POST_AS("one"), &first);
	full = 1;
	say(second, POST_AS("one"));
	pass(2);
	full = 0;
	ck_assert_ptr_ne(
	    strstr(hear(first), "may have been carried out"), NULL);
	ck_assert_ptr_ne(strstr(hear(second), "Retry-After: 1"), NULL);
	close(first);
	close(second);
}

/*
 * An owner with many answers that are not read is disconnected, and not another
 * one whose single answer is the largest.
 */
UNIT_TEST(unread_answers_cost_their_owner)
{
	enum { MANY = 8, ROOM = 20 * MIB };
	auto_free char *small = answer_of(2 * MIB);
	auto_free char *large = answer_of(6 * MIB);
	int clients[MANY], other, i, closed = 0;
	struct channel *one, *two;

	gateway.unsent = HTTP_UNSENT_MAX - ROOM;
	one = guest_at("192.0.2.1", POST_AS("one"), &clients[0]);
	two = guest_at("192.0.2.1", POST_AS("two"), &other);
	for (i = 0; i < MANY; i++) {
		if (i > 0) {
			clients[i] = client_at("192.0.2.1");
			say(clients[i], POST_AS("one"));
			pass(1);
		}
		reply_to(one, small);
	}
	pass(1);
	ck_assert_uint_eq(gateway.nconns, MANY + 1);
	reply_to(two, large);
	pass(1);
	ck_assert_uint_eq(gateway.nconns, MANY);
	ck_assert(!is_closed(other));
	for (i = 0; i < MANY; i++)
		closed += is_closed(clients[i]);
	ck_assert_int_eq(closed, 1);
	conn_free_all(&gateway);
	gateway.unsent -= HTTP_UNSENT_MAX - ROOM;
}

/* Opens streams of an owner, from these addresses in turn. */
static void
open_streams(struct channel *guest, const char *request, int *clients,
    int count)
{
	static const char *const addresses[] = { "192.0.2.1", "192.0.2.2" };
	int i;

	for (i = 0; i < count; i++) {
		clients[i] = client_at(addresses[i % 2]);
		say(clients[i], request);
		pass(1);
		reply_to(guest, NULL);
	}
}

/* Where all connections are streams, those of the owner with most give way. */
UNIT_TEST(streams_of_one_owner_leave_room)
{
	enum { MANY = HTTP_CONNECTIONS_KEPT + 2, FEW = HTTP_CONNECTIONS_KEPT };
	struct caller *caller = caller_of(&gateway, "192.0.2.3");
	struct channel *one, *two;
	int clients[MANY], others[FEW], first, second, i;
	size_t fake;

	one = guest_at("192.0.2.1", POST_AS("one"), &first);
	two = guest_at("192.0.2.1", POST_AS("two"), &second);
	open_streams(one, POST_AS("one"), clients, MANY);
	open_streams(two, POST_AS("two"), others, FEW);
	close(first);
	close(second);
	pass(1);
	fake = HTTP_CONNECTIONS_MAX - gateway.nconns;
	gateway.nconns += fake;
	ck_assert_int_eq(conn_make_room(&gateway, caller), 1);
	ck_assert(is_closed(clients[MANY - 1]));
	gateway.nconns++;
	ck_assert_int_eq(conn_make_room(&gateway, caller), 1);
	ck_assert(is_closed(clients[MANY - 2]));
	/* No more than it may keep. */
	gateway.nconns++;
	ck_assert_int_eq(conn_make_room(&gateway, caller), 0);
	for (i = 0; i < FEW; i++)
		ck_assert(!is_closed(others[i]) && !is_closed(clients[i]));
	gateway.nconns -= fake + 2;
	caller_drop(&caller);
}

#define BODY_OF(token)                                                         \
	"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"  \
	token "Content-Length: 4000000\r\n\r\n"

/* Nothing of its body is awaited. */
UNIT_TEST(a_body_without_a_token_is_refused_at_once)
{
	int client = client_at("192.0.2.1");

	say(client, BODY_OF(""));
	pass(1);
	ck_assert_uint_eq(answers(client, "401"), 1);
	say_much(client, MIB);
	ck_assert_uint_eq(gateway.bodies, 0);
	close(client);
}

/*
 * Many bodies with tokens that are not valid are refused, and not the larger
 * one of an owner, also at the same address.
 */
UNIT_TEST(bodies_of_strangers_cost_their_address)
{
	enum { MANY = 8, ROOM = 4 * MIB };
	int clients[MANY], other, i, refused = 0;

	gateway.bodies = HTTP_BODIES_MAX - ROOM;
	reply_to(guest_at("192.0.2.1", POST_AS("one"), &other), "{}");
	ck_assert_uint_eq(answers(other, "200"), 1);
	for (i = 0; i < MANY; i++) {
		clients[i] = client_at("192.0.2.1");
		say(clients[i], BODY_OF("Authorization: Bearer x\r\n"));
		say_much(clients[i], 400 * KIB);
	}
	say(other, BODY_OF("Authorization: Bearer one\r\n"));
	say_much(other, 1500 * KIB);
	ck_assert_str_eq(hear(other), "");
	for (i = 0; i < MANY; i++)
		refused += (int)answers(clients[i], "503");
	ck_assert_int_ge(refused, 1);
	conn_free_all(&gateway);
	gateway.bodies -= HTTP_BODIES_MAX - ROOM;
}

/* A connection of a client behind a proxy has no address of its own. */
UNIT_TEST(slow_bodies_of_one_owner_leave_room)
{
	enum { MANY = HTTP_CONNECTIONS_KEPT + 1 };
	struct conn_from from = { &door, 0, "192.0.2.9", NULL };
	int clients[MANY], first, i, pair[2];
	size_t fake;

	guest_at("192.0.2.1", POST_AS("one"), &first);
	close(first);
	pass(1);
	for (i = 0; i < MANY; i++) {
		ck_assert_int_eq(socketpair(AF_UNIX,
		    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
		conn_new(&gateway, &pair[0], &from);
		clients[i] = pair[1];
		say(clients[i], BODY_OF("Authorization: Bearer one\r\n"));
		pass(1);
	}
	fake = HTTP_CONNECTIONS_MAX - gateway.nconns;
	gateway.nconns += fake;
	ck_assert_int_eq(conn_make_room(&gateway, NULL), 1);
	gateway.nconns++;
	ck_assert_int_eq(conn_make_room(&gateway, NULL), 0);
	gateway.nconns -= fake + 1;
	for (i = 0; i < MANY; i++)
		close(clients[i]);
}

/* A kept connection is not idle for as long as one that is never used. */
UNIT_TEST(the_longest_idle_connection_of_an_address_gives_way)
{
	struct caller *caller = caller_of(&gateway, "192.0.2.1");
	int used = client_at("192.0.2.1"), idle = client_at("192.0.2.1");
	size_t fake = HTTP_CONNECTIONS_ADDRESS_MAX - caller->nconns;

	/* A second ago, as it were. */
	conn_set_timer(LIST_FIRST(&gateway.conns), HTTP_IDLE_SECONDS - 1);
	say(used, OPTIONS);
	pass(1);
	ck_assert_uint_eq(answers(used, "204"), 1);
	caller->nconns += fake;
	ck_assert_int_eq(conn_make_room(&gateway, caller), 1);
	ck_assert(is_closed(idle));
	ck_assert(!is_closed(used));
	/* One with a request stays. */
	say(used, BODY_OF("Authorization: Bearer one\r\n"));
	pass(1);
	caller->nconns++;
	ck_assert_int_eq(conn_make_room(&gateway, caller), 0);
	caller->nconns -= fake + 1;
	caller_drop(&caller);
	close(used);
	close(idle);
}

/* Returns how long the last connection may stay as it is, in seconds. */
static long
patience(void)
{
	struct timeval until;

	ck_assert(event_pending(
	    LIST_FIRST(&gateway.conns)->timer, EV_TIMEOUT, &until));
	return until.tv_sec - time(NULL);
}

/* One byte now and then gains no time. At its end the request is refused. */
static void
say_slowly(int client)
{
	int i;

	ck_assert_int_le(patience(), HTTP_REQUEST_SECONDS);
	conn_set_timer(LIST_FIRST(&gateway.conns), HTTP_REQUEST_SECONDS / 2);
	for (i = 0; i < 5; i++) {
		say(client, "x");
		pass(1);
	}
	ck_assert_int_le(patience(), HTTP_REQUEST_SECONDS / 2);
	event_active(LIST_FIRST(&gateway.conns)->timer, EV_TIMEOUT, 0);
	pass(1);
	ck_assert_uint_eq(answers(client, "408"), 1);
	close(client);
	pass(1);
	ck_assert_uint_eq(gateway.nconns, 0);
}

UNIT_TEST(a_head_and_a_body_that_are_slow_are_given_up)
{
	static const char *const begun[] = { "POST /mcp HTTP/1.1\r\nHost: ",
		BODY_OF("Authorization: Bearer x\r\n") };
	size_t i;
	int client;

	for (i = 0; i < UNIT_COUNT(begun); i++) {
		client = client_at("192.0.2.1");
		say(client, begun[i]);
		pass(1);
		say_slowly(client);
	}
}

/* A large file may take longer, as long as enough of it arrives. */
UNIT_TEST(a_file_that_is_slow_is_given_up)
{
	struct ipc_await_body await = { 0 };
	int client, pipes[2];
	struct channel *guest = guest_at("192.0.2.1",
	    "PUT /files/a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer one\r\n"
	    "Content-Length: 4000000\r\n\r\n", &client);
	size_t got;

	ck_assert_int_eq(pipe2(pipes, O_NONBLOCK | O_CLOEXEC), 0);
	await.request = guest->last;
	await.sink = pipes[1];
	gateway_on_await_body(guest->ends.ctx, &await);
	conn_set_timer(LIST_FIRST(&gateway.conns), HTTP_REQUEST_SECONDS / 2);
	for (got = 0; got < HTTP_POUR_STEP; got += (size_t)read_some(pipes[0]))
		say_much(client, 16 * KIB);
	ck_assert_int_gt(patience(), HTTP_REQUEST_SECONDS / 2);
	say_slowly(client);
	/* Its reader is told. */
	while (read_some(pipes[0]) > 0)
		;
	ck_assert_int_eq(read_some(pipes[0]), 0);
	close(pipes[0]);
}

static const struct {
	const char *proxy;
	const char *address;
} dual[] = { { "", "127.0.0.1" }, { "127.0.0.1", "192.0.2.7" } };

/* Sends a request to a socket of IPv6 that also accepts clients of IPv4. */
static void
ask_both(int server)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6 };
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct ipc_listen listen_at = { 0, 0, "", server, 0 };
	socklen_t len = sizeof(at);
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(listen(server, 1), 0);
	ck_assert_int_eq(getsockname(server, (struct sockaddr *)&at, &len), 0);
	listener_new(&gateway, &listen_at);
	listener_start_all(&gateway);
	to.sin_port = at.sin6_port;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(
	    connect(client, (struct sockaddr *)&to, sizeof(to)), 0);
	say(client, "DELETE /mcp HTTP/1.1\r\nHost: a\r\n"
	    "Authorization: Bearer one\r\n"
	    "X-Forwarded-For: 192.0.2.7\r\n\r\n");
	while (*visitor == '\0')
		event_base_loop(gateway.base, EVLOOP_ONCE);
	close(client);
	listener_free_all(&gateway);
}

UNIT_TESTS(an_address_of_ipv4_is_the_same_at_every_socket, UNIT_COUNT(dual))
{
	auto_free char *proxy = mem_strdup(dual[_i].proxy);
	char *none = gateway.proxy;
	struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	int off = 0;
	int server =
	    socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (server == -1 ||
	    setsockopt(server, IPPROTO_IPV6, IPV6_V6ONLY, &off,
	        sizeof(off)) == -1 ||
	    bind(server, (struct sockaddr *)&any, sizeof(any)) == -1) {
		unit_skip("this machine has no IPv6");
		return;
	}
	gateway.proxy = proxy;
	ask_both(server);
	ck_assert_str_eq(visitor, dual[_i].address);
	conn_free_all(&gateway);
	gateway.proxy = none;
}
