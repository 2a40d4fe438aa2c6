/*
 * Tests of supervisor/broker and its handlers, with the test as the process of
 * the broker, as the servers, and as the configuration: what the broker is
 * told and when, what becomes of the servers that it wants, and that nothing
 * it says or fails to say costs more than itself and its servers.
 */
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
static void
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
static void
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

/* How often each was told to stop, in the order of their starts. */
static void
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
static void
settle(void)
{
	int n;

	for (n = 0; n < 8; n++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static void
wait_until_gone(void)
{
	while (kill(process, 0) == 0)
		event_base_loop(base, EVLOOP_ONCE);
}

/* Ends by itself, as a crash would end it. */
static void
die(void)
{
	fd_close(&line);
	kill(process, SIGKILL);
	wait_until_gone();
	settle();
}

/* It was ended: it has neither process nor channel. */
static void
was_ended(void)
{
	char c;

	settle();
	wait_until_gone();
	while (recv(line, &c, 1, 0) > 0)
		;
	fd_close(&line);
}

/* What the broker is told */

static struct ipc_packet packet;
static union ipc_any msg;
static struct buffer told;
static struct broker_policy policy = { .tool_seconds = 9, .audit = -1 };
static int session_fd = -1; /* of the last SESSION */
static int launched_fds[3] = { -1, -1, -1 }; /* of the last LAUNCHED */

static void
tell_names(const struct ipc_blob *blob)
{
	struct err err;
	auto_free char *names = ipc_blob_copy(blob, &err);
	size_t at;

	ck_assert_ptr_nonnull(names);
	for (at = 0; at < blob->len; at += strlen(names + at) + 1)
		buffer_printf(&told, "%s%s", at > 0 ? "," : "", names + at);
}

static void
tell_session(void)
{
	buffer_printf(&told, "session %d may ", (int)msg.session.execution);
	tell_names(&msg.session.allowed);
	buffer_add_text(&told, " loads ");
	tell_names(&msg.session.loaded);
	buffer_add_text(&told, "\n");
	ck_assert_uint_eq(msg.session.log_level, log_level_get());
	ck_assert_uint_eq(msg.session.tool_seconds, 9);
	fd_close(&session_fd);
	session_fd = fd_take(&msg.session.relay);
}

static void
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

static uint64_t *
number_of(const char *name)
{
	return &numbers[strcmp(name, "fs") == 0 ? 0 :
	    strcmp(name, "git-hub") == 0        ? 1 : 2];
}

/* Which tools may be used, when that is said. */
static void
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

/* Whether somebody is at the other end of a channel. */
static int
fd_is_alive(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == -1 &&
	    errno == EAGAIN;
}

static void
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
	case IPC_SESSION:
		tell_session();
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

/* The broker has been told exactly this since the last time. */
static void
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

static void
say(enum ipc_type type, void *message)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, message, &packet, &err) == 0 &&
	        ipc_socket_send(line, &packet, &err) == 0,
	    "%s", err.text);
	ipc_packet_close(&packet);
	settle();
}

static void
want_defined(uint64_t link, const char *name, uint64_t number)
{
	struct ipc_want message = { .process = link, .name = name,
		.definition = number };

	say(IPC_WANT, &message);
}

/* Wants a server as it was defined last. */
static void
want(uint64_t link, const char *name)
{
	uint64_t number = *number_of(name);

	want_defined(link, name, number == 0 ? 1 : number);
}

static void
let_go(uint64_t link)
{
	struct ipc_let_go message = { .process = link };

	say(IPC_LET_GO, &message);
}

/* The stage */

static void
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
static void
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
	fd_close(&session_fd);
	fd_close(&lister);
	fd_close(&line);
	buffer_reset(&told);
	settle();
	ck_assert_int_eq(unit_open_fds(), fds_before);
	reaper_finish(1);
	event_base_free(base);
}

/* Opens one and lets the relay's end of it go. */
static void
open_session(uint64_t execution, const char *loaded, size_t len)
{
	const struct server_texts names = { (char *)loaded, len };
	struct err err = { 0, "" };
	auto_fd int relay = -1;

	relay = broker_open_session(broker, execution, &names, &err);
	ck_assert_msg(relay >= 0, "%s", err.text);
}

#define DEFINED "define fs fs 'Files'\ndefine git-hub git_hub ''\n"

/* A broker that knows its servers. */
static void
begin(void)
{
	open_session(1, NULL, 0);
	was_told(DEFINED "session 1 may fs,git-hub loads \n");
}

