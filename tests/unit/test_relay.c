/*
 * Tests of relay/main and relay/on_supervisor: a whole relay in a process of
 * its own, with the test as its supervisor, its broker and its box. Only
 * lockdown() is a stand-in, because sanitizers do not live behind the real
 * one. Linked with all files of relay/, main() under the name relay_main().
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base64.h"
#include "common/buffer.h"
#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/lockdown.h"
#include "common/mem.h"
#include "common/utf8.h"
#include "relay/relay.h"
#include "unit.h"

#define READY   "{\"type\":\"ready\"}\n"
#define SERVERS "[{\"name\":\"fs\"}]"
#define RUN                                                                    \
	"{\"type\":\"run\",\"code\":\"print(1)\","             \
	"\"servers\":" SERVERS "}\n"
#define CALL                                                                   \
	"{\"type\":\"rpc_request\",\"id\":1,\"payload\":{\"type\":"            \
	"\"call_tool\",\"server\":\"fs\",\"tool\":\"t\",\"arguments\":"        \
	"{\"x\":1e400}}}\n"
#define REFUSED_FRAME(reason)                                                  \
	"{\"type\":\"rpc_response\",\"id\":1,\"success\":false,"             \
	"\"error\":{\"message\":\"" reason "\"}}\n"

int relay_main(void);

/* What the stand-in for lockdown() is to do. */
static int lockdown_fails;
#define EXIT_READ_EARLY 99

/* Given up too late is not given up: nothing may have been read before. */
int
lockdown(enum role role, struct err *err)
{
	char c;

	if (role != ROLE_RELAY ||
	    recv(WORKER_CHANNEL_FD, &c, 1, MSG_PEEK | MSG_DONTWAIT) != 1)
		_exit(EXIT_READ_EARLY);
	return lockdown_fails ? err_set(err, "the kernel refuses") : 0;
}

static pid_t pid;
static int channel; /* the supervisor's end */
static int broker;  /* the broker's end */
/* The box's ends of the pipes, and the relay's until START has gone. */
static int box_in, box_out, code_out, code_errors;
static struct ipc_prepare prepare;
static struct ipc_start start;
static int grant; /* the relay's end of the channel to the broker */
static int brokered; /* there are servers */
static struct ipc_packet packet;
static union ipc_any msg;

static void
make_pipe(int *read_end, int *write_end)
{
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	*read_end = fds[0];
	*write_end = fds[1];
}

static void
send_message(enum ipc_type type, void *message)
{
	struct err err;

	ck_assert_msg(
	    ipc_encode(type, message, &packet, &err) == 0, "%s", err.text);
	ck_assert_int_eq(ipc_socket_send(channel, &packet, &err), 0);
	ipc_packet_close(&packet);
}

static void
send_start(void)
{
	if (!brokered)
		fd_close(&grant);
	start.broker = fd_take(&grant);
	send_message(IPC_START, &start);
}

/* Makes the ends of a channel; that of the relay is as it must come. */
static void
make_channel(int *relay_end, int *broker_end)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    fds), 0);
	ck_assert_int_eq(fd_set_nonblock(fds[0], 1, NULL), 0);
	*relay_end = fds[0];
	*broker_end = fds[1];
}

/* Makes the pipes and what is said of them. */
static void
make_start(const char *code, size_t len, size_t output_max)
{
	brokered = 1;
	prepare = (struct ipc_prepare){ .output_max = output_max };
	start = (struct ipc_start){ .execution = 7,
		.code = { (const uint8_t *)code, len, -1 },
		.servers = { (const uint8_t *)SERVERS, strlen(SERVERS), -1 },
		.broker = -1 };
	make_pipe(&box_in, &prepare.control_out);
	make_pipe(&prepare.control_in, &box_out);
	make_pipe(&prepare.out, &code_out);
	make_pipe(&prepare.errors, &code_errors);
	make_channel(&grant, &broker);
}

/* In the child: as spawn leaves a worker behind. */
static void __attribute__((noreturn))
become_relay(int fd)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDERR_FILENO);
	dup2(fd, WORKER_CHANNEL_FD);
	close_range(WORKER_CHANNEL_FD + 1, ~0U, 0);
	signal(SIGPIPE, SIG_DFL);
	_exit(relay_main());
}

/* Starts a relay, which finds what was made waiting, with or without code. */
static void
start_with(int code)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	channel = pair[0];
	send_message(IPC_PREPARE, &prepare);
	if (code)
		send_start();
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0)
		become_relay(pair[1]);
	close(pair[1]);
}

/* Frames come where a box has three descriptors, and nothing else does. */
static void
make_three(const char *code)
{
	make_start(code, strlen(code), 64 * KIB);
	fd_close(&prepare.out);
	fd_close(&code_out);
}

static void
start_made(void)
{
	start_with(1);
}

static void
start_relay(const char *code, size_t len, size_t output_max)
{
	make_start(code, len, output_max);
	start_made();
}

static void
start_small(void)
{
	start_relay("print(1)", 8, 1024);
}

/* Waits for the next message from there, which must be of this type. */
static void
expect_on(int fd, enum ipc_type wanted)
{
	struct err err = { 0, "it has ended" };
	enum ipc_type type;

	if (ipc_socket_receive(fd, &packet, &err) != 1 ||
	    ipc_decode(&packet, &type, &msg, &err) == -1)
		ck_abort_msg("%s does not come: %s",
		    ipc_message(wanted)->name, err.text);
	ck_assert_str_eq(ipc_message(type)->name, ipc_message(wanted)->name);
}

static void
expect(enum ipc_type wanted)
{
	expect_on(channel, wanted);
}

static void
expect_exit(int wanted)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == wanted,
	    "status 0x%x, not %d", (unsigned int)status, wanted);
}

/* The relay has no peer any more: it must end by itself. */
static void
end_relay(void)
{
	fd_close(&channel);
	expect_exit(0);
	fd_close(&broker);
	fd_close(&box_in);
	fd_close(&box_out);
	fd_close(&code_out);
	fd_close(&code_errors);
}

static void
put(int fd, const char *data, size_t len)
{
	ck_assert_int_eq(fd_write_all(fd, data, len), 0);
}

static void
is_blob(struct ipc_blob *blob, const char *data, size_t len)
{
	auto_free char *copy = ipc_blob_copy(blob, NULL);

	ck_assert_ptr_nonnull(copy);
	ck_assert_uint_eq(blob->len, len);
	ck_assert_mem_eq(copy, data, len);
}

/* The last message, with streams that were not cut. */
static void
expect_done(const char *out, const char *errors)
{
	expect(IPC_DONE);
	is_blob(&msg.done.out, out, strlen(out));
	is_blob(&msg.done.errors, errors, strlen(errors));
	ck_assert_uint_eq(msg.done.out_head, strlen(out));
	ck_assert_uint_eq(msg.done.errors_head, strlen(errors));
	ck_assert_uint_eq(msg.done.out_dropped, 0);
	ck_assert_uint_eq(msg.done.errors_dropped, 0);
	ipc_message_close(IPC_DONE, &msg);
}

/* The next bytes for the box, which must be these. */
static void
box_reads(const char *expected)
{
	auto_free char *got = mem_alloc(strlen(expected) + 1);
	size_t done = 0;
	ssize_t n;

	while (done < strlen(expected)) {
		n = read(box_in, got + done, strlen(expected) - done);
		ck_assert_int_gt(n, 0);
		done += (size_t)n;
	}
	ck_assert_str_eq(got, expected);
}

/* The box says that it is ready, and its code is there. */
static void
run_box(void)
{
	put(box_out, READY, strlen(READY));
	expect(IPC_RUNNING);
}

