/*
 * The real caisson-gateway, behind its real lockdown, with the test as its
 * supervisor and as its clients. Its sockets have names that the kernel
 * chooses, so tests run beside each other.
 */
#ifndef TESTS_UNIT_GATEWAY_PLAY_H
#define TESTS_UNIT_GATEWAY_PLAY_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/limits.h"
#include "common/mem.h"
#include "peer_play.h"

/* The largest body in these tests. */
#define BODY_MAX 100000

static const char *program = "caisson-gateway";
static size_t body_max = BODY_MAX;
static pid_t pid;
static int supervisor;  /* our end of its channel */
static struct sockaddr_un address; /* at which it accepts */
static socklen_t address_len;

static inline void
expect(int fd, enum ipc_type type)
{
	ck_assert_int_eq(receive(fd), type);
}

static inline int
make_listener(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	address.sun_family = AF_UNIX;
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address,
	    sizeof(address.sun_family)), 0);
	ck_assert_int_eq(listen(fd, 100), 0);
	address_len = sizeof(address);
	ck_assert_int_eq(
	    getsockname(fd, (struct sockaddr *)&address, &address_len), 0);
	return fd;
}

/* Starts it with one socket: local, for these hosts, for clients of a user. */
static inline void
start(int local, const char *hosts, unsigned int user)
{
	struct ipc_listen listen = { (uint64_t)local, hosts, make_listener(),
		0 };
	struct ipc_serve serve = { .log_level = 3,
		.user = user,
		.body_max = body_max,
		.origins = "https://page.example",
		.proxy = "" };
	int theirs;

	supervisor = make_pair(&theirs);
	pid = fork();
	if (pid == 0) {
		dup2(theirs, WORKER_CHANNEL_FD);
		execl(program, "gateway", NULL);
		_exit(99);
	}
	close(theirs);
	send_to(supervisor, IPC_LISTEN, &listen);
	send_to(supervisor, IPC_SERVE, &serve);
}

/* For our own clients, without tokens. */
static inline void
start_local(void)
{
	start(1, "", getuid());
}

/* Ends it, and checks that it found no bug and no leak in itself. */
static inline void
stop(void)
{
	int status;

	close(supervisor);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

/* Clients */

static inline int
connect_client(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(
	    connect(fd, (struct sockaddr *)&address, address_len), 0);
	return fd;
}

static inline void
say(int client, const char *text)
{
	ck_assert_int_eq(send(client, text, strlen(text), MSG_NOSIGNAL),
	    (ssize_t)strlen(text));
}

/* Reads until the text ends so; without an end, until the connection does. */
static inline char *
hear(int client, const char *end)
{
	struct buffer text = { 0 };
	size_t len = end == NULL ? 0 : strlen(end);
	ssize_t n;

	for (;;) {
		n = read(client, buffer_reserve(&text, 1), 1);
		if (n <= 0)
			break;
		text.len++;
		if (len > 0 && text.len >= len &&
		    memcmp(text.data + text.len - len, end, len) == 0)
			break;
	}
	if (end == NULL && n == -1)
		ck_abort_msg("the connection broke: errno %d", errno);
	if (end != NULL && n <= 0)
		ck_abort_msg("it ended before '%s'", end);
	return buffer_take(&text, NULL);
}

/* Hears an answer and compares it, without what stands in each. */
static inline void
hear_all(int client, const char *end, const char *want)
{
	static const char *const common[] = { "Date: ", "Cache-Control: ",
		"X-Content-Type-Options: " };
	auto_free char *text = hear(client, end);
	char *line, *next;
	size_t i;

	for (i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		line = strstr(text, common[i]);
		if (line == NULL)
			continue;
		next = strstr(line, "\r\n") + 2;
		memmove(line, next, strlen(next) + 1);
	}
	ck_assert_str_eq(text, want);
}

/* Guests */

/* Answers the HELLO that came last. Returns our end of the guest's channel. */
static inline int
welcome(void)
{
	struct ipc_welcome answer = { .visit = msg.hello.visit };
	int ours = make_pair(&answer.guest);

	send_to(supervisor, IPC_WELCOME, &answer);
	return ours;
}

/* The first client's request welcomes the guest. Returns its channel. */
static inline int
expect_guest(void)
{
	expect(supervisor, IPC_HELLO);
	return welcome();
}

static inline void
reply(int guest, uint64_t request, unsigned int status, const char *body)
{
	struct ipc_reply answer = { .request = request,
		.status = status,
		.session = "",
		.body = { (const uint8_t *)body, strlen(body), -1 } };

	send_to(guest, IPC_REPLY, &answer);
}

static inline void
begin_stream(int guest, uint64_t request)
{
	struct ipc_reply answer = { .request = request,
		.status = 200,
		.stream = 1,
		.session = "" };

	send_to(guest, IPC_REPLY, &answer);
}

static inline void
send_event(int guest, uint64_t request, const char *data, int last)
{
	struct ipc_event event = { .request = request,
		.last = (uint64_t)last,
		.data = { (const uint8_t *)data, strlen(data), -1 } };

	send_to(guest, IPC_EVENT, &event);
}

#endif
