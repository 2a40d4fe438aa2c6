/*
 * Tests of supervisor/process/keeper with the client of a container engine:
 * whatever ends first, and however the engine fails, the container is gone when
 * the keeper is, and its end is the client's. The engine is a stand-in.
 *
 * Usage: test_keeper_container PATH/keeper_engine.sh
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "supervisor/process/process.h"
#include "keeper_times.h"
#include "tests/unit/unit_folder.h"

struct held {
	int in, out;
	int errors; /* of a server; a container has those of the test */
	int pidfd; /* of its keeper */
	pid_t keeper;
};

static int
note_child(void *ctx, pid_t pid)
{
	*(pid_t *)ctx = pid;
	return 1;
}

/* Returns the only child of the test. */
static pid_t
only_child(void)
{
	pid_t child;

	ck_assert_uint_eq(children_each(note_child, &child), 1);
	return child;
}

/* Waits for the "x" that a program prints when it runs. */
static void
await(const struct held *held)
{
	char c;

	ck_assert_int_eq(read(held->out, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
}

/* Returns all that is printed until no process is left that could print. */
static char *
read_all(int fd)
{
	struct buffer said = { 0 };
	ssize_t n;

	do {
		n = read(fd, buffer_reserve(&said, 4096), 4096);
		ck_assert_int_ne(n, -1);
		said.len += (size_t)n;
	} while (n > 0);
	buffer_add_text(&said, "");
	return buffer_take(&said, NULL);
}

/* Longer than anything takes that does not hang. */
#define LONG_MS 30000

unsigned int play_client_ms = LONG_MS;
unsigned int play_rest_ms = LONG_MS;

static int is_found; /* the engine can be asked for the container */

/* The time of the keeper has passed when a command of the engine says so. */
uint64_t
play_clock_ms(void)
{
	static uint64_t now;
	auto_free char *late = mem_printf("%s/late", folder);

	if (unlink(late) == 0)
		now += LONG_MS;
	return now;
}

/* The folder of the engine */

/* Returns the content of a file, "" if it is missing. */
static char *
get(const char *name)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);
	struct buffer text = { 0 };
	FILE *file = fopen(path, "r");
	size_t n;

	buffer_add_text(&text, "");
	while (file != NULL) {
		n = fread(buffer_reserve(&text, 4096), 1, 4096, file);
		text.len += n;
		buffer_add_text(&text, "");
		if (n == 0) {
			fclose(file);
			file = NULL;
		}
	}
	return buffer_take(&text, NULL);
}

/* Returns how often a word is in a file. */
static size_t
times_in(const char *name, const char *word)
{
	auto_free char *log = get(name);
	const char *p = log;
	size_t n = 0;

	while ((p = strstr(p, word)) != NULL) {
		n++;
		p++;
	}
	return n;
}

static size_t
times(const char *word)
{
	return times_in("log", word);
}

static void
set_up(void)
{
	put_file("code", "echo x; exec sleep 1000");
	/* A keeper whose supervisor has ended becomes ours. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

UNIT_FIXTURE(set_up, NULL)

/* Containers */

static void
start_program(struct held *held, const char *path, char **argv, char **remove)
{
	auto_free char *fake = mem_printf("FAKE=%s", folder);
	char *envp[] = { fake, (char[]){ "PATH=/usr/bin:/bin" }, NULL };
	char *find[] = { unit_argv[1], (char[]){ "ps" }, (char[]){ "box-1" },
		NULL };
	struct spawn_program program = { .path = path, .argv = argv,
		.envp = envp, .remove = remove, .remove_ms = LONG_MS,
		.find = is_found ? find : NULL };
	int in[2], out[2];
	struct err err;

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	program.in = in[0];
	program.out = out[1];
	program.errors = dup(STDERR_FILENO);
	ck_assert_msg(keeper_start(7, &program, &held->pidfd, &err) == 0,
	    "%s", err.text);
	close(in[0]);
	close(out[1]);
	close(program.errors);
	held->in = in[1];
	held->out = out[0];
	held->keeper = only_child();
}

static void
start(struct held *held)
{
	char *argv[] = { unit_argv[1], (char[]){ "run" }, (char[]){ "box-1" },
		NULL };
	char *remove[] = { unit_argv[1], (char[]){ "rm" },
		(char[]){ "--force" }, (char[]){ "box-1" }, NULL };

	start_program(held, unit_argv[1], argv, remove);
}

static int
exists(const char *name)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);

	return access(path, F_OK) == 0;
}

static int
container_exists(void)
{
	return exists("container.box-1");
}

/*
 * Waits for its end; nothing is left of it then. Returns what was printed since
 * the last await.
 */
static char *
ends(struct held *held, int code, int status)
{
	char *said;
	siginfo_t si;

	ck_assert_int_eq(
	    waitid((idtype_t)3 /* P_PIDFD */, (id_t)held->pidfd, &si, WEXITED),
	    0);
	said = read_all(held->out);
	close(held->in);
	close(held->out);
	close(held->pidfd);
	ck_assert_int_eq(si.si_code, code);
	ck_assert_int_eq(si.si_status, status);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	return said;
}

