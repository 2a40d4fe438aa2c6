/*
 * Tests of supervisor/peers/server_process: what a server is started with, how
 * its end is told, and that it can be ended whatever it does. Its times are
 * long, so that nothing is late where there is little time for us; a test whose
 * matter they are makes them short.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/limits.h"
#include "common/loop.h"
#include "common/mem.h"
#include "at_once.h"
#include "server_trees.h"
#include "supervisor/peers/server_process.h"
#include "supervisor/process/process.h"

static struct server_process_times times = { .eof = 100000, .term = 100000,
	.kill = 100000 };

static char self[PATH_MAX];
static struct event_base *base;

/* A server, as the broker and the watcher of its end see it. */
struct held {
	struct server server;
	struct server_process *process;
	struct server_process_pipes pipes;
	pid_t keeper;
	int ended;
	char *how;
};

static void
on_ended(void *ctx, const char *how)
{
	struct held *held = ctx;

	held->ended++;
	held->how = mem_strdup(how);
}

/* A row of texts, each with '|' behind it. */
static struct server_texts
texts_of(const char *text)
{
	struct server_texts texts = { mem_strdup(text), strlen(text) };
	size_t i;

	for (i = 0; i < texts.len; i++)
		if (texts.data[i] == '|')
			texts.data[i] = '\0';
	return texts;
}

/* The test has no child but the keeper. */
static int
is_keeper(void *ctx, pid_t pid)
{
	*(pid_t *)ctx = pid;
	return 1;
}

static char *no_environment[] = { NULL };

static void
start_with(struct held *held, const char *program, const char *run,
    const char *env, char **envp)
{
	struct err err;

	held->server.name = (char[]){ "test" };
	held->server.path = mem_strdup("/usr/bin:/bin");
	held->server.program = mem_strdup(program);
	held->server.run = texts_of(run);
	held->server.run_env = texts_of(env);
	held->process = server_process_start(base, &held->server, envp,
	    &times, &held->pipes, on_ended, held, &err);
	ck_assert_msg(held->process != NULL, "%s", err.text);
	ck_assert_uint_eq(children_each(is_keeper, &held->keeper), 1);
	ck_assert_int_eq(held->ended, 0);
}

/* A server of server_trees.h. */
static void
start(struct held *held, const char *name)
{
	auto_free char *run = mem_printf("server|%s|", name);

	start_with(held, self, run, "", no_environment);
}

static void
init(void)
{
	signal(SIGPIPE, SIG_IGN);
	base = loop_new(0);
	reaper_init(base);
}

/* Waits for a byte or an end; signals of children come meanwhile. */
static ssize_t
read_some(int fd, void *data, size_t len)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };

	while (poll(&readable, 1, -1) == -1)
		ck_assert_int_eq(errno, EINTR);
	return read(fd, data, len);
}

static char *
read_all(int fd)
{
	struct buffer said = { 0 };
	ssize_t n;

	do {
		n = read_some(fd, buffer_reserve(&said, 4096), 4096);
		ck_assert_int_ne(n, -1);
		said.len += (size_t)n;
	} while (n > 0);
	buffer_add_text(&said, "");
	return buffer_take(&said, NULL);
}