/* And gets its code. */
static void
run_small(void)
{
	run_box();
	box_reads(RUN);
}

/* Everything of the box ends; nothing was printed. */
static void
end_box(uint64_t tool_calls)
{
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect(IPC_DONE);
	ck_assert_uint_eq(msg.done.out.len, 0);
	ck_assert(msg.done.tool_calls == tool_calls);
	ipc_message_close(IPC_DONE, &msg);
}

static void
send_result(uint64_t id, const char *payload, size_t len)
{
	struct ipc_result result = { .id = id,
		.payload = { (const uint8_t *)payload, len, -1 } };
	struct err err;

	ck_assert_int_eq(ipc_encode(IPC_RESULT, &result, &packet, &err), 0);
	ck_assert_int_eq(ipc_socket_send(broker, &packet, &err), 0);
	ipc_packet_close(&packet);
}

/* The most memory that the relay ever had, in kB. */
static long
relay_peak(void)
{
	auto_free char *path = mem_printf("/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");
	char line[256];
	long peak = -1;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "VmHWM:", 6) == 0)
			peak = strtol(line + 6, NULL, 10);
	fclose(file);
	ck_assert_int_gt(peak, 0);
	return peak;
}

/* Tests */

START_TEST(runs_one_execution)
{
	start_small();
	run_small();
	put(code_out, "1\n", 2);
	put(code_errors, "a \xff\n", 4);
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect_done("1\n", "a \xef\xbf\xbd\n");
	end_relay();
}
END_TEST

