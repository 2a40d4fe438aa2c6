/*
 * The keeper of a server, of the client of a container engine, or of a program
 * of "caisson image", each called the server here: a process between it and the
 * supervisor. When the keeper exits, no process of the server is left. The
 * kernel ends a server with its parent, but not its descendants, nor those in
 * other sessions: these become children of the keeper when their parent ends.
 * It is forked from the supervisor, executes nothing itself, reads no byte of
 * the server and holds no descriptor of it. It has a container removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../common/buffer.h"
#include "../../common/clock.h"
#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/role.h"
#include "process.h"

struct keeper {
	pid_t server;
	int ended; /* and reaped: status is set */
	int status;
	pid_t remover; /* the engine that removes the container; 0: none */
	int removal;   /* its status, once it has ended */
};

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

/* Closes all descriptors except the log and the server's pipes. */
static void
keeper_close_others(const struct spawn_program *program)
{
	int kept[] = { STDERR_FILENO, program->in, program->out,
		program->errors };
	unsigned int from = 0;
	size_t i, n = sizeof(kept) / sizeof(kept[0]);

	qsort(kept, n, sizeof(kept[0]), keeper_compare);
	for (i = 0; i < n; i++) {
		if ((unsigned int)kept[i] > from)
			close_range(from, (unsigned int)kept[i] - 1, 0);
		from = (unsigned int)kept[i] + 1;
	}
	close_range(from, ~0U, 0);
}

/*
 * The environment may hold secrets. The server has been given its variables,
 * and the keeper needs none.
 */
static void
keeper_wipe_environment(void)
{
	char **variable = environ;

	for (; variable != NULL && *variable != NULL; variable++)
		explicit_bzero(*variable, strlen(*variable));
	clearenv();
}

/* Reaps children that have ended. Returns whether others are left. */
static int
keeper_reap(struct keeper *keeper)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == keeper->server) {
			keeper->ended = 1;
			keeper->status = status;
		} else if (pid == keeper->remover) {
			keeper->remover = 0;
			keeper->removal = status;
		}
	return pid == 0;
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

static int
keeper_kill(void *ctx, pid_t pid)
{
	(void)ctx;
	return children_kill(pid);
}

/*
 * Kills all children until none is left; children of a killed child become
 * ours. A process that is being killed cannot finish a fork, so forking is no
 * escape. A process that exits before it is killed, and leaves a child in a new
 * session, only survives until a round finds the child in time.
 */
static void
keeper_kill_all(struct keeper *keeper)
{
	const struct timespec pause = { 0, KEEPER_PAUSE_MS * 1000000L };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (keeper_reap(keeper)) {
		if (children_each(keeper_kill, NULL) == 0) {
			/* It runs as another user. */
			log_warn("a process of the server cannot be killed");
			return;
		}
		sigtimedwait(&child, NULL, &pause);
	}
}

/* Containers */

/* Waits until a child ends, or until that time. Returns whether it is past. */
static int
keeper_is_late(uint64_t deadline)
{
	uint64_t now = clock_ms();
	uint64_t ms = now < deadline ? deadline - now : 0;
	struct timespec left = { (time_t)(ms / 1000),
		(long)(ms % 1000) * 1000000 };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	return ms == 0 ||
	    (sigtimedwait(&child, NULL, &left) == -1 && errno == EAGAIN);
}

/* Waits for the end of all children. */
static void
keeper_rest(struct keeper *keeper)
{
	uint64_t deadline = clock_ms() + KEEPER_REST_MS;

	while (keeper_reap(keeper))
		if (keeper_is_late(deadline))
			return;
}

