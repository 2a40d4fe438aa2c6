/*
 * caisson-files, the process: makes its loop and its channel, is told which
 * directory is its own, gives up everything else, then does the tasks it gets
 * until the channel to the supervisor ends. Started by the supervisor alone,
 * with that channel as descriptor 3.
 */
#include <signal.h>
#include <sys/stat.h>

#include "../../common/asan_main.h"
#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/loop.h"
#include "files.h"
#include "kept.h"
#include "task.h"

/* The supervisor has what it wanted, or is gone. */
static void
main_on_closed(void *ctx, const struct err *why)
{
	struct files *files = ctx;

	if (why != NULL)
		fatal("protocol violation by the supervisor: %s", why->text);
	event_base_loopbreak(files->base);
}

/* The supervisor ends: files that are on their way in are removed. */
static void
main_on_signal(evutil_socket_t sig, short what, void *arg)
{
	struct files *files = arg;

	(void)sig;
	(void)what;
	event_base_loopbreak(files->base);
}

int
main(void)
{
	struct files files = { .routes = files_routes(), .folder = -1 };
	struct channel_ends ends = { ROLE_FILES, ROLE_SUPERVISOR,
		files.routes, main_on_closed, &files };
	int fd = WORKER_CHANNEL_FD;
	struct event *term;

	role_enter(ROLE_FILES, 0);
	/* A porter may be gone before it is answered: no reason to go, too. */
	signal(SIGPIPE, SIG_IGN);
	/* A limit on the size of files fails what is kept, as a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* What is kept is not for other users to read. */
	umask(S_IRWXG | S_IRWXO);
	files.base = loop_new(0);
	term = evsignal_new(files.base, SIGTERM, main_on_signal, &files);
	event_add(term, NULL);
	task_prepare(&files);
	files.supervisor = channel_new(files.base, &fd, &ends);
	/* The first message, from the supervisor, brings the lockdown. */
	event_base_dispatch(files.base);
	task_free_all(&files);
	kept_free(&files);
	channel_free(&files.supervisor);
	fd_close(&files.folder);
	loop_event_free(&term);
	event_base_free(files.base);
	return 0;
}
