/*
 * Tests of supervisor/door/operators and on_operator: what a command is told,
 * and that one which sends garbage, nothing, or does not read costs only
 * itself. The test is the commands; sessions are stand-ins.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/json/json_span.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "tests/unit/supervisor/not_here.h"
#include "supervisor/door/door.h"
#include "supervisor/options/state_dir.h"
#include "supervisor/peers/broker.h"
#include "supervisor/process/socket/socket.h"
#include "supervisor/run/session.h"

static char folder[] = "/tmp/test_operators.XXXXXX";
static int dir = -1; /* another descriptor of the folder */
static char *name;   /* of the socket */
static struct options options;
static struct runs runs;
static void *all;
static struct err err;
static struct ipc_packet packet;
static union ipc_any msg;
static unsigned int sessions;
static uint64_t shortest = 60000; /* milliseconds that all timers take */

struct timeval __real_clock_timeval(uint64_t ms);
struct timeval __wrap_clock_timeval(uint64_t ms);

struct timeval
__wrap_clock_timeval(uint64_t ms)
{
	return __real_clock_timeval(ms < shortest ? ms : shortest);
}

/* In the place of the other files of the supervisor */

int
state_dir_open_inner(const struct options *of, char **envp,
    const char *inner, struct err *why)
{
	return fcntl(dir, F_DUPFD_CLOEXEC, 0);
}

void
broker_each_link(const struct broker *broker,
    void (*each)(void *ctx, const char *link, const char *owner), void *ctx)
{
	ck_abort_msg("there is no broker");
}

unsigned int
identity_logins(void)
{
	ck_abort_msg("a connector");
}

unsigned int
identity_nobody(void)
{
	ck_abort_msg("no worker is started");
}

int
spawn_worker(enum role role, unsigned long number, unsigned int uid, int group,
    int channel, int *pidfd, struct err *why)
{
	ck_abort_msg("a worker is started");
	return -1;
}

void
sessions_tell(struct sessions *table,
    void (*tell)(void *ctx, const struct session_facts *facts), void *ctx)
{
	char long_name[SESSION_NAME_MAX + 1];
	struct session_facts facts = { "laptop", long_name, "python", 0, 3, 4,
		5, 6 };
	unsigned int n;

	memset(long_name, 'n', SESSION_NAME_MAX);
	long_name[SESSION_NAME_MAX] = '\0';
	for (n = 0; n < sessions; n++) {
		facts.busy = n == 1;
		tell(ctx, &facts);
	}
}

enum session_fate
sessions_end_named(struct sessions *table, const char *scope,
    const char *session, const char *why)
{
	ck_abort_msg("a session is ended");
}

void
call_end_session(
    struct runs *table, const char *scope, const char *session, const char *why)
{
	ck_abort_msg("a session is ended");
}

uint64_t
call_session_bytes(
    const struct runs *table, const char *scope, const char *session)
{
	return 77;
}

void
calls_tell(const struct runs *table, const char *scope, struct buffer *list)
{
	ck_abort_msg("calls are listed");
}

int
call_cancel_id(
    struct runs *table, const char *scope, const char *id, const char *why)
{
	ck_abort_msg("a call is cancelled");
}

/* The stage */

static void
enter(void)
{
	auto_buffer struct buffer names = { 0 };
	const struct door_setup setup = { .runs = &runs };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	options.arguments = 1U << ARGUMENT_SESSION;
	runs.options = &options;
	runs.base = loop_new(0);
	worker_init(supervisor_routes());
	ck_assert_int_eq(door_operators.open(&all, &setup, &err), 0);
	ck_assert_ptr_nonnull(all);
	ck_assert_int_eq(rendezvous_names(dir, &names, &err), 0);
	ck_assert_uint_eq(text_list_count(names.data, names.len), 1);
	name = mem_strdup(names.data);
}

static void
leave(void)
{
	auto_buffer struct buffer names = { 0 };

	door_operators.close(all);
	ck_assert_int_eq(rendezvous_names(dir, &names, &err), 0);
	ck_assert_uint_eq(names.len, 0);
	event_base_free(runs.base);
	fd_close(&dir);
	free(name);
	ck_assert_int_eq(rmdir(folder), 0);
}

