/*
 * Tests of supervisor/run/call_judge and call_list: what a call comes to, by
 * the end of its box, and whose call gets the next place. No process is
 * started; end-to-end tests run calls.
 */
#include <signal.h>
#include <string.h>

#include "common/base/mem.h"
#include "supervisor/box/box.h"
#include "supervisor/box/shared/language.h"
#include "supervisor/options/options.h"
#include "supervisor/run/call_parts.h"
#include "tests/unit/unit.h"

static struct options options = { .memory = 512 * MIB, .max_timeout = 120,
	.python = (char *)"/usr/bin/python3", .max_concurrent = 4,
	.queue_timeout = 10 };
static struct boxes boxes = { .options = &options };
static struct runs runs = { .options = &options, .boxes = &boxes };

/* The end of the code, and of its box. */

#define PYTHON                                                                 \
	"before it received the code: is it a Python 3 interpreter "           \
	"(CAISSON_PYTHON)?"
#define BLIND "Sandbox was killed: its memory could not be measured"
#define MOST "; that is the most: split the work into several calls"
#define LONGER "; pass timeout, up to 120, for longer work"

static const struct {
	enum call_cause why;
	int ran, exit_code, signal;
	enum box_cause cause;
	enum call_status status;
	const char *error;
	int told; /* the signal of the result */
} ends[] = {
	{ CALL_BY_ITSELF, 1, 0, 0, BOX_CAUSE_CODE, CALL_SUCCESS, NULL, 0 },
	{ CALL_BY_ITSELF, 1, 137, 0, BOX_CAUSE_CODE, CALL_ERROR,
	    "Sandbox exited with code 137", 0 },
	{ CALL_BY_ITSELF, 1, 0, SIGKILL, BOX_CAUSE_CODE, CALL_ERROR,
	    "Sandbox was killed by SIGKILL", SIGKILL },
	{ CALL_BY_ITSELF, 1, 0, 64, BOX_CAUSE_CODE, CALL_ERROR,
	    "Sandbox was killed by SIGRTMIN+30", 64 },
	/* Before it took the code: not the fault of the code. */
	{ CALL_BY_ITSELF, 0, 0, 0, BOX_CAUSE_CODE, CALL_ERROR,
	    "/usr/bin/python3 ended with code 0 " PYTHON, 0 },
	{ CALL_BY_ITSELF, 0, 127, 0, BOX_CAUSE_CODE, CALL_ERROR,
	    "/usr/bin/python3 ended with code 127 " PYTHON, 0 },
	{ CALL_BY_ITSELF, 0, 0, SIGSEGV, BOX_CAUSE_CODE, CALL_ERROR,
	    "/usr/bin/python3 was killed by SIGSEGV before it received the "
	    "code", SIGSEGV },
	/* The box killed it, which is none of its signals. */
	{ CALL_BY_ITSELF, 1, 0, SIGKILL, BOX_CAUSE_MEMORY, CALL_ERROR,
	    "Sandbox ran out of memory (limit 512 MiB): keep less at a time, "
	    "or raise CAISSON_MEMORY", 0 },
	{ CALL_BY_ITSELF, 0, 0, SIGKILL, BOX_CAUSE_MEMORY, CALL_ERROR,
	    "Sandbox ran out of memory (limit 512 MiB): keep less at a time, "
	    "or raise CAISSON_MEMORY", 0 },
	{ CALL_BY_ITSELF, 1, 0, SIGKILL, BOX_CAUSE_UNWATCHED, CALL_ERROR,
	    BLIND, 0 },
	{ CALL_BY_ITSELF, 1, 0, SIGKILL, BOX_CAUSE_LOOSE, CALL_ERROR,
	    BLIND ", because its processes could not be stopped: do not keep "
	    "sending SIGCONT", 0 },
	/* The code was faster. */
	{ CALL_BY_ITSELF, 1, 0, 0, BOX_CAUSE_MEMORY, CALL_SUCCESS, NULL, 0 },
	{ CALL_BY_ITSELF, 1, 0, SIGSEGV, BOX_CAUSE_MEMORY, CALL_ERROR,
	    "Sandbox was killed by SIGSEGV", SIGSEGV },
	/* It was ended: how it ended then is no matter. */
	{ CALL_BY_DEADLINE, 1, 0, SIGKILL, BOX_CAUSE_CODE, CALL_TIMEOUT,
	    "Execution timed out after 30s" LONGER, SIGKILL },
	{ CALL_BY_CANCEL, 1, 0, 0, BOX_CAUSE_CODE, CALL_CANCELLED, "why", 0 },
	{ CALL_BY_FAILURE, 1, 0, 0, BOX_CAUSE_CODE, CALL_ERROR, "why", 0 },
};

