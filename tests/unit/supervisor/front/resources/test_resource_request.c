/*
 * Tests of supervisor/front/resources/resource_request: few requests of an
 * owner run at once, whatever sessions they are of, and those of other owners
 * do not wait for them.
 */
#include <string.h>

#include "common/limits.h"
#include "supervisor/front/rpc/rpc.h"
#include "supervisor/front/resources/resource_request.h"
#include "tests/unit/unit.h"

static struct runs runs;
static struct owner one, other;
static struct resource_request *begun[16];
static size_t nbegun, nrefused;

/* Stand-ins */

struct rpc_batch *
rpc_batch_hold(struct rpc *rpc)
{
	return NULL;
}

void
rpc_batch_forget(struct rpc_batch *batch)
{
}

static void
complete(struct buffer *result, long cache_ms)
{
}

static const struct era era = { .complete = complete };

void
rpc_batch_answer(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, struct buffer *result)
{
}

void
rpc_batch_answer_error(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, int code, const char *message, const char *data)
{
	nrefused++;
}

int
rpc_busy(const struct rpc *rpc)
{
	return 0;
}

void
files_forget(struct files_task **task)
{
}

void
store_forget(struct store_task **task)
{
}

static struct in_force_waiter *waiter;

void
in_force_refresh(struct in_force *config, struct in_force_waiter *its)
{
	waiter = its;
}

void
in_force_cancel(struct in_force *config, struct in_force_waiter *its)
{
	ck_assert_ptr_eq(its, waiter);
	waiter = NULL;
}

static void
on_begin(struct resource_request *request)
{
	if (nbegun < UNIT_COUNT(begun))
		begun[nbegun] = request;
	nbegun++;
}

static struct mcp *
session_of(struct mcp *mcp, struct owner *owner)
{
	memset(mcp, 0, sizeof(*mcp));
	mcp->runs = &runs;
	mcp->session.owner = owner;
	mcp->session.era = &era;
	TAILQ_INIT(&mcp->reads);
	return mcp;
}

static void
ask(struct mcp *mcp)
{
	const struct jsonrpc message = { .id = { "1", 1 } };

	resource_request_admit(resource_request_new(
	    mcp, &mcp->session, &message, on_begin));
}

static void
end(struct resource_request *request)
{
	struct mcp *mcp = request->mcp;

	resource_request_refuse(request, 0, "");
	resource_request_go_on(mcp);
}

UNIT_TEST(an_owner_has_few_at_once)
{
	struct mcp all[4], its;
	size_t i;

	for (i = 0; i < 4; i++)
		ask(session_of(&all[i], &one));
	ck_assert_uint_eq(nbegun, RESOURCES_AT_ONCE);
	/* Those of another owner do not wait for them. */
	ask(session_of(&its, &other));
	ck_assert_uint_eq(nbegun, RESOURCES_AT_ONCE + 1);
	ck_assert_ptr_eq(begun[RESOURCES_AT_ONCE]->mcp, &its);
	/* The oldest one is the next. */
	end(begun[0]);
	ck_assert_uint_eq(nbegun, RESOURCES_AT_ONCE + 2);
	ck_assert_ptr_eq(
	    begun[RESOURCES_AT_ONCE + 1]->mcp, &all[RESOURCES_AT_ONCE]);
	for (i = 0; i < 4; i++)
		resource_request_forget_all(&all[i]);
	resource_request_forget_all(&its);
	ck_assert_uint_eq(one.nreads + one.nreading, 0);
	ck_assert_uint_eq(other.nreads + other.nreading, 0);
}

UNIT_TEST(the_end_of_a_session_lets_others_run)
{
	struct mcp first, second;
	int i;

	session_of(&first, &one);
	for (i = 0; i < RESOURCES_AT_ONCE; i++)
		ask(&first);
	ask(session_of(&second, &one));
	ck_assert_uint_eq(nbegun, RESOURCES_AT_ONCE);
	resource_request_forget_all(&first);
	ck_assert_uint_eq(nbegun, RESOURCES_AT_ONCE + 1);
	resource_request_forget_all(&second);
}

UNIT_TEST(an_owner_has_few_that_wait)
{
	static struct mcp all[RESOURCES_WAITING_MAX + 1];
	struct mcp its;
	size_t i;

	for (i = 0; i <= RESOURCES_WAITING_MAX; i++)
		ask(session_of(&all[i], &one));
	ck_assert_uint_eq(nrefused, 1);
	ask(session_of(&its, &other));
	ck_assert_uint_eq(nrefused, 1);
	for (i = 0; i <= RESOURCES_WAITING_MAX; i++)
		resource_request_forget_all(&all[i]);
	resource_request_forget_all(&its);
}

static void
answer(void *ctx)
{
	resource_request_answer(ctx);
}

/* One that the configuration has answered is not cancelled. */
UNIT_TEST(the_end_of_a_session_cancels_what_waits_for_the_configuration)
{
	const struct jsonrpc message = { .id = { "1", 1 } };
	struct mcp its;
	int answered;

	for (answered = 0; answered < 2; answered++) {
		session_of(&its, &one);
		resource_request_configure(
		    &its, &its.session, &message, answer);
		ck_assert_ptr_nonnull(waiter);
		if (answered)
			waiter->ready(waiter->ctx);
		resource_request_forget_all(&its);
		ck_assert_int_eq(waiter != NULL, answered);
	}
}

static void
enter(void)
{
	nbegun = nrefused = 0;
	memset(&one, 0, sizeof(one));
	memset(&other, 0, sizeof(other));
}

UNIT_FIXTURE(enter, NULL)