/* The code ends first */

static const int statuses[] = { 0, 1, 3, 124, 126, 127, 137, 255 };

/*
 * The engine removes it then, and is only asked for that again if the status
 * may be one of a failure.
 */
UNIT_TESTS(the_code_ends_by_itself, UNIT_COUNT(statuses))
{
	auto_free char *code = mem_printf("echo done; exit %d", statuses[_i]);
	auto_free char *said = NULL;
	struct held held;

	put_file("code", code);
	start(&held);
	said = ends(&held, CLD_EXITED, statuses[_i]);
	ck_assert_str_eq(said, "done\nend\n");
	ck_assert(!container_exists());
	ck_assert_uint_eq(
	    times("rm "), statuses[_i] == 126 || statuses[_i] == 127);
}

UNIT_TEST(input_and_output_pass)
{
	auto_free char *said = NULL;
	struct held held;

	put_file("code", "exec cat");
	start(&held);
	ck_assert_int_eq(write(held.in, "\0\xff\n", 3), 3);
	close(held.in);
	held.in = open("/dev/null", O_RDONLY);
	said = ends(&held, CLD_EXITED, 0);
	ck_assert_int_eq(memcmp(said, "\0\xff\n" "end\n", 8), 0);
}

/* We end it */

static const int signals[] = { KEEPER_KILL, KEEPER_ASK };

/* The client passes on what it still has. */
UNIT_TESTS(a_container_is_removed_on_request, UNIT_COUNT(signals))
{
	auto_free char *said = NULL;
	auto_free char *fds = NULL;
	auto_free char *log = NULL;
	struct held held;

	start(&held);
	await(&held);
	kill(held.keeper, signals[_i]);
	said = ends(&held, CLD_EXITED, 128 + SIGKILL);
	ck_assert_str_eq(said, "\nend\n");
	ck_assert(!container_exists());
	log = get("log");
	ck_assert_str_eq(log, "run box-1\nrm --force box-1\n");
	fds = get("fds");
	ck_assert_str_eq(fds, "/dev/null\n/dev/null\n/dev/null\n");
}

/* There may be no container yet, but there must be none later. */
UNIT_TESTS(a_client_that_hangs_is_killed, 2)
{
	static const char *const runs[] = { "hang", "deaf" };
	auto_free char *said = NULL;
	struct held held;

	play_client_ms = 0;
	put_file("run", runs[_i]);
	start(&held);
	await(&held);
	kill(held.keeper, KEEPER_KILL);
	said = ends(&held, CLD_KILLED, SIGKILL);
	ck_assert(!container_exists());
	/* Once as long as the client runs, and once when it cannot create. */
	ck_assert_uint_eq(times("rm "), 2);
}

UNIT_TEST(the_supervisor_is_killed)
{
	struct held held;
	pid_t stand_in, keeper;
	int told[2], status;

	ck_assert_int_eq(pipe(told), 0);
	stand_in = fork();
	if (stand_in == 0) {
		start(&held);
		await(&held);
		if (write(told[1], "x", 1) == 1)
			for (;;)
				pause();
	}
	close(told[1]);
	held.out = told[0];
	await(&held);
	kill(stand_in, SIGKILL);
	ck_assert_int_eq(waitpid(stand_in, NULL, 0), stand_in);
	keeper = waitpid(-1, &status, 0);
	ck_assert_int_gt(keeper, 0);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 1);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}

/* A container without a keeper: its client has ended with that. */
static void
leave_one(struct held *held)
{
	siginfo_t si;
	pid_t orphan;

	start(held);
	await(held);
	kill(held->keeper, SIGKILL);
	ck_assert_int_eq(
	    waitid((idtype_t)3 /* P_PIDFD */, (id_t)held->pidfd, &si, WEXITED),
	    0);
	/* The client, and then the code is what is left. */
	ck_assert_int_gt(waitpid(-1, NULL, 0), 0);
	orphan = only_child();
	ck_assert(container_exists());
	kill(orphan, SIGKILL);
	ck_assert_int_eq(waitpid(orphan, NULL, 0), orphan);
	close(held->in);
	close(held->out);
	close(held->pidfd);
}

static void
start_remover(struct held *held)
{
	char *remove[] = { unit_argv[1], (char[]){ "rm" },
		(char[]){ "--force" }, (char[]){ "box-1" }, NULL };

	start_program(held, unit_argv[1], remove, remove);
}

UNIT_TEST(another_keeper_removes_it)
{
	auto_free char *said = NULL;
	struct held held;

	leave_one(&held);
	start_remover(&held);
	said = ends(&held, CLD_EXITED, 0);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 1);
}

/* The supervisor ends, which asks all keepers to end. */
UNIT_TESTS(a_removal_is_not_given_up, UNIT_COUNT(signals))
{
	auto_free char *path = mem_printf("%s/rm", folder);
	auto_free char *said = NULL;
	struct held held;

	leave_one(&held);
	put_file("rm", "wait");
	start_remover(&held);
	await(&held);
	kill(held.keeper, signals[_i]);
	ck_assert_int_eq(unlink(path), 0);
	said = ends(&held, CLD_EXITED, 0);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 1);
}

