/*
 * A whole broker in a process of its own, with the test as its supervisor, as
 * its relays and as its servers, all of which block: all files of
 * worker/broker/, linked with main() under the name broker_main(), with times
 * of the test's that pass as broker_clock.h says (broker_times.h).
 */
#ifndef TESTS_UNIT_BROKER_PLAY_H
#define TESTS_UNIT_BROKER_PLAY_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

#if UNIT_ASAN
#include <sanitizer/lsan_interface.h>
#endif

#include "broker_clock.h"
#include "broker_times.h"

int broker_main(void);

static pid_t play_pid;
static uint64_t play_definitions; /* so many were sent: the last number */
static const char *play_owner = ""; /* of the grants that begin */
static uint64_t play_tool_seconds = 60; /* of the grants that begin */
static uint64_t play_tool_ceiling;      /* the same; 0: ten times that */
static uint64_t play_remember;          /* the same */
static uint64_t play_execution = 7, play_client, play_asks; /* the same */
static int play_supervisor; /* the supervisor's end */
static int play_log = -1;   /* where the broker logs to; -1: nowhere */
static struct ipc_packet play_packet;
static union ipc_any play_msg; /* what came last */

/* A server process, as itself sees its pipes. */
struct play_server {
	uint64_t link;
	int in;
	int out;
	int errors;
	char line[4096]; /* what the broker said last */
};

/* Waits until there is something to read of the broker. */
static inline void
play_await(int fd)
{
	broker_clock_await(fd);
}

/* Messages */

static inline int
play_receive(int fd, struct err *err)
{
	play_await(fd);
	return ipc_socket_receive(fd, &play_packet, err);
}

static inline void
play_send(int fd, enum ipc_type type, void *msg)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, msg, &play_packet, &err) == 0, "%s",
	    err.text);
	ck_assert_msg(ipc_socket_send(fd, &play_packet, &err) == 0, "%s",
	    err.text);
	ipc_packet_close(&play_packet);
}

/*
 * Waits for the next message, which must be of this type. That the broker wants
 * the store may come before any other.
 */
static inline void
play_expect(int fd, enum ipc_type wanted)
{
	struct err err = { 0, "it has ended" };
	enum ipc_type type;

	do {
		if (play_receive(fd, &err) != 1 ||
		    ipc_decode(&play_packet, &type, &play_msg, &err) == -1)
			ck_abort_msg("%s does not come: %s",
			    ipc_message(wanted)->name, err.text);
	} while (type == IPC_WANT_LISTS && wanted != IPC_WANT_LISTS);
	if (type == IPC_REFUSED && wanted != IPC_REFUSED)
		ck_abort_msg("refused: %s", play_msg.refused.reason);
	ck_assert_str_eq(ipc_message(type)->name, ipc_message(wanted)->name);
}

/* The broker must have closed this channel, after what lies in it. */
static inline void
play_expect_closed(int fd)
{
	struct err err;

	while (play_receive(fd, &err) == 1)
		ipc_packet_close(&play_packet);
	ck_assert_int_ne(err.code, EAGAIN);
}

/* The broker */

/* Defines a server by the next number; its fingerprint is its name. */
static inline void
play_define_whole(struct ipc_define *define)
{
	uint8_t fingerprint[FINGERPRINT_SIZE] = { 0 };
	size_t len = strlen(define->name);

	memcpy(fingerprint, define->name,
	    len < FINGERPRINT_SIZE ? len : FINGERPRINT_SIZE);
	define->definition = ++play_definitions;
	define->fingerprint =
	    (struct ipc_bytes){ fingerprint, FINGERPRINT_SIZE };
	play_send(play_supervisor, IPC_DEFINE, define);
}

static inline void
play_define_as(const char *name, const char *alias, const char *description)
{
	struct ipc_define define = { .name = name, .alias = alias,
		.description = description };

	play_define_whole(&define);
}

static inline void
play_define(const char *name)
{
	play_define_as(name, name, "does things");
}

static inline void
play_remove(const char *name)
{
	struct ipc_remove remove = { .name = name };

	play_send(play_supervisor, IPC_REMOVE, &remove);
}

/* What was defined by this number is not trusted any more. */
static inline void
play_revoke(uint64_t number, const char *reason)
{
	struct ipc_revoke revoke = { .definition = number,
		.reason = reason };

	play_send(play_supervisor, IPC_REVOKE, &revoke);
}

static inline void
play_try(const char *name)
{
	struct ipc_try try = { .name = name };

	play_send(play_supervisor, IPC_TRY, &try);
}

