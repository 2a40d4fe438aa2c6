/*
 * What is around supervisor/broker in its tests: the configuration, the process
 * of the broker, the servers and the store, all played by the test.
 */
#ifndef TESTS_UNIT_SUPERVISOR_BROKER_PLAY_H
#define TESTS_UNIT_SUPERVISOR_BROKER_PLAY_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/log.h"
#include "common/mem.h"
#include "supervisor/supervisor.h"
#include "supervisor/peers/server_process.h"
#define BROKER_IS_HERE
#include "not_here.h"
#include "supervisor/process/process.h"

#define RELAY_USER 4711
#define SERVERS_MAX 4
#define DOWNSTREAMS_MAX 16

static struct event_base *base;
static struct broker *broker;
static char *envp[] = { (char *)"HOME=/nowhere", NULL };
static int fds_before;

/* The configuration: those that are in force, in their order. */

static int a_config;
#define CONFIG ((struct in_force *)(void *)&a_config)

static struct server list[SERVERS_MAX];
static size_t nlist;
static int installed; /* a program that was missing is there now */

size_t
in_force_count(const struct in_force *config)
{
	ck_assert_ptr_eq(config, &a_config);
	return nlist;
}

const struct server *
in_force_at(const struct in_force *config, size_t i)
{
	ck_assert_ptr_eq(config, &a_config);
	ck_assert_uint_lt(i, nlist);
	return &list[i];
}

const struct server *
in_force_find(const struct in_force *config, const char *name, size_t len)
{
	size_t i;

	ck_assert_ptr_eq(config, &a_config);
	for (i = 0; i < nlist; i++)
		if (strlen(list[i].name) == len &&
		    memcmp(list[i].name, name, len) == 0)
			return &list[i];
	return NULL;
}

int
in_force_has_program(struct in_force *config, const struct server *server)
{
	ck_assert_ptr_eq(config, &a_config);
	return server->program != NULL || installed;
}

/* The files that define them; why one is not trusted any more, or NULL. */
static const struct server_source sources[2];
static struct server_file files[2] = {
	{ .source = &sources[0], .path = (char *)"/a" },
	{ .source = &sources[1], .path = (char *)"/a" },
};
static const char *distrusted[2];

int
in_force_distrusts(const struct in_force *config,
    const struct server_source *source, const char *path, struct buffer *why)
{
	const char *reason = distrusted[source - sources];

	ck_assert_ptr_eq(config, &a_config);
	ck_assert_str_eq(path, "/a");
	if (reason != NULL)
		buffer_add_text(why, reason);
	return reason != NULL;
}

#define TEXTS(text) { (char *)(text), sizeof(text) }

/* As after another reading: nothing of the list before is kept. */
static inline void
configure(size_t n)
{
	static const struct server known[SERVERS_MAX] = {
		{ .file = &files[0],
		    .name = (char *)"fs", .alias = (char *)"fs",
		    .description = (char *)"Files",
		    .run = TEXTS("npx\0-y\0fs"),
		    .run_env = TEXTS("A=1\0B=2"),
		    .program = (char *)"/bin/npx" },
		{ .file = &files[1],
		    .name = (char *)"git-hub", .alias = (char *)"git_hub",
		    .description = (char *)"", .run = TEXTS("gh"),
		    .run_cwd = (char *)"/srv", .program = (char *)"/bin/gh" },
		{ .file = &files[1],
		    .name = (char *)"x", .alias = (char *)"x",
		    .description = (char *)"", .run = TEXTS("x"),
		    .program = (char *)"/bin/x" },
	};

	memcpy(list, known, sizeof(list));
	nlist = n;
}

/* The servers, in the place of server_process.c */

struct server_process {
	char *name;
	server_process_ended *ended; /* NULL: it has ended */
	void *ctx;
	int pipes[3]; /* the ends of the server */
	int stops;
};

static struct server_process downstreams[DOWNSTREAMS_MAX];
static size_t ndownstreams;
static const char *unstartable; /* why none can be started */

