/*
 * Tests of relay/frames: what a box must say and what it is sent, byte for
 * byte, and that a box which says anything else, says it in pieces, does not
 * read or goes away is met with one sentence or with patience. Linked with
 * that file, member and outbox alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/json/json_span.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "common/base/utf8.h"
#include "relay/relay.h"
#include "tests/unit/unit.h"

#define READY   "{\"type\":\"ready\"}\n"
#define NOTE(text) "{\"type\":\"note\",\"text\":" text "}\n"
#define SERVERS "[{\"name\":\"fs\",\"n\":18446744073709551616}]"

/* The rest of the relay: records the calls of its functions. */
static struct buffer told;
static unsigned int readies;

static void
control_ended(struct relay *relay)
{
	buffer_add_text(&told, "end\n");
}

static void
code_ended(struct relay *relay, const struct frames_end *end)
{
	buffer_printf(&told, "code ended: %u, %u threads\n",
	    (unsigned int)end->exit, (unsigned int)end->threads);
}

static void
box_ready(struct relay *relay)
{
	readies++;
}

static void
code_sent(struct relay *relay)
{
	buffer_add_text(&told, "sent\n");
}

static void
fault(struct relay *relay, const char *reason)
{
	if (strlen(reason) > FAULT_REASON_MAX ||
	    !utf8_valid(reason, strlen(reason)))
		ck_abort_msg("no message can carry '%s'", reason);
	buffer_printf(&told, "fault: %s\n", reason);
}

static int complete; /* nothing more will come */

static int
is_complete(struct relay *relay)
{
	return complete;
}

static const struct frames_ends ends = { box_ready, code_sent, fault,
	is_complete, control_ended, code_ended };

/* A request whose id is 0 is a fault, as any would be. */
int
calls_request(struct calls *calls, struct json_span frame, struct err *err)
{
	struct json_span id;

	buffer_printf(&told, "request: %.*s\n", (int)frame.len, frame.p);
	if (json_span_get(frame, "id", &id) == 1 && id.p[0] == '0')
		return err_set(err, "a bad request");
	return 0;
}

int
calls_oversized(struct calls *calls, const struct line *line, struct err *err)
{
	buffer_printf(&told, "oversized: %.20s %zu\n", line->data, line->total);
	return 0;
}

int
calls_cancel(struct calls *calls, struct json_span frame, struct err *err)
{
	buffer_printf(&told, "cancel: %.*s\n", (int)frame.len, frame.p);
	return 0;
}

/* The box has pipes for its output. */
int
streams_take(struct relay *relay, struct json_span frame,
    struct json_span type, struct err *err)
{
	return 0;
}

int
streams_wait(const struct relay *relay)
{
	return 0;
}

static struct relay relay;
static struct frames *frames;
static int box_in, box_out; /* the box's ends */
static int session;         /* there may be further code */
static int fds_before;

static void
open_with(const char *code, size_t len, struct ipc_blob *servers)
{
	int in[2], out[2];

	/* As in the relay: writing to a box that is gone must not kill. */
	signal(SIGPIPE, SIG_IGN);
	relay.base = loop_new(0);
	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	box_out = in[1];
	box_in = out[0];
	buffer_add_text(&told, "");
	relay.outbox = outbox_new(relay.base, &out[1]);
	frames = frames_new(&relay, &in[0], &ends);
	if (code != NULL)
		frames_start(frames, &(struct frames_run){ .code = code,
		    .len = len, .session = session }, servers);
	ck_assert_int_eq(in[0], -1);
	ck_assert_int_eq(out[1], -1);
	ck_assert_int_eq(servers->fd, -1);
}

static void
open_frames(const char *code, size_t len)
{
	struct ipc_blob servers = { (const uint8_t *)SERVERS, strlen(SERVERS),
		-1 };

	fds_before = unit_open_fds();
	open_with(code, len, &servers);
}

static void
close_frames(void)
{
	frames_free(&frames);
	frames_free(&frames); /* NULL is accepted */
	outbox_free(&relay.outbox);
	notes_reset(&relay.notes);
	fd_close(&box_in);
	fd_close(&box_out);
	event_base_free(relay.base);
	buffer_reset(&told);
	ck_assert_int_eq(unit_open_fds(), fds_before);
}

/* Lets the relay do all it can. */
static void
settle(void)
{
	int n;

	for (n = 0; n < 4; n++)
		event_base_loop(relay.base, EVLOOP_NONBLOCK);
}

