/*
 * Commands of a container engine: see engine.h. Each runs below a keeper, so
 * that it ends with us.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/base/utf8.h"
#include "../../process/process.h"
#include "engine.h"

/* One stream of the program, and what is kept of it. */
struct engine_stream {
	struct engine_call *call;
	int fd;
	struct event *readable;
	struct buffer *kept;
	size_t most;
};

struct engine_call {
	struct child *keeper;
	struct engine_stream streams[2];
	struct event *timer;
	struct container_answer answer;
	void (*done)(void *ctx, struct container_answer *answer);
	void *ctx;
};

/* Calls done, which may free it, once the program and its streams are over. */
static void
container_engine_check(struct engine_call *call)
{
	if (call->keeper != NULL || call->streams[0].fd != -1 ||
	    call->streams[1].fd != -1)
		return;
	loop_event_free(&call->timer);
	/* Nobody may take a part of an answer for all of it. */
	if (call->answer.cut)
		call->answer.status = -1;
	call->done(call->ctx, &call->answer);
}

static void
container_engine_close(struct engine_stream *stream)
{
	loop_event_free(&stream->readable);
	fd_close(&stream->fd);
}

static void
container_engine_on_readable(evutil_socket_t fd, short, void *arg)
{
	struct engine_stream *stream = arg;
	char data[ENGINE_CHUNK];
	ssize_t n = read((int)fd, data, sizeof(data));
	size_t room;

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		container_engine_close(stream);
		container_engine_check(stream->call);
		return;
	}
	room = stream->most - stream->kept->len;
	buffer_add(stream->kept, data, (size_t)n < room ? (size_t)n : room);
	if ((size_t)n > room && stream->kept == &stream->call->answer.out)
		stream->call->answer.cut = true;
}

static void
container_engine_on_ended(void *ctx, const struct child_end *end)
{
	struct engine_call *call = ctx;

	call->keeper = NULL;
	call->answer.status =
	    end->code == CLD_EXITED && !call->answer.late ? end->status : -1;
	call->answer.killer = end->code == CLD_EXITED ? 0 : end->status;
	/* A keeper that was killed has ended nothing. */
	if (end->code != CLD_EXITED)
		reaper_kill_orphans();
	container_engine_check(call);
}

/* The keeper ends the engine; if it cannot, it is left behind. */
static void
container_engine_on_timer(evutil_socket_t, short, void *arg)
{
	struct engine_call *call = arg;

	if (!call->answer.late) {
		reaper_end(call->keeper);
		loop_set_timer(call->timer, ENGINE_END_MS);
	} else {
		reaper_forget(&call->keeper);
	}
	call->answer.late = true;
	call->answer.status = -1;
	container_engine_close(&call->streams[0]);
	container_engine_close(&call->streams[1]);
	container_engine_check(call);
}

/* Makes a pipe to read from. Returns the end of the program, or -1. */
static int
container_engine_pipe(struct event_base *base, struct engine_stream *stream,
    struct buffer *kept, size_t most, struct err *err)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) == -1)
		return err_sys(err, "make a pipe");
	stream->fd = pair[0];
	stream->kept = kept;
	stream->most = most;
	stream->readable = event_new(base, stream->fd, EV_READ | EV_PERSIST,
	    container_engine_on_readable, stream);
	if (fd_set_nonblock(stream->fd, 1, err) == -1) {
		close(pair[1]);
		return -1;
	}
	event_add(stream->readable, NULL);
	return pair[1];
}