struct server_process *
server_process_start(struct event_base *loop, const struct server *server,
    char **variables, const struct server_process_times *times,
    struct server_process_pipes *pipes,
    server_process_ended *ended, void *ctx, struct err *err)
{
	struct server_process *process = &downstreams[ndownstreams];
	int pair[2];

	ck_assert_ptr_eq(loop, base);
	ck_assert_ptr_eq(variables, envp);
	ck_assert_uint_eq(times->eof, SERVER_PROCESS_EOF_MS);
	ck_assert_uint_eq(times->term, SERVER_PROCESS_TERM_MS);
	ck_assert_uint_eq(times->kill, SERVER_PROCESS_KILL_MS);
	if (unstartable != NULL) {
		err_set(err, "%s", unstartable);
		return NULL;
	}
	ck_assert_uint_lt(ndownstreams++, DOWNSTREAMS_MAX);
	*process = (struct server_process){ .name = mem_strdup(server->name),
		.ended = ended, .ctx = ctx };
	ck_assert_int_eq(pipe2(pair, O_CLOEXEC), 0);
	pipes->in = pair[1];
	process->pipes[0] = pair[0];
	ck_assert_int_eq(pipe2(pair, O_CLOEXEC), 0);
	pipes->out = pair[0];
	process->pipes[1] = pair[1];
	ck_assert_int_eq(pipe2(pair, O_CLOEXEC), 0);
	pipes->errors = pair[0];
	process->pipes[2] = pair[1];
	return process;
}

void
server_process_stop(struct server_process *process)
{
	ck_assert_ptr_nonnull(process->ended);
	process->stops++;
}

/* The n-th that was started ends. */
static inline void
end_downstream(size_t n, const char *how)
{
	server_process_ended *ended = downstreams[n].ended;
	int i;

	ck_assert_ptr_nonnull(ended);
	downstreams[n].ended = NULL;
	for (i = 0; i < 3; i++)
		fd_close(&downstreams[n].pipes[i]);
	free(mem_take(&downstreams[n].name));
	ended(downstreams[n].ctx, how);
}

/* How often each was asked to stop, in the order of their starts. */
static inline void
were_stopped(const char *wanted)
{
	char text[DOWNSTREAMS_MAX + 1] = "";
	size_t n;

	for (n = 0; n < ndownstreams; n++)
		text[n] = (char)('0' + downstreams[n].stops);
	ck_assert_str_eq(text, wanted);
}

/* The process of the broker, in the place of spawn.c */

static unsigned long started;
static pid_t process;
static int line = -1; /* its channel */
static const char *unspawnable;

unsigned int
identity_relay(void)
{
	return RELAY_USER;
}

int
spawn_worker(enum role role, unsigned long number, unsigned int uid,
    int group, int channel, int *pidfd, struct err *err)
{
	ck_assert_int_eq(role, ROLE_BROKER);
	ck_assert_int_eq(group, -1);
	ck_assert_uint_eq(uid, RELAY_USER);
	ck_assert_uint_eq(number, ++started);
	if (unspawnable != NULL)
		return err_set(err, "%s", unspawnable);
	process = fork();
	ck_assert_int_ne(process, -1);
	if (process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close_range(STDERR_FILENO + 1, ~0U, 0);
		while (1)
			pause();
	}
	ck_assert_int_eq(line, -1);
	line = fcntl(channel, F_DUPFD_CLOEXEC, 3);
	*pidfd = (int)syscall(SYS_pidfd_open, process, 0);
	return 0;
}

/* The store, in the place of store.c */

static int a_store;
#define STORE ((struct store *)(void *)&a_store)

static const char *unstorable;
static int lister = -1; /* the end that the store would have */
static time_t second = 1; /* in which the store may be asked for once */

time_t
time(time_t *now)
{
	ck_assert_ptr_null(now);
	return second;
}

int
store_connect_lister(struct store *store, struct err *err)
{
	int pair[2];

	ck_assert_ptr_eq(store, STORE);
	if (unstorable != NULL)
		return err_set(err, "%s", unstorable);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
	        SOCK_NONBLOCK, 0, pair), 0);
	fd_close(&lister);
	lister = pair[0];
	return pair[1];
}