/* What the box says; a pipe takes that at once. */
static void
say(const char *data, size_t len)
{
	ck_assert_int_eq(write(box_out, data, len), (ssize_t)len);
	settle();
}

/* As say, for more than a pipe takes. */
static void
pour(const char *data, size_t len)
{
	size_t n, done;

	for (done = 0; done < len; done += n) {
		n = len - done < PIPE_CHUNK ? len - done : PIPE_CHUNK;
		say(data + done, n);
	}
}

/* Reads what the box is sent, in small pieces, up to a newline. */
static void
read_run(struct buffer *run)
{
	ssize_t n;
	char c;

	ck_assert_int_eq(fd_set_nonblock(box_in, 1, NULL), 0);
	do {
		event_base_loop(relay.base, EVLOOP_NONBLOCK);
		n = read(box_in, buffer_reserve(run, 5000), 5000);
		if (n > 0)
			run->len += (size_t)n;
		else if (n == 0 || errno != EAGAIN)
			ck_abort_msg("the run frame ends early");
	} while (run->len == 0 || run->data[run->len - 1] != '\n');
	buffer_add(run, "", 0); /* the NUL */
	settle();
	ck_assert_int_eq(read(box_in, &c, 1), -1);
}

/* The run frame */

#define RUN(code)                                                              \
	"{\"type\":\"run\",\"code\":" code ",\"servers\":" SERVERS "}\n"

