/*
 * The process beside the interpreter: passes the calls of scripts to the relay
 * and the answers back, as long as that runs. It runs in the box, with the
 * rights of the code only, and holds the pipes of the relay, which the code
 * does not inherit.
 *
 * Scripts and this process share a directory. A call named N is a file
 * N.request with the payload of a frame as JSON, a FIFO N for the answer, and
 * the line "N" in the FIFO of requests. Anything else that the code writes
 * there is ignored: a frame that the relay would not accept is not sent, and a
 * faulty call affects its caller only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcp.h"
#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"

/* One call: from the line with its name until its answer is read. */
struct serve_call {
	int fd; /* its FIFO; -1: the slot is free */
	unsigned long long id;
	struct buffer answer; /* empty until it has arrived */
	size_t written;
};

struct serve {
	int folder;
	int requests;
	int in;
	int out;
	int program; /* the interpreter: a pidfd */
	int told;  /* standard error of the code */
	unsigned long long last; /* the number of the last frame */
	struct buffer names; /* received bytes of names of calls */
	struct buffer answers; /* received bytes of answers */
	struct buffer frames; /* bytes not yet written to the relay */
	struct serve_call calls[MCP_CALLS_MAX];
};

/* In the array for poll, before the calls. */
enum serve_polled {
	SERVE_PROGRAM,
	SERVE_REQUESTS,
	SERVE_IN,
	SERVE_OUT,
	SERVE_CALLS,
};

/* Frames */

/* The members of a request besides its type, as the relay expects them. */
static const struct serve_kind {
	const char *type;
	const char *strings[2];
	int arguments;
	const char *flags[2]; /* true, or left out */
	const char *optional; /* a string; NULL: none */
} serve_kinds[] = {
	{ "call_tool", { "server", "tool" }, 1, { NULL }, NULL },
	{ "ask_server", { "server", "what" }, 1, { NULL }, "name" },
	{ "list_tools", { "server" }, 0, { "remembered", "types" }, NULL },
	{ "list_servers", { NULL }, 0, { NULL }, NULL },
	{ "load_server", { "server" }, 0, { NULL }, NULL },
	{ "show", { "kind", "data" }, 0, { NULL }, "title" },
};

/* Appends a member unchanged, on one line. */
static int
serve_add_member(struct buffer *frame, struct json_span request,
    const char *name, enum json_span_kind kind, struct err *err)
{
	struct json_span value;

	if (json_span_get(request, name, &value) != 1 ||
	    json_span_kind(value) != kind)
		return err_set(err, "the request has no %s", name);
	buffer_printf(frame, ",\"%s\":", name);
	json_span_copy_line(value, buffer_reserve(frame, value.len));
	frame->len += value.len;
	return 0;
}

static int
serve_add_payload(
    struct buffer *frame, struct json_span request, struct err *err)
{
	const struct serve_kind *kind = serve_kinds;
	const struct serve_kind *end = kind +
	    sizeof(serve_kinds) / sizeof(serve_kinds[0]);
	struct json_span value;
	size_t i;

	if (json_span_get(request, "type", &value) != 1)
		return err_set(err, "the request has no type");
	while (kind < end && !json_span_is(value, kind->type))
		kind++;
	if (kind == end)
		return err_set(err, "there is no request of this type");
	buffer_printf(frame, "{\"type\":\"%s\"", kind->type);
	for (i = 0; i < 2 && kind->strings[i] != NULL; i++)
		if (serve_add_member(frame, request, kind->strings[i],
		        JSON_SPAN_STRING, err) == -1)
			return -1;
	if (kind->arguments && serve_add_member(frame, request, "arguments",
	        JSON_SPAN_OBJECT, err) == -1)
		return -1;
	for (i = 0; i < 2 && kind->flags[i] != NULL; i++)
		if (json_span_get(request, kind->flags[i], &value) == 1 &&
		    json_span_kind(value) == JSON_SPAN_TRUE)
			buffer_printf(frame, ",\"%s\":true", kind->flags[i]);
	if (kind->optional != NULL &&
	    json_span_get(request, kind->optional, &value) == 1 &&
	    serve_add_member(frame, request, kind->optional, JSON_SPAN_STRING,
	        err) == -1)
		return -1;
	buffer_add_text(frame, "}");
	return 0;
}