static void
await(const struct held *held)
{
	char c;

	ck_assert_int_eq(read_some(held->pipes.out, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
}

static void
order(const struct held *held, char what)
{
	ck_assert_int_eq(write(held->pipes.in, &what, 1), 1);
}

static void
let_go(struct held *held)
{
	fd_close(&held->pipes.in);
	fd_close(&held->pipes.out);
	fd_close(&held->pipes.errors);
	free(held->how);
	free(held->server.path);
	free(held->server.program);
	free(held->server.run.data);
	free(held->server.run_env.data);
}

/* Whether any is there that was not reaped. */
static int
has_children(void)
{
	siginfo_t si;

	return waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* It ends in this way, ENDED is sent once, and nothing of it is left. */
static void
ends(struct held *held, const char *how)
{
	auto_free char *more = NULL;

	while (!held->ended || has_children())
		event_base_loop(base, EVLOOP_ONCE);
	event_base_loop(base, EVLOOP_NONBLOCK);
	more = read_all(held->pipes.out);
	ck_assert_int_eq(held->ended, 1);
	ck_assert_str_eq(held->how, how);
	let_go(held);
}

/* What it finds */

START_TEST(a_server_gets_our_environment_and_its_own)
{
	char *envp[] = { (char[]){ "OURS=1" }, (char[]){ "PATH=/x" },
		(char[]){ "CAISSON_TIMEOUT=secret" }, (char[]){ "BOTH=1" },
		(char[]){ "MCP_BRIDGE_PIDS=secret" },
		(char[]){ "MCP_SERVERS_CONFIG=secret" },
		(char[]){ "MCP_SERVERS_CONFIGS=1" }, (char[]){ "BOTHER=1" },
		(char[]){ "odd" }, (char[]){ "EMPTY=" }, NULL };
	struct held held = { 0 };
	auto_free char *said = NULL;
	auto_free char *error = NULL;

	init();
	start_with(&held, "/usr/bin/env", "env|", "OWN=a=b|PATH=/y|BOTH=2|"
	    "CAISSON_OWN=1|", envp);
	said = read_all(held.pipes.out);
	ck_assert_str_eq(said, "PATH=/usr/bin:/bin\nOWN=a=b\nBOTH=2\n"
	    "CAISSON_OWN=1\nOURS=1\nMCP_SERVERS_CONFIGS=1\nBOTHER=1\n"
	    "odd\nEMPTY=\n");
	error = read_all(held.pipes.errors);
	ck_assert_str_eq(error, "");
	ends(&held, "exited with code 0");
}
END_TEST

#define LOOK                                                                   \
	"echo \"$0 $1\"; pwd; cat; echo bad >&2; "                             \
	"for n in 0 1 2 3 4 5 6 7 8 9; do "                                    \
	"[ -e /proc/$$/fd/$n ] && printf %s $n; done; exit 7|"

START_TEST(a_server_gets_its_pipes_and_folder)
{
	struct held held = { .server = { .run_cwd = (char[]){ "/usr" } } };
	auto_free char *said = NULL;
	auto_free char *error = NULL;
	int *fds[] = { &held.pipes.in, &held.pipes.out, &held.pipes.errors };
	size_t i;

	init();
	start_with(&held, "/bin/sh", "sh|-c|" LOOK "name|a b|", "",
	    no_environment);
	for (i = 0; i < UNIT_COUNT(fds); i++) {
		ck_assert_int_eq(fcntl(*fds[i], F_GETFD), FD_CLOEXEC);
		ck_assert(fcntl(*fds[i], F_GETFL) & O_NONBLOCK);
	}
	ck_assert_int_eq(write(held.pipes.in, "input\n", 6), 6);
	fd_close(&held.pipes.in);
	said = read_all(held.pipes.out);
	ck_assert_str_eq(said, "name a b\n/usr\ninput\n012");
	error = read_all(held.pipes.errors);
	ck_assert_str_eq(error, "bad\n");
	ends(&held, "exited with code 7");
}
END_TEST

/* Its end */

static const struct {
	const char *line, *how;
} lines[] = {
	{ "exit 0", "exited with code 0" },
	{ "exit 137", "exited with code 137" },
	{ "kill -KILL $$", "was killed by SIGKILL" },
	{ "kill -TERM $$", "was killed by SIGTERM" },
	{ "kill -40 $$", "was killed by SIGRTMIN+6" },
};

START_TEST(the_end_is_reported)
{
	auto_free char *run = mem_printf("sh|-c|%s|", lines[_i].line);
	struct held held = { 0 };
	int fds;

	init();
	fds = unit_open_fds();
	start_with(&held, "/bin/sh", run, "", no_environment);
	ends(&held, lines[_i].how);
	ck_assert_int_eq(unit_open_fds(), fds);
}
END_TEST

START_TEST(what_cannot_be_started_is_reported)
{
	struct held held = { 0 };
	auto_free char *error = NULL;

	init();
	start_with(&held, "/none", "none|", "", no_environment);
	error = read_all(held.pipes.errors);
	ck_assert_str_eq(error, "caisson: cannot execute /none: "
	    "No such file or directory\n");
	ends(&held, "exited with code 127");
}
END_TEST

START_TEST(what_is_no_program_is_reported)
{
	struct server server = { .name = (char[]){ "test" } };
	struct server_process_pipes pipes;
	struct err err;

	init();
	ck_assert_ptr_null(server_process_start(base, &server, no_environment,
	    &times, &pipes, on_ended, NULL, &err));
	ck_assert_str_eq(err.text, "there is no such program");
}
END_TEST

/* The last of them is the pidfd; nothing is left behind in any case. */
START_TEST(a_lack_of_descriptors_is_reported)
{
	struct held held = { 0 };
	struct rlimit few;
	struct err err;
	int fds;

	init();
	/* No hole among them. */
	do
		fds = unit_open_fds();
	while (dup(STDERR_FILENO) < fds);
	fds++;
	held.server = (struct server){ .name = (char[]){ "test" },
		.path = self, .program = self,
		.run = texts_of("server|alone|"), .run_env = texts_of("") };
	getrlimit(RLIMIT_NOFILE, &few);
	few.rlim_cur = (rlim_t)fds + (rlim_t)_i;
	setrlimit(RLIMIT_NOFILE, &few);
	ck_assert_ptr_null(server_process_start(base, &held.server,
	    no_environment, &times, &held.pipes, on_ended, &held, &err));
	ck_assert_str_eq(err.text, _i < 6 ?
	    "make a pipe: Too many open files" :
	    "open a pidfd: Too many open files");
	few.rlim_cur = few.rlim_max;
	setrlimit(RLIMIT_NOFILE, &few);
	ck_assert_int_eq(unit_open_fds(), fds);
	while (has_children())
		event_base_loop(base, EVLOOP_ONCE);
	ck_assert_int_eq(held.ended, 0);
	free(held.server.run.data);
	free(held.server.run_env.data);
}
END_TEST

/* Being ended */

START_TEST(it_ends_with_its_input)
{
	struct held held = { 0 };

	init();
	start(&held, trees[_i].name);
	await(&held);
	fd_close(&held.pipes.in);
	ends(&held, "exited with code 0");
}
END_TEST

START_TEST(it_has_time_to_end)
{
	struct held held = { 0 };

	init();
	start(&held, "session");
	await(&held);
	server_process_stop(held.process);
	server_process_stop(held.process);
	event_base_loop(base, EVLOOP_NONBLOCK);
	fd_close(&held.pipes.in);
	ends(&held, "exited with code 0");
}
END_TEST

START_TEST(it_is_asked_to_end)
{
	struct held held = { 0 };

	times.eof = 500;
	init();
	start(&held, "session");
	await(&held);
	order(&held, 'i');
	server_process_stop(held.process);
	ends(&held, "was killed by SIGTERM");
}
END_TEST

START_TEST(it_is_killed)
{
	struct held held = { 0 };

	times.eof = times.term = 0;
	init();
	start(&held, trees[_i].name);
	await(&held);
	order(&held, 'd');
	await(&held);
	order(&held, 'i');
	server_process_stop(held.process);
	ends(&held, "was killed by SIGKILL");
}
END_TEST

/* A process of the same user can stop a keeper. */
START_TEST(a_stopped_keeper_does_not_help)
{
	struct held held = { 0 };

	times = (struct server_process_times){ 0 };
	init();
	start(&held, trees[_i].name);
	await(&held);
	kill(held.keeper, SIGSTOP);
	server_process_stop(held.process);
	ends(&held, "was killed by SIGKILL");
}
END_TEST

/* Or kill it: then we are what it was. */
START_TEST(a_killed_keeper_does_not_help)
{
	struct held held = { 0 };

	init();
	start(&held, trees[_i].name);
	await(&held);
	kill(held.keeper, SIGKILL);
	ends(&held, "was killed by SIGKILL");
}
END_TEST

/* The end of the program */
START_TEST(all_end_with_the_program)
{
	struct held held = { 0 };
	auto_free char *more = NULL;

	init();
	start(&held, trees[_i].name);
	await(&held);
	if (_i % 2 == 0)
		kill(held.keeper, SIGSTOP);
	reaper_finish(SHUTDOWN_REAP_MS);
	more = read_all(held.pipes.out);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(held.ended, 0);
	let_go(&held);
}
END_TEST

#define MANY 20

START_TEST(many_are_apart)
{
	static struct held held[MANY];
	struct err err;
	int n, fds;

	init();
	fds = unit_open_fds();
	for (n = 0; n < MANY; n++) {
		held[n].server = (struct server){ .name = (char[]){ "x" },
			.path = mem_strdup(""), .program = mem_strdup(self),
			.run = texts_of("server|daemon|"),
			.run_env = texts_of("") };
		held[n].process = server_process_start(base, &held[n].server,
		    no_environment, &times, &held[n].pipes, on_ended,
		    &held[n], &err);
		ck_assert_ptr_nonnull(held[n].process);
	}
	for (n = 0; n < MANY; n++)
		await(&held[n]);
	for (n = 0; n < MANY; n++)
		order(&held[n], n % 2 == 0 ? 'e' : SIGKILL);
	for (n = 0; n < MANY; n++)
		while (!held[n].ended)
			event_base_loop(base, EVLOOP_ONCE);
	for (n = 0; n < MANY; n++)
		ends(&held[n], n % 2 == 0 ? "exited with code 42" :
		    "was killed by SIGKILL");
	ck_assert_int_eq(unit_open_fds(), fds);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, a_server_gets_our_environment_and_its_own);
	tcase_add_test(tc, a_server_gets_its_pipes_and_folder);
	tcase_add_loop_test(tc, the_end_is_reported, 0, UNIT_COUNT(lines));
	tcase_add_test(tc, what_cannot_be_started_is_reported);
	tcase_add_test(tc, what_is_no_program_is_reported);
	tcase_add_loop_test(tc, a_lack_of_descriptors_is_reported, 0, 7);
	tcase_add_loop_test(tc, it_ends_with_its_input, 0, TREES);
	tcase_add_test(tc, it_has_time_to_end);
	tcase_add_test(tc, it_is_asked_to_end);
	tcase_add_loop_test(tc, it_is_killed, 2, 4);
	tcase_add_loop_test(tc, a_stopped_keeper_does_not_help, 0, TREES);
	tcase_add_loop_test(tc, a_killed_keeper_does_not_help, 0, TREES);
	tcase_add_loop_test(tc, all_end_with_the_program, 0, TREES);
	tcase_add_test(tc, many_are_apart);
}

int
main(int argc, char **argv)
{
	if (argc == 2)
		return trees_be(argv[1]);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) == -1)
		return EXIT_FAILURE;
	return unit_run_at_once("process", add_tests, 4);
}