/* In the child: as spawn leaves a worker behind. */
static inline void __attribute__((noreturn))
play_become_broker(int fd)
{
	int null = open("/dev/null", O_RDWR);
	int status;

	if (play_log != -1 || getenv("PLAY_LOG") == NULL)
		dup2(play_log != -1 ? play_log : null, STDERR_FILENO);
	dup2(fd, WORKER_CHANNEL_FD);
	close_range(WORKER_CHANNEL_FD + 1, ~0U, 0);
	signal(SIGPIPE, SIG_DFL);
	broker_clock_follow();
	status = broker_main();
#if UNIT_ASAN
	if (__lsan_do_recoverable_leak_check() != 0)
		status = 1;
#endif
	_exit(status);
}

/* Starts a broker that gets the definition of a server "gh" first. */
static inline void
play_start(void)
{
	int pair[2];

	signal(SIGPIPE, SIG_IGN);
	broker_clock_start();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	play_supervisor = pair[0];
	play_define("gh");
	play_pid = fork();
	ck_assert_int_ne(play_pid, -1);
	if (play_pid == 0)
		play_become_broker(pair[1]);
	close(pair[1]);
}

static inline void
play_expect_exit(int wanted)
{
	int status;

	ck_assert_int_eq(waitpid(play_pid, &status, 0), play_pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == wanted,
	    "status 0x%x, not %d", (unsigned int)status, wanted);
}

/* The broker has no peer any more: it must end by itself. */
static inline void
play_end(void)
{
	fd_close(&play_supervisor);
	play_expect_exit(0);
}

/* Relays */

