/*
 * Tests of supervisor/on_relay: what a relay says of the output is checked
 * before it is believed, and the rest is passed on in our own words. The box
 * is a stand-in.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/box/box.h"
#include "supervisor/box/shared/language.h"
#include "common/base/buffer.h"
#include "supervisor/handlers.h"
#include "tests/unit/unit.h"
#include "supervisor/process/process.h"

/* As the options allow: repaired, a stream may have three times as much. */
#define MAX_OUTPUT (512 * KIB)

#define TOOL_CALLS (UINT64_MAX / 2)

/* The box: records the events that it gets. */
static struct buffer told;
static struct call_stream told_out, told_errors;

static struct box box;

static void
hear(struct box *heard, enum box_event event, const struct box_told *with)
{
	static const char *const names[BOX_EVENTS] = {
		[BOX_ON_ASKED] = "ready", [BOX_ON_RUNNING] = "running",
		[BOX_ON_PROGRESS] = "progress", [BOX_ON_DRAINED] = "drained",
	};

	ck_assert_ptr_eq(heard, &box);
	if (event == BOX_ON_FAILED) {
		buffer_printf(&told, "fail: %s\n", with->failure);
		free(with->failure);
		return;
	}
	buffer_printf(&told, "%s\n", names[event]);
	if (event != BOX_ON_DRAINED)
		return;
	if (with->calls->waiting != NULL)
		buffer_printf(&told, "waiting: %s\n", with->calls->waiting);
	if (with->calls->told != NULL)
		buffer_printf(&told, "calls: %s\n", with->calls->told);
	ck_assert_uint_eq(with->calls->tool_calls, TOOL_CALLS);
	box_calls_reset(with->calls);
	told_out = *with->out;
	told_errors = *with->errors;
}

void
box_on_store_wanted(struct box *wanting)
{
	ck_assert_ptr_eq(wanting, &box);
	buffer_add_text(&told, "store wanted\n");
}

static struct options options = { .max_output = MAX_OUTPUT };
static struct boxes boxes = { .options = &options, .report = hear };
static const struct language usual = { .name = "python" };
static struct box box = { .boxes = &boxes, .language = &usual,
	.limits = &options };

static void
forget(void)
{
	buffer_reset(&told);
	free(mem_take(&told_out.data));
	free(mem_take(&told_errors.data));
}

/* A stream in a DONE message. */
struct stream {
	const char *text;
	uint64_t head, dropped;
};

static struct ipc_blob
inline_blob(const char *text)
{
	return (struct ipc_blob){ (const uint8_t *)text, strlen(text), -1 };
}

static void
send_done(const struct stream *out, const struct stream *errors)
{
	struct ipc_done done = { .out = inline_blob(out->text),
		.out_head = out->head,
		.out_dropped = out->dropped,
		.errors = inline_blob(errors->text),
		.errors_head = errors->head,
		.errors_dropped = errors->dropped,
		.tool_calls = TOOL_CALLS };

	supervisor_on_done(&box, &done);
}

static void
is_stream(const struct call_stream *found, const struct stream *wanted)
{
	ck_assert_uint_eq(found->len, strlen(wanted->text));
	ck_assert_mem_eq(found->data, wanted->text, found->len);
	ck_assert_uint_eq(found->head, wanted->head);
	ck_assert_uint_eq(found->dropped, wanted->dropped);
}

/* Streams */

static const struct stream fine = { "fine", 4, 0 };

static const struct stream good[] = {
	{ "", 0, 0 },
	{ "all", 3, 0 },
	{ "caf\xc3\xa9", 5, 0 },
	{ "headtail", 4, 1 },
	{ "tail", 0, 1 },
	{ "head", 4, UINT64_MAX / 2 },
	{ "", 0, 9 },
	{ "\xc3\xa9\xc3\xa9", 2, 1 },
};

UNIT_TESTS(believes_good_streams, 2 * UNIT_COUNT(good))
{
	const struct stream *out = _i % 2 ? &good[_i / 2] : &fine;
	const struct stream *errors = _i % 2 ? &fine : &good[_i / 2];

	send_done(out, errors);
	ck_assert_str_eq(told.data, "drained\n");
	is_stream(&told_out, out);
	is_stream(&told_errors, errors);
	forget();
}

#define OUTSIDE                                                                \
	"fail: protocol violation by the relay: a cut outside of the output\n"
#define NO_UTF8                                                                \
	"fail: protocol violation by the relay: output that is not UTF-8\n"

static const struct {
	struct stream stream;
	const char *told;
} bad[] = {
	{ { "abc", 4, 1 }, OUTSIDE },
	{ { "abc", UINT64_MAX / 2, 1 }, OUTSIDE },
	{ { "", 1, 0 }, OUTSIDE },
	{ { "abc", 2, 0 }, OUTSIDE }, /* a cut where nothing is missing */
	{ { "abc", 0, 0 }, OUTSIDE },
	{ { "a\xff", 2, 0 }, NO_UTF8 },
	{ { "a\xff", 1, 1 }, NO_UTF8 },
	{ { "\xed\xa0\x80", 3, 0 }, NO_UTF8 },
	{ { "\xc3\xa9", 1, 1 }, NO_UTF8 }, /* a cut through a character */
};