/* Sessions */

START_TEST(nothing_starts_without_a_session)
{
	broker_reconfigure(broker);
	configure(1);
	broker_reconfigure(broker);
	settle();
	ck_assert_uint_eq(started, 0);
}
END_TEST

START_TEST(a_session_is_opened)
{
	const struct server_texts loaded = { (char *)"git-hub\0fs", 11 };
	auto_fd int relay = -1;
	struct err err;
	char c = 0;

	relay = broker_open_session(broker, 7, &loaded, &err);
	ck_assert_int_ge(relay, 0);
	ck_assert_int_ne(fcntl(relay, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_ne(fcntl(relay, F_GETFD) & FD_CLOEXEC, 0);
	/* Every server is known before it is asked for. */
	was_told(DEFINED "session 7 may fs,git-hub loads git-hub,fs\n");
	ck_assert_int_eq(send(session_fd, "x", 1, 0), 1);
	ck_assert_int_eq(recv(relay, &c, 1, 0), 1);
	ck_assert_int_eq(c, 'x');
	open_session(8, "fs", 3);
	was_told("session 8 may fs,git-hub loads fs\n");
	ck_assert_uint_eq(started, 1);
	/* Nobody else has the broker's end. */
	fd_close(&session_fd);
	ck_assert_int_eq(recv(relay, &c, 1, 0), 0);
}
END_TEST

/* Whichever broker it is; the supervisor's own descriptor stays. */
START_TEST(each_broker_gets_the_audit_file)
{
	char path[] = "/tmp/caisson-test-XXXXXX";
	auto_fd int file = mkstemp(path);

	broker_free(&broker);
	policy.audit = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	unlink(path);
	broker = broker_new(base, CONFIG, envp, &policy);
	open_session(1, NULL, 0);
	was_told("audit\n" DEFINED "session 1 may fs,git-hub loads \n");
	open_session(2, NULL, 0);
	was_told("session 2 may fs,git-hub loads \n");
	die();
	open_session(3, NULL, 0);
	was_told("audit\n" DEFINED "session 3 may fs,git-hub loads \n");
	ck_assert_int_eq(lseek(file, 0, SEEK_END), 2);
	fd_close(&policy.audit);
}
END_TEST

START_TEST(a_broker_may_be_unstartable)
{
	const struct server_texts none = { NULL, 0 };
	struct err err;

	unspawnable = "no broker today";
	ck_assert_int_eq(broker_open_session(broker, 1, &none, &err), -1);
	ck_assert_str_eq(err.text, "no broker today");
	ck_assert_int_eq(unit_open_fds(), fds_before);
	unspawnable = NULL;
	begin();
	ck_assert_uint_eq(started, 2);
}
END_TEST

/* Every descriptor on the way may be the one too many. */
START_TEST(descriptors_may_run_out)
{
	const struct server_texts none = { NULL, 0 };
	struct rlimit limit, all;
	struct err err;
	int extra, lowest;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	begin();
	lowest = dup(0);
	close(lowest);
	for (extra = 0; extra < 2; extra++) {
		limit = all;
		limit.rlim_cur = (rlim_t)(lowest + extra);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
		ck_assert_int_eq(
		    broker_open_session(broker, 2, &none, &err), -1);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
		ck_assert_str_eq(
		    err.text, "make a socket pair: Too many open files");
	}
	was_told("");
	open_session(3, NULL, 0);
	was_told("session 3 may fs,git-hub loads \n");
}
END_TEST

/* One that has died, which nobody has noticed yet, costs no call. */
START_TEST(a_broker_that_has_just_died_is_replaced)
{
	const struct server_texts none = { NULL, 0 };
	siginfo_t si;
	struct err err;
	int relay;

	begin();
	want(1, "fs");
	kill(process, SIGKILL);
	waitid(P_PID, (id_t)process, &si, WEXITED | WNOWAIT);
	fd_close(&line);
	relay = broker_open_session(broker, 2, &none, &err);
	ck_assert_int_ge(relay, 0);
	fd_close(&relay);
	ck_assert_uint_eq(started, 2);
	were_stopped("1");
	end_downstream(0, "exited with code 0");
}
END_TEST

/* One that takes nothing any more is ended, and the next call heals it. */
START_TEST(a_broker_that_does_not_listen_is_ended)
{
	const struct server_texts none = { NULL, 0 };
	struct err err;
	int relay, n = 0;

	begin();
	want(1, "fs");
	while ((relay = broker_open_session(broker, 2, &none, &err)) >= 0) {
		fd_close(&relay);
		ck_assert_int_le(++n, 2 * IPC_QUEUE_PACKETS_MAX);
	}
	ck_assert_ptr_nonnull(strstr(err.text, "wait for broker already"));
	were_stopped("1");
	fd_close(&line);
	wait_until_gone();
	begin();
	end_downstream(0, "exited with code 0");
	was_told("");
}
END_TEST

/* Other servers */

static void
no_change(void)
{
}

static void
change_command(void)
{
	list[0].run = (struct server_texts)TEXTS("uvx\0-y\0fs");
}

static void
change_args(void)
{
	list[0].run = (struct server_texts)TEXTS("npx\0-y\0fs2");
}

static void
split_args(void)
{
	list[0].run = (struct server_texts)TEXTS("npx\0-y\0f\0s");
}

static void
move_arg_to_env(void)
{
	list[0].run = (struct server_texts)TEXTS("npx\0-y");
	list[0].run_env = (struct server_texts)TEXTS("fs\0A=1\0B=2");
}

static void
change_env(void)
{
	list[0].run_env = (struct server_texts)TEXTS("A=1\0B=3");
}

static void
drop_env(void)
{
	list[0].run_env = (struct server_texts){ NULL, 0 };
}

static void
change_cwd(void)
{
	list[1].run_cwd = (char *)"/srv/b";
}

static void
drop_cwd(void)
{
	list[1].run_cwd = NULL;
}

static void
change_alias(void)
{
	list[1].alias = (char *)"git_hub_2";
}

static void
change_description(void)
{
	list[0].description = (char *)"All files";
}

static void
narrow_tools(void)
{
	list[0].narrowed = 1;
	list[0].allow = (struct server_texts)TEXTS("read_*");
}

static void
deny_tools(void)
{
	list[0].deny = (struct server_texts)TEXTS("delete\0drop");
}

static void
change_all(void)
{
	change_env();
	change_description();
	change_alias();
}

static void
change_program(void)
{
	/* It is what the command is now, at its next start. */
	list[0].program = (char *)"/usr/local/bin/npx";
}

static void
add_server(void)
{
	nlist = 3;
}

static void
remove_server(void)
{
	nlist = 1;
}

static void
remove_all(void)
{
	nlist = 0;
}

static void
replace_all(void)
{
	list[0] = list[2];
	nlist = 1;
}

#define AGAIN "define fs fs 'Files'\n"

static const struct {
	void (*change)(void);
	const char *told;
} changes[] = {
	{ no_change, "" },
	{ change_command, "remove fs\n" AGAIN },
	{ change_args, "remove fs\n" AGAIN },
	{ split_args, "remove fs\n" AGAIN },
	{ move_arg_to_env, "remove fs\n" AGAIN },
	{ change_env, "remove fs\n" AGAIN },
	{ drop_env, "remove fs\n" AGAIN },
	{ change_cwd, "remove git-hub\ndefine git-hub git_hub ''\n" },
	{ drop_cwd, "remove git-hub\ndefine git-hub git_hub ''\n" },
	/* What runs already may go on. */
	{ change_program, AGAIN },
	{ change_alias, "define git-hub git_hub_2 ''\n" },
	{ change_description, "define fs fs 'All files'\n" },
	{ narrow_tools, "define fs fs 'Files' allow 7 read_*\n" },
	{ deny_tools, "define fs fs 'Files' deny 12 delete\n" },
	{ change_all, "remove fs\ndefine fs fs 'All files'\n"
	    "define git-hub git_hub_2 ''\n" },
	{ add_server, "define x x ''\n" },
	{ remove_server, "remove git-hub\n" },
	{ remove_all, "remove fs\nremove git-hub\n" },
	{ replace_all, "define x x ''\nremove fs\nremove git-hub\n" },
};

START_TEST(other_servers_are_told_of)
{
	begin();
	configure(2);
	changes[_i].change();
	broker_reconfigure(broker);
	was_told(changes[_i].told);
	/* Once. */
	broker_reconfigure(broker);
	was_told("");
}
END_TEST

/* Back to what it was: that is a change, too. */
START_TEST(changes_add_up)
{
	begin();
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN);
	configure(1);
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN "remove git-hub\n");
	configure(2);
	broker_reconfigure(broker);
	was_told("define git-hub git_hub ''\n");
	open_session(2, NULL, 0);
	was_told("session 2 may fs,git-hub loads \n");
	nlist = 0;
	broker_reconfigure(broker);
	was_told("remove fs\nremove git-hub\n");
	nlist = 1;
	broker_reconfigure(broker);
	open_session(3, NULL, 0);
	was_told("define fs fs 'Files'\nsession 3 may fs loads \n");
}
END_TEST