/* Begins a grant; returns the relay's end. Lists are "gh\0fs\0". */
static inline int
play_grant_of(const char *allowed, size_t allowed_len, const char *loaded,
    size_t loaded_len)
{
	struct ipc_grant_servers grant = { .execution = play_execution,
		.log_terms = 3,
		.owner = play_owner,
		.client = play_client,
		.asks = play_asks,
		.tool_seconds = play_tool_seconds,
		.tool_ceiling = play_tool_ceiling > 0 ? play_tool_ceiling :
		    10 * play_tool_seconds,
		.remember = play_remember };
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	ck_assert_int_eq(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
	grant.relay = pair[1];
	grant.allowed =
	    (struct ipc_blob){ (const uint8_t *)allowed, allowed_len, -1 };
	grant.loaded =
	    (struct ipc_blob){ (const uint8_t *)loaded, loaded_len, -1 };
	play_send(play_supervisor, IPC_GRANT_SERVERS, &grant);
	return pair[0];
}

/* A grant that has loaded "gh", its only server. */
static inline int
play_grant(void)
{
	return play_grant_of("gh", 3, "gh", 3);
}

static inline void
play_call_with(int relay, uint64_t id, const char *server,
    const char *arguments, size_t len)
{
	struct ipc_call_tool call = { .id = id, .server = server,
		.tool = { (const uint8_t *)"\"t\\u0061lk\"", 11 },
		.arguments = { (const uint8_t *)arguments, len, -1 } };

	call.tool.len = strlen((const char *)call.tool.data);
	play_send(relay, IPC_CALL_TOOL, &call);
}

static inline void
play_call(int relay, uint64_t id, const char *server)
{
	static const char arguments[] = "{\"n\":0.10,\"n\":1e400}";

	play_call_with(relay, id, server, arguments, sizeof(arguments) - 1);
}

static inline void
play_list(int relay, uint64_t id, const char *server)
{
	struct ipc_list_tools list = { .id = id, .server = server };

	play_send(relay, IPC_LIST_TOOLS, &list);
}

/* As play_list; what was remembered will do. */
static inline void
play_recall(int relay, uint64_t id, const char *server)
{
	struct ipc_list_tools list = { .id = id, .server = server,
		.remembered = true };

	play_send(relay, IPC_LIST_TOOLS, &list);
}

static inline void
play_load(int relay, uint64_t id, const char *server)
{
	struct ipc_load_server load = { .id = id, .server = server };

	play_send(relay, IPC_LOAD_SERVER, &load);
}

static inline void
play_list_servers(int relay, uint64_t id)
{
	struct ipc_list_servers list = { .id = id };

	play_send(relay, IPC_LIST_SERVERS, &list);
}

static inline void
play_expect_blob(struct ipc_blob *blob, const char *wanted)
{
	auto_free char *copy = ipc_blob_copy(blob, NULL);

	ck_assert_ptr_nonnull(copy);
	ck_assert_str_eq(copy, wanted);
}

static inline void
play_expect_result(int relay, uint64_t id, const char *json)
{
	play_expect(relay, IPC_RESULT);
	ck_assert_uint_eq(play_msg.result.id, id);
	play_expect_blob(&play_msg.result.payload, json);
	ipc_message_close(IPC_RESULT, &play_msg);
}

/* A refusal of ours, whose sentence begins with these words. */
static inline void
play_expect_refused(int relay, uint64_t id, const char *words)
{
	play_expect(relay, IPC_REFUSED);
	ck_assert_uint_eq(play_msg.refused.id, id);
	if (strncmp(play_msg.refused.reason, words, strlen(words)) != 0)
		ck_assert_str_eq(play_msg.refused.reason, words);
	ck_assert_uint_eq(play_msg.refused.error.len, 0);
	ipc_message_close(IPC_REFUSED, &play_msg);
}

/* Servers */

/*
 * A LET_GO may stand before it: the broker sees the end of a server that died
 * before or after it is told.
 */
static inline uint64_t
play_expect_want(const char *name)
{
	struct err err;
	enum ipc_type type;

	do {
		ck_assert_int_eq(play_receive(play_supervisor, &err), 1);
		ck_assert_int_eq(ipc_decode(
		    &play_packet, &type, &play_msg, &err), 0);
	} while (type == IPC_LET_GO || type == IPC_WANT_LISTS);
	ck_assert_int_eq(type, IPC_WANT);
	ck_assert_str_eq(play_msg.want.name, name);
	return play_msg.want.process;
}

static inline void
play_expect_let_go(uint64_t link)
{
	play_expect(play_supervisor, IPC_LET_GO);
	ck_assert_uint_eq(play_msg.let_go.process, link);
}

/* One pipe; ours is the end that the server has. */
static inline void
play_pipe(int *theirs, int *ours, int they_write)
{
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	*theirs = fds[they_write];
	*ours = fds[!they_write];
	ck_assert_int_eq(fcntl(*theirs, F_SETFL, O_NONBLOCK), 0);
}

static inline void
play_launch(uint64_t link, struct play_server *server)
{
	struct ipc_launched launched = { .process = link };

	server->link = link;
	play_pipe(&launched.in, &server->in, 1);
	play_pipe(&launched.out, &server->out, 0);
	play_pipe(&launched.errors, &server->errors, 0);
	play_send(play_supervisor, IPC_LAUNCHED, &launched);
}

static inline void
play_ended(uint64_t link, const char *how)
{
	struct ipc_ended ended = { .process = link, .how = how };

	play_send(play_supervisor, IPC_ENDED, &ended);
}

static inline void
play_put(int fd, const char *text)
{
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

/* The server says a line. */
static inline void
play_say(struct play_server *server, const char *line)
{
	play_put(server->out, line);
	play_put(server->out, "\n");
}

/* Waits for the next line of the broker; returns it. */
static inline const char *
play_hear(struct play_server *server)
{
	size_t len = 0;

	do {
		ck_assert_uint_lt(len, sizeof(server->line) - 1);
		play_await(server->in);
		ck_assert_int_eq(read(server->in, server->line + len, 1), 1);
	} while (server->line[len++] != '\n');
	server->line[len - 1] = '\0';
	return server->line;
}

static inline void
play_expect_line(struct play_server *server, const char *wanted)
{
	ck_assert_str_eq(play_hear(server), wanted);
}

/* Answers "initialize", which has number 1, with this. */
static inline void
play_greet_with(struct play_server *server, const char *answer)
{
	ck_assert_ptr_nonnull(strstr(play_hear(server), "\"id\":1,\"method\":"
	    "\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
	    "\"capabilities\":{\"roots\":{\"listChanged\":true},"
	    "\"elicitation\":{\"form\":{},\"url\":{}}},"
	    "\"clientInfo\":{\"name\":\"caisson\","));
	play_say(server, answer);
}

static inline void
play_greet(struct play_server *server)
{
	play_greet_with(server, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}");
	play_expect_line(server, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/initialized\"}");
}

/* Answers the next WANT with a server that has been greeted. */
static inline void
play_serve(struct play_server *server)
{
	play_launch(play_expect_want("gh"), server);
	play_greet(server);
}

static inline void
play_close(struct play_server *server)
{
	fd_close(&server->in);
	fd_close(&server->out);
	fd_close(&server->errors);
}

/* The process is gone, and the supervisor says how. */
static inline void
play_die(struct play_server *server, const char *how)
{
	play_close(server);
	play_ended(server->link, how);
}

/* The broker has handled all that this relay sent before. */
static inline void
play_sync(int relay)
{
	play_list_servers(relay, UINT64_MAX / 2);
	play_expect(relay, IPC_RESULT);
	ck_assert_uint_eq(play_msg.result.id, UINT64_MAX / 2);
}

/* The broker has handled all that the supervisor sent before. */
static inline void
play_sync_supervisor(void)
{
	struct err err;
	enum ipc_type type;

	play_try("nobody");
	do {
		ck_assert_int_eq(play_receive(play_supervisor, &err), 1);
		ck_assert_int_eq(ipc_decode(
		    &play_packet, &type, &play_msg, &err), 0);
	} while (type == IPC_LET_GO || type == IPC_WANT_LISTS);
	ck_assert_int_eq(type, IPC_TRIED);
}

#define PLAY_CALLED(id)                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\","        \
	"\"params\":{\"name\":\"t\\u0061lk\",\"arguments\":"                   \
	"{\"n\":0.10,\"n\":1e400},\"_meta\":{\"progressToken\":" id "}}}"

#endif