/* Lets everything happen that can happen at once. */
static inline void
settle(void)
{
	int n;

	for (n = 0; n < 8; n++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static inline void
wait_until_gone(void)
{
	while (kill(process, 0) == 0)
		event_base_loop(base, EVLOOP_ONCE);
}

/* Ends by itself, as a crash would end it. */
static inline void
die(void)
{
	fd_close(&line);
	kill(process, SIGKILL);
	wait_until_gone();
	settle();
}

/* It was ended: it has neither process nor channel. */
static inline void
was_ended(void)
{
	char c;

	settle();
	wait_until_gone();
	while (recv(line, &c, 1, 0) > 0)
		;
	fd_close(&line);
}

/* The messages to the broker */

static struct ipc_packet packet;
static union ipc_any msg;
static struct buffer told;
static struct broker_policy policy = { .tool_seconds = 9, .remember = 1,
	.audit = -1 };
static int grant_fd = -1; /* of the last GRANT_SERVERS */
static int launched_fds[3] = { -1, -1, -1 }; /* of the last LAUNCHED */

static inline void
tell_names(const struct ipc_blob *blob)
{
	struct err err;
	auto_free char *names = ipc_blob_copy(blob, &err);
	size_t at;

	ck_assert_ptr_nonnull(names);
	for (at = 0; at < blob->len; at += strlen(names + at) + 1)
		buffer_printf(&told, "%s%s", at > 0 ? "," : "", names + at);
}

static inline void
tell_grant(void)
{
	buffer_printf(&told, "grant %d may ", (int)msg.grant_servers.execution);
	if (msg.grant_servers.owner[0] != '\0')
		buffer_printf(&told, "for %s ", msg.grant_servers.owner);
	tell_names(&msg.grant_servers.allowed);
	buffer_add_text(&told, " loads ");
	tell_names(&msg.grant_servers.loaded);
	buffer_add_text(&told, "\n");
	ck_assert_uint_eq(msg.grant_servers.log_level, log_level_get());
	ck_assert_uint_eq(msg.grant_servers.tool_seconds, 9);
	ck_assert_uint_eq(msg.grant_servers.remember, 1);
	fd_close(&grant_fd);
	grant_fd = fd_take(&msg.grant_servers.relay);
}

static inline void
tell_launched(void)
{
	int *const from[3] = { &msg.launched.in, &msg.launched.out,
		&msg.launched.errors };
	int i;

	buffer_printf(&told, "launched %d\n", (int)msg.launched.process);
	for (i = 0; i < 3; i++) {
		fd_close(&launched_fds[i]);
		launched_fds[i] = fd_take(from[i]);
	}
}

/* The last number by which each server was defined. */
static uint64_t numbers[SERVERS_MAX];

static inline uint64_t *
number_of(const char *name)
{
	return &numbers[strcmp(name, "fs") == 0 ? 0 :
	    strcmp(name, "git-hub") == 0        ? 1 : 2];
}

/* Which tools may be used, when that is said. */
static inline void
tell_tools(void)
{
	if (msg.define.narrowed)
		buffer_printf(&told, " allow %zu %s", msg.define.allow.len,
		    (const char *)msg.define.allow.data);
	if (msg.define.deny.len > 0)
		buffer_printf(&told, " deny %zu %s", msg.define.deny.len,
		    (const char *)msg.define.deny.data);
	buffer_add_text(&told, "\n");
}

/* Whether the other end of a channel is open. */
static inline int
fd_is_alive(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == -1 &&
	    errno == EAGAIN;
}

static inline void
tell(enum ipc_type type)
{
	switch (type) {
	case IPC_DEFINE:
		buffer_printf(&told, "define %s %s '%s'", msg.define.name,
		    msg.define.alias, msg.define.description);
		tell_tools();
		*number_of(msg.define.name) = msg.define.definition;
		return;
	case IPC_REMOVE:
		buffer_printf(&told, "remove %s\n", msg.remove.name);
		return;
	case IPC_REVOKE:
		buffer_printf(&told, "revoke %d %s\n",
		    (int)msg.revoke.definition, msg.revoke.reason);
		return;
	case IPC_GRANT_SERVERS:
		tell_grant();
		return;
	case IPC_LAUNCHED:
		tell_launched();
		return;
	case IPC_ENDED:
		buffer_printf(&told, "ended %d %s\n", (int)msg.ended.process,
		    msg.ended.how);
		return;
	case IPC_AUDIT:
		ck_assert_int_eq(write(msg.audit.file, "x", 1), 1);
		fd_close(&msg.audit.file);
		buffer_add_text(&told, "audit\n");
		return;
	case IPC_LISTS:
		buffer_printf(&told, "lists%s\n",
		    msg.lists.store == -1 ? " of nobody" :
		        fd_is_alive(msg.lists.store) ? "" : " that ended");
		return;
	case IPC_TRY:
		buffer_printf(&told, "try %s\n", msg.try.name);
		return;
	default:
		ck_abort_msg("%s", ipc_message(type)->name);
	}
}

/* The broker has received exactly these messages since the last time. */
static inline void
was_told(const char *wanted)
{
	struct err err = { 0, "the end" };
	enum ipc_type type;
	char c;

	settle();
	buffer_add_text(&told, "");
	while (line != -1 && recv(line, &c, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
		ck_assert_msg(
		    ipc_socket_receive(line, &packet, &err) == 1 &&
		        ipc_decode(&packet, &type, &msg, &err) == 0,
		    "%s", err.text);
		tell(type);
		ipc_message_close(type, &msg);
		settle();
	}
	ck_assert_str_eq(told.data, wanted);
	told.len = 0;
}

/* What the broker says */

static inline void
say(enum ipc_type type, void *message)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, message, &packet, &err) == 0 &&
	        ipc_socket_send(line, &packet, &err) == 0,
	    "%s", err.text);
	ipc_packet_close(&packet);
	settle();
}

