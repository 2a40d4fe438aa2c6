/*
 * The removal of a container by its keeper: the engine removes it, in a time
 * that is bounded also where the engine hangs. Runs in the keeper; starts the
 * program of the engine.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../common/base/buffer.h"
#include "../../common/base/clock.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "keeper_parts.h"

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

/*
 * Runs a command of the engine, which prints to out, or to /dev/null for -1.
 * Returns whether it succeeded in time.
 */
static int
keeper_have(struct keeper *keeper, const struct spawn_program *program,
    char **argv, int out, uint64_t deadline)
{
	auto_fd int null = keeper_open_null();
	struct spawn_program remover = *program;

	remover.path = argv[0];
	remover.argv = argv;
	remover.in = remover.errors = null;
	remover.out = out == -1 ? null : out;
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

/* Has the engine remove the container. Returns whether it succeeded in time. */
static int
keeper_remove_once(struct keeper *keeper, const struct spawn_program *program,
    uint64_t deadline)
{
	return keeper_have(keeper, program, program->remove, -1, deadline);
}

/* Makes a pipe above the descriptors that a program has. Returns 0, or -1. */
static int
keeper_pipe(int *from, int *to)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) == -1)
		return -1;
	*from = fcntl(pair[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	*to = fcntl(pair[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(pair[0]);
	close(pair[1]);
	return *from == -1 || *to == -1 ? -1 : 0;
}

/*
 * Asks the engine for the container. Returns 1 if it exists, 0 if it
 * does not, and -1 if that is unknown. What the engine prints is not read: only
 * whether it prints something counts.
 */
static int
keeper_find(struct keeper *keeper, const struct spawn_program *program,
    uint64_t deadline)
{
	auto_fd int from = -1, to = -1;
	struct pollfd printed = { .events = POLLIN };

	if (program->find == NULL || keeper_pipe(&from, &to) == -1 ||
	    !keeper_have(keeper, program, program->find, to, deadline))
		return -1;
	printed.fd = from;
	return poll(&printed, 1, 0);
}

/* Returns whether the server itself only removes a container. */
static int
keeper_is_remover(const struct spawn_program *program)
{
	return program->remove == program->argv;
}

/* Returns whether a client may have left the container: code exits so, too. */
static int
keeper_has_failed(int status)
{
	return status >= KEEPER_ENGINE_FAILED &&
	    status <= KEEPER_ENGINE_NOT_FOUND;
}

/* Returns whether the container is gone, by the end of the server. */
static int
keeper_has_removed(
    const struct keeper *keeper, const struct spawn_program *program)
{
	if (!WIFEXITED(keeper->status) || program->outlives)
		return 0;
	return keeper_is_remover(program) ?
	    WEXITSTATUS(keeper->status) == 0 :
	    !keeper_has_failed(WEXITSTATUS(keeper->status));
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

/*
 * No process can make the container any more, and it may exist. An engine that
 * is removing it cannot remove it again: while it exists, that is repeated.
 */
static void
keeper_remove_rest(struct keeper *keeper, const struct spawn_program *program)
{
	uint64_t deadline = clock_ms() + program->remove_ms;
	const struct timespec pause = { 0, KEEPER_PAUSE_MS * 1000000L };
	int i, found = 1;

	for (i = 0; found != 0 && clock_ms() < deadline; i++) {
		if (i == KEEPER_REMOVALS && found == -1)
			break;
		if (keeper_remove_once(keeper, program, deadline))
			return;
		found = keeper_find(keeper, program, deadline);
		if (found != 0)
			nanosleep(&pause, NULL);
	}
	if (found != 0)
		keeper_warn(program);
}

/*
 * An engine removes the container before its client exits, unless the engine
 * itself has failed. That is not always told by the status of the client, but
 * then processes of the container are left.
 */
void
keeper_remove(struct keeper *keeper, const struct spawn_program *program)
{
	int is_gone = keeper->ended ? keeper_has_removed(keeper, program) :
	    keeper_remove_running(keeper, program);

	/* The monitor of the container writes down its end. */
	if (is_gone)
		keeper_rest(keeper);
	if (!is_gone || (!keeper_is_remover(program) && keeper_reap(keeper))) {
		keeper_kill_all(keeper);
		keeper_remove_rest(keeper, program);
	}
	keeper_rest(keeper);
}
