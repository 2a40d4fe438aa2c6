/*
 * caisson-files, the process: makes its loop and its channel, receives its
 * directory, drops all other privileges, then performs tasks until the channel
 * to the supervisor ends. Started by the supervisor only, with that channel as
 * descriptor 3.
 */
#include <signal.h>
#include <sys/stat.h>

#include "../../common/base/asan_main.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "files.h"
#include "kept.h"
#include "task.h"

/* The supervisor has closed the channel or exited. */
static void
main_on_closed(void *ctx, const struct err *why)
{
	struct files *files = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	event_base_loopbreak(files->base);
}

/* The supervisor ends: incomplete files are removed. */
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
	/*
	 * A porter may exit before it is answered; SIGPIPE must not kill this
	 * process.
	 */
	signal(SIGPIPE, SIG_IGN);
	/* Exceeding the limit on file sizes must fail like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* The files are not readable for other users. */
	umask(S_IRWXG | S_IRWXO);
	files.base = loop_new(0);
	term = evsignal_new(files.base, SIGTERM, main_on_signal, &files);
	event_add(term, NULL);
	task_prepare(&files);
	files.supervisor = channel_new(files.base, &fd, &ends);
	/* The first message, from the supervisor, causes the lockdown. */
	event_base_dispatch(files.base);
	task_free_all(&files);
	kept_free(&files);
	channel_free(&files.supervisor);
	fd_close(&files.folder);
	loop_event_free(&term);
	event_base_free(files.base);
	return 0;
}
