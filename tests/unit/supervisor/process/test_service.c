/*
 * Tests of supervisor/process/service: when what a worker was asked is asked
 * again, and when it is started again.
 */
#include <errno.h>
#include <string.h>

#include "common/limits.h"
#include "tests/unit/unit.h"
#include "supervisor/process/process.h"

/* What the questions come to, one after the other, and how many there were. */
struct questions {
	const int *codes; /* of the errors; 0: an answer */
	int asked;
};

static int
ask(void *ctx, void *question, struct err *err)
{
	struct questions *questions = ctx;
	int code = questions->codes[questions->asked++];

	ck_assert_ptr_eq(question, questions);
	if (code == 0)
		return 7;
	err_set(err, "question %d", questions->asked);
	err->code = code;
	return -1;
}

static const struct {
	int codes[3];
	int asked;
	int answer;
} cases[] = {
	{ { 0, 0, 0 }, 1, 7 },
	/* It had died, or was killed while it was started. */
	{ { EPIPE, 0, 0 }, 2, 7 },
	{ { ECONNRESET, 0, 0 }, 2, 7 },
	/* It exits each time. */
	{ { EPIPE, EPIPE, 0 }, 2, -1 },
	/* It cannot be started. */
	{ { EAGAIN, 0, 0 }, 1, -1 },
};

UNIT_TESTS(a_question_to_one_that_died_is_asked_once_more, UNIT_COUNT(cases))
{
	struct questions questions = { cases[_i].codes, 0 };
	struct service service = { .ctx = &questions };
	struct err err;

	ck_assert_int_eq(
	    service_ask(&service, ask, &questions, &err), cases[_i].answer);
	ck_assert_int_eq(questions.asked, cases[_i].asked);
}

/* One that exits at each start is started less and less often. */
UNIT_TEST(a_worker_that_exits_at_once_rests)
{
	struct service service = { 0 };
	uint64_t now = 1000, pause = POOL_PAUSE_FIRST_MS;
	struct err err;
	int i;

	for (i = 0; i < SERVICE_TRIES + 9; i++, service.starts++) {
		ck_assert_int_eq(service_may_start(&service, now, &err), 0);
		if (i < SERVICE_TRIES)
			continue;
		now += pause;
		ck_assert_int_eq(
		    service_may_start(&service, now - 1, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.text, "in 1 ms"));
		pause *= i < SERVICE_TRIES + 7 ? 2 : 1;
	}
	ck_assert_uint_ge(pause, POOL_PAUSE_MOST_MS);
	/* It has run. */
	now += SERVICE_EARLY_MS;
	for (i = 0; i < SERVICE_TRIES; i++, service.starts++)
		ck_assert_int_eq(service_may_start(&service, now, &err), 0);
}
