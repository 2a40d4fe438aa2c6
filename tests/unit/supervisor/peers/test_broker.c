/*
 * Tests of supervisor/peers/broker and its handlers: what breaks the rules ends
 * the broker and its servers, and costs no more; which servers it may have
 * started. The configuration, the process of the broker and the servers are
 * played by the test.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/mem.h"
#include "supervisor/supervisor.h"
#include "supervisor/peers/broker.h"
#include "supervisor/peers/store.h"
#include "supervisor/servers/in_force/server_process.h"
#include "tests/unit/supervisor/not_here.h"
#include "worker_play.h"

#define SERVERS_MAX 2
#define DOWNSTREAMS_MAX 16

static struct broker *broker;
static char *envp[] = { (char *)"HOME=/nowhere", NULL };
static int fds_before;

/* The configuration: those that are in force, in their order. */

static int a_config;
#define CONFIG ((struct in_force *)(void *)&a_config)

static struct server list[SERVERS_MAX];
static size_t nlist;

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
	return server->program != NULL;
}

/* The file that defines them, which stays trusted. */
static struct server_file a_file = { .path = (char *)"/a" };

int
in_force_distrusts(const struct in_force *config,
    const struct server_source *source, const char *path, struct buffer *why)
{
	ck_assert_ptr_eq(config, &a_config);
	ck_assert_str_eq(path, "/a");
	return source != NULL;
}

#define TEXTS(text) { (char *)(text), sizeof(text) }

