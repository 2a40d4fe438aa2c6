/*
 * Tests of supervisor/peers/gateway and on_gateway: its process is passed the
 * sockets and what it must know, its guests are welcomed or turned away, and a
 * message on the wrong channel ends it. The test is the gateway.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/loop.h"
#include "tests/unit/supervisor/not_here.h"
#include "supervisor/peers/gateway.h"
#include "worker_play.h"

static struct gateway *gateway;
static struct gateway_guest *guest;
static struct gateway_socket listener = { .fd = -1, .hosts = "a b" };
static struct gateway_terms terms = { &listener, 1, 1000, "https://c",
	"127.0.0.9" };
static int line = -1; /* the gateway's end of its channel */
static int own = -1;  /* and of the guest's */
static unsigned int starts, asked, left, gone;
static struct ipc_hello heard;

/* In the place of the other files of the supervisor */

int
spawn_worker(enum role role, unsigned long number, unsigned int uid, int group,
    int channel, int *pidfd, struct err *err)
{
	ck_assert_int_eq(role, ROLE_GATEWAY);
	starts++;
	start_worker(channel, &line, pidfd, 0);
	return 0;
}

static void
on_asked(void *ctx, struct ipc_ask *ask)
{
	struct ipc_reply reply = { .request = ask->request,
		.status = 429,
		.seconds = 7,
		.session = "" };

	asked++;
	gateway_reply(guest, &reply);
}

static void
on_left(void *ctx, uint64_t request)
{
	left++;
}

static void
on_gone(void *ctx)
{
	guest = NULL;
	gone++;
}

static void
on_hello(void *ctx, const struct ipc_hello *hello)
{
	const struct gateway_guest_user user = { on_asked, on_left, on_gone,
		NULL };

	heard = *hello;
	if (hello->token.len > 0)
		gateway_turn_away(gateway, hello->visit, 401, 5, "unknown");
	else
		guest = gateway_welcome(gateway, hello->visit, &user);
}

static void
open_stage(void)
{
	const struct gateway_user user = { on_hello, NULL };
	const struct sockaddr_un unnamed = { .sun_family = AF_UNIX };
	struct err err;

	base = loop_new(0);
	reaper_init(base);
	worker_init(supervisor_routes());
	listener.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listener.fd, (const struct sockaddr *)&unnamed,
	                     sizeof(sa_family_t)), 0);
	ck_assert_int_eq(listen(listener.fd, 1), 0);
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	gateway = gateway_new(&(struct peers_setup){ .base = base }, NULL);
	ck_assert_int_eq(gateway_start(gateway, &terms, &user, &err), 0);
	expect(line, IPC_LISTEN);
	ck_assert_str_eq(msg.listen.hosts, "a b");
	ck_assert_uint_eq(msg.listen.local, 0);
	ipc_message_close(IPC_LISTEN, &msg);
	expect(line, IPC_SERVE);
	ck_assert_str_eq(msg.serve.origins, "https://c");
	ck_assert_str_eq(msg.serve.proxy, "127.0.0.9");
	ck_assert_uint_eq(msg.serve.user, getuid());
	ck_assert_uint_eq(msg.serve.body_max, 1000);
}

static void
close_stage(void)
{
	gateway_free(&gateway);
	gateway_free(&gateway); /* NULL is accepted */
	reaper_finish(1000);
	fd_close(&line);
	fd_close(&own);
	fd_close(&listener.fd);
	event_base_free(base);
}

/* A guest without a token comes; own is its channel. */
static void
visit(void)
{
	struct ipc_hello hello = { .visit = 3, .local = 1,
		.address = "user 7" };

	say(line, IPC_HELLO, &hello);
	ck_assert_str_eq(heard.address, "user 7");
	ck_assert_int_eq(heard.local, 1);
	expect(line, IPC_WELCOME);
	ck_assert_uint_eq(msg.welcome.visit, 3);
	own = fd_take(&msg.welcome.guest);
}

UNIT_TEST(guests_are_turned_away)
{
	struct ipc_hello hello = { .visit = 4, .address = "192.0.2.1",
		.token = { (const uint8_t *)"abc", 3 } };

	open_stage();
	say(line, IPC_HELLO, &hello);
	ck_assert_ptr_null(guest);
	expect(line, IPC_TURN_AWAY);
	ck_assert_uint_eq(msg.turn_away.visit, 4);
	ck_assert_uint_eq(msg.turn_away.status, 401);
	ck_assert_uint_eq(msg.turn_away.seconds, 5);
	ck_assert_str_eq(msg.turn_away.reason, "unknown");
	close_stage();
}

/* All guests of a process that breaks the protocol are lost. */
UNIT_TESTS(messages_on_the_wrong_channel_end_it, 2)
{
	struct ipc_hello hello = { .visit = 5, .local = 1, .address = "x" };
	struct ipc_ask ask = { .request = 1, .route = HTTP_ROUTE_MCP_POST,
		.session = "" };
	char byte;

	open_stage();
	visit();
	if (_i == 0)
		say(own, IPC_HELLO, &hello);
	else
		say(line, IPC_ASK, &ask);
	ck_assert_uint_eq(gone, 1);
	ck_assert_uint_eq(asked, 0);
	ck_assert_int_eq(gateway_ended(gateway), 1);
	ck_assert_int_eq(recv(line, &byte, 1, 0), 0);
	close_stage();
}