static struct call *
judged(struct box *box, enum call_cause why, unsigned int timeout)
{
	struct call *call = mem_alloc(sizeof(*call));

	call->runs = &runs;
	call->cause = why;
	call->request.language = language_default();
	call->request.timeout = timeout;
	if (why == CALL_BY_CANCEL || why == CALL_BY_FAILURE)
		call_set_error(call, "%s", "why");
	call_take_result(call, box);
	call_judge(call);
	return call;
}

static void
forget(struct call *call)
{
	free(call->result.error);
	free(call->result.calls);
	free(call->result.waiting);
	free(call);
}

UNIT_TESTS(says_how_a_call_ended, UNIT_COUNT(ends))
{
	struct box box = { .boxes = &boxes,
		.known = ends[_i].ran ? BOX_HAS_RUN : 0,
		.end = { .exited = ends[_i].signal == 0,
		    .exit_code = ends[_i].exit_code, .signal = ends[_i].signal,
		    .cause = ends[_i].cause, .cpu_us = 7, .peak_kib = 9 } };
	struct call *call = judged(&box, ends[_i].why, 30);

	ck_assert_int_eq(call->result.status, ends[_i].status);
	ck_assert_pstr_eq(call->result.error, ends[_i].error);
	ck_assert_int_eq(call->result.signal, ends[_i].told);
	ck_assert_int_eq(call->result.exit_code, ends[_i].exit_code);
	ck_assert_uint_eq(call->result.cpu_us, 7);
	ck_assert_uint_eq(call->result.peak_kib, 9);
	forget(call);
}

/* What has set the limit of memory is named. */
UNIT_TEST(says_who_can_raise_memory)
{
	static const struct options strict = { .memory = MIB };
	const struct options own = { .owner_limits = &strict };
	struct owner owner = { .options = &own };
	struct request request = { .owner = &owner,
		.language = language_default(), .limits = &strict };
	auto_free char *token = request_memory_fix(&request), *other = NULL;

	ck_assert_str_eq(token, "let the operator make another token with "
	    "larger --limits");
	owner.options = NULL;
	other = request_memory_fix(&request);
	ck_assert_str_eq(other, "raise the limits of python in "
	    "CAISSON_LANGUAGE_LIMITS");
}

static const struct {
	unsigned int timeout;
	const char *waiting, *error;
} deadlines[] = {
	{ 1, NULL, "Execution timed out after 1s" LONGER },
	{ 120, NULL, "Execution timed out after 120s" MOST },
	{ 1, "gh.list (1 s)", "Execution timed out after 1s; it waited for "
	    "gh.list (1 s)" LONGER },
};

UNIT_TESTS(says_what_a_deadline_met, UNIT_COUNT(deadlines))
{
	struct box box = { .boxes = &boxes, .known = BOX_HAS_RUN,
		.output.calls.waiting = mem_strdup(deadlines[_i].waiting) };
	struct call *call =
	    judged(&box, CALL_BY_DEADLINE, deadlines[_i].timeout);

	ck_assert_int_eq(call->result.status, CALL_TIMEOUT);
	ck_assert_str_eq(call->result.error, deadlines[_i].error);
	forget(call);
}

/* Whose turn it is */

#define OWNERS 3

static struct owner owners[OWNERS] = {
	{ .name = "", .scope = "", .most_waiting = 4, .most_running = 4 },
	{ .name = "b", .scope = "b", .most_waiting = 4, .most_running = 4 },
	{ .name = "c", .scope = "c", .most_waiting = 1, .most_running = 1 },
};

#define CALLS 32

static struct call calls[CALLS];
static size_t ncalls;

static void
begin(void)
{
	size_t i;

	TAILQ_INIT(&runs.waiting);
	TAILQ_INIT(&runs.running);
	TAILQ_INIT(&runs.owners);
	for (i = 0; i < OWNERS; i++)
		owner_open(&owners[i], &runs);
}

/* One more call waits; bond: its conversation, or NULL. */
static struct call *
waits(size_t owner, const char *bond)
{
	struct call *call = &calls[ncalls++];

	call->runs = &runs;
	call->number = ncalls;
	call->request.owner = &owners[owner];
	call->request.conversation = (char *)bond;
	TAILQ_INSERT_TAIL(&runs.waiting, call, entry);
	runs.nwaiting++;
	owners[owner].nwaiting++;
	return call;
}

/* The next call gets a place. Returns the number of its owner, -1 if none. */
static int
admit(void)
{
	struct call *call = call_next(&runs);

	if (call == NULL)
		return -1;
	call_unlist(call);
	call->phase = CALL_RUNNING;
	TAILQ_INSERT_TAIL(&runs.running, call, entry);
	runs.nrunning++;
	call->request.owner->nrunning++;
	call->request.owner->turn = ++runs.turns;
	return (int)(call->request.owner - owners);
}

/* The oldest running call of an owner ends. */
static void
ends_one(size_t owner)
{
	struct call *call;

	TAILQ_FOREACH (call, &runs.running, entry)
		if (call->request.owner == &owners[owner]) {
			call_unlist(call);
			return;
		}
	ck_abort_msg("no call of owner %zu runs", owner);
}