/* Returns a descriptor of /dev/null above those that a program has, or -1. */
static int
keeper_open_null(void)
{
	auto_fd int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	return fd == -1 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* Has the engine remove the container. Returns whether it succeeded in time. */
static int
keeper_remove_once(struct keeper *keeper, const struct spawn_program *program,
    uint64_t deadline)
{
	auto_fd int null = keeper_open_null();
	struct spawn_program remover = *program;

	remover.path = program->remove[0];
	remover.argv = program->remove;
	remover.in = remover.out = remover.errors = null;
	keeper->remover = spawn_program(&remover);
	if (keeper->remover == -1) {
		keeper->remover = 0;
		return 0;
	}
	do {
		keeper_reap(keeper);
		if (keeper->remover == 0)
			return WIFEXITED(keeper->removal) &&
			    WEXITSTATUS(keeper->removal) == 0;
	} while (!keeper_is_late(deadline));
	children_kill(keeper->remover);
	return 0;
}

/* Returns whether the server itself only removes a container. */
static int
keeper_is_remover(const struct spawn_program *program)
{
	return program->remove == program->argv;
}

/* Returns whether the container is gone, by the end of the server. */
static int
keeper_has_removed(
    const struct keeper *keeper, const struct spawn_program *program)
{
	int failed = program->failed != 0 ? program->failed :
	    KEEPER_ENGINE_FAILED;

	if (!WIFEXITED(keeper->status))
		return 0;
	return keeper_is_remover(program) ?
	    WEXITSTATUS(keeper->status) == 0 :
	    WEXITSTATUS(keeper->status) != failed;
}

/*
 * The client still runs, and passes on what the code has printed. Without its
 * container it ends by itself; but if it has not made the container yet, it
 * would make it now. Returns whether the container is gone.
 */
static int
keeper_remove_running(
    struct keeper *keeper, const struct spawn_program *program)
{
	int is_remover = keeper_is_remover(program);
	uint64_t deadline = clock_ms() + program->remove_ms;

	if (!is_remover) {
		if (!keeper_remove_once(keeper, program, deadline))
			return 0;
		deadline = clock_ms() + KEEPER_CLIENT_MS;
	}
	do {
		keeper_reap(keeper);
		if (keeper->ended)
			return !is_remover ||
			    keeper_has_removed(keeper, program);
	} while (!keeper_is_late(deadline));
	return 0;
}

static const char *
keeper_name(const struct spawn_program *program)
{
	char *const *name = program->remove;

	while (name[1] != NULL)
		name++;
	return *name;
}

/* Each engine has another command: the log has the one that was tried. */
static void
keeper_warn(const struct spawn_program *program)
{
	auto_buffer struct buffer line = { 0 };
	char *const *word;

	for (word = program->remove; *word != NULL; word++)
		buffer_printf(&line, "%s%s", line.len == 0 ? "" : " ", *word);
	log_warn("the container %s may be left: remove it with '%s'",
	    keeper_name(program), line.data);
}

/* No process can make the container any more, and it may exist. */
static void
keeper_remove_rest(struct keeper *keeper, const struct spawn_program *program)
{
	uint64_t deadline = clock_ms() + program->remove_ms;
	const struct timespec pause = { 0, KEEPER_PAUSE_MS * 1000000L };
	int i;

	for (i = 0; i < KEEPER_REMOVALS && clock_ms() < deadline; i++) {
		if (keeper_remove_once(keeper, program, deadline))
			return;
		nanosleep(&pause, NULL);
	}
	keeper_warn(program);
}

/* Usually the supervisor has, once the container ran; unless it was killed. */
static void
keeper_remove_bundle(const char *bundle)
{
	auto_fd int fd = open(bundle, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return;
	unlinkat(fd, KEEPER_BUNDLE_FILE, 0);
	rmdir(bundle);
}

/*
 * Sees to it that the container is gone. An engine removes it before its client
 * exits, unless the engine itself has failed.
 */
static void
keeper_remove(struct keeper *keeper, const struct spawn_program *program)
{
	int is_gone = keeper->ended ? keeper_has_removed(keeper, program) :
	    keeper_remove_running(keeper, program);

	if (!is_gone) {
		keeper_kill_all(keeper);
		keeper_remove_rest(keeper, program);
	}
	if (program->bundle != NULL)
		keeper_remove_bundle(program->bundle);
	/* The monitor of the container writes down its end. */
	keeper_rest(keeper);
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

void
keeper_run(
    unsigned long number, pid_t supervisor, const struct spawn_program *program)
{
	struct keeper keeper = { 0 };

	setsid();
	role_enter(ROLE_KEEPER, number);
	keeper_close_others(program);
	if (keeper_bind(supervisor) == -1)
		_exit(FATAL_EXIT_STATUS);
	keeper.server = spawn_program(program);
	if (keeper.server == -1)
		spawn_complain(program, "start", program->path);
	keeper_wipe_environment();
	close(program->in);
	close(program->out);
	close(program->errors);
	keeper_wait(&keeper, program->remove != NULL);
	if (program->remove != NULL)
		keeper_remove(&keeper, program);
	keeper_kill_all(&keeper);
	if (program->cgroups != NULL)
		keeper_remove_cgroups(program->cgroups, keeper_name(program));
	keeper_end(&keeper);
}

int
keeper_start(unsigned long number, const struct spawn_program *program,
    int *pidfd, struct err *err)
{
	return spawn_keeper(number, program, keeper_run, pidfd, err);
}
