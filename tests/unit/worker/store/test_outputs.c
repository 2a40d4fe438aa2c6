/*
 * Tests of worker/store/outputs: an output is read whole in its scope and in no
 * other, for a day, and the scope that keeps most gives way.
 */
#include "common/limits.h"
#include "store_folder.h"
#include "worker/store/outputs.h"

#define NONE "no output is kept under this id: "

static void
keep(const char *scope, const char *id, const char *out, size_t len)
{
	const struct output output = { id, { (const uint8_t *)out, len },
		{ (const uint8_t *)"oops", 4 } };

	ck_assert_int_eq(outputs_keep(database, scope, &output, &err), 0);
}

static int
load(const char *scope, const char *id, int errors, uint64_t from)
{
	buffer_reset(&json);
	return outputs_load(database,
	    &(struct output_part){ scope, id, errors, from }, &json, &err);
}

UNIT_FIXTURE(enter, leave)

UNIT_TEST(belong_to_their_scope)
{
	keep("", "a", "one\0\xff", 5);
	keep("bob", "a", "two", 3);
	expect_all(load("", "a", 0, 0),
	    "{\"text\":\"one\\u0000\xef\xbf\xbd\",\"next\":null}");
	expect_told(load("bob", "a", 0, 0), "{\"text\":\"two\",\"next\":null}");
	expect_told(load("", "a", 1, 0), "{\"text\":\"oops\",\"next\":null}");
	expect_err(load("eve", "a", 0, 0), NONE);
	expect_err(load("", "b", 0, 0), NONE);
	expect_err(load("", "", 0, 0), NONE);
}

/* The answer has promised it: its owner is told why it is missing. */
UNIT_TEST(tell_why_they_were_not_kept)
{
	const struct output output = { "f", { (const uint8_t *)"x", 1 },
		{ (const uint8_t *)"", 0 } };

	keep("", "a", "x", 1);
	ck_assert_int_eq(
	    database_run(database, "PRAGMA query_only = 1", &err), 0);
	ck_assert_int_eq(outputs_keep(database, "bob", &output, &err), -1);
	ck_assert_int_eq(
	    database_run(database, "PRAGMA query_only = 0", &err), 0);
	expect_err(load("bob", "f", 0, 0), "this output was not kept: ");
	expect_err(load("", "f", 0, 0), NONE);
	expect_err(load("", "", 0, 0), NONE);
}

/* No part ends within a character. */
UNIT_TEST(are_read_in_parts)
{
	auto_free char *text = mem_alloc(OUTPUT_PART_MAX + 4);

	memset(text, 'a', OUTPUT_PART_MAX + 4);
	memcpy(text + OUTPUT_PART_MAX - 1, "\xc3\xa9z", 3);
	keep("", "a", text, OUTPUT_PART_MAX + 2);
	ck_assert_int_eq(load("", "a", 0, 0), 0);
	ck_assert_ptr_nonnull(strstr(json.data, "a\",\"next\":1048575}"));
	expect_told(load("", "a", 0, OUTPUT_PART_MAX - 1),
	    "{\"text\":\"\xc3\xa9z\",\"next\":null}");
	expect_told(load("", "a", 0, OUTPUT_PART_MAX * 2),
	    "{\"text\":\"\",\"next\":null}");
}

UNIT_TEST(are_gone_after_a_day)
{
	keep("", "a", "x", 1);
	ck_assert_int_eq(database_run(database, "UPDATE executions SET ended = "
	    "ended - 86000", &err), 0);
	expect_told(load("", "a", 0, 0), "{\"text\":\"x\",\"next\":null}");
	ck_assert_int_eq(database_run(
	    database, "UPDATE executions SET ended = ended - 400", &err), 0);
	expect_err(load("", "a", 0, 0), NONE);
	keep("", "b", "x", 1);
	ck_assert_int_eq(database_run(
	    database, "UPDATE executions SET ended = ended + 9", &err), 0);
	expect_err(load("", "a", 0, 0), NONE);
}

/* The one output of another scope stays. */
UNIT_TEST(give_way_where_most_are)
{
	auto_free char *text = mem_alloc(OUTPUTS_BYTES_MAX / 4);
	char id[2] = "a";

	memset(text, 'a', OUTPUTS_BYTES_MAX / 4);
	keep("bob", "a", "x", 1);
	for (; id[0] < 'f'; id[0]++)
		keep("", id, text, OUTPUTS_BYTES_MAX / 4);
	expect_told(load("bob", "a", 0, 0), "{\"text\":\"x\",\"next\":null}");
	expect_err(load("", "b", 0, 0), NONE);
	ck_assert_int_eq(load("", "c", 0, 0), 0);
	ck_assert_int_eq(load("", "e", 0, 0), 0);
}