/* As after another reading: nothing of the list before is kept. */
static void
configure(size_t n)
{
	static const struct server known[SERVERS_MAX] = {
		{ .file = &a_file,
		    .name = (char *)"fs", .alias = (char *)"fs",
		    .description = (char *)"Files",
		    .run = TEXTS("npx\0-y\0fs"),
		    .run_env = TEXTS("A=1\0B=2"),
		    .program = (char *)"/bin/npx" },
		{ .file = &a_file,
		    .name = (char *)"git-hub", .alias = (char *)"git_hub",
		    .description = (char *)"", .run = TEXTS("gh"),
		    .run_cwd = (char *)"/srv", .program = (char *)"/bin/gh" },
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

struct server_process *
server_process_start(struct event_base *loop, const struct server *server,
    const struct server_process_setup *setup,
    const struct server_process_times *times,
    struct server_process_pipes *pipes,
    server_process_ended *ended, void *ctx, struct err *err)
{
	struct server_process *process = &downstreams[ndownstreams];
	int pair[2];

	ck_assert_ptr_eq(loop, base);
	ck_assert_ptr_eq(setup->envp, envp);
	ck_assert_uint_eq(times->eof, SERVER_PROCESS_EOF_MS);
	ck_assert_uint_eq(times->term, SERVER_PROCESS_TERM_MS);
	ck_assert_uint_eq(times->kill, SERVER_PROCESS_KILL_MS);
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

/* How often each was asked to stop, in the order of their starts. */
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

int
spawn_worker(enum role role, unsigned long number, unsigned int uid,
    int group, int channel, int *pidfd, struct err *err)
{
	ck_assert_int_eq(role, ROLE_BROKER);
	ck_assert_int_eq(group, -1);
	ck_assert_uint_eq(uid, RELAY_USER);
	ck_assert_uint_eq(number, ++started);
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

int
store_connect_lister(struct store *store, struct err *err)
{
	return err_set(err, "no store");
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

/* The messages to the broker */

static struct buffer told;
static struct options options = { .tool_timeout = 9,
	.tool_ceiling = 9, .memory_api = 1 };
static const struct peers no_others;
static int grant_fd = -1; /* of the last GRANT_SERVERS */
static int launched_fds[3] = { -1, -1, -1 }; /* of the last LAUNCHED */

static void
tell_grant(void)
{
	buffer_printf(&told, "grant %d\n", (int)msg.grant_servers.execution);
	fd_close(&grant_fd);
	grant_fd = fd_take(&msg.grant_servers.relay);
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

static void
tell(enum ipc_type type)
{
	switch (type) {
	case IPC_DEFINE:
		buffer_printf(&told, "define %s\n", msg.define.name);
		*number_of(msg.define.name) = msg.define.definition;
		return;
	case IPC_REMOVE:
		buffer_printf(&told, "remove %s\n", msg.remove.name);
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
	default:
		ck_abort_msg("%s", ipc_message(type)->name);
	}
}

/* The broker has received exactly these messages since the last time. */
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
want_defined(uint64_t link, const char *name, uint64_t number)
{
	struct ipc_want message = { .process = link, .name = name,
		.owner = "",
		.definition = number };

	say(line, IPC_WANT, &message);
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

	say(line, IPC_LET_GO, &message);
}

/* The stage */

static void
enter(void)
{
	worker_init(supervisor_routes());
	signal(SIGPIPE, SIG_IGN);
	base = loop_new(0);
	reaper_init(base);
	fds_before = unit_open_fds();
	configure(2);
	broker = broker_new(&(struct peers_setup){ .base = base,
	                        .options = &options,
	                        .envp = envp,
	                        .config = CONFIG,
	                        .audit = -1 }, &no_others);
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
	fd_close(&grant_fd);
	fd_close(&line);
	buffer_reset(&told);
	settle();
	ck_assert_int_eq(unit_open_fds(), fds_before);
	reaper_finish(1);
	event_base_free(base);
}

/* Opens one and lets the relay's end of it go. */
static void
get_grant(uint64_t execution, const char *loaded, size_t len)
{
	const struct broker_grant wanted = { execution, "", NULL,
		0, 0, { (char *)loaded, len } };
	struct err err = { 0, "" };
	auto_fd int relay = -1;

	relay = broker_grant_servers(broker, &wanted, &err);
	ck_assert_msg(relay >= 0, "%s", err.text);
}

/* A broker that has the definitions of its servers. */
static void
begin(void)
{
	get_grant(1, NULL, 0);
	was_told("define fs\ndefine git-hub\ngrant 1\n");
}

/* The broker may start servers only for owners whose grants it was given. */
UNIT_TEST(a_server_of_a_stranger)
{
	struct ipc_want message = { .process = 1, .name = "fs",
		.owner = "mallory", .definition = 1 };

	begin();
	say(line, IPC_WANT, &message);
	was_ended();
}

/* Violations of the protocol */

static void
want_again(void)
{
	want(2, "fs");
}

static void
want_less(void)
{
	want_defined(1, "x", 1);
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

	say(line, IPC_TRIED, &tried);
}

static void
answer_no_text(void)
{
	struct ipc_tried tried = { .name = "fs", .count = 1, .reason = "",
		.tools = { (const uint8_t *)"\xff", 2, -1 } };

	say(line, IPC_TRIED, &tried);
}

static void
answer_without_end(void)
{
	struct ipc_tried tried = { .name = "fs", .count = 1, .reason = "",
		.tools = { (const uint8_t *)"tool", 4, -1 } };

	say(line, IPC_TRIED, &tried);
}

static void (*const violations[])(void) = { want_again, want_less,
	let_go_of_nothing, talk_garbage, answer_what_nobody_asked,
	answer_no_text, answer_without_end, die };

/* However it ends: its servers are stopped, and the next call heals it. */
UNIT_TESTS(a_broker_that_breaks_the_rules_is_ended, UNIT_COUNT(violations))
{
	begin();
	want(1, "git-hub");
	want(2, "fs");
	was_told("launched 1\nlaunched 2\n");
	let_go(1);
	violations[_i]();
	if (line != -1)
		was_ended();
	were_stopped("21");
	/* Another one, which counts from the beginning. */
	begin();
	ck_assert_uint_eq(started, 2);
	want(1, "fs");
	was_told("launched 1\n");
	/* It gets no message about the servers of the other one. */
	end_downstream(0, "exited with code 0");
	end_downstream(1, "exited with code 0");
	was_told("");
	were_stopped("210");
	let_go(1);
	were_stopped("211");
	end_downstream(2, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
}

/* Other servers */

static void
change_env(void)
{
	list[0].run_env = (struct server_texts)TEXTS("A=1\0B=3");
}

/* What crossed its removal is not started as what is there now. */
UNIT_TEST(what_was_removed_is_not_started)
{
	uint64_t before;

	begin();
	before = numbers[0];
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\ndefine fs\n");
	want_defined(1, "fs", before);
	was_told("ended 1 could not be started: its configuration has changed "
	    "just now; call it again\n");
	want(2, "fs");
	was_told("launched 2\n");
	ck_assert_uint_eq(ndownstreams, 1);
	end_downstream(0, "exited with code 0");
	was_told("ended 2 exited with code 0\n");
}

/* Servers that are wanted */

/* Whatever is wanted, only so many processes of one server are there. */
UNIT_TEST(processes_of_a_server_are_bounded)
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

UNIT_FIXTURE(enter, leave)
