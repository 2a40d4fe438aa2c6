/*
 * Tests of worker/box/shared/serve and worker/box/shared/ask: calls of scripts,
 * with the test as the relay, and as code that writes what it likes.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/box/shared/mcp.h"

#define WAIT_MS 20000

static char place[] = "/tmp/caisson-shell-XXXXXX";
static char *calls_folder;
static int to_serve;   /* the relay's ends */
static int from_serve;

/* Frames */

static const struct {
	const char *request;
	const char *frame; /* its payload; NULL: refused */
} frames[] = {
	{ "{\"type\":\"list_servers\"}", "{\"type\":\"list_servers\"}" },
	{ "{\"server\":\"s\",\"type\":\"list_tools\",\"more\":1}",
	    "{\"type\":\"list_tools\",\"server\":\"s\"}" },
	{ "{\"type\":\"list_tools\",\"server\":\"s\",\"remembered\":true}",
	    "{\"type\":\"list_tools\",\"server\":\"s\",\"remembered\":true}" },
	{ "{\"type\":\"list_tools\",\"server\":\"s\",\"remembered\":7}",
	    "{\"type\":\"list_tools\",\"server\":\"s\"}" },
	{ "{\"type\":\"call_tool\",\"server\":\"s\",\"tool\":\"t\","
	  "\"arguments\":{\"a\":\n[1,\r2]}}",
	    "{\"type\":\"call_tool\",\"server\":\"s\",\"tool\":\"t\","
	    "\"arguments\":{\"a\": [1, 2]}}" },
	{ "{\"type\":\"show\",\"data\":\"QQ==\",\"kind\":\"a\",\"x\":1}",
	    "{\"type\":\"show\",\"kind\":\"a\",\"data\":\"QQ==\"}" },
	{ "{\"type\":\"show\",\"title\":\"a\",\"data\":\"\","
	  "\"kind\":\"x\"}", "{\"type\":\"show\",\"kind\":\"x\","
	  "\"data\":\"\",\"title\":\"a\"}" },
	{ "{\"type\":\"show\",\"data\":\"QUJD\"}", NULL },
	{ "{\"type\":\"show\",\"kind\":\"x\",\"data\":\"\","
	  "\"title\":5}", NULL },
	{ "", NULL },
	{ "[]", NULL },
	{ "{\"type\":\"list_servers\"", NULL },
	{ "{\"type\":\"list_servers\"},\"id\":1,\"x\":{", NULL },
	{ "{\"type\":\"ready\"}", NULL },
	{ "{\"type\":\"save_memory\"}", NULL },
	{ "{\"type\":\"load_server\",\"server\":\"s\",\"server\":\"s\"}",
	    NULL },
	{ "{\"type\":\"load_server\",\"server\":1}", NULL },
	{ "{\"type\":\"call_tool\",\"server\":\"s\",\"tool\":\"t\","
	  "\"arguments\":[]}", NULL },
	{ "{\"type\":\"call_tool\",\"server\":\"s\",\"tool\":\"t\"}", NULL },
};

UNIT_TESTS(frames_are_what_the_relay_accepts, UNIT_COUNT(frames))
{
	auto_buffer struct buffer frame = { 0 };
	auto_free char *wanted = NULL;
	struct err err;
	int failed = serve_make_frame(&frame, 7, frames[_i].request,
	    strlen(frames[_i].request), &err);

	ck_assert_int_eq(failed, frames[_i].frame == NULL ? -1 : 0);
	if (failed == -1)
		return;
	wanted = mem_printf("{\"type\":\"rpc_request\",\"id\":7,"
	    "\"payload\":%s}\n", frames[_i].frame);
	ck_assert_str_eq(frame.data, wanted);
}

static const struct {
	const char *name;
	int right;
} names[] = { { "1-1", 1 }, { "123456-99", 1 }, { "", 0 }, { "-", 0 },
	{ "1-", 0 }, { "-1", 0 }, { "1-1x", 0 }, { "1/1", 0 }, { "..", 0 },
	{ "../1-1", 0 }, { "1-1/", 0 }, { "1-1.request", 0 },
	{ "1-1111111111111111111111111111111111111", 0 } };

UNIT_TESTS(names_are_two_numbers, UNIT_COUNT(names))
{
	ck_assert_int_eq(serve_is_name(names[_i].name, strlen(names[_i].name)),
	    names[_i].right);
}

/* The dialogue */

static void
begin(void)
{
	int in[2], out[2];
	struct err err;

	ck_assert_ptr_nonnull(mkdtemp(place));
	calls_folder = mem_printf("%s/calls", place);
	ck_assert_int_eq(setenv(MCP_FOLDER_VARIABLE, calls_folder, 1), 0);
	/* Not pipes: the process holds a copy of both ends of each. */
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, in), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, out), 0);
	ck_assert_msg(serve_start(calls_folder, in[0], out[1], &err) == 0,
	    "%s", err.text);
	close(in[0]);
	close(out[1]);
	to_serve = in[1];
	from_serve = out[0];
}

