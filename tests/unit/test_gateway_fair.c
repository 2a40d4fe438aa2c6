/*
 * Tests of the gateway's fairness: what one client does, or one address, or one
 * owner, does not take from others what they need. The gateway's files run in
 * the test, one pass of the loop at a time, so that their order is certain.
 */
#include "gateway_fair.h"

#define OPTIONS "OPTIONS /mcp HTTP/1.1\r\nHost: a\r\n\r\n"

START_TEST(a_connection_has_one_request_in_a_pass)
{
	int many = client_at("192.0.2.1");
	int other = client_at("192.0.2.2");
	int i;

	for (i = 0; i < 10; i++)
		say(many, OPTIONS);
	say(other, OPTIONS);
	pass(1);
	ck_assert_uint_eq(answers(many, "204"), 1);
	ck_assert_uint_eq(answers(other, "204"), 1);
	/* Others are served in between; all of them are answered. */
	pass(2);
	say(other, OPTIONS);
	ck_assert_uint_eq(answers(many, "204"), 2);
	pass(1);
	ck_assert_uint_eq(answers(other, "204"), 1);
	pass(10);
	ck_assert_uint_eq(answers(many, "204"), 7);
	say(many, OPTIONS);
	pass(1);
	ck_assert_uint_eq(answers(many, "204"), 1);
	close(many);
	close(other);
}
END_TEST

START_TEST(an_answer_lets_the_next_request_in)
{
	int client = client_at("192.0.2.1");
	struct channel *guest;

	say(client, POST_AS("one") POST_AS("one") OPTIONS);
	pass(1);
	guest = welcome();
	ck_assert_uint_eq(guest->last, 1);
	reply_to(guest, "{}");
	pass(1);
	ck_assert_uint_eq(guest->last, 2);
	reply_to(guest, "{}");
	ck_assert_uint_eq(answers(client, "200"), 2);
	pass(1);
	ck_assert_uint_eq(answers(client, "204"), 1);
	close(client);
}
END_TEST

static const char *const cheap[] = { OPTIONS, POST_AS("one"),
	"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n" };

/* Also what is refused, and what needs no token. */
START_TEST(every_request_counts_in_the_rate)
{
	int many = client_at("192.0.2.1");
	int other = client_at("192.0.2.2");
	const char *heard;

	use_up("192.0.2.1");
	say(many, cheap[_i]);
	say(other, OPTIONS);
	pass(2);
	heard = hear(many);
	ck_assert_ptr_nonnull(strstr(heard, "HTTP/1.1 429 "));
	ck_assert_ptr_nonnull(strstr(heard, "\r\nConnection: close\r\n"));
	ck_assert_uint_eq(answers(other, "204"), 1);
	close(many);
	close(other);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, a_connection_has_one_request_in_a_pass);
	tcase_add_test(tc, an_answer_lets_the_next_request_in);
	tcase_add_loop_test(
	    tc, every_request_counts_in_the_rate, 0, UNIT_COUNT(cheap));
}

int
main(void)
{
	return unit_run("gateway_fair", add);
}