UNIT_TESTS(refuses_bad_streams, 2 * UNIT_COUNT(bad))
{
	const struct stream *out = _i % 2 ? &bad[_i / 2].stream : &fine;
	const struct stream *errors = _i % 2 ? &fine : &bad[_i / 2].stream;
	auto_free char *expected = mem_printf("%sdrained\n", bad[_i / 2].told);

	send_done(out, errors);
	ck_assert_str_eq(told.data, expected);
	/* Nothing of it is kept, also of the stream that was good. */
	ck_assert_ptr_null(told_out.data);
	ck_assert_ptr_null(told_errors.data);
	ck_assert_uint_eq(told_out.len + told_errors.len, 0);
	forget();
}

/* Large ones come in a memfd, which the message owns. */
static void
send_large(size_t len)
{
	auto_free char *data = mem_alloc(len + 1);
	struct stream large = { data, len, 0 };
	struct ipc_done done = { .out = { NULL, len, -1 }, .out_head = len,
		.errors = inline_blob("fine"), .errors_head = 4,
		.tool_calls = TOOL_CALLS };

	memset(data, 'x', len);
	done.out.fd = memfd_create("test", MFD_CLOEXEC);
	ck_assert_int_eq(fd_write_all(done.out.fd, data, len), 0);
	supervisor_on_done(&box, &done);
	if (told_out.data != NULL)
		is_stream(&told_out, &large);
	fd_close(&done.out.fd);
}

static const struct {
	const char *text;
	size_t len;
	const char *told;
} lists[] = {
	{ "", 0, "drained\n" },
	{ "fs.read (3 s)", 13, "drained\nwaiting: fs.read (3 s)\n"
	    "calls: fs.read (3 s)\n" },
	{ "\xc3\xa9", 2, "drained\nwaiting: \xc3\xa9\ncalls: \xc3\xa9\n" },
	{ "\xff", 1, "fail: protocol violation by the relay: calls that are "
	    "not text\ndrained\n" },
	{ "a\0b", 3, "fail: protocol violation by the relay: calls that are "
	    "not text\ndrained\n" },
};

UNIT_TESTS(reads_lists_of_calls, UNIT_COUNT(lists))
{
	struct ipc_done done = { .out = inline_blob("x"), .out_head = 1,
		.errors = inline_blob("y"), .errors_head = 1,
		.tool_calls = TOOL_CALLS,
		.calls = { (const uint8_t *)lists[_i].text, lists[_i].len } };

	/* A wrong list of calls alone is refused, too. */
	if (lists[_i].told[0] != 'f')
		done.waiting = done.calls;
	supervisor_on_done(&box, &done);
	ck_assert_str_eq(told.data, lists[_i].told);
	forget();
}

static const struct {
	const char *text;
	size_t len;
	const char *told;
} notes[] = {
	{ "", 0, "drained\n" },
	{ "\0one\0fs\0tw\xc3\xb6\0", 13, "drained\n" },
	{ "a\0one", 5, "fail: protocol violation by the relay: notes that are "
	    "no list of pairs\ndrained\n" },
	{ "one\0", 4, "fail: protocol violation by the relay: notes that are "
	    "no list of pairs\ndrained\n" },
	{ "\0\xff\0", 3, "fail: protocol violation by the relay: notes that "
	    "are no list of pairs\ndrained\n" },
	{ "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 36,
	    "fail: protocol violation by the relay: notes that are no list of "
	    "pairs\ndrained\n" },
	{ "\0a\nb\0", 5, "fail: protocol violation by the relay: a note that "
	    "cannot be shown\ndrained\n" },
};

UNIT_TESTS(reads_notes, UNIT_COUNT(notes))
{
	struct ipc_done done = { .out = inline_blob("x"), .out_head = 1,
		.errors = inline_blob("y"), .errors_head = 1,
		.tool_calls = TOOL_CALLS,
		.notes = { (const uint8_t *)notes[_i].text, notes[_i].len } };

	supervisor_on_done(&box, &done);
	ck_assert_str_eq(told.data, notes[_i].told);
	ck_assert_uint_eq(box.output.notes.len, _i < 2 ? notes[_i].len : 0);
	buffer_reset(&box.output.notes);
	forget();
}

/* The report of a box with three descriptors, and why one did not start. */
static const struct {
	uint64_t end, status, memory, cpu, peak;
	const char *errors;
	const char *told;
} reports[] = {
	{ 0, 0, 0, 0, 0, "", "drained\n" },
	{ BOX_CLAIM_EXIT, 255, 0, 7, 9, "", "drained\n" },
	{ BOX_CLAIM_SIGNAL, 9, 1, 0, 0, "", "drained\n" },
	{ 0, 0, 0, 0, 0, "no image \xc3\xa9\n", "drained\n" },
	{ 0, 1, 0, 0, 0, "", "fail: protocol violation by the relay: a status "
	    "without an end\ndrained\n" },
	{ 0, 0, 1, 0, 0, "", "fail: protocol violation by the relay: a status "
	    "without an end\ndrained\n" },
	{ 0, 0, 0, 0, 1, "", "fail: protocol violation by the relay: a status "
	    "without an end\ndrained\n" },
	{ 0, 0, 0, 0, 0, "\xff", "fail: protocol violation by the relay: "
	    "errors that are not UTF-8\ndrained\n" },
};