/* The value of the last expression, where the code prints nothing. */
START_TEST(takes_an_echo)
{
	static const char request[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"echo\"}}\n"
	    "{\"type\":\"rpc_request\",\"id\":2,"
	    "\"payload\":{\"type\":\"echo\",\"text\":\"42\"}}\n";

	start_small();
	run_small();
	if (_i == 1)
		put(code_errors, "x", 1);
	put(box_out, request, sizeof(request) - 1);
	fd_close(&box_out);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done(_i == 1 ? "" : "42\n", _i == 1 ? "x" : "");
	end_relay();
}
END_TEST

/* It is sent at once, and stands behind what was printed before. */
START_TEST(passes_a_picture_on)
{
	static const char data[] = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIA";
	static const char request[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"show\",\"kind\":\"png\","
	    "\"title\":\"T\",\"data\":\""
	    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIA\"}}\n";
	int n;

	start_small();
	run_small();
	put(code_out, "a\xff", 2);
	for (n = 0; n < 2; n++) {
		put(box_out, request, sizeof(request) - 1);
		box_reads("{\"type\":\"rpc_response\",\"id\":1,"
		    "\"success\":true,\"payload\":true}\n");
		expect(IPC_PICTURE);
		ck_assert_uint_eq(msg.picture.kind, PICTURE_PNG);
		ck_assert_uint_eq(msg.picture.width, 3);
		ck_assert_uint_eq(msg.picture.height, 2);
		ck_assert_str_eq(msg.picture.title, "T");
		is_blob(&msg.picture.data, data, sizeof(data) - 1);
		ipc_message_close(IPC_PICTURE, &msg);
		put(code_out, "b", 1);
	}
	fd_close(&box_out);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect(IPC_PLACE);
	ck_assert_uint_eq(msg.place.at, 4);
	expect(IPC_PLACE);
	ck_assert_uint_eq(msg.place.at, 5);
	expect_done("a\xef\xbf\xbd" "bb", "");
	end_relay();
}
END_TEST

/* How far the code is: the first and the last at once. */
START_TEST(passes_progress_on)
{
	static const char request[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"progress\",\"done\":%d,"
	    "\"total\":90000,\"text\":\"half \\u00e9\"}}\n";
	int n;

	make_start("print(1)", 8, 1024);
	start.progress = (uint64_t)_i;
	start_made();
	run_box();
	box_reads(_i == 0 ? RUN : "{\"type\":\"run\",\"code\":\"print(1)\","
	    "\"progress\":true,\"servers\":" SERVERS "}\n");
	for (n = 0; n < 90; n++) {
		auto_free char *frame = mem_printf(request, n * 1000);

		put(box_out, frame, strlen(frame));
		box_reads("{\"type\":\"rpc_response\",\"id\":1,"
		    "\"success\":true,\"payload\":true}\n");
	}
	fd_close(&box_out);
	fd_close(&code_out);
	fd_close(&code_errors);
	for (n = 0; _i == 1 && n < 89000; n = (int)msg.progress.done) {
		expect(IPC_PROGRESS);
		ck_assert_uint_ge(msg.progress.done, (uint64_t)n);
		ck_assert_uint_eq(msg.progress.total, 90000);
		ck_assert_str_eq(msg.progress.text, "half \xc3\xa9");
	}
	expect_done("", "");
	end_relay();
}
END_TEST

/* Waits for the output so far, which must be this. */
static void
expect_so_far(const char *wanted)
{
	expect(IPC_SO_FAR);
	ck_assert_uint_eq(msg.so_far.text.len, strlen(wanted));
	ck_assert_mem_eq(msg.so_far.text.data, wanted, strlen(wanted));
}

/* Until the code itself reports; half a character waits for the rest. */
START_TEST(passes_output_on)
{
	static const char request[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"progress\",\"done\":1}}\n";

	make_start("print(1)", 8, 1024);
	start.progress = (uint64_t)_i;
	start_made();
	run_box();
	put(code_out, "one\n\xc3", 5);
	if (_i == 1)
		expect_so_far("one\n");
	put(code_out, "\xa9\xff", 2);
	if (_i == 1)
		expect_so_far("one\n\xc3\xa9\xef\xbf\xbd");
	put(box_out, request, sizeof(request) - 1);
	if (_i == 1)
		expect(IPC_PROGRESS);
	put(code_out, "two", 3);
	fd_close(&box_out);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done("one\n\xc3\xa9\xef\xbf\xbdtwo", "");
	end_relay();
}
END_TEST

/* Of much output the start and the end. */
START_TEST(passes_output_on_in_parts)
{
	static char much[6 * KIB];
	size_t n;

	memset(much, 'x', sizeof(much));
	memcpy(much, "start", 5);
	memcpy(much + sizeof(much) - 4, "end\n", 4);
	/* Both cuts are within a character. */
	for (n = 1; n < sizeof(much) - 20; n += 2)
		memcpy(much + 4 + n, "\xc3\xa9", 2);
	make_start("print(1)", 8, _i == 0 ? 64 * KIB : 2 * KIB);
	start.progress = 1;
	start_made();
	run_box();
	put(code_out, much, sizeof(much));
	expect(IPC_SO_FAR);
	ck_assert_uint_le(msg.so_far.text.len, 4 * KIB + 100);
	ck_assert(utf8_valid((const char *)msg.so_far.text.data,
	    msg.so_far.text.len));
	ck_assert_mem_eq(msg.so_far.text.data, "start", 5);
	ck_assert_mem_eq(msg.so_far.text.data + msg.so_far.text.len - 4,
	    "end\n", 4);
	ck_assert_ptr_nonnull(memmem(msg.so_far.text.data,
	    msg.so_far.text.len, " bytes not shown]\n", 18));
	/* Nothing was repaired, so nothing was split. */
	ck_assert_ptr_null(memmem(msg.so_far.text.data, msg.so_far.text.len,
	    "\xef\xbf\xbd", 3));
	fd_close(&box_out);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect(IPC_DONE);
	end_relay();
}
END_TEST

/* What comes too soon is passed on a little later, while the code runs. */
START_TEST(passes_progress_on_later)
{
	static const char requests[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"progress\",\"done\":1}}\n"
	    "{\"type\":\"rpc_request\",\"id\":2,"
	    "\"payload\":{\"type\":\"progress\",\"done\":3}}\n"
	    "{\"type\":\"rpc_request\",\"id\":3,"
	    "\"payload\":{\"type\":\"progress\",\"done\":2}}\n";

	make_start("print(1)", 8, 1024);
	start.progress = 1;
	start_made();
	run_box();
	put(box_out, requests, sizeof(requests) - 1);
	expect(IPC_PROGRESS);
	ck_assert_uint_eq(msg.progress.done, 1);
	expect(IPC_PROGRESS);
	ck_assert_uint_eq(msg.progress.done, 3);
	ck_assert_uint_eq(msg.progress.total, 0);
	ck_assert_str_eq(msg.progress.text, "");
	fd_close(&box_out);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done("", "");
	end_relay();
}
END_TEST

/* How many descriptors the relay has open. */
static int
count_relay_fds(void)
{
	auto_free char *path = mem_printf("/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	int count = 0;

	ck_assert_msg(dir != NULL, "%s cannot be read", path);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* Writes to what is open still; returns what that adds. */
static const char *
put_line(int fd, const char *line)
{
	if (fd == -1)
		return "";
	put(fd, line, strlen(line));
	return line;
}

/* Whichever pipe is the last: what comes before its end is not lost. */
START_TEST(concludes_with_the_last_pipe)
{
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 },
		{ 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	int *const pipes[3] = { &box_out, &code_out, &code_errors };
	auto_buffer struct buffer out = { 0 }, errors = { 0 };
	int n, fds;

	start_small();
	run_box();
	fds = count_relay_fds();
	for (n = 0; n < 3; n++) {
		buffer_add_text(&out, put_line(code_out, "o\n"));
		buffer_add_text(&errors, put_line(code_errors, "e\n"));
		fd_close(pipes[orders[_i][n]]);
		/* It has noticed this end before the next is made. */
		while (count_relay_fds() >= fds - n)
			sched_yield();
	}
	expect_done(out.data, errors.data);
	end_relay();
}
END_TEST

/* Above IPC_INLINE_MAX output goes by memfd; above the cap it is cut. */
START_TEST(hands_over_much_output)
{
	const size_t max = 64 * KIB, len = 10 * max;
	auto_free char *data = mem_alloc(len);

	memset(data, 'x', len);
	start_relay("", 0, max);
	put(code_out, data, len);
	put(code_errors, data, max);
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect(IPC_DONE);
	is_blob(&msg.done.out, data, max);
	ck_assert_uint_eq(msg.done.out_head, max / 2);
	ck_assert_uint_eq(msg.done.out_dropped, len - max);
	is_blob(&msg.done.errors, data, max);
	ck_assert_uint_eq(msg.done.errors_head, max);
	ck_assert_uint_eq(msg.done.errors_dropped, 0);
	ipc_message_close(IPC_DONE, &msg);
	end_relay();
}
END_TEST

/* The sentence goes out at once, the output when the box has been ended. */
START_TEST(reports_a_fault)
{
	start_small();
	put(code_out, "before\n", 7);
	put(box_out, "[]\n", 3);
	expect(IPC_FAULT);
	ck_assert_str_eq(msg.fault.reason, "a frame without a type");
	put(code_out, "after\n", 6);
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect_done("before\nafter\n", "");
	end_relay();
}
END_TEST

START_TEST(reports_a_fault_of_a_running_box)
{
	start_small();
	run_box();
	put(box_out, READY, strlen(READY));
	expect(IPC_FAULT);
	ck_assert_str_eq(msg.fault.reason, "a second ready frame");
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done("", "");
	end_relay();
}
END_TEST

/* No interpreter, say: there is only what it wrote to standard error. */
START_TEST(concludes_without_a_ready_frame)
{
	start_small();
	put(code_errors, "no python\n", 10);
	fd_close(&code_errors);
	fd_close(&code_out);
	fd_close(&box_out);
	expect_done("", "no python\n");
	end_relay();
}
END_TEST

/* Killed while it is sent its code: SIGPIPE must not take the relay along. */
START_TEST(outlives_a_box_that_exits_early)
{
	auto_free char *code = mem_alloc(MIB);

	memset(code, 'x', MIB);
	start_relay(code, MIB, 1024);
	run_box();
	fd_close(&box_in);
	put(code_out, "still here\n", 11);
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect_done("still here\n", "");
	end_relay();
}
END_TEST

START_TEST(ends_with_its_supervisor)
{
	start_small();
	run_box();
	end_relay(); /* every pipe of the box is still open */
}
END_TEST

/* A violation by a more trusted peer: it exits at once, and says so. */
START_TEST(ends_with_a_second_start)
{
	start_small();
	send_message(IPC_START, &start);
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

/*
 * A second box, no store without a reason, or a store with one; the end of a
 * box whose pipes end by themselves.
 */
START_TEST(ends_with_messages_in_disorder)
{
	struct ipc_store answer = { .store = -1, .reason = "" };
	struct ipc_finish finish = { 0 };

	start_small();
	make_start("", 0, 1024);
	if (_i == 0) {
		send_message(IPC_PREPARE, &prepare);
	} else if (_i == 3) {
		send_message(IPC_FINISH, &finish);
	} else {
		if (_i == 2) {
			answer.store = fd_take(&grant);
			answer.reason = "there is none";
		}
		send_message(IPC_STORE, &answer);
	}
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

/* A box that was started ahead: code comes when it is wanted. */
START_TEST(waits_with_its_box_for_code)
{
	make_start("print(1)", 8, 1024);
	start_with(0);
	put(code_errors, "a warning\n", 10);
	put(box_out, READY, strlen(READY));
	expect(IPC_READY);
	send_start();
	expect(IPC_RUNNING);
	box_reads(RUN);
	put(box_out, CALL, strlen(CALL));
	expect_on(broker, IPC_CALL_TOOL);
	send_result(1, "1", 1);
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect_done("", "a warning\n");
	end_relay();
}
END_TEST

/* It ends while it waits; code that is sent meanwhile is dropped. */
START_TEST(reports_a_box_that_ends_while_it_waits)
{
	make_start("print(1)", 8, 1024);
	start_with(0);
	put(box_out, READY, strlen(READY));
	expect(IPC_READY);
	if (_i == 1) {
		put(box_out, READY, strlen(READY));
		expect(IPC_FAULT);
	}
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect_done("", "");
	send_start();
	end_relay();
}
END_TEST

START_TEST(ends_with_its_supervisor_while_it_waits)
{
	make_start("", 0, 1024);
	start_with(0);
	put(box_out, READY, strlen(READY));
	expect(IPC_READY);
	fd_close(&grant);
	end_relay();
}
END_TEST

START_TEST(ends_with_garbage)
{
	struct err err;

	start_small();
	packet.len = 3;
	packet.nfds = 0;
	ck_assert_int_eq(ipc_socket_send(channel, &packet, &err), 0);
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

START_TEST(does_not_run_unlocked)
{
	lockdown_fails = 1;
	start_small();
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

/* What an operator sees in ps. */
START_TEST(is_named_after_its_execution)
{
	auto_free char *path = NULL;
	char name[32] = "";
	FILE *file;

	start_small();
	run_box();
	path = mem_printf("/proc/%d/comm", (int)pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(name, sizeof(name), file));
	fclose(file);
	ck_assert_str_eq(name, "relay[7]\n");
	end_relay();
}
END_TEST

/* Boxes with three descriptors */

/* What such a box sends, in pieces of step bytes. */
static void
box_sends(const char *text, size_t step)
{
	size_t len = strlen(text), part;

	for (; len > 0; text += part, len -= part) {
		part = len < step ? len : step;
		put(box_out, text, part);
	}
}

/* Output is in frames, and so is the end; its errors are not the code's. */
START_TEST(takes_output_as_frames)
{
	static const char frames[] =
	    "{\"type\":\"err\",\"data\":\"c3RhcnQK\"}\n" READY
	    "{\"type\":\"out\",\"data\":\"b25l\"}\n" CALL
	    "{\"type\":\"out\",\"data\":\"IGxpbmUK\"}\n"
	    "{\"type\":\"end\",\"signal\":9,\"memory\":true,"
	    "\"cpu\":70000,\"peak\":9000}\n";

	make_three("print(1)");
	start_made();
	put(code_errors, "engine\n", 7);
	box_sends(READY, strlen(READY));
	expect(IPC_RUNNING);
	box_reads("{\"type\":\"run\",\"code\":\"print(1)\","
	    "\"servers\":" SERVERS "}\n");
	box_sends("{\"type\":\"err\",\"data\":\"c3RhcnQK\"}\n",
	    (size_t)_i + 1);
	box_sends(strstr(frames, READY) + strlen(READY), (size_t)_i + 1);
	expect_on(broker, IPC_CALL_TOOL);
	fd_close(&box_out);
	fd_close(&code_errors);
	expect_done("one line\n", "start\n");
	ck_assert_uint_eq(msg.done.end, RELAY_END_SIGNAL);
	ck_assert_uint_eq(msg.done.end_status, 9);
	ck_assert_uint_eq(msg.done.end_memory, 1);
	ck_assert_uint_eq(msg.done.cpu_us, 70000);
	ck_assert_uint_eq(msg.done.peak_kib, 9000);
	ck_assert_uint_eq(msg.done.start_errors.len, 0);
	end_relay();
}
END_TEST

/*
 * Whichever comes first, the end of the code or the message that no process is
 * left: both suffice, while the client of an engine still holds the pipes.
 */
START_TEST(finishes_without_the_end_of_pipes)
{
	static const char end[] = "{\"type\":\"out\",\"data\":\"aGkK\"}\n"
	    "{\"type\":\"end\",\"exit\":7}\n";
	struct ipc_finish finish = { 0 };

	make_three("print(1)");
	start_made();
	run_box();
	if (_i == 0)
		box_sends(end, 999);
	send_message(IPC_FINISH, &finish);
	if (_i == 1)
		box_sends(end, 999);
	expect_done("hi\n", "");
	ck_assert_uint_eq(msg.done.end, RELAY_END_EXIT);
	ck_assert_uint_eq(msg.done.end_status, 7);
	end_relay();
}
END_TEST

/* A box whose bootstrap was killed does not report the end of the code. */
START_TEST(finishes_with_the_pipes_of_a_killed_box)
{
	struct ipc_finish finish = { 0 };

	make_three("print(1)");
	start_made();
	run_box();
	send_message(IPC_FINISH, &finish);
	box_sends("{\"type\":\"out\",\"data\":\"aGkK\"}\n", 999);
	fd_close(&box_out);
	fd_close(&code_errors);
	expect_done("hi\n", "");
	ck_assert_uint_eq(msg.done.end, RELAY_END_NONE);
	end_relay();
}
END_TEST

/* A box that has not become ready: the last of what its engine wrote. */
START_TEST(explains_a_box_that_was_never_ready)
{
	auto_free char *much = mem_alloc(2 * START_ERRORS_MAX);
	size_t len = (size_t)_i * (START_ERRORS_MAX / 2);
	const uint8_t *kept;

	memset(much, '\xff', 2 * START_ERRORS_MAX);
	make_three("print(1)");
	start_made();
	put(code_errors, much, len);
	put(code_errors, "no image\n", 9);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect(IPC_DONE);
	ck_assert_uint_eq(msg.done.end, RELAY_END_NONE);
	ck_assert_uint_eq(msg.done.out.len, 0);
	ck_assert_uint_eq(msg.done.errors.len, 0);
	if (len > START_ERRORS_MAX - 9)
		len = START_ERRORS_MAX - 9;
	ck_assert_uint_eq(msg.done.start_errors.len, 3 * len + 9);
	kept = msg.done.start_errors.data + 3 * len;
	ck_assert_mem_eq(kept, "no image\n", 9);
	ipc_message_close(IPC_DONE, &msg);
	end_relay();
}
END_TEST

/* Without a bootstrap: the code as it is, then the end of the file. */
START_TEST(runs_code_without_a_bootstrap)
{
	auto_free char *code = mem_alloc(200 * KIB);
	size_t len = _i == 0 ? 0 : _i == 1 ? 9 : 200 * KIB, got = 0;
	char text[4096];
	ssize_t n;

	memset(code, 'x', 200 * KIB);
	make_start(code, len, 64 * KIB);
	fd_close(&prepare.control_in);
	fd_close(&box_out);
	brokered = 0;
	start_made();
	expect(IPC_READY);
	expect(IPC_RUNNING);
	while ((n = read(box_in, text, sizeof(text))) > 0) {
		ck_assert_mem_eq(text, code, (size_t)n);
		got += (size_t)n;
	}
	ck_assert_int_eq(n, 0);
	ck_assert_uint_eq(got, len);
	/* What looks like a frame is output. */
	put(code_out, READY, strlen(READY));
	put(code_errors, "e", 1);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done(READY, "e");
	end_relay();
}
END_TEST

/* How many bytes lie in the pipe to which this is an end. */
static int
lying_in(int fd)
{
	int n;

	ck_assert_int_eq(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

/* The marks of a start and of an end. */
#define STARTED PROCESS_ONE_STARTED
#define FAILED PROCESS_ONE_FAILED
#define ENDED(how_, status_) PROCESS_ONE_##how_ status_ "\n"
#define UNTOLD RELAY_END_NONE, 0, 0

static const struct {
	const char *printed;
	const char *out;
	enum begun begun;
	enum relay_end end;
	uint64_t status;
	uint64_t memory;
} marked[] = {
	{ "", "", BEGUN_NOT, UNTOLD },
	{ "x", "x", BEGUN_NOT, UNTOLD },
	{ STARTED, "", BEGUN_CODE, UNTOLD },
	{ STARTED "x", "x", BEGUN_CODE, UNTOLD },
	{ STARTED FAILED, "", BEGUN_FAILED, UNTOLD },
	{ STARTED FAILED STARTED, STARTED, BEGUN_FAILED,
	    UNTOLD },
	/* What only begins like one is output. */
	{ "\001caisson", "\001caisson", BEGUN_NOT, UNTOLD },
	{ "\001caisson!", "\001caisson!", BEGUN_NOT, UNTOLD },
	{ "x" STARTED, "x" STARTED, BEGUN_NOT, UNTOLD },
	{ FAILED, FAILED, BEGUN_NOT, UNTOLD },
	{ STARTED STARTED, STARTED, BEGUN_CODE, UNTOLD },
	{ STARTED "\001caisson: no", "\001caisson: no", BEGUN_CODE, UNTOLD },
	{ STARTED "\001caisson: no!", "\001caisson: no!", BEGUN_CODE,
	    UNTOLD },
	{ STARTED ENDED(EXIT, "007"), "", BEGUN_CODE, RELAY_END_EXIT, 7, 0 },
	{ STARTED "x" ENDED(SIGNAL, "009"), "x", BEGUN_CODE,
	    RELAY_END_SIGNAL, 9, 0 },
	{ STARTED "x" ENDED(MEMORY, "009"), "x", BEGUN_CODE,
	    RELAY_END_SIGNAL, 9, 1 },
	{ STARTED FAILED ENDED(EXIT, "127"), "", BEGUN_FAILED,
	    RELAY_END_EXIT, 127, 0 },
	/* Only the last one counts: the code may write others. */
	{ STARTED ENDED(EXIT, "000") ENDED(EXIT, "003"),
	    ENDED(EXIT, "000"), BEGUN_CODE, RELAY_END_EXIT, 3, 0 },
	{ STARTED "\001caisson: ex" ENDED(EXIT, "004"),
	    "\001caisson: ex", BEGUN_CODE, RELAY_END_EXIT, 4, 0 },
	/* What is none, or not the last, is output. */
	{ STARTED ENDED(EXIT, "000") "x", ENDED(EXIT, "000") "x",
	    BEGUN_CODE, UNTOLD },
	{ STARTED ENDED(EXIT, "256"), ENDED(EXIT, "256"), BEGUN_CODE,
	    UNTOLD },
	{ STARTED ENDED(SIGNAL, "000"), ENDED(SIGNAL, "000"), BEGUN_CODE,
	    UNTOLD },
	{ STARTED ENDED(MEMORY, "000"), ENDED(MEMORY, "000"), BEGUN_CODE,
	    UNTOLD },
	{ STARTED ENDED(SIGNAL, "065"), ENDED(SIGNAL, "065"), BEGUN_CODE,
	    UNTOLD },
	{ STARTED PROCESS_ONE_EXIT "00", PROCESS_ONE_EXIT "00", BEGUN_CODE,
	    UNTOLD },
	{ STARTED PROCESS_ONE_EXIT "0x0\n", PROCESS_ONE_EXIT "0x0\n",
	    BEGUN_CODE, UNTOLD },
	{ STARTED "\001caisson: no\n", "\001caisson: no\n", BEGUN_CODE,
	    UNTOLD },
};

/* What a box without a bootstrap is given: no descriptors of the protocol. */
static void
make_plain(void)
{
	make_start("x", 1, 1024);
	fd_close(&prepare.control_in);
	fd_close(&box_out);
	brokered = 0;
}

/* Process 1 of it marks its output, which may come byte by byte. */
START_TEST(takes_marks_from_the_output)
{
	const char *p = marked[_i / 2].printed;
	size_t part = _i % 2 == 0 ? strlen(p) : 1;

	make_plain();
	prepare.marked = 1;
	start_made();
	expect(IPC_READY);
	expect(IPC_RUNNING);
	for (; *p != '\0'; p += part) {
		put(code_out, p, part);
		while (lying_in(code_out) > 0)
			sched_yield();
	}
	fd_close(&code_out);
	fd_close(&code_errors);
	expect(IPC_DONE);
	is_blob(&msg.done.out, marked[_i / 2].out, strlen(marked[_i / 2].out));
	ck_assert_int_eq(msg.done.begun, marked[_i / 2].begun);
	ck_assert_int_eq(msg.done.end, marked[_i / 2].end);
	ck_assert_uint_eq(msg.done.end_status, marked[_i / 2].status);
	ck_assert_uint_eq(msg.done.end_memory, marked[_i / 2].memory);
	ipc_message_close(IPC_DONE, &msg);
	end_relay();
}
END_TEST

/* If PREPARE does not announce marks, it takes none. */
START_TEST(leaves_marks_in_other_output)
{
	make_plain();
	start_made();
	expect(IPC_READY);
	expect(IPC_RUNNING);
	put(code_out, STARTED, strlen(STARTED));
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done(STARTED, "");
	end_relay();
}
END_TEST

/* It may end without reading its code. */
START_TEST(outlives_a_plain_box_that_reads_nothing)
{
	make_plain();
	fd_close(&box_in);
	start_made();
	expect(IPC_READY);
	expect(IPC_RUNNING);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done("", "");
	end_relay();
}
END_TEST

/* The value of the last expression counts as output there, too. */
START_TEST(takes_an_echo_behind_frames)
{
	make_three("print(1)");
	start_made();
	run_box();
	if (_i == 1)
		box_sends("{\"type\":\"err\",\"data\":\"eA==\"}\n", 99);
	box_sends("{\"type\":\"rpc_request\",\"id\":2,"
	    "\"payload\":{\"type\":\"echo\",\"text\":\"42\"}}\n"
	    "{\"type\":\"end\",\"exit\":0}\n", 999);
	fd_close(&box_out);
	fd_close(&code_errors);
	expect_done(_i == 1 ? "" : "42\n", _i == 1 ? "x" : "");
	ck_assert_uint_eq(msg.done.end, RELAY_END_EXIT);
	end_relay();
}
END_TEST

static const struct {
	int three; /* whether the box has three descriptors */
	const char *frame, *why;
} wrong[] = {
	{ 0, "{\"type\":\"out\",\"data\":\"eA==\"}\n",
	    "a frame of an unknown type" },
	{ 0, "{\"type\":\"end\",\"exit\":0}\n",
	    "a frame of an unknown type" },
	{ 1, "{\"type\":\"out\",\"data\":\"eA\"}\n",
	    "output that is not base64" },
	{ 1, "{\"type\":\"end\",\"exit\":0}\n" READY,
	    "a frame after the end of the code" },
	{ 1, "hello\n", "a frame that is not JSON: 'h' where a value should "
	    "be, at byte 1" },
	{ 1, "{\"type\":\"in\"}\n", "a frame of an unknown type" },
};

START_TEST(reports_wrong_frames)
{
	if (wrong[_i].three)
		make_three("print(1)");
	else
		make_start("print(1)", 8, 1024);
	start_made();
	run_box();
	box_sends(wrong[_i].frame, 999);
	expect(IPC_FAULT);
	ck_assert_str_eq(msg.fault.reason, wrong[_i].why);
	fd_close(&code_out);
	fd_close(&code_errors);
	expect_done("", "");
	end_relay();
}
END_TEST

/* Much output is cut as that of a pipe is, and no memory is kept for it. */
START_TEST(bounds_output_in_frames)
{
	const size_t max = 64 * KIB, chunks = 1024;
	auto_buffer struct buffer frame = { 0 };
	auto_free char *data = mem_alloc(PIPE_CHUNK);
	long peak;
	size_t n;

	memset(data, 'x', PIPE_CHUNK);
	buffer_add_text(&frame, "{\"type\":\"out\",\"data\":\"");
	base64_add(&frame, data, PIPE_CHUNK);
	buffer_add_text(&frame, "\"}\n");
	make_three("print(1)");
	start_made();
	run_box();
	put(box_out, frame.data, frame.len);
	peak = relay_peak();
	for (n = 1; n < chunks; n++)
		put(box_out, frame.data, frame.len);
	ck_assert_int_le(relay_peak() - peak, MIB / KIB);
	fd_close(&box_out);
	fd_close(&code_errors);
	expect(IPC_DONE);
	is_blob(&msg.done.out, data, max);
	ck_assert_uint_eq(msg.done.out_head, max / 2);
	ck_assert_uint_eq(msg.done.out_dropped, chunks * PIPE_CHUNK - max);
	ipc_message_close(IPC_DONE, &msg);
	end_relay();
}
END_TEST

/* In a child: as an engine starts its container, and no container. */
static void __attribute__((noreturn))
become_box(void)
{
	const char *const argv[] = { "python3", "-I", "-B", "-X", "utf8",
		THREE, NULL };
	char place[] = "/tmp/caisson-test-relay-XXXXXX";

	if (mkdtemp(place) == NULL || chdir(place) == -1)
		_exit(1);
	setenv("HOME", place, 1);
	setenv("TMPDIR", place, 1);
	dup2(box_in, STDIN_FILENO);
	dup2(box_out, STDOUT_FILENO);
	dup2(code_errors, STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	execv("/usr/bin/python3", (char *const *)argv);
	_exit(1);
}

/* The bootstrap itself, and not what a test says in its place. */
START_TEST(understands_the_bootstrap)
{
	static const char code[] = "import os, sys\n"
	    "print('y' * 199999)\n"
	    "os.system('echo error >&2')\n"
	    "os.remove(sys.argv[0])\n"
	    "os.rmdir(os.getcwd())\n"
	    "os.kill(os.getpid(), 9)\n";
	const size_t len = 200000;
	auto_free char *printed = mem_alloc(len);
	int status;
	pid_t box;

	memset(printed, 'y', len);
	printed[len - 1] = '\n';
	make_three(code);
	prepare.output_max = MIB;
	start.servers = (struct ipc_blob){ (const uint8_t *)"[]", 2, -1 };
	start_made();
	box = fork();
	ck_assert_int_ne(box, -1);
	if (box == 0)
		become_box();
	fd_close(&box_in);
	fd_close(&box_out);
	fd_close(&code_errors);
	expect(IPC_RUNNING);
	expect(IPC_DONE);
	is_blob(&msg.done.out, printed, len);
	is_blob(&msg.done.errors, "error\n", 6);
	ck_assert_uint_eq(msg.done.end, RELAY_END_SIGNAL);
	ck_assert_uint_eq(msg.done.end_status, SIGKILL);
	ipc_message_close(IPC_DONE, &msg);
	ck_assert_int_eq(waitpid(box, &status, 0), box);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL);
	end_relay();
}
END_TEST

/* Calls of tools */

START_TEST(hands_calls_over)
{
	start_small();
	run_small();
	put(box_out, CALL, strlen(CALL));
	expect_on(broker, IPC_CALL_TOOL);
	ck_assert(msg.call_tool.id == 1);
	ck_assert_uint_eq(msg.call_tool.arguments.len, 11);
	ck_assert_mem_eq(msg.call_tool.arguments.data, "{\"x\":1e400}", 11);
	send_result(1, "{\"y\":0.1}", 9);
	box_reads("{\"type\":\"rpc_response\",\"id\":1,\"success\":true,"
	    "\"payload\":{\"y\":0.1}}\n");
	end_box(1);
	end_relay();
}
END_TEST

/* The channel to the broker is closed at once: it has no peer. */
START_TEST(refuses_calls_without_a_broker)
{
	char c;

	make_start("print(1)", 8, 1024);
	brokered = 0;
	start_made();
	run_small();
	ck_assert_int_eq(recv(broker, &c, 1, 0), 0);
	put(box_out, CALL, strlen(CALL));
	box_reads(REFUSED_FRAME(CALLS_NO_SERVERS));
	end_box(0);
	end_relay();
}
END_TEST

/* It ends in order (0) or by a violation (1): the code runs on. */
START_TEST(outlives_its_broker)
{
	start_small();
	run_small();
	put(box_out, CALL, strlen(CALL));
	expect_on(broker, IPC_CALL_TOOL);
	if (_i == 1)
		ck_assert_int_eq(send(broker, "x", 1, 0), 1);
	else
		fd_close(&broker);
	box_reads(REFUSED_FRAME(CALLS_BROKER_LOST));
	put(box_out, CALL, strlen(CALL));
	box_reads(REFUSED_FRAME(CALLS_BROKER_LOST));
	end_box(1);
	end_relay();
}
END_TEST

START_TEST(ends_with_an_answer_to_nothing)
{
	start_small();
	run_small();
	send_result(1, "1", 1);
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

START_TEST(ends_with_a_start_without_servers)
{
	make_start("", 0, 1024);
	start.servers.len = 0;
	start_made();
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

/* A request that is none ends the box, also behind good ones. */
START_TEST(reports_a_bad_request)
{
	static const char bad[] = "{\"type\":\"rpc_request\",\"id\":2}\n";

	start_small();
	run_small();
	put(box_out, CALL, strlen(CALL));
	put(box_out, bad, strlen(bad));
	expect_on(broker, IPC_CALL_TOOL);
	expect(IPC_FAULT);
	ck_assert_str_eq(
	    msg.fault.reason, "a request without a valid \"payload\"");
	/* The answer comes while the box is being ended. */
	send_result(1, "1", 1);
	end_box(1);
	end_relay();
}
END_TEST

/* The largest answers, which the box is slow to read, stay where they are. */
START_TEST(keeps_no_large_answers)
{
	auto_free char *payload = mem_alloc(RESULT_MAX + 1);
	long peak;
	int n;

	start_small();
	run_small();
	peak = relay_peak();
	memset(payload, '1', RESULT_MAX);
	for (n = 1; n <= 3; n++) {
		auto_free char *call = mem_printf("{\"type\":\"rpc_request\","
		    "\"id\":%d,\"payload\":{\"type\":\"list_servers\"}}\n", n);

		put(box_out, call, strlen(call));
		expect_on(broker, IPC_LIST_SERVERS);
		send_result((uint64_t)n, payload, RESULT_MAX);
	}
	for (n = 1; n <= 3; n++) {
		auto_free char *frame = mem_printf("{\"type\":"
		    "\"rpc_response\",\"id\":%d,\"success\":true,"
		    "\"payload\":%s}\n", n, payload);

		box_reads(frame);
	}
	ck_assert_int_lt(relay_peak() - peak, 4096);
	end_box(0);
	end_relay();
}
END_TEST

/* Sessions */

/* The box says that its next code has ended, and more. */
static void
put_ended(const char *more)
{
	static unsigned int programs;
	auto_free char *said = mem_printf("{\"type\":\"ended\","
	    "\"program\":%u,\"exit\":3,\"threads\":2}\n%s", ++programs, more);

	put(box_out, said, strlen(said));
}

#define KEPT_RUN                                                               \
	"{\"type\":\"run\",\"code\":\"print(1)\","             \
	"\"session\":true,\"servers\":" SERVERS "}\n"

/* Starts a relay and its box, which has its first code. */
static void
start_kept(void)
{
	make_start("print(1)", 8, 1024);
	start.kept = 1;
	start_made();
	run_box();
	box_reads(KEPT_RUN);
}

/* Further code, with a channel to the broker of its own. */
static void
start_further(void)
{
	fd_close(&broker);
	make_channel(&grant, &broker);
	start.execution++;
	send_start();
	expect(IPC_RUNNING);
	box_reads(KEPT_RUN);
}

/* The box says that its code has ended: this it has printed, and this late. */
static void
end_round(const char *out, const char *errors, uint64_t late)
{
	put_ended("");
	expect(IPC_ROUND);
	is_blob(&msg.round.out, out, strlen(out));
	is_blob(&msg.round.errors, errors, strlen(errors));
	ck_assert_uint_eq(msg.round.out_head, strlen(out));
	ck_assert_uint_eq(msg.round.out_dropped, 0);
	ck_assert_uint_eq(msg.round.exit, 3);
	ck_assert_uint_eq(msg.round.threads, 2);
	ck_assert_uint_eq(msg.round.late, late);
	ipc_message_close(IPC_ROUND, &msg);
}

/* Each code has the output that came while it ran, and of that all. */
START_TEST(runs_code_in_rounds)
{
	static const char mixed[] = "1\n2\n3\n";

	start_kept();
	put(code_out, "1\n", 2);
	put(code_errors, "e\n", 2);
	end_round("1\n", "e\n", 0);
	put(code_out, "late", 4);
	put(code_errors, "x", 1);
	start_further();
	end_round("", "", 5);
	start_further();
	put(code_out, mixed, sizeof(mixed) - 1);
	end_round(mixed, "", 0);
	start_further();
	put(code_out, "last\n", 5);
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect_done("last\n", "");
	end_relay();
}
END_TEST

/* More than is kept, and more than a packet takes. */
START_TEST(hands_over_much_output_in_rounds)
{
	const size_t max = 64 * KIB, len = 10 * max;
	auto_free char *data = mem_alloc(len);
	int n;

	memset(data, 'x', len);
	make_start("print(1)", 8, max);
	start.kept = 1;
	start_made();
	run_box();
	for (n = 0; n < 2; n++) {
		put(code_out, data, len);
		put_ended("");
		expect(IPC_ROUND);
		is_blob(&msg.round.out, data, max);
		ck_assert_uint_eq(msg.round.out_head, max / 2);
		ck_assert_uint_eq(msg.round.out_dropped, len - max);
		ck_assert_uint_eq(msg.round.errors.len, 0);
		ipc_message_close(IPC_ROUND, &msg);
		make_channel(&grant, &broker);
		send_start();
		expect(IPC_RUNNING);
	}
	end_box(0);
	end_relay();
}
END_TEST

/* They have no answer, and what they were made on is closed. */
START_TEST(gives_up_calls_with_their_code)
{
	static const char second[] = "{\"type\":\"rpc_request\",\"id\":2,"
	    "\"payload\":{\"type\":\"list_servers\"}}\n";
	char c;

	start_kept();
	put(box_out, CALL, strlen(CALL));
	expect_on(broker, IPC_CALL_TOOL);
	put_ended("");
	expect(IPC_ROUND);
	ck_assert_uint_eq(msg.round.tool_calls, 1);
	ck_assert_uint_eq(msg.round.waiting.len, strlen("fs.t (0 s)"));
	ck_assert_mem_eq(msg.round.calls.data, "fs.t without an answer",
	    msg.round.calls.len);
	ck_assert_int_eq(recv(broker, &c, 1, 0), 0);
	start_further();
	put(box_out, second, strlen(second));
	expect_on(broker, IPC_LIST_SERVERS);
	send_result(2, "[]", 2);
	box_reads("{\"type\":\"rpc_response\",\"id\":2,\"success\":true,"
	    "\"payload\":[]}\n");
	/* The number of a call that was given up may be used again. */
	put(box_out, CALL, strlen(CALL));
	expect_on(broker, IPC_CALL_TOOL);
	send_result(1, "1", 1);
	box_reads("{\"type\":\"rpc_response\",\"id\":1,\"success\":true,"
	    "\"payload\":1}\n");
	put_ended("");
	expect(IPC_ROUND);
	ck_assert_uint_eq(msg.round.tool_calls, 1);
	ck_assert_uint_eq(msg.round.waiting.len, 0);
	ck_assert_uint_eq(msg.round.calls.len, strlen("fs.t"));
	end_box(0);
	end_relay();
}
END_TEST

/* Answers that the box has not begun to read never come. */
START_TEST(drops_unread_answers_with_their_code)
{
	static const char list[] = "{\"type\":\"rpc_request\",\"id\":%d,"
	    "\"payload\":{\"type\":\"list_servers\"}}\n";
	auto_free char *payload = mem_alloc(MIB + 1);
	auto_free char *read_on = NULL;
	int n;

	memset(payload, '1', MIB);
	start_kept();
	for (n = 1; n <= 3; n++) {
		auto_free char *call = mem_printf(list, n);

		put(box_out, call, strlen(call));
		expect_on(broker, IPC_LIST_SERVERS);
	}
	for (n = 1; n <= 3; n++)
		send_result((uint64_t)n, payload, MIB);
	box_reads("{"); /* The first of them has come, and is too long. */
	end_round("", "", 0);
	fd_close(&broker);
	make_channel(&grant, &broker);
	send_start();
	expect(IPC_RUNNING);
	read_on = mem_printf("\"type\":\"rpc_response\",\"id\":1,"
	    "\"success\":true,\"payload\":%s}\n" KEPT_RUN, payload);
	box_reads(read_on);
	end_box(0);
	end_relay();
}
END_TEST

/* Between two codes there are no requests; the box is ended, as elsewhere. */
START_TEST(reports_requests_between_rounds)
{
	start_kept();
	put_ended(CALL);
	expect(IPC_ROUND);
	expect(IPC_FAULT);
	ck_assert_str_eq(msg.fault.reason,
	    "a request after the end of the code");
	if (_i == 1) /* It crosses the code. */
		send_start();
	end_box(0);
	end_relay();
}
END_TEST

START_TEST(reports_an_end_of_code_that_is_not_kept)
{
	start_small();
	run_small();
	put_ended("");
	expect(IPC_FAULT);
	ck_assert_str_eq(
	    msg.fault.reason, "an end of code where none is kept");
	end_box(0);
	end_relay();
}
END_TEST

/* In the answer to the code that has shown it, and in no other. */
START_TEST(places_pictures_in_their_round)
{
	static const char request[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"show\",\"kind\":\"png\",\"data\":\""
	    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIA\"}}\n";
	int n;

	start_kept();
	put(code_out, "ab", 2);
	for (n = 0; n < PICTURES_MAX; n++) {
		put(box_out, request, strlen(request));
		expect(IPC_PICTURE);
		ipc_message_close(IPC_PICTURE, &msg);
	}
	put_ended("");
	for (n = 0; n < PICTURES_MAX; n++) {
		expect(IPC_PLACE);
		ck_assert_uint_eq(msg.place.at, 2);
	}
	expect(IPC_ROUND);
	fd_close(&broker);
	make_channel(&grant, &broker);
	send_start();
	expect(IPC_RUNNING);
	put(code_out, "c", 1);
	put(box_out, request, strlen(request));
	expect(IPC_PICTURE);
	ipc_message_close(IPC_PICTURE, &msg);
	put_ended("");
	expect(IPC_PLACE);
	ck_assert_uint_eq(msg.place.at, 1);
	expect(IPC_ROUND);
	end_box(0);
	end_relay();
}
END_TEST

/* Reports stop with their code, and each code may report if that is wanted. */
START_TEST(reports_progress_in_its_round)
{
	static const char request[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"progress\",\"done\":%d}}\n";
	int n, done;

	make_start("print(1)", 8, 1024);
	start.kept = 1;
	start.progress = 1;
	start_made();
	run_box();
	for (n = 0; n < 3; n++) {
		for (done = 1; start.progress && done <= 90; done++) {
			auto_free char *frame = mem_printf(request, done);

			put(box_out, frame, strlen(frame));
		}
		put_ended("");
		for (done = 0; start.progress && done < 90;
		     done = (int)msg.progress.done)
			expect(IPC_PROGRESS);
		expect(IPC_ROUND);
		start.progress = n == 1;
		fd_close(&broker);
		make_channel(&grant, &broker);
		send_start();
		expect(IPC_RUNNING);
	}
	end_box(0);
	end_relay();
}
END_TEST

/* A store that comes for code that has ended is closed; the next fetches one.
 */
START_TEST(fetches_a_store_in_each_round)
{
	static const char request[] = "{\"type\":\"rpc_request\",\"id\":1,"
	    "\"payload\":{\"type\":\"list_memories\"}}\n";
	struct ipc_store answer = { .reason = "" };
	int ours;
	char c;

	make_start("print(1)", 8, 1024);
	start.kept = 1;
	start.stored = 1;
	start_made();
	run_box();
	put(box_out, request, strlen(request));
	expect(IPC_WANT_STORE);
	if (_i == 0) {
		make_channel(&answer.store, &ours);
		send_message(IPC_STORE, &answer);
		expect_on(ours, IPC_LIST_MEMORIES);
		end_round("", "", 0);
	} else {
		end_round("", "", 0);
		make_channel(&answer.store, &ours);
		send_message(IPC_STORE, &answer);
	}
	ck_assert_int_eq(recv(ours, &c, 1, 0), 0);
	fd_close(&ours);
	make_channel(&grant, &broker);
	send_start();
	expect(IPC_RUNNING);
	put(box_out, request, strlen(request));
	expect(IPC_WANT_STORE);
	make_channel(&answer.store, &ours);
	send_message(IPC_STORE, &answer);
	expect_on(ours, IPC_LIST_MEMORIES);
	fd_close(&ours);
	end_box(0);
	end_relay();
}
END_TEST

/* It ends between two codes, or while code runs. */
START_TEST(concludes_a_session)
{
	start_kept();
	put(code_out, "1", 1);
	end_round("1", "", 0);
	if (_i == 1)
		start_further();
	put(code_out, "2", 1);
	fd_close(&code_out);
	fd_close(&code_errors);
	fd_close(&box_out);
	expect_done(_i == 1 ? "2" : "", "");
	if (_i == 0)
		send_start(); /* as it may cross */
	end_relay();
}
END_TEST

/* Code that is not of the session, code before the end of that which runs. */
START_TEST(ends_with_starts_in_disorder)
{
	start_kept();
	if (_i == 0) {
		end_round("", "", 0);
		start.kept = 0;
	}
	make_channel(&grant, &broker);
	send_start();
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

/* It has no frames in which it could say that code has ended. */
START_TEST(keeps_no_plain_box)
{
	make_start("print(1)", 8, 1024);
	fd_close(&prepare.control_in);
	fd_close(&box_out);
	start.kept = 1;
	start_made();
	expect_exit(FATAL_EXIT_STATUS);
}
END_TEST

/* As an operator sees it in ps. */
START_TEST(is_named_after_each_execution)
{
	auto_free char *path = NULL;
	char name[32] = "";
	FILE *file;

	start_kept();
	end_round("", "", 0);
	start_further();
	path = mem_printf("/proc/%d/comm", (int)pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(name, sizeof(name), file));
	fclose(file);
	ck_assert_str_eq(name, "relay[8]\n");
	end_relay();
}
END_TEST

/* Where output is in frames, it is so between two codes. */
START_TEST(runs_rounds_behind_frames)
{
	static const char said[] = "{\"type\":\"out\",\"data\":\"b25l\"}\n";
	int n;

	make_three("print(1)");
	start.kept = 1;
	start_made();
	run_box();
	for (n = 0; n < 3; n++) {
		put(box_out, said, strlen(said));
		end_round("one", "", n == 0 ? 0 : 3);
		put(box_out, said, strlen(said));
		fd_close(&broker);
		make_channel(&grant, &broker);
		/* Frames have an order: the late one comes before the code. */
		while (lying_in(box_out) > 0)
			sched_yield();
		send_start();
		expect(IPC_RUNNING);
	}
	fd_close(&box_out);
	fd_close(&code_errors);
	expect_done("", "");
	end_relay();
}
END_TEST

static void
add_session_tests(TCase *tc)
{
	tcase_add_test(tc, runs_code_in_rounds);
	tcase_add_test(tc, hands_over_much_output_in_rounds);
	tcase_add_test(tc, gives_up_calls_with_their_code);
	tcase_add_test(tc, drops_unread_answers_with_their_code);
	tcase_add_loop_test(tc, reports_requests_between_rounds, 0, 2);
	tcase_add_test(tc, reports_an_end_of_code_that_is_not_kept);
	tcase_add_test(tc, places_pictures_in_their_round);
	tcase_add_test(tc, reports_progress_in_its_round);
	tcase_add_loop_test(tc, fetches_a_store_in_each_round, 0, 2);
	tcase_add_loop_test(tc, concludes_a_session, 0, 2);
	tcase_add_loop_test(tc, ends_with_starts_in_disorder, 0, 2);
	tcase_add_test(tc, keeps_no_plain_box);
	tcase_add_test(tc, is_named_after_each_execution);
	tcase_add_test(tc, runs_rounds_behind_frames);
}

static void
add_tests(TCase *tc)
{
	add_session_tests(tc);
	tcase_add_test(tc, hands_calls_over);
	tcase_add_test(tc, refuses_calls_without_a_broker);
	tcase_add_loop_test(tc, outlives_its_broker, 0, 2);
	tcase_add_test(tc, ends_with_an_answer_to_nothing);
	tcase_add_test(tc, ends_with_a_start_without_servers);
	tcase_add_test(tc, reports_a_bad_request);
	tcase_add_test(tc, keeps_no_large_answers);
	tcase_add_test(tc, runs_one_execution);
	tcase_add_loop_test(tc, takes_an_echo, 0, 2);
	tcase_add_test(tc, passes_a_picture_on);
	tcase_add_loop_test(tc, passes_progress_on, 0, 2);
	tcase_add_test(tc, passes_progress_on_later);
	tcase_add_loop_test(tc, passes_output_on, 0, 2);
	tcase_add_loop_test(tc, passes_output_on_in_parts, 0, 2);
	tcase_add_loop_test(tc, concludes_with_the_last_pipe, 0, 6);
	tcase_add_test(tc, hands_over_much_output);
	tcase_add_test(tc, reports_a_fault);
	tcase_add_test(tc, reports_a_fault_of_a_running_box);
	tcase_add_test(tc, concludes_without_a_ready_frame);
	tcase_add_test(tc, outlives_a_box_that_exits_early);
	tcase_add_test(tc, ends_with_its_supervisor);
	tcase_add_test(tc, ends_with_a_second_start);
	tcase_add_loop_test(tc, ends_with_messages_in_disorder, 0, 4);
	tcase_add_test(tc, waits_with_its_box_for_code);
	tcase_add_loop_test(
	    tc, reports_a_box_that_ends_while_it_waits, 0, 2);
	tcase_add_test(tc, ends_with_its_supervisor_while_it_waits);
	tcase_add_test(tc, ends_with_garbage);
	tcase_add_test(tc, does_not_run_unlocked);
	tcase_add_test(tc, is_named_after_its_execution);
	tcase_add_loop_test(tc, takes_output_as_frames, 0, 5);
	tcase_add_loop_test(tc, finishes_without_the_end_of_pipes, 0, 2);
	tcase_add_test(tc, finishes_with_the_pipes_of_a_killed_box);
	tcase_add_loop_test(tc, explains_a_box_that_was_never_ready, 0, 4);
	tcase_add_loop_test(tc, runs_code_without_a_bootstrap, 0, 3);
	tcase_add_loop_test(
	    tc, takes_marks_from_the_output, 0, 2 * UNIT_COUNT(marked));
	tcase_add_test(tc, leaves_marks_in_other_output);
	tcase_add_test(tc, outlives_a_plain_box_that_reads_nothing);
	tcase_add_loop_test(tc, takes_an_echo_behind_frames, 0, 2);
	tcase_add_loop_test(tc, reports_wrong_frames, 0, UNIT_COUNT(wrong));
	tcase_add_test(tc, bounds_output_in_frames);
	tcase_add_test(tc, understands_the_bootstrap);
}

int
main(void)
{
	return unit_run("relay", add_tests);
}
