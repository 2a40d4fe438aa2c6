/*
 * One request of the command: a file and a FIFO in the directory of calls, and
 * a line with their name (see serve.c). Run by the command, in the box.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp.h"
#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"

static const char ask_gone[] =
    "the connection to the servers is gone: the process that held it has "
    "ended, or its files have been removed";

/* The parts of a request; the caller frees the paths. */
struct ask {
	char name[MCP_NAME_MAX + 1];
	char *fifo;
	char *request;
	char *requests;
	int answer;
	int line; /* the FIFO of requests */
};

static void
ask_close(struct ask *ask)
{
	if (ask->fifo != NULL)
		unlink(ask->fifo);
	if (ask->request != NULL)
		unlink(ask->request);
	free(ask->fifo);
	free(ask->request);
	free(ask->requests);
	fd_close(&ask->answer);
	fd_close(&ask->line);
}

/* Sets the error that no call can be made, unless it was set before. */
static int
ask_lose(struct err *err)
{
	const char *folder = getenv(MCP_FOLDER_VARIABLE);
	auto_free char *ended = mem_printf(
	    "%s/" MCP_ENDED, folder == NULL ? MCP_FOLDER : folder);

	if (access(ended, F_OK) == 0)
		_exit(MCP_FAILED);
	return err_set(err, "%s", ask_gone);
}

static int
ask_open(struct ask *ask, struct err *err)
{
	const char *folder = getenv(MCP_FOLDER_VARIABLE);
	static unsigned int count;

	if (folder == NULL)
		folder = MCP_FOLDER;
	snprintf(ask->name, sizeof(ask->name), "%d-%u", (int)getpid(), ++count);
	ask->fifo = mem_printf("%s/%s", folder, ask->name);
	ask->request = mem_printf("%s/%s" MCP_REQUEST, folder, ask->name);
	ask->requests = mem_printf("%s/" MCP_REQUESTS, folder);
	ask->line = open(ask->requests, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	/* A killed process may have used the number before. */
	unlink(ask->fifo);
	unlink(ask->request);
	if (ask->line == -1 || mkfifo(ask->fifo, 0600) == -1)
		return ask_lose(err);
	ask->answer = open(ask->fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (ask->answer == -1)
		return err_sys(err, "open %s", ask->fifo);
	return 0;
}

static int
ask_write(struct ask *ask, const struct buffer *request, struct err *err)
{
	auto_fd int fd = open(ask->request,
	    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd == -1 || fd_write_all(fd, request->data, request->len) == -1)
		return err_sys(err, "write the request to %s", ask->request);
	return 0;
}

/* Announces the call: the line is written as a whole, or not yet. */
static int
ask_announce(struct ask *ask, struct err *err)
{
	struct pollfd line = { ask->line, POLLOUT, 0 };
	auto_free char *text = mem_printf("%s\n", ask->name);

	while (write(ask->line, text, strlen(text)) == -1) {
		if (errno != EAGAIN && errno != EINTR)
			return ask_lose(err);
		poll(&line, 1, -1);
	}
	return 0;
}

/* Waits for the whole answer. Returns 0, or -1 with err. */
static int
ask_read(struct ask *ask, struct buffer *line, struct err *err)
{
	struct pollfd polled[] = { { ask->answer, POLLIN, 0 },
		{ ask->line, 0, 0 } };
	ssize_t n;

	for (;;) {
		if (poll(polled, 2, -1) == -1 && errno == EINTR)
			continue;
		if (polled[0].revents == 0)
			return ask_lose(err);
		n = read(ask->answer, buffer_reserve(line, PIPE_CHUNK),
		    PIPE_CHUNK);
		if (n > 0)
			line->len += (size_t)n;
		else if (n == 0 || (errno != EINTR && errno != EAGAIN))
			break;
	}
	if (line->len == 0 || line->data[line->len - 1] != '\n')
		return ask_lose(err);
	return 0;
}

/* Sets err to why it was refused. Returns -1. */
static int
ask_refused(struct json_span frame, struct err *err)
{
	struct json_span error = { "{}", 2 }, message, unfit;
	auto_free char *text = NULL;
	size_t len;

	(void)json_span_get(frame, "error", &error);
	if (json_span_get(error, "message", &message) == 1)
		text = json_span_string(message, &len, NULL);
	err_set(err, "%s", text != NULL ? text : "it was refused");
	if (json_span_get(error, "unfit", &unfit) == 1)
		err->code = EINVAL;
	return -1;
}

static int
ask_take(struct buffer *line, struct json_span *payload, struct err *err)
{
	struct json_span frame, success;

	if (json_span_parse(line->data, line->len, &frame, err) == -1)
		return err_wrap(err, "the answer cannot be parsed");
	if (json_span_get(frame, "success", &success) != 1 ||
	    json_span_kind(success) != JSON_SPAN_TRUE)
		return ask_refused(frame, err);
	if (json_span_get(frame, "payload", payload) != 1)
		return err_set(err, "the answer is empty");
	return 0;
}

int
ask_relay(const struct buffer *request, struct buffer *line,
    struct json_span *payload, struct err *err)
{
	struct ask ask = { .answer = -1, .line = -1 };
	int failed;

	signal(SIGPIPE, SIG_IGN);
	failed = ask_open(&ask, err) == -1 ||
	    ask_write(&ask, request, err) == -1 ||
	    ask_announce(&ask, err) == -1 || ask_read(&ask, line, err) == -1;
	ask_close(&ask);
	signal(SIGPIPE, SIG_DFL);
	return failed ? -1 : ask_take(line, payload, err);
}

int
ask_about(const char *type, const char *server, int how,
    struct buffer *line, struct json_span *payload, struct err *err)
{
	auto_buffer struct buffer request = { 0 };

	buffer_printf(&request, "{\"type\":\"%s\"", type);
	if (server != NULL) {
		buffer_add_text(&request, ",\"server\":");
		json_add_text(&request, server);
	}
	if (how & MCP_REMEMBERED)
		buffer_add_text(&request, ",\"remembered\":true");
	if (how & MCP_TYPES)
		buffer_add_text(&request, ",\"types\":true");
	buffer_add_text(&request, "}");
	return ask_relay(&request, line, payload, err);
}
