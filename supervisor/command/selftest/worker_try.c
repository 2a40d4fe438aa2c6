/*
 * Tests whether a worker can be started: it starts without work, locks itself
 * down, and exits when its channel is closed. For the selftest. Runs in the
 * supervisor; reads the standard error of the worker, where its loader names a
 * missing library.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/base/loop.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/role.h"
#include "../../../common/base/shown.h"
#include "../../process/process.h"
#include "../shared/command.h"

#define WORKER_TRY_FIX "install Caisson again, or build it again"

struct worker_try {
	struct event *timer;
	bool over; /* it has ended, or timed out */
	bool ended;
	struct child_end end;
};

static void
worker_try_on_ended(void *ctx, const struct child_end *end)
{
	struct worker_try *try = ctx;

	try->end = *end;
	try->ended = true;
	try->over = true;
}

static void
worker_try_on_timer(evutil_socket_t, short, void *ctx)
{
	struct worker_try *try = ctx;

	try->over = true;
}

int
worker_try_can(enum role role)
{
	return role_info(role)->kind == ROLE_KIND_TASK ||
	    role_info(role)->kind == ROLE_KIND_SERVICE;
}

/* Starts it, and closes the channel. Returns 0 and its pidfd, or -1. */
static int
worker_try_start(struct event_base *base, enum role role, int *pidfd,
    struct err *err)
{
	struct channel_ends ends = worker_ends(role, NULL, base);
	struct err why;
	struct channel *channel =
	    worker_start(base, &ends, 1, identity_nobody(), -1, pidfd, &why);

	if (channel == NULL)
		return err_set(err, "%s; " WORKER_TRY_FIX, why.text);
	channel_free(&channel);
	return 0;
}

static void
worker_try_wait(struct event_base *base, struct worker_try *try, int *pidfd)
{
	struct child *child =
	    reaper_watch(base, pidfd, worker_try_on_ended, try);

	try->timer = evtimer_new(base, worker_try_on_timer, try);
	loop_set_timer(try->timer, BOX_START_MS);
	while (!try->over && event_base_loop(base, EVLOOP_ONCE) == 0)
		;
	loop_event_free(&try->timer);
	if (!try->ended)
		reaper_forget(&child);
}

/* Returns its last line, without control characters. */
static void
worker_try_read(int line, struct buffer *said)
{
	char text[PIPE_CHUNK];
	ssize_t n = read(line, text, sizeof(text) - 1);
	char *last;

	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n > 0 ? n : 0] = '\0';
	last = strrchr(text, '\n');
	shown_add_quoted(
	    said, last == NULL ? text : last + 1, FAILED_REASON_MAX);
}

static int
worker_try_judge(const struct worker_try *try, int line, struct err *err)
{
	auto_buffer struct buffer said = { 0 };
	auto_free char *how = NULL;

	if (try->ended && try->end.code == CLD_EXITED && try->end.status == 0)
		return 0;
	worker_try_read(line, &said);
	if (!try->ended)
		how = mem_printf("it did not end within %d s",
		    BOX_START_MS / 1000);
	else if (try->end.code == CLD_EXITED)
		how = mem_printf("it ended with code %d", try->end.status);
	else
		how = signal_name(try->end.status);
	return err_set(err, "%s%s%s; " WORKER_TRY_FIX, how,
	    said.len > 0 ? ": " : "", said.len > 0 ? said.data : "");
}

/* Workers share our standard error, so it is replaced by a pipe temporarily. */
static int
worker_try_divert(int *line, int *before, struct err *err)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC | O_NONBLOCK) == -1)
		return err_sys(err, "make a pipe");
	*line = pair[0];
	*before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	if (*before == -1 || dup2(pair[1], STDERR_FILENO) == -1) {
		close(pair[1]);
		return err_sys(err, "divert the log");
	}
	close(pair[1]);
	return 0;
}

int
worker_try(struct event_base *base, enum role role, struct err *err)
{
	struct worker_try try = { 0 };
	auto_fd int line = -1, before = -1, pidfd = -1;
	int failed;

	if (worker_try_divert(&line, &before, err) == -1)
		return -1;
	failed = worker_try_start(base, role, &pidfd, err) == -1;
	if (!failed)
		worker_try_wait(base, &try, &pidfd);
	dup2(before, STDERR_FILENO);
	return failed ? -1 : worker_try_judge(&try, line, err);
}