/* What is described anew is the same server; what starts anew is another. */
START_TEST(definitions_have_numbers)
{
	uint64_t fs, hub;

	begin();
	fs = numbers[0];
	hub = numbers[1];
	ck_assert_uint_gt(fs, 0);
	ck_assert_uint_gt(hub, fs);
	change_description();
	broker_reconfigure(broker);
	was_told("define fs fs 'All files'\n");
	ck_assert_uint_eq(numbers[0], fs);
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\ndefine fs fs 'All files'\n");
	ck_assert_uint_gt(numbers[0], hub);
	fs = numbers[0];
	configure(0);
	broker_reconfigure(broker);
	configure(2);
	broker_reconfigure(broker);
	was_told("remove git-hub\nremove fs\n" DEFINED);
	ck_assert_uint_gt(numbers[0], fs);
	fs = numbers[0];
	/* Of another broker, too: processes of the one before may be left. */
	die();
	begin();
	ck_assert_uint_gt(numbers[0], fs);
}
END_TEST

/* What crossed its removal is not started as what is there now. */
START_TEST(what_was_removed_is_not_started)
{
	uint64_t before;

	begin();
	before = numbers[0];
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN);
	want_defined(1, "fs", before);
	was_told("ended 1 could not be started: its configuration has changed "
	    "just now; call it again\n");
	want(2, "fs");
	was_told("launched 2\n");
	ck_assert_uint_eq(ndownstreams, 1);
	end_downstream(0, "exited with code 0");
	was_told("ended 2 exited with code 0\n");
}
END_TEST