static inline void
want_defined(uint64_t link, const char *name, uint64_t number)
{
	struct ipc_want message = { .process = link, .name = name,
		.owner = "",
		.definition = number };

	say(IPC_WANT, &message);
}

/* Wants a server as it was defined last. */
static inline void
want(uint64_t link, const char *name)
{
	uint64_t number = *number_of(name);

	want_defined(link, name, number == 0 ? 1 : number);
}

static inline void
let_go(uint64_t link)
{
	struct ipc_let_go message = { .process = link };

	say(IPC_LET_GO, &message);
}

/* The stage */

static inline void
enter(void)
{
	signal(SIGPIPE, SIG_IGN);
	base = loop_new(0);
	reaper_init(base);
	fds_before = unit_open_fds();
	configure(2);
	broker = broker_new(base, CONFIG, envp, &policy);
}

/* Nothing may be left: no process, no descriptor. */
static inline void
leave(void)
{
	siginfo_t si;
	size_t n;
	int i;

	broker_free(&broker);
	broker_free(&broker); /* NULL is accepted */
	while (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) != -1)
		event_base_loop(base, EVLOOP_ONCE);
	for (n = 0; n < ndownstreams; n++)
		ck_assert_ptr_null(downstreams[n].ended);
	for (i = 0; i < 3; i++)
		fd_close(&launched_fds[i]);
	fd_close(&grant_fd);
	fd_close(&lister);
	fd_close(&line);
	buffer_reset(&told);
	settle();
	ck_assert_int_eq(unit_open_fds(), fds_before);
	reaper_finish(1);
	event_base_free(base);
}

/* Opens one and lets the relay's end of it go. */
static inline void
get_grant(uint64_t execution, const char *loaded, size_t len)
{
	const struct broker_grant wanted = { execution, "", NULL,
		{ (char *)loaded, len } };
	struct err err = { 0, "" };
	auto_fd int relay = -1;

	relay = broker_grant_servers(broker, &wanted, &err);
	ck_assert_msg(relay >= 0, "%s", err.text);
}

#define DEFINED "define fs fs 'Files'\ndefine git-hub git_hub ''\n"

/* A broker that has the definitions of its servers. */
static inline void
begin(void)
{
	get_grant(1, NULL, 0);
	was_told(DEFINED "grant 1 may fs,git-hub loads \n");
}

#endif
