/*
 * What the tests of relay/calls/calls share: the requests of a relay, whose box
 * and broker the test is.
 */
#ifndef TESTS_UNIT_CALLS_PLAY_H
#define TESTS_UNIT_CALLS_PLAY_H

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/mem.h"
#include "relay/relay.h"
#include "common/ipc/ipc_route.h"
#include "tests/unit/unit.h"

#define REFUSED_FRAME(id, reason)                                              \
	"{\"type\":\"rpc_response\",\"id\":" id ",\"success\":false,"          \
	"\"error\":{\"message\":\"" reason "\"}}\n"

/* The table of handlers needs them; the broker cannot send them. */
void
relay_on_prepare(struct relay *relay, struct ipc_prepare *prepare)
{
}

void
relay_on_start(struct relay *relay, struct ipc_start *start)
{
}

void
relay_on_store(struct relay *relay, struct ipc_store *store)
{
}

void
relay_on_finish(struct relay *relay, struct ipc_finish *finish)
{
}

static int store_wanted; /* how often the supervisor was asked for the store */

static inline void
want_store(struct relay *relay)
{
	store_wanted++;
}

static int printed;        /* the code has printed something */
static struct buffer echoed; /* what became its output */

static inline int
play_echo(struct relay *relay, const char *text, size_t len)
{
	buffer_add(&echoed, text, len);
	return !printed;
}

static inline int
play_printed(struct relay *relay, const char *text, size_t len)
{
	return printed && len == 5 && memcmp(text, "a.png", len) == 0;
}

static inline int
play_show(struct relay *relay, const struct request_picture *picture,
    struct err *why)
{
	struct ipc_picture message;

	return pictures_take(relay, picture, &message, why);
}

static struct request_progress told; /* last */
static int tellings;

static inline void
play_tell(struct relay *relay, const struct request_progress *progress)
{
	told = *progress;
	tellings++;
}

static int
play_respond(struct relay *, struct ipc_response *)
{
	return 1;
}

static struct relay relay;
static int box_in; /* the box's end */
static int broker; /* the broker's end */
static int fds_before;
static struct ipc_packet packet;
static union ipc_any msg;
static struct buffer inbox; /* what the box has read behind the last line */

static inline void
open_calls(void)
{
	static const struct calls_ends ends = { want_store, relay_lose_store,
		{ play_echo, play_printed, play_show, play_tell,
		    play_respond } };
	int box[2], pair[2];

	signal(SIGPIPE, SIG_IGN);
	fds_before = unit_open_fds();
	relay.base = loop_new(0);
	relay.routes = ipc_routes;
	ck_assert_int_eq(pipe(box), 0);
	box_in = box[0];
	ck_assert_int_eq(fd_set_nonblock(box_in, 1, NULL), 0);
	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	broker = pair[0];
	relay.outbox = outbox_new(relay.base, &box[1]);
	relay.calls = calls_new(&relay, &ends);
	relay_meet_broker(&relay, &pair[1]);
	ck_assert_int_eq(pair[1], -1);
}

static inline void
close_calls(void)
{
	channel_free(&relay.broker);
	outbox_free(&relay.outbox);
	calls_free(&relay.calls);
	calls_free(&relay.calls); /* NULL is accepted */
	fd_close(&box_in);
	fd_close(&broker);
	event_base_free(relay.base);
	buffer_reset(&inbox);
	ck_assert_int_eq(unit_open_fds(), fds_before);
}