/* Trust that is lost */

/* Of a file, not of another one; in what is there before and what is not. */
START_TEST(what_is_not_trusted_is_revoked)
{
	begin();
	want(1, "fs");
	want(2, "git-hub");
	was_told("launched 1\nlaunched 2\n");
	distrusted[1] = "its file is bad";
	nlist = 1;
	broker_reconfigure(broker);
	was_told("revoke 2 its file is bad\n");
	/* Whatever the broker does about that. */
	were_stopped("01");
	broker_reconfigure(broker);
	was_told("");
	distrusted[0] = "its file is bad";
	if (_i == 1) {
		/* Another file has the name now. */
		change_env();
		list[0].file = &files[1];
	} else {
		nlist = 0;
	}
	broker_reconfigure(broker);
	was_told(_i == 1 ? "revoke 1 its file is bad\n" AGAIN :
	    "revoke 1 its file is bad\n");
	were_stopped("11");
	end_downstream(0, "exited with code 0");
	end_downstream(1, "exited with code 0");
	was_told("ended 1 exited with code 0\nended 2 exited with code 0\n");
}
END_TEST

/* One that was removed goes on for some, until it is not trusted either. */
START_TEST(what_was_removed_is_revoked)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN);
	want(2, "fs");
	change_cwd();
	list[0].run_cwd = (char *)"/srv";
	list[0].file = &files[1];
	broker_reconfigure(broker);
	was_told("launched 2\nremove fs\n" AGAIN
	    "remove git-hub\ndefine git-hub git_hub ''\n");
	were_stopped("00");
	if (_i == 1) {
		/* What has ended needs no end. */
		end_downstream(1, "exited with code 0");
		was_told("ended 2 exited with code 0\n");
	}
	distrusted[0] = "its file is bad";
	broker_reconfigure(broker);
	was_told(_i == 1 ? "revoke 1 its file is bad\n" :
	    "revoke 1 its file is bad\nrevoke 3 its file is bad\n");
	broker_reconfigure(broker);
	was_told("");
	end_downstream(0, "exited with code 0");
	if (_i == 0)
		end_downstream(1, "exited with code 0");
	was_told(_i == 1 ? "ended 1 exited with code 0\n" :
	    "ended 1 exited with code 0\nended 2 exited with code 0\n");
}
END_TEST

/* A trusted file may define just the same: nothing has to end. */
START_TEST(another_file_may_define_the_same)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	distrusted[0] = "its file is bad";
	list[0].file = &files[1];
	broker_reconfigure(broker);
	was_told("");
	were_stopped("0");
	distrusted[1] = "that one too";
	nlist = 0;
	broker_reconfigure(broker);
	was_told("revoke 1 that one too\nrevoke 2 that one too\n");
	were_stopped("1");
	end_downstream(0, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
}
END_TEST