static int
container_engine_start(struct event_base *base, struct engine_call *call,
    struct spawn_program *program, struct err *err)
{
	auto_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	auto_fd int in = null == -1 ? -1 :
	    fcntl(null, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	auto_fd int out = container_engine_pipe(base, &call->streams[0],
	    &call->answer.out, ENGINE_OUT_MAX, err);
	auto_fd int errors = out == -1 ? -1 : container_engine_pipe(base,
	    &call->streams[1], &call->answer.errors, ENGINE_ERRORS_MAX, err);

	if (in == -1)
		return err_sys(err, "open /dev/null");
	if (errors == -1)
		return -1;
	program->in = in;
	program->out = out;
	program->errors = errors;
	call->keeper = keeper_watch(
	    base, 0, program, container_engine_on_ended, call, err);
	return call->keeper == NULL ? -1 : 0;
}

struct engine_call *
container_engine_begin(struct event_base *base, struct spawn_program *program,
    unsigned int ms, void (*done)(void *ctx, struct container_answer *answer),
    void *ctx, struct err *err)
{
	struct engine_call *call = mem_alloc(sizeof(*call));
	int i;

	for (i = 0; i < 2; i++)
		call->streams[i] =
		    (struct engine_stream){ .call = call, .fd = -1 };
	call->done = done;
	call->ctx = ctx;
	call->timer = evtimer_new(base, container_engine_on_timer, call);
	loop_set_timer(call->timer, ms);
	if (container_engine_start(base, call, program, err) == -1)
		container_engine_free(&call);
	return call;
}

struct engine_call *
container_engine_query(struct event_base *base,
    const struct container_boxes *shared, const struct buffer *words,
    unsigned int ms, void (*done)(void *ctx, struct container_answer *answer),
    void *ctx, struct err *err)
{
	auto_free char **argv = text_list_vector(words->data, words->len);
	struct spawn_program program = { .path = shared->program,
		.argv = argv,
		.envp = shared->envp,
		.cwd = "/" };

	return container_engine_begin(base, &program, ms, done, ctx, err);
}

void
container_engine_free(struct engine_call **call_ptr)
{
	struct engine_call *call = mem_take(call_ptr);

	if (call == NULL)
		return;
	loop_event_free(&call->timer);
	if (call->keeper != NULL) {
		reaper_end(call->keeper);
		reaper_forget(&call->keeper);
	}
	container_engine_close(&call->streams[0]);
	container_engine_close(&call->streams[1]);
	buffer_reset(&call->answer.out);
	buffer_reset(&call->answer.errors);
	free(call);
}

static void
container_engine_on_done(void *ctx, struct container_answer *)
{
	int *over = ctx;

	*over = 1;
}

/* The fix is a command that hangs, too, while the engine does. */
static int
container_engine_set_late(const char *path, unsigned int ms, struct err *err)
{
	return err_set(err, "%s did not answer within %u s: check it with "
	    "'%s ps'", path, ms / 1000, path);
}

int
container_engine_ask_part(struct event_base *base,
    struct spawn_program *program, unsigned int ms,
    struct container_answer *answer, struct err *err)
{
	int over = 0;
	struct engine_call *call = container_engine_begin(
	    base, program, ms, container_engine_on_done, &over, err);

	if (call == NULL)
		return -1;
	while (!over)
		event_base_loop(base, EVLOOP_ONCE);
	*answer = call->answer;
	memset(&call->answer, 0, sizeof(call->answer));
	container_engine_free(&call);
	return answer->late ?
	    container_engine_set_late(program->path, ms, err) : 0;
}

int
container_engine_ask(struct event_base *base, struct spawn_program *program,
    unsigned int ms, struct container_answer *answer, struct err *err)
{
	if (container_engine_ask_part(base, program, ms, answer, err) == -1)
		return -1;
	if (answer->cut)
		return err_set(err, "%s printed more than %lu MiB: check it "
		    "with '%s ps'", program->path, ENGINE_OUT_MAX / MIB,
		    program->path);
	return 0;
}

/* The engine has failed: returns -1 with the reason and the fix. */
static int
container_engine_failed(const struct container_boxes *shared,
    const char *shown, const struct container_answer *answer, struct err *err)
{
	auto_free char *errors = container_engine_errors(answer);
	const struct container_end end = {
		.program = shared->program,
		.image = shown,
		.status = answer->status,
		.killer = answer->killer,
		.errors = errors };
	auto_free char *sentence = container_fault_asked(&end);

	return err_set(err, "%s", sentence);
}

int
container_engine_tell(const struct container_boxes *shared,
    const struct buffer *words, const char *shown, unsigned int ms,
    struct buffer *out, struct err *err)
{
	auto_free char **argv = text_list_vector(words->data, words->len);
	struct spawn_program program = { .path = shared->program,
		.argv = argv,
		.envp = shared->envp,
		.cwd = "/" };
	struct container_answer answer = { 0 };
	struct event_base *base = event_base_new();
	int failed = container_engine_ask(
	    base, &program, ms, &answer, err) == -1;

	event_base_free(base);
	if (!failed && answer.status != 0)
		failed = container_engine_failed(
		    shared, shown, &answer, err) == -1;
	*out = answer.out;
	buffer_reset(&answer.errors);
	return failed ? -1 : 0;
}

char *
container_engine_errors(const struct container_answer *answer)
{
	size_t len = answer->errors.len;
	char *errors = mem_alloc(UTF8_REPAIR_FACTOR * len + 1);

	len = utf8_repair(answer->errors.data, len, errors);
	errors[len] = '\0';
	return errors;
}

struct child *
container_engine_send(struct event_base *base, struct spawn_program *program,
    child_ended *ended, void *ctx)
{
	auto_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	auto_fd int all = null == -1 ? -1 :
	    fcntl(null, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	struct child *child = NULL;
	struct err err;

	/* It must not be given up half-way, not even if we end. */
	program->argv = program->remove;
	err_set(&err, "no descriptor");
	program->in = program->out = program->errors = all;
	if (all != -1)
		child = keeper_watch(base, 0, program, ended, ctx, &err);
	if (child == NULL)
		log_warn("%s cannot be run: %s", program->path, err.text);
	return child;
}
