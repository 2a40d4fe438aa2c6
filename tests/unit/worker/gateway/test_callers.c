/*
 * Tests of worker/gateway/callers and common/address: what an address uses is
 * counted, and limits no other one.
 */
#include <stdio.h>

#include "common/address.h"
#include "tests/unit/unit.h"
#include "worker/gateway/callers.h"

#define NOW 1000000ULL

static struct gateway gateway;

static void
leave(void)
{
	callers_free_all(&gateway);
}

static const struct {
	const char *address;
	const char *group;
} groups[] = {
	{ "192.0.2.1", "192.0.2.1" },
	{ "2001:db8::1", "2001:db8::" },
	{ "2001:db8:0:0:ffff::1", "2001:db8::" },
	{ "2001:db8:0:1::1", "2001:db8:0:1::" },
	{ "::ffff:192.0.2.1", "::ffff:192.0.2.1" },
	{ "user 1000", "user 1000" },
	{ "", "" },
};

UNIT_FIXTURE(NULL, leave)

UNIT_TESTS(addresses_have_groups, UNIT_COUNT(groups))
{
	char group[HTTP_ADDRESS_MAX + 1];

	address_group(groups[_i].address, group);
	ck_assert_str_eq(group, groups[_i].group);
}

UNIT_TEST(an_address_is_one_caller)
{
	struct caller *one = caller_of(&gateway, "2001:db8::1");
	struct caller *same = caller_of(&gateway, "2001:db8::2");
	struct caller *other = caller_of(&gateway, "192.0.2.1");

	ck_assert_ptr_eq(one, same);
	ck_assert_ptr_ne(one, other);
	ck_assert_uint_eq(gateway.ncallers, 2);
	caller_drop(&one);
	caller_drop(&same);
	caller_drop(&other);
}

/* Sends requests; returns how many were accepted. */
static unsigned int
ask(struct caller *caller, unsigned int count, uint64_t now)
{
	unsigned int i, accepted = 0;

	for (i = 0; i < count; i++)
		accepted += caller_charge(caller, now) == 0;
	return accepted;
}

UNIT_TEST(requests_have_a_rate)
{
	struct caller *one = caller_of(&gateway, "192.0.2.1");
	struct caller *other = caller_of(&gateway, "192.0.2.2");

	ck_assert_uint_eq(
	    ask(one, HTTP_CALLER_BURST + 9, NOW), HTTP_CALLER_BURST);
	ck_assert_uint_eq(caller_charge(one, NOW), 1);
	ck_assert_uint_eq(ask(other, 9, NOW), 9);
	ck_assert_uint_eq(
	    ask(one, HTTP_CALLER_BURST, NOW + 1000), HTTP_CALLER_RATE);
	caller_drop(&one);
	caller_drop(&other);
	/* It is remembered while it uses nothing. */
	one = caller_of(&gateway, "192.0.2.1");
	ck_assert_uint_eq(ask(one, 1, NOW + 1000), 0);
	caller_drop(&one);
}

UNIT_TEST(few_requests_are_unanswered)
{
	struct caller *one = caller_of(&gateway, "192.0.2.1");
	unsigned int i;

	for (i = 0; i < HTTP_CALLER_ASKS_MAX; i++)
		ck_assert_int_eq(caller_ask(one), 0);
	ck_assert_int_eq(caller_ask(one), -1);
	one->nasks--;
	ck_assert_int_eq(caller_ask(one), 0);
	caller_drop(&one);
}

UNIT_TEST(few_are_remembered)
{
	struct caller *used = caller_of(&gateway, "192.0.2.1");
	struct caller *one;
	char address[HTTP_ADDRESS_MAX + 1];
	unsigned int i;

	for (i = 0; i < 2 * HTTP_CALLERS_MAX; i++) {
		snprintf(address, sizeof(address), "10.0.%u.%u", i / 256,
		    i % 256);
		one = caller_of(&gateway, address);
		caller_drop(&one);
	}
	ck_assert_uint_eq(gateway.ncallers, HTTP_CALLERS_MAX);
	one = caller_of(&gateway, "192.0.2.1");
	ck_assert_ptr_eq(one, used);
	caller_drop(&one);
	caller_drop(&used);
}