/* A path may be long, and is cut in whole characters. */
START_TEST(long_reasons_are_cut)
{
	auto_free char *reason = mem_alloc(2 * REVOKED_MAX + 3);
	auto_free char *wanted = NULL;
	size_t n;

	memset(reason, 'x', 2);
	for (n = (size_t)_i; n < 2 * REVOKED_MAX; n += 2)
		memcpy(reason + n, "\xc3\xa9", 2);
	begin();
	distrusted[1] = reason;
	nlist = 1;
	broker_reconfigure(broker);
	wanted = mem_printf("revoke 2 %.*s\n",
	    (int)((REVOKED_MAX - (size_t)_i) / 2 * 2 + (size_t)_i), reason);
	was_told(wanted);
}
END_TEST

/* Servers that are wanted */

static void
is_joined(int from, int to)
{
	char c = 0;

	ck_assert_int_eq(write(from, "x", 1), 1);
	ck_assert_int_eq(read(to, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
}

START_TEST(what_is_wanted_is_started)
{
	begin();
	want(1, "git-hub");
	was_told("launched 1\n");
	ck_assert_str_eq(downstreams[0].name, "git-hub");
	is_joined(launched_fds[0], downstreams[0].pipes[0]);
	is_joined(downstreams[0].pipes[1], launched_fds[1]);
	is_joined(downstreams[0].pipes[2], launched_fds[2]);
	/* Nobody else has an end of its pipes. */
	fd_close(&launched_fds[0]);
	ck_assert_int_eq(
	    read(downstreams[0].pipes[0], &(char){ 0 }, 1), 0);
	want(5, "fs");
	was_told("launched 5\n");
	ck_assert_str_eq(downstreams[1].name, "fs");
	end_downstream(0, "exited with code 3");
	was_told("ended 1 exited with code 3\n");
	let_go(5);
	were_stopped("01");
	was_told("");
	end_downstream(1, "was killed by SIGTERM");
	was_told("ended 5 was killed by SIGTERM\n");
	/* All of that again. */
	want(6, "fs");
	was_told("launched 6\n");
	end_downstream(2, "exited with code 0");
	was_told("ended 6 exited with code 0\n");
}
END_TEST

static void
unknown_name(void)
{
	nlist = 0;
}

static void
no_program(void)
{
	list[0].program = NULL;
	list[0].searched = (char *)"/caf\xe9:/bin";
}

static void
no_path(void)
{
	list[0].program = NULL;
}

static void
no_start(void)
{
	unstartable = "out of processes";
}

static const struct {
	void (*make)(void);
	const char *told;
} failures[] = {
	{ unknown_name,
	    "ended 9 could not be started: it is no longer configured\n" },
	{ no_program, "ended 9 could not be started: its command was not "
	    "found; searched: /caf?:/bin\n" },
	{ no_path, "ended 9 could not be started: its command is not an "
	    "executable file\n" },
	{ no_start, "ended 9 could not be started: out of processes\n" },
};

START_TEST(what_cannot_be_started_has_ended)
{
	begin();
	failures[_i].make();
	want(9, "fs");
	was_told(failures[_i].told);
	ck_assert_uint_eq(ndownstreams, 0);
	/* The broker may have let it go meanwhile; so has everybody. */
	let_go(9);
	was_told("");
	/* Its number is gone with it. */
	unstartable = NULL;
	installed = 1;
	configure(2);
	want(10, "fs");
	was_told("launched 10\n");
	end_downstream(0, "exited with code 0");
	was_told("ended 10 exited with code 0\n");
}
END_TEST

START_TEST(long_ends_are_cut)
{
	auto_free char *how = mem_alloc(3 * ENDED_HOW_MAX);
	auto_free char *wanted = NULL;
	size_t n, whole = (ENDED_HOW_MAX - (size_t)_i) / 2 * 2 + (size_t)_i;

	memset(how, 'x', (size_t)_i);
	for (n = (size_t)_i; n + 2 < 3 * ENDED_HOW_MAX; n += 2)
		memcpy(how + n, "\xc3\xa9", 2);
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	end_downstream(0, how);
	wanted = mem_printf("ended 1 %.*s\n", (int)whole, how);
	was_told(wanted);
}
END_TEST

/* A program that was missing has been installed. */
START_TEST(a_program_may_appear)
{
	begin();
	list[0].program = NULL;
	installed = 1;
	want(1, "fs");
	was_told("launched 1\n");
	end_downstream(0, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
}
END_TEST

/* Whatever is wanted, only so many processes of one server are there. */
START_TEST(processes_of_a_server_are_bounded)
{
	uint64_t link;

	begin();
	for (link = 1; link <= SERVER_PROCESSES_MAX; link++)
		want(link, "fs");
	was_told("launched 1\nlaunched 2\nlaunched 3\nlaunched 4\n");
	want(5, "fs");
	was_told("ended 5 could not be started: 4 of its processes still run "
	    "or are ending; they end with the executions that use them\n");
	/* Of others there may be more, also when few are left in force. */
	want(6, "git-hub");
	was_told("launched 6\n");
	configure(1);
	broker_reconfigure(broker);
	was_told("remove git-hub\n");
	end_downstream(0, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
	want(7, "fs");
	was_told("launched 7\n");
	for (link = 1; link < 6; link++)
		end_downstream(link, "exited with code 0");
	was_told("ended 2 exited with code 0\nended 3 exited with code 0\n"
	    "ended 4 exited with code 0\nended 6 exited with code 0\n"
	    "ended 7 exited with code 0\n");
}
END_TEST

/* Nonsense */

static void
want_again(void)
{
	want(2, "fs");
}

static void
want_less(void)
{
	want(1, "x");
}

static void
let_go_of_nothing(void)
{
	let_go(3);
}

static void
talk_garbage(void)
{
	ck_assert_int_eq(send(line, "xyz", 3, 0), 3);
	settle();
}

static void
answer_what_nobody_asked(void)
{
	struct ipc_tried tried = { .name = "fs", .reason = "" };

	say(IPC_TRIED, &tried);
}

static void
answer_no_text(void)
{
	struct ipc_tried tried = { .name = "fs", .count = 1, .reason = "",
		.tools = { (const uint8_t *)"\xff", 2, -1 } };

	say(IPC_TRIED, &tried);
}

static void
answer_without_end(void)
{
	struct ipc_tried tried = { .name = "fs", .count = 1, .reason = "",
		.tools = { (const uint8_t *)"tool", 4, -1 } };

	say(IPC_TRIED, &tried);
}

static void (*const nonsense[])(void) = { want_again, want_less,
	let_go_of_nothing, talk_garbage, answer_what_nobody_asked,
	answer_no_text, answer_without_end, die };

/* However it ends: its servers are stopped, and the next call heals it. */
START_TEST(a_broker_that_breaks_the_rules_is_ended)
{
	begin();
	want(1, "git-hub");
	want(2, "fs");
	was_told("launched 1\nlaunched 2\n");
	let_go(1);
	nonsense[_i]();
	if (line != -1)
		was_ended();
	were_stopped("21");
	/* Another one, which counts from the beginning. */
	begin();
	ck_assert_uint_eq(started, 2);
	want(1, "fs");
	was_told("launched 1\n");
	/* It is not told of what the other one had. */
	end_downstream(0, "exited with code 0");
	end_downstream(1, "exited with code 0");
	was_told("");
	were_stopped("210");
	let_go(1);
	were_stopped("211");
	end_downstream(2, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
}
END_TEST

/* Nobody asks for anything then: there is nothing to do. */
START_TEST(a_dead_broker_is_left_alone)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	die();
	were_stopped("1");
	configure(1);
	broker_reconfigure(broker);
	end_downstream(0, "exited with code 0");
	settle();
	ck_assert_uint_eq(started, 1);
	open_session(2, NULL, 0);
	was_told("define fs fs 'Files'\nsession 2 may fs loads \n");
}
END_TEST

/* Its process is reaped before its end is noticed on the channel. */
START_TEST(a_broker_may_be_reaped_first)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	kill(process, SIGKILL);
	wait_until_gone();
	settle();
	were_stopped("0");
	fd_close(&line);
	settle();
	were_stopped("1");
	end_downstream(0, "exited with code 0");
}
END_TEST

/* The end */

static int stopped;

static void
on_stopped(void *ctx)
{
	ck_assert_ptr_eq(ctx, &stopped);
	stopped++;
}

START_TEST(stops_at_once_without_servers)
{
	if (_i == 1)
		begin();
	broker_stop(broker, on_stopped, &stopped);
	ck_assert_int_eq(stopped, 1);
	if (_i == 1)
		was_ended();
}
END_TEST

START_TEST(stops_when_the_last_server_has_ended)
{
	begin();
	want(1, "fs");
	want(2, "git-hub");
	was_told("launched 1\nlaunched 2\n");
	if (_i == 1) {
		/* Those of a broker that has died count, too. */
		die();
		begin();
		want(1, "fs");
		was_told("launched 1\n");
	}
	broker_stop(broker, on_stopped, &stopped);
	ck_assert_int_eq(stopped, 0);
	was_ended();
	/* Stopped again by somebody who cannot wait. */
	broker_stop(broker, on_stopped, &stopped);
	end_downstream(1, "exited with code 0");
	if (_i == 1)
		end_downstream(2, "exited with code 0");
	ck_assert_int_eq(stopped, 0);
	end_downstream(0, "exited with code 0");
	ck_assert_int_eq(stopped, 1);
}
END_TEST

/* Trying */

static struct buffer tried;
static int gone;

static void
on_tried(void *ctx, const char *name, uint64_t count, const char *tools,
    size_t len, const char *reason)
{
	size_t at;

	ck_assert_ptr_eq(ctx, &tried);
	buffer_printf(&tried, "%s %llu", name, (unsigned long long)count);
	for (at = 0; at < len && at < 100; at += strlen(tools + at) + 1)
		buffer_printf(&tried, " %s", tools + at);
	buffer_printf(&tried, " '%s'\n", reason);
}

static void
on_gone(void *ctx)
{
	ck_assert_ptr_eq(ctx, &tried);
	gone++;
}

static void
try_all(void)
{
	struct err err = { 0, "" };

	ck_assert_msg(broker_try(broker, on_tried, on_gone, &tried, &err) == 0,
	    "%s", err.text);
	was_told(DEFINED "try fs\ntry git-hub\n");
}

START_TEST(tries_all_servers)
{
	struct ipc_tried answer = { .name = "git-hub", .count = 2,
		.tools = { (const uint8_t *)"caf\xc3\xa9\0b", 8, -1 },
		.reason = "" };

	try_all();
	want(1, "git-hub");
	was_told("launched 1\n");
	say(IPC_TRIED, &answer);
	ck_assert_str_eq(tried.data, "git-hub 2 caf\xc3\xa9 b ''\n");
	tried.len = 0;
	answer = (struct ipc_tried){ .name = "fs",
		.reason = "could not be started: x" };
	say(IPC_TRIED, &answer);
	ck_assert_str_eq(tried.data, "fs 0 'could not be started: x'\n");
	broker_stop(broker, on_stopped, &stopped);
	end_downstream(0, "exited with code 0");
	ck_assert_int_eq(stopped, 1);
	ck_assert_int_eq(gone, 0);
	buffer_reset(&tried);
}
END_TEST

/* So many that they come in a memfd. */
START_TEST(tries_servers_with_many_tools)
{
	auto_free char *names = mem_alloc(TRIED_TOOLS_MAX);
	struct ipc_tried answer = { .name = "fs", .count = UINT32_MAX,
		.tools = { (const uint8_t *)names, TRIED_TOOLS_MAX, -1 },
		.reason = "" };

	memset(names, 'x', TRIED_TOOLS_MAX - 1);
	names[5] = '\0';
	try_all();
	say(IPC_TRIED, &answer);
	ck_assert_int_eq(
	    strncmp(tried.data, "fs 4294967295 xxxxx xxxx", 24), 0);
	ck_assert_uint_gt(tried.len, TRIED_TOOLS_MAX);
	buffer_reset(&tried);
}
END_TEST

START_TEST(says_that_the_broker_is_gone)
{
	static void (*const ends[])(void) = { die, talk_garbage,
		let_go_of_nothing, answer_no_text, answer_without_end };

	try_all();
	ends[_i]();
	ck_assert_int_eq(gone, 1);
	ck_assert_ptr_null(tried.data);
	if (line != -1)
		was_ended();
}
END_TEST

START_TEST(says_that_nothing_can_be_tried)
{
	struct err err;

	unspawnable = "no broker today";
	ck_assert_int_eq(
	    broker_try(broker, on_tried, on_gone, &tried, &err), -1);
	ck_assert_str_eq(err.text, "no broker today");
	ck_assert_int_eq(gone, 0);
}
END_TEST

/* Where lists of tools are kept; of nobody: nowhere. */

static void
want_lists(const char *wanted)
{
	struct ipc_want_lists message = { 0 };

	say(IPC_WANT_LISTS, &message);
	was_told(wanted);
}

START_TEST(lends_the_store)
{
	begin();
	broker_use_store(broker, STORE);
	want_lists("lists\n");
	/* One that asks again and again gets nothing for it. */
	want_lists("lists of nobody\n");
}
END_TEST

START_TEST(lends_no_store)
{
	begin();
	if (_i == 1) {
		broker_use_store(broker, STORE);
		unstorable = "no directory";
	}
	want_lists("lists of nobody\n");
	ck_assert_int_eq(lister, -1);
}
END_TEST

/* How much was logged so far, to this file. */
static size_t
count_lines(int log, char *text, size_t size)
{
	ssize_t n, len = pread(log, text, size - 1, 0);
	size_t lines = 0;

	ck_assert_int_ge(len, 0);
	text[len] = '\0';
	for (n = 0; n < len; n++)
		lines += text[n] == '\n';
	return lines;
}

/* The user is told once why, and what that means, as long as it lasts. */
START_TEST(tells_once_that_there_is_no_store)
{
	FILE *file = tmpfile();
	char text[4096];

	ck_assert_ptr_nonnull(file);
	dup2(fileno(file), STDERR_FILENO);
	begin();
	broker_use_store(broker, STORE);
	unstorable = "no directory";
	want_lists("lists of nobody\n");
	ck_assert_uint_eq(count_lines(STDERR_FILENO, text, sizeof(text)), 1);
	ck_assert_ptr_nonnull(strstr(text, "servers are started"));
	ck_assert_ptr_nonnull(strstr(text, "no directory"));
	second++;
	want_lists("lists of nobody\n");
	ck_assert_uint_eq(count_lines(STDERR_FILENO, text, sizeof(text)), 1);
	second++;
	unstorable = NULL;
	want_lists("lists\n");
	second++;
	unstorable = "no directory";
	want_lists("lists of nobody\n");
	ck_assert_uint_eq(count_lines(STDERR_FILENO, text, sizeof(text)), 2);
	fclose(file);
}
END_TEST

static void
add_servers(TCase *tc)
{
	tcase_add_test(tc, what_is_wanted_is_started);
	tcase_add_loop_test(tc, what_cannot_be_started_has_ended, 0,
	    UNIT_COUNT(failures));
	tcase_add_loop_test(tc, long_ends_are_cut, 0, 2);
	tcase_add_test(tc, a_program_may_appear);
	tcase_add_test(tc, processes_of_a_server_are_bounded);
	tcase_add_loop_test(tc, a_broker_that_breaks_the_rules_is_ended, 0,
	    UNIT_COUNT(nonsense));
	tcase_add_test(tc, a_dead_broker_is_left_alone);
	tcase_add_test(tc, a_broker_may_be_reaped_first);
	tcase_add_test(tc, lends_the_store);
	tcase_add_loop_test(tc, lends_no_store, 0, 2);
	tcase_add_test(tc, tells_once_that_there_is_no_store);
}

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_test(tc, nothing_starts_without_a_session);
	tcase_add_test(tc, a_session_is_opened);
	tcase_add_test(tc, each_broker_gets_the_audit_file);
	tcase_add_test(tc, a_broker_may_be_unstartable);
	tcase_add_test(tc, descriptors_may_run_out);
	tcase_add_test(tc, a_broker_that_has_just_died_is_replaced);
	tcase_add_test(tc, a_broker_that_does_not_listen_is_ended);
	tcase_add_loop_test(
	    tc, other_servers_are_told_of, 0, UNIT_COUNT(changes));
	tcase_add_test(tc, changes_add_up);
	tcase_add_test(tc, definitions_have_numbers);
	tcase_add_test(tc, what_was_removed_is_not_started);
	tcase_add_loop_test(tc, what_is_not_trusted_is_revoked, 0, 2);
	tcase_add_loop_test(tc, what_was_removed_is_revoked, 0, 2);
	tcase_add_test(tc, another_file_may_define_the_same);
	tcase_add_loop_test(tc, long_reasons_are_cut, 0, 2);
	add_servers(tc);
	tcase_add_loop_test(tc, stops_at_once_without_servers, 0, 2);
	tcase_add_loop_test(tc, stops_when_the_last_server_has_ended, 0, 2);
	tcase_add_test(tc, tries_all_servers);
	tcase_add_test(tc, tries_servers_with_many_tools);
	tcase_add_loop_test(tc, says_that_the_broker_is_gone, 0, 5);
	tcase_add_test(tc, says_that_nothing_can_be_tried);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run("supervisor_broker", add_tests);
}
