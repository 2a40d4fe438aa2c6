/*
 * Tests of supervisor/box/shared/runtime: how code has ended is as its box
 * reports, and without a report as its client tells.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/process_one.h"
#include "supervisor/box/box.h"
#include "tests/unit/unit.h"

#define CLAIM(how, number, oom)                                                \
	{ .end = BOX_CLAIM_##how, .status = number, .memory = oom }

static const struct {
	struct box_claim claim;
	int status; /* of the client */
	int exited, ended;
	enum box_cause cause;
} ends[] = {
	{ CLAIM(EXIT, 0, 0), 0, 1, 0, BOX_CAUSE_CODE },
	/* Its client may have failed behind it, or not have ended. */
	{ CLAIM(EXIT, 3, 0), 125, 1, 3, BOX_CAUSE_CODE },
	{ CLAIM(EXIT, 137, 0), 0, 1, 137, BOX_CAUSE_CODE },
	{ CLAIM(SIGNAL, 9, 0), 0, 0, 9, BOX_CAUSE_CODE },
	{ CLAIM(SIGNAL, 64, 0), -1, 0, 64, BOX_CAUSE_CODE },
	{ CLAIM(SIGNAL, 9, 1), 137, 0, 9, BOX_CAUSE_MEMORY },
	/* A process was killed for lack of memory, but not the code. */
	{ CLAIM(EXIT, 1, 1), 1, 1, 1, BOX_CAUSE_CODE },
	{ CLAIM(SIGNAL, 15, 1), 143, 0, 15, BOX_CAUSE_CODE },
	/* The whole box was killed. */
	{ CLAIM(NONE, 0, 0), 137, 0, 9, BOX_CAUSE_UNTOLD },
	{ CLAIM(NONE, 0, 0), 143, 0, 15, BOX_CAUSE_CODE },
};

UNIT_EACH(settles_the_end, UNIT_COUNT(ends))
{
	struct box_end end = { .cpu_us = 7 };

	box_claim_settle(&ends[_i].claim, ends[_i].status, &end);
	ck_assert_int_eq(end.exited, ends[_i].exited);
	ck_assert_int_eq(
	    end.exited ? end.exit_code : end.signal, ends[_i].ended);
	ck_assert_int_eq((int)end.cause, (int)ends[_i].cause);
	ck_assert_uint_eq(end.cpu_us, 7);
}

static const struct {
	struct box_claim claim;
	const char *shown;
} marks[] = {
	{ CLAIM(NONE, 0, 0), "" },
	{ CLAIM(EXIT, 0, 0), PROCESS_ONE_EXIT "000\n" },
	{ CLAIM(EXIT, 255, 0), PROCESS_ONE_EXIT "255\n" },
	{ CLAIM(SIGNAL, 9, 0), PROCESS_ONE_SIGNAL "009\n" },
	{ CLAIM(SIGNAL, 9, 1), PROCESS_ONE_MEMORY "009\n" },
};

/* What was taken for the mark of an end is shown as it was printed. */
UNIT_EACH(shows_marks, UNIT_COUNT(marks))
{
	const char *shown = marks[_i].shown;
	struct call_stream whole = { mem_dup("in", 2), 2, 2, 0 };
	struct call_stream cut = { mem_dup("in", 2), 2, 1, 7 };
	struct call_stream none = { NULL, 0, 0, 0 };

	box_claim_show(&marks[_i].claim, &whole);
	box_claim_show(&marks[_i].claim, &cut);
	box_claim_show(&marks[_i].claim, &none);
	ck_assert_uint_eq(whole.len, 2 + strlen(shown));
	ck_assert_mem_eq(whole.data, "in", 2);
	ck_assert_mem_eq(whole.data + 2, shown, strlen(shown));
	ck_assert_uint_eq(whole.head, whole.len);
	ck_assert_uint_eq(cut.len, whole.len);
	ck_assert_uint_eq(cut.head, 1);
	ck_assert_uint_eq(none.len, strlen(shown));
	free(whole.data);
	free(cut.data);
	free(none.data);
}