UNIT_TEST(a_removal_that_failed_is_repeated)
{
	auto_free char *said = NULL;
	struct held held;

	leave_one(&held);
	put_file("rm", "once");
	start_remover(&held);
	said = ends(&held, CLD_EXITED, 1);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 2);
}

/* The engine fails */

UNIT_TESTS(a_failed_engine_may_have_left_one,
    KEEPER_ENGINE_NOT_FOUND + 1 - KEEPER_ENGINE_FAILED)
{
	auto_free char *said = NULL;
	char status[16];
	struct held held;

	snprintf(status, sizeof(status), "%d", KEEPER_ENGINE_FAILED + _i);
	put_file("run", status);
	start(&held);
	said = ends(&held, CLD_EXITED, KEEPER_ENGINE_FAILED + _i);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 1);
}

/* Its status is no error of an engine, but what it has started goes on. */
UNIT_TEST(a_client_leaves_its_container)
{
	auto_free char *said = NULL;
	struct held held;

	play_rest_ms = 0;
	put_file("run", "2");
	start(&held);
	said = ends(&held, CLD_EXITED, 2);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 1);
}

UNIT_TEST(a_client_crashes)
{
	auto_free char *said = NULL;
	struct held held;

	put_file("run", "crash");
	start(&held);
	said = ends(&held, CLD_KILLED, SIGSEGV);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 1);
}

UNIT_TEST(an_engine_is_missing)
{
	char path[] = "/nowhere/engine";
	char *argv[] = { path, (char[]){ "run" }, NULL };
	char *remove[] = { path, (char[]){ "rm" }, (char[]){ "a" }, NULL };
	auto_free char *said = NULL;
	struct held held;

	start_program(&held, path, argv, remove);
	said = ends(&held, CLD_EXITED, SPAWN_COMPLAINED);
	ck_assert_str_eq(said, "");
}

/* What is logged from now on is written to a file of the folder. */
static void
log_to_file(void)
{
	auto_free char *path = mem_printf("%s/logged", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	close(fd);
}

/*
 * The processes of the code are ended by the keeper itself then. The log has
 * the command that removes the container, whatever the engine is.
 */
UNIT_TESTS(an_engine_cannot_remove, 2)
{
	static const struct {
		const char *rm;
		size_t removals;
	} cases[] = {
		{ "hang", 2 },
		{ "fail", 1 + KEEPER_REMOVALS },
	};
	auto_free char *said = NULL, *logged = NULL;
	auto_free char *fix = mem_printf(
	    "box-1 may be left: remove it with '%s rm --force box-1'\n",
	    unit_argv[1]);
	struct held held;

	log_to_file();
	put_file("rm", cases[_i].rm);
	start(&held);
	await(&held);
	kill(held.keeper, KEEPER_KILL);
	said = ends(&held, CLD_KILLED, SIGKILL);
	ck_assert_uint_eq(times("rm "), cases[_i].removals);
	logged = get("logged");
	ck_assert_msg(strstr(logged, fix) != NULL, "%s", logged);
}

/*
 * An engine that is removing a container cannot remove it again. Where it can
 * be asked for the container, and answers, that is awaited.
 */
UNIT_TESTS(a_container_that_is_being_removed_is_not_left, 7)
{
	static const struct {
		const char *run;
		const char *rm;
		const char *ps;
		int is_found;
		int left;
	} cases[] = {
		{ "deaf", "begun", "", 1, 0 },
		{ "deaf", "begun", "", 0, 1 },
		{ "deaf", "begun", "fail", 1, 1 },
		{ "deaf", "begun", "hang", 1, 1 },
		{ "hang", "fail", "", 1, 0 },
		{ "deaf", "fail", "late", 1, 1 },
		/* An engine that is broken has made none. */
		{ "hang", "fail", "", 0, 1 },
	};
	auto_free char *said = NULL, *logged = NULL;
	struct held held;
	char newline;

	log_to_file();
	put_file("run", cases[_i].run);
	put_file("rm", cases[_i].rm);
	put_file("ps", cases[_i].ps);
	is_found = cases[_i].is_found;
	start(&held);
	await(&held);
	/* The code prints a line, too: by then its container is recorded. */
	if (strcmp(cases[_i].run, "deaf") == 0) {
		ck_assert_int_eq(read(held.out, &newline, 1), 1);
		await(&held);
	}
	kill(held.keeper, KEEPER_KILL);
	said = ends(&held, CLD_KILLED, SIGKILL);
	logged = get("logged");
	ck_assert_msg((strstr(logged, "box-1 may be left") != NULL) ==
	        cases[_i].left, "%s", logged);
	ck_assert(cases[_i].is_found || times("ps ") == 0);
	is_found = 0;
}

UNIT_TEST(a_removal_is_repeated)
{
	auto_free char *said = NULL;
	struct held held;

	put_file("rm", "once");
	start(&held);
	await(&held);
	kill(held.keeper, KEEPER_KILL);
	said = ends(&held, CLD_KILLED, SIGKILL);
	ck_assert(!container_exists());
	ck_assert_uint_eq(times("rm "), 2);
}