static void
settle(void)
{
	int n;

	for (n = 0; n < 600; n++)
		event_base_loop(runs.base, EVLOOP_NONBLOCK);
}

static int
reach(void)
{
	pid_t pid;
	int fd = rendezvous_connect(dir, name, 10000, &pid, &err);

	ck_assert_msg(fd != -1, "%s", err.text);
	settle();
	return fd;
}

static void
say(int fd, enum ipc_type type, void *message)
{
	ck_assert_int_eq(ipc_encode(type, message, &packet, &err), 0);
	ck_assert_int_eq(ipc_socket_send(fd, &packet, &err), 0);
	settle();
}

static int
reach_and_ask(void)
{
	struct ipc_ask_running ask = { .sessions = 1, .owner = "*",
		.end = "" };
	int fd = reach();

	say(fd, IPC_ASK_RUNNING, &ask);
	return fd;
}

static void
expect(int fd, enum ipc_type wanted)
{
	enum ipc_type type;

	ck_assert_int_eq(ipc_socket_receive(fd, &packet, &err), 1);
	ck_assert_int_eq(ipc_decode(&packet, &type, &msg, &err), 0);
	ck_assert_int_eq(type, wanted);
}

static void
expect_end(int fd)
{
	ck_assert_int_eq(ipc_socket_receive(fd, &packet, &err), 0);
}

/* Waits for the answer to a list of sessions: as many as there are. */
static void
expect_sessions(int fd)
{
	auto_buffer struct buffer list = { 0 };
	auto_free char *text = NULL;
	struct json_span told, one, bytes;
	struct json_span_walk walk;
	unsigned int n = 0;

	expect(fd, IPC_ALL_RUNNING);
	text = ipc_blob_copy(&msg.all_running.list, &err);
	buffer_printf(&list, "[%.*snull]", (int)msg.all_running.list.len, text);
	ipc_message_close(IPC_ALL_RUNNING, &msg);
	ck_assert_int_eq(json_span_parse(list.data, list.len, &told, &err), 0);
	walk = json_span_walk(told);
	while (json_span_next_element(&walk, &one) &&
	    json_span_kind(one) == JSON_SPAN_OBJECT) {
		ck_assert_int_eq(json_span_get(one, "bytes", &bytes), 1);
		ck_assert_int_eq(atoi(bytes.p), n == 1 ? 77 : 6);
		n++;
	}
	ck_assert_uint_eq(n, sessions);
}

/* It works still. */
static void
check_works(void)
{
	auto_fd int fd = reach_and_ask();

	expect_sessions(fd);
}

UNIT_TEST(garbage)
{
	static char large[IPC_PACKET_MAX + 1];
	struct ipc_drain drain = { 0 };
	auto_fd int early = reach();
	auto_fd int short_one = reach();
	auto_fd int large_one = reach();
	auto_fd int other = reach();

	ck_assert_int_eq(send(short_one, "x", 1, 0), 1);
	ck_assert_int_eq(
	    send(large_one, large, sizeof(large), 0), sizeof(large));
	/* A message of another peer. */
	say(other, IPC_DRAIN, &drain);
	fd_close(&early);
	settle();
	expect_end(short_one);
	expect_end(large_one);
	expect_end(other);
	check_works();
}

UNIT_TEST(many)
{
	int fds[OPERATORS_MAX + 1];
	unsigned int n;

	/* What is not read is kept for them all. */
	sessions = SESSIONS_MAX;
	for (n = 0; n < OPERATORS_MAX; n++)
		fds[n] = reach_and_ask();
	fds[n] = reach();
	expect_end(fds[n]);
	close(fds[n]);
	while (n-- > 0) {
		expect_sessions(fds[n]);
		close(fds[n]);
		settle();
	}
	sessions = 2;
	check_works();
	sessions = 0;
	check_works();
}

UNIT_FIXTURE(enter, leave)
