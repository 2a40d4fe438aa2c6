/*
 * The keeper of a server, of the client of a container engine, or of a program
 * of "caisson image", each called the server here: a process between it and the
 * supervisor. When the keeper exits, no process of the server is left. The
 * kernel ends a server with its parent, but not its descendants, nor those in
 * other sessions: these become children of the keeper when their parent ends.
 * It is forked from the supervisor, and executes only that program again
 * (keeper_again.c). It reads no byte of the server and holds no descriptor of
 * it. It has a container removed: see keeper_container.c.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/limits.h"
#include "../../common/base/fd.h"
#include "../../common/role.h"
#include "keeper_parts.h"

/* Ends with the supervisor, and inherits all orphans of the server. */
static int
keeper_bind(pid_t supervisor)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_PDEATHSIG, KEEPER_KILL, 0, 0, 0) == -1)
		return -1;
	/* The supervisor may have exited before prctl. */
	return getppid() == supervisor ? 0 : -1;
}

static int
keeper_compare(const void *a, const void *b)
{
	const int *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/*
 * Closes all descriptors except the log, our own program and the server's
 * pipes.
 */
static void
keeper_close_others(const struct spawn_program *program)
{
	int kept[] = { STDERR_FILENO, program->in, program->out,
		program->errors, spawn_self_fd() };
	unsigned int from = 0;
	size_t i, n = sizeof(kept) / sizeof(kept[0]);

	qsort(kept, n, sizeof(kept[0]), keeper_compare);
	for (i = 0; i < n; i++) {
		if (kept[i] == -1)
			continue;
		if ((unsigned int)kept[i] > from)
			close_range(from, (unsigned int)kept[i] - 1, 0);
		from = (unsigned int)kept[i] + 1;
	}
	close_range(from, ~0U, 0);
}

/* Asks the server and its process group to end. */
static void
keeper_ask(const struct keeper *keeper)
{
	/* The server creates its group when it starts. */
	if (kill(-keeper->server, SIGTERM) == -1)
		kill(keeper->server, SIGTERM);
}

/*
 * Waits until the server has ended or must be killed. All signals stay blocked.
 * A container cannot be asked to end.
 */
static void
keeper_wait(struct keeper *keeper, int is_container)
{
	sigset_t signals;
	int sig;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, KEEPER_ASK);
	sigaddset(&signals, KEEPER_KILL);
	while (!keeper->ended) {
		sig = sigwaitinfo(&signals, NULL);
		if (sig == KEEPER_KILL || (sig == KEEPER_ASK && is_container))
			return;
		if (sig == KEEPER_ASK)
			keeper_ask(keeper);
		else
			keeper_reap(keeper);
	}
}

/* Exits with the status or signal of the server. */
static void __attribute__((noreturn))
keeper_end(const struct keeper *keeper)
{
	int sig = keeper->ended ? WTERMSIG(keeper->status) : SIGKILL;
	sigset_t own;

	if (keeper->ended && WIFEXITED(keeper->status))
		_exit(WEXITSTATUS(keeper->status));
	/* No core dump of the keeper, not even by a handler behind a pipe. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	sigemptyset(&own);
	sigaddset(&own, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &own, NULL);
	_exit(FATAL_EXIT_STATUS);
}

/* The keeper, once the server runs, until the end. */
static void __attribute__((noreturn))
keeper_go_on(struct keeper *keeper, const struct spawn_program *program)
{
	keeper_wait(keeper, program->remove != NULL);
	if (program->remove != NULL)
		keeper_remove(keeper, program);
	keeper_kill_all(keeper);
	keeper_end(keeper);
}

void
keeper_run(
    unsigned long number, pid_t supervisor, const struct spawn_program *program)
{
	struct keeper keeper = { .number = number, .supervisor = supervisor };
	char **variable;

	setsid();
	role_enter(ROLE_KEEPER, number);
	keeper_close_others(program);
	if (keeper_bind(supervisor) == -1)
		_exit(FATAL_EXIT_STATUS);
	keeper.server = spawn_program(program);
	if (keeper.server == -1)
		spawn_complain(program, "start", program->path);
	/*
	 * The environment may hold secrets. The server has been given its
	 * variables, and the keeper needs none, also where it cannot execute
	 * the program again; an engine that it starts needs some.
	 */
	variable = environ;
	for (; !program->outlives && variable != NULL && *variable != NULL;
	     variable++)
		explicit_bzero(*variable, strlen(*variable));
	clearenv();
	close(program->in);
	close(program->out);
	close(program->errors);
	keeper_start_over(&keeper, program);
	keeper_go_on(&keeper, program);
}

void
keeper_resume(int argc, char **argv)
{
	struct keeper keeper = { 0 };
	struct spawn_program program = { .in = -1, .out = -1, .errors = -1 };

	if (!keeper_read(argc, argv, &keeper, &program)) {
		spawn_self_open();
		return;
	}
	role_enter(ROLE_KEEPER, keeper.number);
	/* With other rights, the kernel has cleared the signal at our end. */
	if (keeper_bind(keeper.supervisor) == -1)
		raise(KEEPER_KILL);
	keeper_go_on(&keeper, &program);
}

int
keeper_start(unsigned long number, const struct spawn_program *program,
    int *pidfd, struct err *err)
{
	return spawn_keeper(number, program, keeper_run, pidfd, err);
}

struct child *
keeper_watch(struct event_base *base, unsigned long number,
    const struct spawn_program *program, child_ended *ended, void *ctx,
    struct err *err)
{
	struct child *keeper;
	auto_fd int pidfd = -1;

	if (keeper_start(number, program, &pidfd, err) == -1)
		return NULL;
	keeper = reaper_watch(base, &pidfd, ended, ctx);
	reaper_finish_with(keeper, KEEPER_KILL);
	return keeper;
}
