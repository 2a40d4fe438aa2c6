/*
 * Tests of supervisor/run/asking: how long the deadline of a call stands still
 * for questions of servers. Its broker, clock and timer are the test's.
 */
#include <string.h>

#include "common/base/loop.h"
#include "supervisor/peers/broker.h"
#include "supervisor/run/call_parts.h"
#include "tests/unit/unit.h"

#define TIMEOUT 5000

static uint64_t now, timer_ms;
static broker_asked *asked;
static struct runs runs;
static struct call call;
static char told[200]; /* the answers that the broker got */

uint64_t __wrap_clock_ms(void);
void __wrap_loop_set_timer(struct event *timer, uint64_t ms);

uint64_t
__wrap_clock_ms(void)
{
	return now;
}

void
__wrap_loop_set_timer(struct event *, uint64_t ms)
{
	timer_ms = ms;
}

void
broker_on_question(struct broker *, broker_asked *hear, void *)
{
	asked = hear;
}

void
broker_answer(struct broker *, uint64_t number, uint64_t execution,
    struct json_span, const char *why)
{
	snprintf(told + strlen(told), sizeof(told) - strlen(told),
	    "%d of %d: %s\n", (int)number, (int)execution,
	    why != NULL ? why : "");
}

static int
on_asked(void *, unsigned int, const char *, struct err *)
{
	return 0;
}

static void
ask(uint64_t number, uint64_t execution, unsigned int kind)
{
	const struct broker_question question = { number, execution, kind,
		{ "{}", 2 } };

	asked(&runs, &question);
}

/* A call whose code has run for a second. */
static void
open_call(void)
{
	now = 1000000;
	TAILQ_INIT(&runs.running);
	TAILQ_INIT(&call.askings);
	call.runs = &runs;
	call.number = 7;
	call.phase = CALL_RUNNING;
	call.request.asked = on_asked;
	call.request.asks = ASK_CLIENT_FORM;
	call.until = now + TIMEOUT - 1000;
	call.patience = QUESTION_PAUSE_MS;
	TAILQ_INSERT_TAIL(&runs.running, &call, entry);
	runs_take_questions(&runs);
}

/* The call ends when that time is over, whatever a person does. */
UNIT_TEST(a_person_who_never_answers)
{
	open_call();
	ask(1, 7, ASK_CLIENT_FORM);
	ck_assert_uint_eq(timer_ms, QUESTION_PAUSE_MS + TIMEOUT - 1000);
	/* A second one does not begin the time anew. */
	now += 300000;
	ask(2, 7, ASK_CLIENT_FORM);
	ck_assert_uint_eq(timer_ms, QUESTION_PAUSE_MS + TIMEOUT - 1000);
	/* The front gives up: the code has as long as it had. */
	now += QUESTION_PAUSE_MS;
	call_answer(&call, (struct json_span){ NULL, 0 }, "no answer");
	call_answer(&call, (struct json_span){ NULL, 0 }, "no answer");
	ck_assert_str_eq(told, "1 of 7: no answer\n2 of 7: no answer\n");
	/* It had run on for the time that was too much. */
	ck_assert_uint_eq(timer_ms, 0);
	/* There is no time for another. */
	call.until = now + 4000;
	ask(3, 7, ASK_CLIENT_FORM);
	ck_assert_uint_eq(timer_ms, 4000);
	call_withdraw(&call, 0);
}

UNIT_TEST(the_deadline_stands_still)
{
	open_call();
	ask(1, 7, ASK_CLIENT_FORM);
	ask(2, 7, ASK_CLIENT_FORM);
	now += 60000;
	call_answer(&call, (struct json_span){ "{}", 2 }, NULL);
	now += 60000;
	call_answer(&call, (struct json_span){ "{}", 2 }, NULL);
	ck_assert_uint_eq(timer_ms, TIMEOUT - 1000);
	ck_assert_uint_eq(call.patience, QUESTION_PAUSE_MS - 120000);
	now += 3000;
	ask(3, 7, ASK_CLIENT_FORM);
	ck_assert_uint_eq(timer_ms, QUESTION_PAUSE_MS - 120000 + 1000);
	now += 10;
	ask(3, 8, 0);
	ck_assert_ptr_nonnull(TAILQ_FIRST(&call.askings));
	ask(3, 7, 0);
	ck_assert_uint_eq(timer_ms, 1000);
	ck_assert_str_eq(told,
	    "1 of 7: \n2 of 7: \n3 of 7: its execution is over\n");
}
