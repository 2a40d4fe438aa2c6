/*
 * The programs that the commands of images start: see image_work.h. Runs in the
 * supervisor.
 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/loop.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "../process/process.h"
#include "../servers/expand.h"
#include "../servers/servers.h"
#include "image_work.h"

/* One running program. */
struct image_job {
	const char *path;
	struct child *keeper; /* NULL: it has ended, or was not started */
	int failed;
	int unstarted; /* the program was not executed */
};

/* The programs that run at once, and the output that is read. */
struct image_jobs {
	struct image_job job[2]; /* the second one feeds the first */
	int from; /* -1: nothing to read */
	struct event *readable;
	struct buffer *output;
	int more; /* than is kept of the output: it is discarded */
};

/* Number of keepers so far, and of the last one. */
static unsigned long image_work_count;

/* Signals */

static void
image_work_on_signal(evutil_socket_t number, short what, void *ctx)
{
	struct image_work *work = ctx;
	struct image_jobs *jobs = work->running;
	size_t i;

	(void)number;
	(void)what;
	work->interrupted = 1;
	for (i = 0; jobs != NULL && i < 2; i++)
		reaper_signal(jobs->job[i].keeper, KEEPER_KILL);
}

void
image_work_begin(struct image_work *work)
{
	static const int numbers[IMAGE_WORK_SIGNALS] = { SIGINT, SIGTERM,
		SIGHUP };
	size_t i;

	for (i = 0; i < IMAGE_WORK_SIGNALS; i++) {
		work->signals[i] = evsignal_new(
		    work->base, numbers[i], image_work_on_signal, work);
		event_add(work->signals[i], NULL);
	}
}

void
image_work_end(struct image_work *work)
{
	size_t i;

	for (i = 0; i < IMAGE_WORK_SIGNALS; i++)
		loop_event_free(&work->signals[i]);
}

/* Programs */

char *
image_work_find(const struct image_work *work, const char *name)
{
	const char *own = expand_variable(work->envp, "PATH", strlen("PATH"));
	auto_free char *search =
	    server_path_extend(own == NULL ? "" : own, work->envp);

	return server_program_find(name, search, "/");
}

static void
image_work_on_ended(void *ctx, const struct child_end *end)
{
	struct image_job *job = ctx;

	job->keeper = NULL;
	job->failed = end->code != CLD_EXITED || end->status != 0;
	job->unstarted =
	    end->code == CLD_EXITED && end->status == SPAWN_COMPLAINED;
	if (end->code != CLD_EXITED)
		reaper_kill_orphans();
}

/*
 * Returns our environment with TMPDIR, so that a program that is killed leaves
 * no file elsewhere. The caller frees the list, not the texts.
 */
static char **
image_work_environment(const struct image_work *work, char *tmp)
{
	size_t i, n = 0;
	char **list;

	while (work->envp[n] != NULL)
		n++;
	list = mem_alloc((n + 2) * sizeof(*list));
	for (i = n = 0; work->envp[i] != NULL; i++)
		if (tmp == NULL || strncmp(work->envp[i], "TMPDIR=", 7) != 0)
			list[n++] = work->envp[i];
	list[n] = tmp;
	return list;
}

/* Returns a descriptor for the errors of a program, or -1. */
static int
image_work_errors(const struct image_work *work)
{
	auto_fd int null =
	    work->quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	return fcntl(
	    work->quiet ? null : STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

static int
image_work_start(struct image_work *work, struct image_job *job,
    const struct buffer *words, int in, int out, struct err *err)
{
	auto_fd int errors = image_work_errors(work);
	auto_free char **argv = text_list_vector(words->data, words->len);
	auto_free char *tmp =
	    work->tmp == NULL ? NULL : mem_printf("TMPDIR=%s", work->tmp);
	auto_free char **envp = image_work_environment(work, tmp);
	struct spawn_program program = { .argv = argv, .envp = envp,
		.in = in, .out = out == -1 ? errors : out, .errors = errors };
	auto_fd int pidfd = -1;

	program.path = job->path = argv[0];
	if (errors == -1)
		return err_sys(err, "open a descriptor for errors");
	if (keeper_start(++image_work_count, &program, &pidfd, err) == -1)
		return -1;
	job->keeper = reaper_watch(
	    work->base, &pidfd, image_work_on_ended, job);
	reaper_finish_with(job->keeper, KEEPER_KILL);
	return 0;
}

static void
image_work_on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct image_jobs *jobs = ctx;
	char chunk[PIPE_CHUNK];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)what;
	if (n == -1 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		loop_event_free(&jobs->readable);
		fd_close(&jobs->from);
	} else if (!jobs->more &&
	    jobs->output->len + (size_t)n <= IMAGE_ANSWER_MAX) {
		buffer_add(jobs->output, chunk, (size_t)n);
	} else {
		jobs->more = 1;
	}
}

/* Starts the programs, the one that reads first. */
static int
image_work_start_all(struct image_work *work, struct image_jobs *jobs,
    const struct buffer *words, const struct buffer *feed, struct err *err)
{
	auto_fd int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	int failed = nothing == -1 ||
	    (feed != NULL && pipe2(in, O_CLOEXEC) == -1) ||
	    (jobs->output != NULL && pipe2(out, O_CLOEXEC) == -1);

	if (failed)
		err_sys(err, "make a pipe");
	else
		failed = image_work_start(work, &jobs->job[0], words,
		             feed == NULL ? nothing : in[0], out[1], err) ==
		        -1 ||
		    (feed != NULL && image_work_start(work, &jobs->job[1],
		         feed, nothing, in[1], err) == -1);
	jobs->from = fd_take(&out[0]);
	fd_close(&in[0]);
	fd_close(&in[1]);
	fd_close(&out[1]);
	return failed ? -1 : 0;
}

static void
image_work_await(struct image_work *work, struct image_jobs *jobs)
{
	if (jobs->from != -1) {
		jobs->readable = event_new(work->base, jobs->from,
		    EV_READ | EV_PERSIST, image_work_on_readable, jobs);
		event_add(jobs->readable, NULL);
	}
	while (jobs->job[0].keeper != NULL || jobs->job[1].keeper != NULL ||
	    (jobs->from != -1 && !work->interrupted))
		event_base_loop(work->base, EVLOOP_ONCE);
	loop_event_free(&jobs->readable);
	fd_close(&jobs->from);
}

int
image_work_run(struct image_work *work, const struct buffer *words,
    const struct buffer *feed, struct buffer *output, struct err *err)
{
	struct image_jobs jobs = { .from = -1, .output = output };
	size_t i;
	int failed;

	work->running = &jobs;
	failed = image_work_start_all(work, &jobs, words, feed, err) == -1;
	if (failed)
		for (i = 0; i < 2; i++)
			reaper_signal(jobs.job[i].keeper, KEEPER_KILL);
	image_work_await(work, &jobs);
	work->running = NULL;
	work->unstarted = jobs.job[0].unstarted || jobs.job[1].unstarted;
	if (work->interrupted)
		return err_set(err, "interrupted: nothing was changed");
	for (i = 0; i < 2 && !failed; i++)
		if (jobs.job[i].failed)
			return err_set(err, "%s has failed; its last lines say "
			    "why", jobs.job[i].path);
	work->cut = jobs.more;
	return failed ? -1 : 0;
}
