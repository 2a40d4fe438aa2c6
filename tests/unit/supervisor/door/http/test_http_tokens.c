/*
 * Tests of supervisor/door/http/http_tokens and http_guest: which guest a token
 * is, what that may do, and what ends when the file of tokens changes. The test
 * is the gateway, the sessions and the clock.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "supervisor/door/http/http.h"
#include "supervisor/front/tools/tool.h"
#include "supervisor/peers/files.h"
#include "supervisor/run/session.h"
#include "tests/unit/unit_folder.h"

static struct options options = { .max_concurrent = 4, .queue = 9,
	.tools = 7 };
static struct runs runs = { .options = &options };
static struct owner user;
static struct http http;
static struct tokens tokens;
static struct http_refusal refusal;
static uint64_t now = 1000000;
static int dir = -1;
static size_t opened, dismissed, ended;
static const struct owner *asked; /* whose questions were ended last */
static const char *lost; /* the scope whose code's sessions were ended last */
static char secret[TOKEN_SIZE + 1], other[TOKEN_SIZE + 1];

/* Stand-ins */

uint64_t
__wrap_clock_ms(void);

uint64_t
__wrap_clock_ms(void)
{
	return now;
}

void
options_set_limits(struct options *own, const char *word)
{
	own->timeout = strcmp(word, "strict") == 0 ? 10 : 0;
}

void
owner_open(struct owner *owner, struct runs *all)
{
	opened++;
}

void
owner_close(struct owner *owner, struct runs *all)
{
	opened--;
}

void
calls_charge(struct runs *all)
{
}

void
owner_spend(struct owner *owner, uint64_t cpu_us)
{
}

void
files_limit(struct files *files, const struct buffer *limits)
{
}

void
gateway_dismiss(struct gateway_guest **guest)
{
	*guest = NULL;
	dismissed++;
}

void
http_session_end_all(struct http_guest *guest, const char *why)
{
	ended++;
}

void
http_replay_forget(struct http_guest *guest, const struct http_session *session)
{
}

void
http_session_free_all(struct http_sessions *sessions)
{
}

/* Notes the status that it was answered with. */
void
http_give_up(struct http_request *request, int status, const char *reason)
{
	LIST_REMOVE(request, entry);
	request->over = status;
}

void
http_request_end(struct http_request *request)
{
}

void
http_request_free(struct http_request *request)
{
}

void
mcp_on_end(struct mcp *mcp, const char *why)
{
}

void
tool_call_cancel_asked(const struct owner *owner, const char *why)
{
	asked = owner;
}

void
sessions_end_owner(
    struct sessions *sessions, const char *scope, const char *why)
{
	lost = scope;
}

static void
add(const char *name, char made[TOKEN_SIZE + 1])
{
	struct token token = { .name = mem_strdup(name) };

	token_make(&token, made);
	tokens_add(&tokens, &token);
}

static void
save(void)
{
	struct err err;

	ck_assert_msg(tokens_write(&tokens, dir, &err) == 0, "%s", err.text);
}

static void
enter(void)
{
	int given;

	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	given = dup(dir);
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	runs.base = loop_new(0);
	http.runs = &runs;
	http.user = &user;
	LIST_INIT(&http.guests);
	http_tokens_begin(&http, &given, folder);
	add("one", secret);
	add("two", other);
	text_list_add(&tokens.one[1].servers, "gh");
	tokens.one[1].restricted = true;
	tokens.one[1].tools = 2;
	tokens.one[1].calls = 1;
	tokens.one[1].rate = 60;
	tokens.one[1].limits = option_limits_word("strict");
	save();
}

static void
leave(void)
{
	http_tokens_end(&http);
	while (!LIST_EMPTY(&http.guests)) {
		http_guest_clear(LIST_FIRST(&http.guests));
		http_guest_free(LIST_FIRST(&http.guests));
	}
	ck_assert_uint_eq(opened, 0);
	event_base_free(runs.base);
	tokens_reset(&tokens);
	fd_close(&dir);
}

static struct http_guest *
say(const char *token, const char *address)
{
	const struct ipc_hello hello = { .visit = 1,
		.address = address,
		.token = { (const uint8_t *)token, strlen(token) } };
	struct http_guest *guest = http_tokens_guest(&http, &hello, &refusal);

	/* Connected, as it would be. */
	if (guest != NULL)
		guest->guest = (struct gateway_guest *)&http;
	return guest;
}

UNIT_TEST(wrong_tokens_wait)
{
	int i;

	for (i = 0; i < GUESSES_FREE; i++) {
		ck_assert_ptr_null(say("wrong", "a"));
		ck_assert_int_eq(refusal.status, 401);
	}
	ck_assert_ptr_null(say("wrong", "a"));
	ck_assert_int_eq(refusal.status, 429);
	ck_assert_uint_eq(refusal.seconds, 1);
	/* Others may share the address: valid tokens do not wait. */
	ck_assert_ptr_nonnull(say(secret, "a"));
	ck_assert_ptr_nonnull(say(secret, "b"));
	ck_assert_ptr_null(say("wrong", "b"));
	ck_assert_int_eq(refusal.status, 401);
	now += 1000;
	ck_assert_ptr_null(say("wrong", "a"));
	ck_assert_int_eq(refusal.status, 401);
}

UNIT_TEST(requests_have_a_rate)
{
	struct http_guest *one = say(secret, "a");
	struct http_guest *two = say(other, "a");
	int i;

	for (i = 0; i < 60; i++)
		ck_assert_int_eq(http_tokens_allow(two, &refusal), 1);
	ck_assert_int_eq(http_tokens_allow(two, &refusal), 0);
	ck_assert_int_eq(refusal.status, 429);
	ck_assert_uint_ge(refusal.seconds, 1);
	ck_assert_uint_le(refusal.seconds, 2);
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(http_tokens_allow(one, &refusal), 1);
	now += 1000;
	ck_assert_int_eq(http_tokens_allow(two, &refusal), 1);
	ck_assert_int_eq(http_tokens_allow(two, &refusal), 0);
}

UNIT_TEST(each_message_of_a_batch_counts)
{
	struct http_guest *one = say(secret, "a");
	struct http_guest *two = say(other, "a");

	/* More than it may ever send; without a rate, any number. */
	ck_assert_int_eq(http_tokens_allow(two, &refusal), 1);
	ck_assert_int_eq(http_tokens_allow_batch(two, 61, &refusal), 0);
	ck_assert_int_eq(refusal.status, 400);
	ck_assert_int_eq(http_tokens_allow_batch(one, 1000, &refusal), 1);
	ck_assert_int_eq(http_tokens_allow_batch(two, 60, &refusal), 1);
	ck_assert_int_eq(http_tokens_allow(two, &refusal), 0);
	now += 5000;
	ck_assert_int_eq(http_tokens_allow(two, &refusal), 1);
	ck_assert_int_eq(http_tokens_allow_batch(two, 10, &refusal), 0);
	ck_assert_int_eq(refusal.status, 429);
	ck_assert_uint_ge(refusal.seconds, 5);
	ck_assert_uint_le(refusal.seconds, 6);
	/* After that time it may. */
	now += refusal.seconds * 1000ULL;
	ck_assert_int_eq(http_tokens_allow(two, &refusal), 1);
	ck_assert_int_eq(http_tokens_allow_batch(two, 10, &refusal), 1);
}

UNIT_FIXTURE(enter, leave)