UNIT_TESTS(reads_reports, UNIT_COUNT(reports))
{
	const char *errors = reports[_i].errors;
	struct ipc_done done = { .out = inline_blob("x"), .out_head = 1,
		.errors = inline_blob("y"), .errors_head = 1,
		.tool_calls = TOOL_CALLS,
		.end = reports[_i].end, .end_status = reports[_i].status,
		.end_memory = reports[_i].memory,
		.cpu_us = reports[_i].cpu, .peak_kib = reports[_i].peak,
		.start_errors = { (const uint8_t *)errors, strlen(errors) } };

	supervisor_on_done(&box, &done);
	ck_assert_str_eq(told.data, reports[_i].told);
	if (told.data[0] == 'd') {
		ck_assert_uint_eq(box.claim.end, reports[_i].end);
		ck_assert_uint_eq(
		    (uint64_t)box.claim.status, reports[_i].status);
		ck_assert_uint_eq(
		    (uint64_t)box.claim.memory, reports[_i].memory);
		ck_assert_uint_eq(box.claim.cpu_us, reports[_i].cpu);
		ck_assert_uint_eq(box.claim.peak_kib, reports[_i].peak);
		if (errors[0] != '\0')
			ck_assert_str_eq(box.claim.errors, errors);
		else
			ck_assert_ptr_null(box.claim.errors);
	}
	free(mem_take(&box.claim.errors));
	forget();
}

/* What is an image tells its end by marks only. */
UNIT_TESTS(refuses_an_end_without_marks, 2)
{
	static const struct language image = { .name = "ruby", .image = "x" };
	struct ipc_done done = { .out = inline_blob("x"), .out_head = 1,
		.errors = inline_blob("y"), .errors_head = 1,
		.tool_calls = TOOL_CALLS, .end = BOX_CLAIM_EXIT };

	box.language = &image;
	box.how = _i ? BOX_SENTINELS : 0;
	supervisor_on_done(&box, &done);
	box.language = &usual;
	box.how = 0;
	ck_assert_str_eq(told.data, _i ? "drained\n" :
	    "fail: protocol violation by the relay: the end of a box that does "
	    "not tell it\ndrained\n");
	forget();
}

/* No more than the relay was to keep. */
UNIT_TEST(refuses_larger_streams)
{
	send_large(3 * MAX_OUTPUT + 1);
	ck_assert_str_eq(told.data, "fail: protocol violation by the relay: "
	    "more output than it may keep\ndrained\n");
	ck_assert_ptr_null(told_out.data);
	forget();
}

/* The rest */

/* Kept, and the relay ends where it may not send one. */
UNIT_TESTS(keeps_pictures, 3)
{
	struct ipc_picture picture = { .title = "A",
		.data = inline_blob(_i == 1 ? "QUJ" : "QUJD") };
	struct ipc_place place = { .at = _i == 2 ? 2 : 1 };
	static const char *const failures[] = { "drained\n",
		("fail: protocol violation by the relay: a picture that is "
		    "not base64\nfail: protocol violation by the relay: an "
		    "unknown place of a picture\ndrained\n"),
		("fail: protocol violation by the relay: a picture outside of "
		"the output\ndrained\n") };
	struct ipc_done done = { .out = inline_blob("x"), .out_head = 1,
		.errors = inline_blob("y"), .errors_head = 1,
		.tool_calls = TOOL_CALLS };

	supervisor_on_picture(&box, &picture);
	supervisor_on_place(&box, &place);
	supervisor_on_done(&box, &done);
	ck_assert_str_eq(told.data, failures[_i]);
	pictures_reset(&box.output.pictures);
	forget();
}

/* The owner of the box hears of it, unless the relay may not tell it. */
UNIT_TESTS(takes_a_preview, 2)
{
	struct ipc_preview preview = { .text = { (const uint8_t *)"a", 1 } };

	progress_begin(&box.output.progress, _i);
	supervisor_on_preview(&box, &preview);
	ck_assert_str_eq(told.data, _i == 1 ? "progress\n" :
	    "fail: protocol violation by the relay: output that was not "
	    "asked for\n");
	progress_reset(&box.output.progress);
}

UNIT_TESTS(takes_progress, 2)
{
	struct ipc_progress progress = { .done = 5, .text = "a" };

	progress_begin(&box.output.progress, _i);
	supervisor_on_progress(&box, &progress);
	ck_assert_str_eq(told.data, _i == 1 ? "progress\n" :
	    "fail: protocol violation by the relay: progress that was not "
	    "asked for\n");
	ck_assert_int_eq(box.output.progress.fresh, _i);
	progress_reset(&box.output.progress);
	forget();
}