/* What is logged on purpose need not be read. */
static inline void
silence(void)
{
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

static inline void
settle(void)
{
	int n;

	for (n = 0; n < 4; n++)
		event_base_loop(relay.base, EVLOOP_NONBLOCK);
}

/* Returns what a frame with this id and payload comes to. */
static inline int
ask_with(uint64_t id, const char *payload, struct err *err)
{
	auto_free char *frame = mem_printf("{\"type\":\"rpc_request\","
	    "\"id\":%llu,\"payload\":%s}", (unsigned long long)id, payload);
	struct json_span span;

	ck_assert_msg(json_span_parse(frame, strlen(frame), &span, err) == 0,
	    "%s", err->text);
	return calls_request(relay.calls, span, err);
}

static inline void
ask(uint64_t id, const char *payload)
{
	struct err err;

	ck_assert_msg(ask_with(id, payload, &err) == 0, "%s", err.text);
	settle();
}

#define LIST_SERVERS "{\"type\":\"list_servers\"}"
#define CALL(tool, arguments)                                                  \
	"{\"type\":\"call_tool\",\"server\":\"fs\",\"tool\":" tool             \
	",\"arguments\":" arguments "}"

/* The next message to the broker, which must be there and of this type. */
static inline void
expect(enum ipc_type wanted)
{
	struct err err = { 0, "it has ended" };
	enum ipc_type type;

	settle();
	if (ipc_socket_receive(broker, &packet, &err) != 1 ||
	    ipc_decode(&packet, &type, &msg, &err) == -1)
		ck_abort_msg("%s does not come: %s",
		    ipc_message(wanted)->name, err.text);
	ck_assert_str_eq(ipc_message(type)->name, ipc_message(wanted)->name);
}

static inline void
expect_nothing(void)
{
	settle();
	ck_assert_int_eq(recv(broker, &msg, 1, MSG_PEEK | MSG_DONTWAIT), -1);
}

static inline void
send_message(enum ipc_type type, void *message)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, message, &packet, &err) == 0, "%s",
	    err.text);
	ck_assert_int_eq(ipc_socket_send(broker, &packet, &err), 0);
	ipc_packet_close(&packet);
	settle();
}

static inline void
answer(uint64_t id, const char *payload, size_t len)
{
	struct ipc_result result = { .id = id,
		.payload = { (const uint8_t *)payload, len, -1 } };

	send_message(IPC_RESULT, &result);
}

static inline void
answer_text(uint64_t id, const char *payload)
{
	answer(id, payload, strlen(payload));
}

static inline void
refuse(uint64_t id, const char *reason, const char *error)
{
	struct ipc_refused refused = { .id = id, .reason = reason,
		.error = { (const uint8_t *)error, strlen(error), -1 } };

	send_message(IPC_REFUSED, &refused);
}

/* The next line of the box, of whatever length. */
static inline void
read_line(struct buffer *line)
{
	char *newline = NULL;
	size_t searched = 0;
	ssize_t n;

	for (;;) {
		if (inbox.len > searched)
			newline = memchr(inbox.data + searched, '\n',
			    inbox.len - searched);
		if (newline != NULL)
			break;
		searched = inbox.len;
		n = read(box_in, buffer_reserve(&inbox, PIPE_CHUNK),
		    PIPE_CHUNK);
		if (n == 0 || (n == -1 && errno != EAGAIN))
			ck_abort_msg("the box is cut off");
		inbox.len += n > 0 ? (size_t)n : 0;
		settle();
	}
	buffer_add(line, inbox.data, (size_t)(newline + 1 - inbox.data));
	buffer_drop_front(&inbox, line->len);
}

static inline void
box_reads(const char *expected)
{
	auto_buffer struct buffer line = { 0 };

	read_line(&line);
	ck_assert_str_eq(line.data, expected);
}

/* All of this and nothing more. */
static inline void
box_reads_last(const char *expected)
{
	char c;

	box_reads(expected);
	settle();
	ck_assert_uint_eq(inbox.len, 0);
	ck_assert_int_eq(read(box_in, &c, 1), -1);
	ck_assert_int_eq(errno, EAGAIN);
}

/* Returns a JSON object of exactly len bytes, which the caller frees. */
static inline char *
make_object(size_t len)
{
	char *object = mem_alloc(len + 1);

	memset(object, 'x', len);
	memcpy(object, "{\"x\":\"", 6);
	memcpy(object + len - 2, "\"}", 2);
	return object;
}

#endif