static void
end(void)
{
	auto_free char *command = mem_printf("rm -rf %s", place);

	ck_assert_int_eq(system(command), 0);
	free(calls_folder);
}

/* Reads one frame, with its newline, which the caller frees. */
static char *
read_frame(void)
{
	struct pollfd polled = { from_serve, POLLIN, 0 };
	struct buffer line = { 0 };

	do {
		ck_assert_int_eq(poll(&polled, 1, WAIT_MS), 1);
		ck_assert_int_eq(
		    read(from_serve, buffer_reserve(&line, 1), 1), 1);
		line.len++;
	} while (line.data[line.len - 1] != '\n');
	return buffer_take(&line, NULL);
}

/* Reads a frame that asks about a server; returns its number. */
static int
read_request(const char *server)
{
	auto_free char *frame = read_frame();
	auto_free char *wanted = NULL;
	int id;

	ck_assert_int_eq(sscanf(frame,
	    "{\"type\":\"rpc_request\",\"id\":%d,", &id), 1);
	wanted = mem_printf("{\"type\":\"rpc_request\",\"id\":%d,\"payload\":"
	    "{\"type\":\"load_server\",\"server\":\"%s\"}}\n", id, server);
	ck_assert_str_eq(frame, wanted);
	return id;
}

static void
answer(int id, const char *rest)
{
	auto_free char *line = mem_printf(
	    "{\"type\":\"rpc_response\",\"id\":%d,%s}\n", id, rest);

	ck_assert_int_eq(fd_write_all(to_serve, line, strlen(line)), 0);
}

/*
 * A child that asks about a server, and ends with 0 when the payload is as
 * wanted, else when the error has it in it.
 */
static pid_t
ask(const char *server, const char *wanted)
{
	struct buffer line = { 0 };
	struct json_span payload;
	struct err err;
	pid_t pid = fork();

	ck_assert_int_ne(pid, -1);
	if (pid > 0)
		return pid;
	if (ask_about("load_server", server, 0, &line, &payload, &err) == 0)
		_exit(payload.len != strlen(wanted) ||
		    memcmp(payload.p, wanted, payload.len) != 0);
	_exit(strstr(err.text, wanted) == NULL);
}

static void
has_asked(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

UNIT_TEST(answers_come_to_their_callers)
{
	pid_t one, other;
	int first, second;

	begin();
	one = ask("one", "[1]");
	first = read_request("one");
	other = ask("other", "in words");
	second = read_request("other");
	ck_assert_int_ne(first, second);
	/* In any order, and never twice. */
	answer(second, "\"success\":false,\"error\":{\"message\":"
	    "\"refused in words\"}");
	has_asked(other);
	answer(second, "\"success\":true,\"payload\":7");
	answer(99, "\"success\":true,\"payload\":7");
	answer(first, "\"success\":true,\"payload\":[1]");
	has_asked(one);
	end();
}

UNIT_TEST(a_killed_caller_waits_no_more)
{
	auto_free char *cancel = NULL, *wanted = NULL;
	pid_t one, other;
	int id, status;

	begin();
	one = ask("one", "");
	id = read_request("one");
	ck_assert_int_eq(kill(one, SIGKILL), 0);
	ck_assert_int_eq(waitpid(one, &status, 0), one);
	cancel = read_frame();
	wanted = mem_printf("{\"type\":\"cancel\",\"id\":%d}\n", id);
	ck_assert_str_eq(cancel, wanted);
	/* A late answer to the cancelled call is ignored. */
	answer(id, "\"success\":true,\"payload\":7");
	other = ask("other", "[4]");
	answer(read_request("other"), "\"success\":true,\"payload\":[4]");
	has_asked(other);
	end();
}

static void
write_names(const char *text, size_t len)
{
	auto_free char *path = mem_printf("%s/" MCP_REQUESTS, calls_folder);
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fd_write_all(fd, text, len), 0);
}

static void
write_request(const char *name, const char *text)
{
	auto_free char *path = mem_printf("%s/%s", calls_folder, name);
	auto_fd int fd =
	    open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

/* Whatever the code writes there: no byte of it reaches the relay. */
UNIT_TEST(malformed_names_cost_nothing)
{
	static char noise[64 * 1024];
	auto_free char *outside = mem_printf("%s/outside", place);
	auto_free char *link = NULL;
	pid_t other;

	begin();
	memset(noise, 'x', sizeof(noise));
	write_names(noise, sizeof(noise));
	write_names("\n\n1-1\n../outside\n2-2 \n3-\n", 26);
	/* A FIFO without a reader, a file, a link, and no request. */
	link = mem_printf("%s/4-4", calls_folder);
	ck_assert_int_eq(mkfifo(link, 0600), 0);
	write_request("4-4.request", "{\"type\":\"list_servers\"}");
	write_request("5-5", "");
	write_request("5-5.request", "{\"type\":\"list_servers\"}");
	write_names("4-4\n5-5\n", 8);
	other = ask("other", "[5]");
	answer(read_request("other"), "\"success\":true,\"payload\":[5]");
	has_asked(other);
	ck_assert_int_eq(access(outside, F_OK), -1);
	end();
}
