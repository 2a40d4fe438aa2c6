/*
 * The processes below a keeper: the server, all that it has started, and the
 * engine that removes a container. Runs in the keeper.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "keeper_parts.h"

int
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

static int
keeper_kill(void *, pid_t pid)
{
	return children_kill(pid);
}

void
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