/*
 * Each row: what happens, in order. a to c: a call of that owner waits; A to C:
 * one of its calls ends, and places are given; dot: they are given. Then who
 * gets places, as numbers.
 */
static const struct {
	const char *events, *admitted;
} turns[] = {
	{ "aaaaaa.", "0000" },	     /* four places */
	{ "aaaaaa.bbA", "00001" },   /* the next is another's */
	{ "aaaaaa.bbAA", "000011" }, /* until both have as many */
	{ "aaaaaa.bbAAB", "0000110" },
	{ "aaaaaa.bcAA", "000012" },
	{ "aa.bb.", "0011" },
	{ "cc.aC", "202" }, /* it may have one place */
};

UNIT_TESTS(owners_take_turns, UNIT_COUNT(turns))
{
	const char *event = turns[_i].events;
	char admitted[CALLS + 1] = "";
	size_t n = 0;
	int who;

	begin();
	for (; *event != '\0'; event++) {
		if (*event >= 'a') {
			waits((size_t)(*event - 'a'), NULL);
			continue;
		}
		if (*event != '.')
			ends_one((size_t)(*event - 'A'));
		while ((who = admit()) != -1)
			admitted[n++] = (char)('0' + who);
	}
	ck_assert_str_eq(admitted, turns[_i].admitted);
}

UNIT_TEST(calls_of_a_conversation_take_turns)
{
	begin();
	waits(0, "talk");
	waits(0, "talk");
	waits(1, "talk"); /* another owner's is another one */
	waits(0, NULL)->cause = CALL_BY_CANCEL;
	ck_assert_int_eq(admit(), 0);
	ck_assert_int_eq(admit(), 1);
	ck_assert_int_eq(admit(), -1);
	ends_one(0);
	ck_assert_int_eq(admit(), 0);
	ck_assert_int_eq(admit(), -1);
}

/* How many calls of the first two owners wait, and who asks with what. */
static const struct {
	size_t mine, others, asking;
	const char *bond;
	const char *error; /* NULL: it may wait, or run */
} full[] = {
	{ 7, 0, 1, NULL, NULL },
	{ 8, 0, 0, NULL, "busy: 4 executions are running; waiting: 4; try "
	    "again later, or raise CAISSON_MAX_CONCURRENT or CAISSON_QUEUE" },
	{ 8, 4, 1, NULL, "busy: 4 executions are running, 0 of this client; "
	    "waiting: 8, 4 of this client; try again later, or raise "
	    "CAISSON_MAX_CONCURRENT or CAISSON_QUEUE" },
};

UNIT_TESTS(a_full_queue_refuses, UNIT_COUNT(full))
{
	struct request request = { .owner = &owners[full[_i].asking] };
	struct err err = { .text = "" };
	size_t i;

	begin();
	for (i = 0; i < full[_i].mine; i++) {
		waits(0, NULL);
		admit();
	}
	for (i = 0; i < full[_i].others; i++)
		waits(1, NULL);
	ck_assert_int_eq(call_check_queue(&runs, &request, &err),
	    full[_i].error == NULL ? 0 : -1);
	if (full[_i].error != NULL)
		ck_assert_str_eq(err.text, full[_i].error);
}

UNIT_TESTS(says_why_a_call_is_late, 2)
{
	struct call *late;

	begin();
	waits(1, "talk");
	admit();
	late = waits(1, _i == 0 ? NULL : "talk");
	call_set_late(late);
	ck_assert_str_eq(late->result.error, _i == 0 ?
	    "no place became free within 10s: 1 execution is running "
	    "(CAISSON_MAX_CONCURRENT, CAISSON_QUEUE_TIMEOUT)" :
	    "an earlier call of this conversation is still running after 10s: "
	    "calls of a conversation take turns (CAISSON_QUEUE_TIMEOUT)");
	free(late->result.error);
}

/* A named note is shown once to each owner, and what is kept is bounded. */
UNIT_TEST(an_owner_is_told_once)
{
	char name[CONFIG_NAME_MAX + 1];
	int n;

	ck_assert_int_eq(owner_hears(&owners[0], ""), 1);
	ck_assert_int_eq(owner_hears(&owners[0], ""), 1);
	ck_assert_int_eq(owner_hears(&owners[0], "gh"), 1);
	ck_assert_int_eq(owner_hears(&owners[0], "gh"), 0);
	ck_assert_int_eq(owner_hears(&owners[1], "gh"), 1);
	for (n = 0; n < 1000; n++) {
		snprintf(name, sizeof(name), "%0*d", CONFIG_NAME_MAX, n);
		ck_assert_int_eq(owner_hears(&owners[0], name), 1);
		ck_assert_uint_le(owners[0].told.len,
		    OWNER_TOLD_MAX + 2 * (CONFIG_NAME_MAX + 1));
	}
	buffer_reset(&owners[0].told);
	buffer_reset(&owners[1].told);
}