static const struct {
	const char *code, *frame;
} runs[] = {
	{ "", RUN("\"\"") },
	{ "print('hi')\n", RUN("\"print('hi')\\n\"") },
	{ "\"\\\"\t\r\x01\x1f\x7f",
	    RUN("\"\\\"\\\\\\\"\\t\\r\\u0001\\u001f\x7f\"") },
	{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
	    RUN("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"") },
	/* One line for every reader of lines. */
	{ "a\xe2\x80\xa8" "b\xe2\x80\xa9", RUN("\"a\\u2028b\\u2029\"") },
	{ "\"}\n{\"type\":\"ready\"}\n",
	    RUN("\"\\\"}\\n{\\\"type\\\":\\\"ready\\\"}\\n\"") },
};

UNIT_TESTS(the_code_is_sent_when_ready, UNIT_COUNT(runs))
{
	auto_buffer struct buffer run = { 0 };
	char c;

	open_frames(runs[_i].code, strlen(runs[_i].code));
	settle();
	ck_assert_int_eq(fd_set_nonblock(box_in, 1, NULL), 0);
	ck_assert_int_eq(read(box_in, &c, 1), -1); /* not before */
	ck_assert_str_eq(told.data, "");
	say(READY, strlen(READY));
	read_run(&run);
	ck_assert_str_eq(run.data, runs[_i].frame);
	ck_assert_str_eq(told.data, "sent\n");
	close_frames();
}

/* The box may be ready long before there is code: READY is sent once. */
UNIT_TEST(a_ready_box_waits_for_code)
{
	struct ipc_blob servers = { (const uint8_t *)SERVERS, strlen(SERVERS),
		-1 };
	auto_buffer struct buffer run = { 0 };
	char c;

	open_frames(NULL, 0);
	say(READY, strlen(READY));
	ck_assert_uint_eq(readies, 1);
	ck_assert_int_eq(fd_set_nonblock(box_in, 1, NULL), 0);
	ck_assert_int_eq(read(box_in, &c, 1), -1);
	ck_assert_str_eq(told.data, "");
	frames_start(
	    frames, &(struct frames_run){ .code = "1", .len = 1 }, &servers);
	ck_assert_str_eq(told.data, "sent\n");
	read_run(&run);
	ck_assert_str_eq(run.data, RUN("\"1\""));
	ck_assert_uint_eq(readies, 1);
	close_frames();
}

/* What has no code yet can ask for nothing. */
UNIT_TEST(a_box_that_waits_may_not_ask)
{
	open_frames(NULL, 0);
	say(READY, strlen(READY));
	say("{\"type\":\"rpc_request\",\"id\":1}\n", 30);
	ck_assert_str_eq(told.data,
	    "fault: a request before the code was sent\nend\n");
	close_frames();
	open_frames(NULL, 0);
	say(READY, strlen(READY));
	say("{\"type\":\"cancel\",\"id\":1}\n", 25);
	ck_assert_str_eq(told.data,
	    "fault: a frame of an unknown type\nend\n");
	close_frames();
}

/* What the box says */

static const struct {
	const char *said, *told;
} talks[] = {
	{ "{\"type\":\"ready\"}\n", "sent\n" },
	{ " { \"pid\" : 1 , \"type\" : \"re\\u0061dy\" } \r\n", "sent\n" },
	{ "{\"type\":\"ready\"}\n{\"type\":\"ready\"}\n",
	    "sent\nfault: a second ready frame\nend\n" },
	{ "{\"type\":\"ready\"}\n\n", "sent\nfault: a frame that is not JSON: "
	    "the text is empty where a value should be, at byte 1\nend\n" },
	{ "\n", "fault: a frame that is not JSON: the text is empty where a "
	    "value should be, at byte 1\nend\n" },
	{ "garbage\n", "fault: a frame that is not JSON: 'g' where a value "
	    "should be, at byte 1\nend\n" },
	{ "\x1b[2J\n", "fault: a frame that is not JSON: 0x1b where a value "
	    "should be, at byte 1\nend\n" },
	{ "{\"type\":\"ready\"\n", "fault: a frame that is not JSON: the text "
	    "ends where a comma or } should be, at byte 16\nend\n" },
	{ "{\"type\":\"ready\",\"x\":\"\xff\"}\n", "fault: a frame that is "
	    "not JSON: bytes that are not UTF-8 at byte 22\nend\n" },
	{ "{\"type\":\"ready\"} {}\n", "fault: a frame that is not JSON: '{' "
	    "where the end should be, at byte 18\nend\n" },
	/* JSON that is not an object killed the reader of an earlier system. */
	{ "[]\n", "fault: a frame without a type\nend\n" },
	{ "1\n", "fault: a frame without a type\nend\n" },
	{ "null\n", "fault: a frame without a type\nend\n" },
	{ "\"ready\"\n", "fault: a frame without a type\nend\n" },
	{ "{}\n", "fault: a frame without a type\nend\n" },
	{ "{\"Type\":\"ready\"}\n", "fault: a frame without a type\nend\n" },
	{ "{\"type\":\"ready\",\"type\":\"ready\"}\n",
	    "fault: a frame without a type\nend\n" },
	{ "{\"type\":1}\n",
	    "fault: a frame of an unknown type\nend\n" },
	{ "{\"type\":null}\n",
	    "fault: a frame of an unknown type\nend\n" },
	{ "{\"type\":\"ready \"}\n",
	    "fault: a frame of an unknown type\nend\n" },
	{ "{\"type\":\"rpc_request\",\"id\":1}\n",
	    "fault: a request before the code was sent\nend\n" },
	{ READY "{\"type\":\"rpc_request\",\"id\":1}\n",
	    "sent\nrequest: {\"type\":\"rpc_request\",\"id\":1}\n" },
	{ READY "{\"type\":\"rpc_request\",\"id\":0}\n{}\n",
	    "sent\nrequest: {\"type\":\"rpc_request\",\"id\":0}\n"
	    "fault: a bad request\nend\n" },
	/* No carriage return goes on; an escaped one does. */
	{ READY " \r{\"type\"\r:\r\"rpc_request\",\"id\":[\r\"\\r\"]}\r\n",
	    "sent\nrequest: {\"type\" : \"rpc_request\",\"id\":[ \"\\r\"]}"
	    "\n" },
	{ READY "{\"type\":\"rpc_request\",\"type\":\"rpc_request\"}\n",
	    "sent\nfault: a frame without a type\nend\n" },
	{ READY "{\"type\":\"rpc_response\",\"id\":1}\n",
	    "sent\nfault: a frame of an unknown type\nend\n" },
	{ "{\"type\":\"cancel\",\"id\":1}\n",
	    "fault: a frame of an unknown type\nend\n" },
	{ READY "{\"type\":\"cancel\",\"id\":1}\n",
	    "sent\ncancel: {\"type\":\"cancel\",\"id\":1}\n" },
	{ NOTE("\"x\""), "fault: a frame of an unknown type\nend\n" },
	{ READY NOTE("1"),
	    "sent\nfault: a note without a valid \"text\"\nend\n" },
	{ READY NOTE("\"\""),
	    "sent\nfault: a note without a valid \"text\"\nend\n" },
	{ READY NOTE("\"\\ud800\""),
	    "sent\nfault: a note without a valid \"text\"\nend\n" },
	{ READY NOTE("\"x\",\"once\":1"),
	    "sent\nfault: a note with an invalid \"once\"\nend\n" },
	{ READY NOTE("\"x\",\"text\":\"y\""),
	    "sent\nfault: a note without a valid \"text\"\nend\n" },
	/* Forged conclusions are just more types that do not exist. */
	{ "{\"type\":\"ready\"}\n{\"type\":\"done\",\"exit\":0}\n",
	    "sent\nfault: a frame of an unknown type\nend\n" },
	/* No newline: nothing was said yet. */
	{ "{\"type\":\"ready\"}", "" },
	{ "garbage", "" },
};

/* The same in a session. */
#define ENDED                                                                  \
	"{\"type\":\"ended\",\"program\":1,"                                   \
	"\"exit\":3,\"threads\":2}\n"
#define TOLD  "sent\ncode ended: 3, 2 threads\n"

static const struct {
	const char *said, *told;
} session_talks[] = {
	{ READY ENDED, TOLD },
	{ READY "{\"threads\":2,\"more\":{},\"program\":1,\"exit\":3,"
	    "\"type\":\"ended\"}\n", TOLD },
	{ READY "{\"type\":\"ended\",\"program\":1,"
	    "\"exit\":255,\"threads\":1000000}\n",
	    "sent\ncode ended: 255, 1000000 threads\n" },
	/* There is an end of code that runs only. */
	{ ENDED, "fault: an end of code where none is kept\nend\n" },
	{ READY ENDED ENDED,
	    TOLD "fault: an end of code where none is kept\nend\n" },
	{ READY ENDED "{\"type\":\"rpc_request\",\"id\":1}\n",
	    TOLD "fault: a request after the end of the code\nend\n" },
	{ READY ENDED "{\"type\":\"cancel\",\"id\":1}\n",
	    TOLD "fault: a frame of an unknown type\nend\n" },
	{ READY ENDED READY, TOLD "fault: a second ready frame\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":1}\n",
	    "sent\nfault: an end of code with an invalid \"exit\"\nend\n" },
	/* Of code that has ended already, and of code to come. */
	{ READY "{\"type\":\"ended\",\"program\":0,\"exit\":1,"
	    "\"threads\":0}\n",
	    "sent\nfault: an end of code that does not run\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":2,\"exit\":1,"
	    "\"threads\":0}\n",
	    "sent\nfault: an end of code that does not run\nend\n" },
	{ READY "{\"type\":\"ended\",\"exit\":1,\"threads\":0}\n",
	    "sent\nfault: an end of code that does not run\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":1,"
	    "\"exit\":256,\"threads\":0}\n",
	    "sent\nfault: an end of code with an invalid \"exit\"\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":1,"
	    "\"exit\":-1,\"threads\":0}\n",
	    "sent\nfault: an end of code with an invalid \"exit\"\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":1,"
	    "\"exit\":1,\"exit\":1,\"threads\":0}\n",
	    "sent\nfault: an end of code with an invalid \"exit\"\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":1,"
	    "\"exit\":1}\n",
	    "sent\nfault: an end of code with an invalid \"threads\"\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":1,"
	    "\"exit\":1,\"threads\":1000001}\n",
	    "sent\nfault: an end of code with an invalid \"threads\"\nend\n" },
	{ READY "{\"type\":\"ended\",\"program\":1,"
	    "\"exit\":1,\"threads\":true}\n",
	    "sent\nfault: an end of code with an invalid \"threads\"\nend\n" },
};

/* Each is one line; too many are counted, and too long ones are cut. */
UNIT_TEST(notes_are_cleaned_and_bounded)
{
	auto_buffer struct buffer text = { 0 }, wanted = { 0 };
	struct ipc_bytes notes;
	int n;

	open_frames("x", 1);
	say(READY, strlen(READY));
	notes = notes_told(&relay.notes);
	ck_assert_uint_eq(notes.len, 0);
	buffer_add_text(&text,
	    NOTE("\"a\\nb\\tc\\u001b\\u0000\\u202e\xc3\xa9\""));
	buffer_printf(&text, "{\"type\":\"note\",\"text\":\"%0700d\"}\n", 0);
	for (n = 0; n < NOTES_MAX; n++)
		buffer_add_text(&text, NOTE("\"same\",\"once\":\"a\\nb\""));
	say(text.data, text.len);
	ck_assert_str_eq(told.data, "sent\n");
	text_list_add(&wanted, "");
	buffer_add_text(&wanted, "a b c\\x1b\\x00\\u202e\xc3\xa9");
	buffer_add(&wanted, "\0", 2);
	buffer_printf(&wanted, "%0*d...", NOTE_MAX, 0);
	buffer_add(&wanted, "", 1);
	for (n = 2; n < NOTES_MAX; n++) {
		text_list_add(&wanted, "a b");
		text_list_add(&wanted, "same");
	}
	text_list_add(&wanted, "");
	text_list_add(&wanted, "2 further notes are left out");
	notes = notes_told(&relay.notes);
	ck_assert_uint_eq(notes.len, wanted.len);
	ck_assert_mem_eq(notes.data, wanted.data, wanted.len);
	ck_assert_uint_le(notes.len, NOTES_BYTES_MAX);
	close_frames();
	/* The text of a frame is bounded, too. */
	buffer_reset(&text);
	buffer_printf(&text, READY "{\"type\":\"note\",\"text\":\"%0*d\"}\n",
	    (int)NOTE_FRAME_MAX, 0);
	open_frames("x", 1);
	pour(text.data, text.len);
	ck_assert_str_eq(told.data,
	    "sent\nfault: a note without a valid \"text\"\nend\n");
	close_frames();
}

UNIT_TESTS(ends_of_code_are_checked, UNIT_COUNT(session_talks))
{
	const char *said = session_talks[_i].said;
	size_t n;

	session = 1;
	open_frames("x", 1);
	say(said, strlen(said));
	ck_assert_str_eq(told.data, session_talks[_i].told);
	close_frames();
	open_frames("x", 1);
	for (n = 0; n < strlen(said) && write(box_out, said + n, 1) == 1; n++)
		settle();
	ck_assert_str_eq(told.data, session_talks[_i].told);
	close_frames();
	session = 0;
	/* A box that is to run one code only has no such frame. */
	open_frames("x", 1);
	say(READY ENDED, strlen(READY ENDED));
	ck_assert_str_eq(told.data,
	    "sent\nfault: an end of code where none is kept\nend\n");
	close_frames();
}

UNIT_TESTS(frames_are_checked, UNIT_COUNT(talks))
{
	const char *said = talks[_i].said;
	size_t n;

	open_frames("x", 1);
	say(said, strlen(said));
	ck_assert_str_eq(told.data, talks[_i].told);
	if (strstr(told.data, "fault") != NULL) {
		/* No reader is left. */
		ck_assert_int_eq(write(box_out, "x", 1), -1);
		ck_assert_int_eq(errno, EPIPE);
	}
	close_frames();
	/* The same in pieces, of which it hears as many as are enough. */
	open_frames("x", 1);
	for (n = 0; n < strlen(said) && write(box_out, said + n, 1) == 1; n++)
		settle();
	ck_assert_str_eq(told.data, talks[_i].told);
	close_frames();
}

/* One byte more than a frame may have is too much, however it comes. */
UNIT_TESTS(frames_are_bounded, 2)
{
	size_t len = FRAME_MAX + (size_t)_i;
	auto_free char *frame = mem_alloc(len + 1);

	memset(frame, ' ', len);
	memcpy(frame, READY, strlen(READY) - 1);
	frame[len] = '\n';
	open_frames("x", 1);
	pour(frame, len + 1);
	ck_assert_str_eq(told.data, _i == 0 ? "sent\n" :
	    "fault: a frame of 16785409 bytes\nend\n");
	close_frames();
}

/* Boxes that end */

static const struct {
	const char *said, *told;
} deaths[] = {
	{ "", "end\n" },
	{ READY, "sent\nend\n" },
	{ "{\"type\":\"rea", "end\n" },
	{ READY "{\"type\":", "sent\nend\n" },
	{ "[]\n", "fault: a frame without a type\nend\n" },
};

/* Both ends of the box close at once, with much of the code unread. */
UNIT_TESTS(a_box_may_end, UNIT_COUNT(deaths))
{
	auto_free char *code = mem_alloc(MIB);

	memset(code, 'x', MIB);
	open_frames(code, MIB);
	say(deaths[_i].said, strlen(deaths[_i].said));
	fd_close(&box_out);
	fd_close(&box_in);
	/* Returns only when nothing is waited for any more. */
	event_base_dispatch(relay.base);
	ck_assert_str_eq(told.data, deaths[_i].told);
	close_frames();
}