int
serve_refuse_size(struct err *err)
{
	return err_set(err, "the arguments of a call have at most %lu MiB as "
	    "JSON", TOOL_ARGUMENTS_MAX / MIB);
}

int
serve_make_frame(struct buffer *frame, unsigned long long id,
    const char *data, size_t len, struct err *err)
{
	struct json_span request, whole;

	if (json_span_parse(data, len, &request, err) == -1)
		return -1;
	buffer_printf(
	    frame, "{\"type\":\"rpc_request\",\"id\":%llu,\"payload\":", id);
	if (serve_add_payload(frame, request, err) == -1)
		return -1;
	buffer_add_text(frame, "}");
	/* A value with the maximum depth is deeper in the frame. */
	if (frame->len > FRAME_MAX)
		return serve_refuse_size(err);
	if (json_span_parse(frame->data, frame->len, &whole, err) == -1)
		return -1;
	buffer_add_text(frame, "\n");
	return 0;
}

/* Calls */

static void
serve_drop(struct serve_call *call)
{
	fd_close(&call->fd);
	buffer_reset(&call->answer);
	call->written = 0;
}

/* Writes as much as the pipe takes; frees the call when all is written. */
static void
serve_write_answer(struct serve_call *call)
{
	ssize_t n = write(call->fd, call->answer.data + call->written,
	    call->answer.len - call->written);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		call->written += (size_t)n;
	if (n == -1 || call->written == call->answer.len)
		serve_drop(call);
}

/* Answers a request that is not sent to the relay, in the form of the relay. */
static void
serve_refuse(struct serve_call *call, const struct err *why)
{
	buffer_add_text(&call->answer,
	    "{\"success\":false,\"error\":{\"message\":");
	json_add_text(&call->answer, why->text);
	buffer_add_text(&call->answer, "}}\n");
	serve_write_answer(call);
}

int
serve_is_name(const char *name, size_t len)
{
	size_t digits = strspn(name, "0123456789");
	size_t more;

	if (digits == 0 || name[digits] != '-' || len > MCP_NAME_MAX)
		return 0;
	more = strspn(name + digits + 1, "0123456789");
	return more > 0 && digits + 1 + more == len;
}

/* Opens the FIFO on which a caller waits; -1 on failure. */
static int
serve_open_answer(struct serve *serve, const char *name)
{
	auto_fd int fd = openat(serve->folder, name,
	    O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	unlinkat(serve->folder, name, 0);
	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISFIFO(st.st_mode))
		return -1;
	return fd_take(&fd);
}

