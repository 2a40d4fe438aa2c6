/*
 * Tests of supervisor/box/box: a relay ends each code of a session once, and
 * what its process does to its pipes. The runtime is a stand-in without
 * processes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/loop.h"
#include "supervisor/box/box.h"
#include "supervisor/handlers.h"
#include "tests/unit/unit.h"

static uint64_t
used_us(const struct box *box)
{
	return 0;
}

static void
clear(struct box *box)
{
}

static void
on_changed(void *ctx)
{
}

static struct ipc_blob
blob(const char *text)
{
	return (struct ipc_blob){ (const uint8_t *)text, strlen(text), -1 };
}

static void
send_end(struct box *box, const char *text)
{
	struct ipc_program_ended ended = { .out = blob(text),
		.out_head = strlen(text), .errors = blob("") };

	supervisor_on_program_ended(box, &ended);
}

static const struct runtime_sessions sessions = { .used_us = used_us,
	.clear = clear };
static const struct runtime runtime = { .sessions = &sessions };
static const struct options options = { .max_output = KIB,
	.runtime = (char *)"native" };

/* A box of a session whose code runs, and its end. */
static void
begin(struct boxes *boxes, struct box *box)
{
	boxes_init(boxes, event_base_new(), &options);
	boxes->runtime = &runtime;
	*box = (struct box){ .boxes = boxes,
		.limits = &options,
		.how = BOX_SESSION,
		.phase = BOX_RUNNING,
		.changed = on_changed,
		.timer = evtimer_new(boxes->base, NULL, NULL) };
}

static void
finish(struct boxes *boxes, struct box *box)
{
	box_output_reset(&box->output);
	free(box->failure);
	event_free(box->timer);
	event_base_free(boxes->base);
}

UNIT_TEST(a_second_end_of_code_is_a_violation)
{
	struct boxes boxes = { 0 };
	struct box box;

	begin(&boxes, &box);
	send_end(&box, "first");
	ck_assert_int_eq(box.phase, BOX_RESTING);
	/* The box is being ended, but its relay goes on. */
	box_end(&box);
	ck_assert_int_eq(box.phase, BOX_ENDING);
	ck_assert_ptr_null(box.failure);
	send_end(&box, "second");
	ck_assert_str_eq(box.failure, "protocol violation by the relay: it "
	    "reports the end of code that does not run");
	ck_assert_str_eq(box.output.out.data, "first");
	finish(&boxes, &box);
}

/* Its relay has time while a pipe of its output has bytes, and once more. */
UNIT_TEST(a_slow_reader_is_waited_for)
{
	struct boxes boxes = { 0 };
	struct box box;
	struct box_streams streams;
	int out[2], i;

	ck_assert_int_eq(pipe(out), 0);
	streams = (struct box_streams){ out[1], out[1] };
	begin(&boxes, &box);
	box.known = BOX_HAS_STATUS;
	box.launch.phase = BOX_LAUNCH_OVER;
	box.relay.streams = &streams;
	box_end(&box);
	ck_assert_int_eq(write(out[1], "x", 1), 1);
	for (i = 0; i < 4; i++) {
		if (i == 2)
			ck_assert_int_eq(read(out[0], &(char){ 0 }, 1), 1);
		ck_assert_ptr_null(box.failure);
		box_report(&box, BOX_ON_TIME, NULL);
	}
	ck_assert_str_eq(box.failure, "the code has ended, but its relay did "
	    "not pass on the output in time");
	close(out[0]);
	close(out[1]);
	finish(&boxes, &box);
}

/* Threads may close them while the process stays: it would never get code. */
UNIT_TEST(a_session_without_pipes_ends)
{
	struct ipc_done done = { .out = blob(""), .errors = blob("") };
	struct boxes boxes = { 0 };
	struct box box;

	begin(&boxes, &box);
	send_end(&box, "first");
	supervisor_on_done(&box, &done);
	ck_assert_int_eq(box.phase, BOX_ENDING);
	ck_assert(box_knows(&box, BOX_HAS_LEFTOVERS));
	box_report(&box, BOX_ON_TIME, NULL);
	ck_assert(!box_knows(&box, BOX_HAS_LEFTOVERS));
	ck_assert_str_eq(box.output.out.data, "first");
	finish(&boxes, &box);
}