/* Reads the file of a request. Returns 0, or -1 with err. */
static int
serve_read_request(struct serve *serve, const char *name,
    struct buffer *request, struct err *err)
{
	auto_free char *path = mem_printf("%s" MCP_REQUEST, name);
	auto_fd int fd = openat(serve->folder, path,
	    O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	unlinkat(serve->folder, path, 0);
	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return err_set(err, "the request is gone");
	if (st.st_size > (off_t)FRAME_MAX)
		return serve_refuse_size(err);
	n = read(fd, buffer_reserve(request, (size_t)st.st_size),
	    (size_t)st.st_size);
	if (n == -1)
		return err_sys(err, "read the request");
	request->len += (size_t)n;
	return 0;
}

/* Starts a call for which there is a slot. */
static void
serve_begin(struct serve *serve, struct serve_call *call, const char *name)
{
	auto_buffer struct buffer request = { 0 }, frame = { 0 };
	struct err err;

	call->fd = serve_open_answer(serve, name);
	call->id = ++serve->last;
	if (serve_read_request(serve, name, &request, &err) == -1 ||
	    serve_make_frame(&frame, call->id, request.data, request.len,
	        &err) == -1) {
		if (call->fd != -1)
			serve_refuse(call, &err);
		return;
	}
	if (call->fd != -1)
		buffer_add(&serve->frames, frame.data, frame.len);
}

/* Returns a free slot, or NULL. */
static struct serve_call *
serve_place(struct serve *serve)
{
	size_t i;

	for (i = 0; i < MCP_CALLS_MAX; i++)
		if (serve->calls[i].fd == -1)
			return &serve->calls[i];
	return NULL;
}

/* A caller has closed its FIFO: the relay need not wait either. */
static void
serve_cancel(struct serve *serve, struct serve_call *call)
{
	if (call->answer.len == 0)
		buffer_printf(&serve->frames,
		    "{\"type\":\"cancel\",\"id\":%llu}\n", call->id);
	serve_drop(call);
}

/* Starts the announced calls, as far as there are slots. */
static void
serve_take_names(struct serve *serve)
{
	struct buffer *names = &serve->names;
	struct serve_call *call;
	char *end;

	while (names->len > 0 && (call = serve_place(serve)) != NULL &&
	    (end = memchr(names->data, '\n', names->len)) != NULL) {
		*end = '\0';
		if (serve_is_name(names->data, (size_t)(end - names->data)))
			serve_begin(serve, call, names->data);
		buffer_drop_front(names, (size_t)(end + 1 - names->data));
	}
	/* No name is that long: it was not written by the command. */
	if (names->len > MCP_NAMES_MAX)
		buffer_drop_front(names, names->len);
}

static void
serve_read_names(struct serve *serve)
{
	ssize_t n = read(serve->requests,
	    buffer_reserve(&serve->names, PIPE_BUF), PIPE_BUF);

	if (n > 0)
		serve->names.len += (size_t)n;
}

/* The relay */

/* Passes the line of an answer, with its newline, to its caller. */
static void
serve_deliver(struct serve *serve, const char *line, size_t len)
{
	unsigned long long id;
	size_t i;

	if (sscanf(line, "{\"type\":\"rpc_response\",\"id\":%llu,", &id) != 1)
		return;
	for (i = 0; i < MCP_CALLS_MAX; i++) {
		struct serve_call *call = &serve->calls[i];

		if (call->fd == -1 || call->id != id || call->answer.len > 0)
			continue;
		buffer_add(&call->answer, line, len);
		serve_write_answer(call);
		return;
	}
}

/* Exits when the relay has: there is nothing to serve. */
static void
serve_read_answers(struct serve *serve)
{
	struct buffer *answers = &serve->answers;
	size_t from = answers->len;
	ssize_t n = read(
	    serve->in, buffer_reserve(answers, PIPE_CHUNK), PIPE_CHUNK);
	char *end;

	if (n == 0 || (n == -1 && errno != EAGAIN && errno != EINTR))
		_exit(0);
	if (n == -1)
		return;
	answers->len += (size_t)n;
	/* Only the received bytes can end a line. */
	while ((end = memchr(answers->data + from, '\n',
	    answers->len - from)) != NULL) {
		size_t len = (size_t)(end + 1 - answers->data);

		serve_deliver(serve, answers->data, len);
		buffer_drop_front(answers, len);
		from = 0;
	}
	/* Memory of a large answer is released for the code. */
	if (answers->len == 0)
		buffer_reset(answers);
}

static void
serve_write_frames(struct serve *serve)
{
	struct buffer *frames = &serve->frames;
	ssize_t n = write(serve->out, frames->data, frames->len);

	if (n == -1 && errno != EAGAIN && errno != EINTR)
		_exit(0);
	if (n > 0)
		buffer_drop_front(frames, (size_t)n);
	if (frames->len == 0)
		buffer_reset(frames);
}

/* The loop */

static void
serve_prepare(struct serve *serve, struct pollfd *polled)
{
	size_t i;

	/* No call is started while the relay does not read. */
	int room = serve->frames.len < FRAME_MAX &&
	    serve_place(serve) != NULL &&
	    (serve->names.len == 0 ||
	        memchr(serve->names.data, '\n', serve->names.len) == NULL);

	polled[SERVE_PROGRAM] = (struct pollfd){ serve->program, POLLIN, 0 };
	polled[SERVE_REQUESTS] =
	    (struct pollfd){ room ? serve->requests : -1, POLLIN, 0 };
	polled[SERVE_IN] = (struct pollfd){ serve->in, POLLIN, 0 };
	polled[SERVE_OUT] = (struct pollfd){
		serve->frames.len > 0 ? serve->out : -1, POLLOUT, 0 };
	for (i = 0; i < MCP_CALLS_MAX; i++)
		polled[SERVE_CALLS + i] = (struct pollfd){
			serve->calls[i].fd,
			serve->calls[i].answer.len > 0 ? POLLOUT : 0, 0 };
}

/*
 * The program has ended: reports the calls for which it did not wait, because
 * their outcome is unknown. Each caller could report less, and some would be
 * killed before.
 */
static void __attribute__((noreturn))
serve_end(struct serve *serve)
{
	auto_free char *text = NULL;
	size_t i, n = 0;

	for (i = 0; i < MCP_CALLS_MAX; i++)
		n += serve->calls[i].fd != -1 &&
		    serve->calls[i].answer.len == 0;
	if (n > 0) {
		(void)openat(serve->folder, MCP_ENDED,
		    O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		text = mem_printf("mcp: %zu call%s under way when the script "
		    "ended, and may have run: end it with wait\n", n,
		    n == 1 ? " was" : "s were");
		(void)fd_write_all(serve->told, text, strlen(text));
	}
	_exit(0);
}

static void
serve_turn(struct serve *serve)
{
	struct pollfd polled[SERVE_CALLS + MCP_CALLS_MAX];
	size_t i;

	serve_prepare(serve, polled);
	if (poll(polled, SERVE_CALLS + MCP_CALLS_MAX, -1) == -1)
		return;
	if (polled[SERVE_PROGRAM].revents != 0)
		serve_end(serve);
	/* Processes these first, because others may get their slots below. */
	for (i = 0; i < MCP_CALLS_MAX; i++)
		if (polled[SERVE_CALLS + i].revents & POLLERR)
			serve_cancel(serve, &serve->calls[i]);
		else if (polled[SERVE_CALLS + i].revents & POLLOUT)
			serve_write_answer(&serve->calls[i]);
	if (polled[SERVE_IN].revents != 0)
		serve_read_answers(serve);
	if (polled[SERVE_REQUESTS].revents & POLLIN)
		serve_read_names(serve);
	serve_take_names(serve);
	if (polled[SERVE_OUT].revents != 0)
		serve_write_frames(serve);
}

/* Closes the streams of the code, except for a last line. */
static int
serve_settle(struct serve *serve, struct err *err)
{
	auto_fd int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fd;

	serve->told = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (null == -1 || dup2(null, fd) == -1)
			return err_sys(err, "close the streams");
	signal(SIGPIPE, SIG_IGN);
	if (fd_set_nonblock(serve->in, 1, err) == -1)
		return -1;
	return fd_set_nonblock(serve->out, 1, err);
}

static void __attribute__((noreturn))
serve_run(struct serve *serve)
{
	struct err err;
	size_t i;

	for (i = 0; i < MCP_CALLS_MAX; i++)
		serve->calls[i].fd = -1;
	if (serve_settle(serve, &err) == -1)
		_exit(1);
	for (;;)
		serve_turn(serve);
}

/* Starting it */

static int
serve_open(struct serve *serve, const char *folder, struct err *err)
{
	if (mkdir(folder, 0700) == -1)
		return err_sys(err, "create %s", folder);
	serve->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (serve->folder == -1 ||
	    mkfifoat(serve->folder, MCP_REQUESTS, 0600) == -1)
		return err_sys(err, "create the FIFO of requests");
	/*
	 * Opened for writing, too, so that it never ends while no call is made.
	 */
	serve->requests = openat(
	    serve->folder, MCP_REQUESTS, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (serve->requests == -1)
		return err_sys(err, "open the FIFO of requests");
	serve->program = pidfd_open(getpid(), 0);
	if (serve->program == -1)
		return err_sys(err, "open a pidfd");
	return 0;
}

/* The program must not have a child that it did not start. */
static int
serve_fork(struct serve *serve, struct err *err)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/*
		 * Before the code runs: it has the same name, and needs another
		 * group.
		 */
		prctl(PR_SET_NAME, "mcp-serve");
		/* With reduced isolation no process may leave its group. */
		(void)setsid();
		pid = fork();
		if (pid == 0)
			serve_run(serve);
		_exit(pid == -1);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		return err_sys(err, "start a process");
	if (status != 0)
		return err_set(err, "no process can be started");
	return 0;
}

int
serve_start(const char *folder, int in, int out, struct err *err)
{
	static struct serve serve;
	int failed;

	serve = (struct serve){ .folder = -1, .requests = -1, .in = in,
		.out = out, .program = -1, .told = -1 };
	failed = serve_open(&serve, folder, err) == -1 ||
	    serve_fork(&serve, err) == -1;
	fd_close(&serve.folder);
	fd_close(&serve.requests);
	fd_close(&serve.program);
	return failed ? -1 : 0;
}
