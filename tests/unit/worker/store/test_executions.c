/*
 * Tests of worker/store/executions: an output is read whole in its scope and in
 * no other, for a day; executions are listed for days, and the scope that keeps
 * most gives way.
 */
#include "common/limits.h"
#include "common/stored_kind.h"
#include "store_folder.h"
#include "worker/store/executions.h"

#define NONE "no output is kept under this id: "
#define FACTS(id) "{\"id\":\"" id "\""

static void
keep(const char *scope, const char *id, const char *out, size_t len)
{
	auto_free char *facts = mem_printf(FACTS("%s"), id);
	const struct ipc_keep_execution execution = { .scope = scope,
		.execution = id,
		.days = 7,
		.kept = out != NULL,
		.facts = { (const uint8_t *)facts, strlen(facts), -1 },
		.out = { (const uint8_t *)out, len, -1 },
		.errors = { (const uint8_t *)"oops", out != NULL ? 4 : 0,
		    -1 } };

	ck_assert_int_eq(executions_keep(database, &execution, &err), 0);
}

static int
load(const char *scope, const char *id, int errors, uint64_t from)
{
	buffer_reset(&json);
	return executions_load(database,
	    &(struct execution_part){ scope, id, errors, from }, &json, &err);
}

static int
list(const char *scope, const char *after)
{
	buffer_reset(&json);
	return executions_list(database, scope, after, &json, &err);
}

static int
show(const char *scope, const char *id)
{
	buffer_reset(&json);
	return executions_show(database, scope, id, &json, &err);
}

static void
pass(const char *seconds)
{
	auto_free char *sql =
	    mem_printf("UPDATE calls SET ended = ended - (%s)", seconds);

	executions_flush(database);
	ck_assert_int_eq(database_run(database, sql, &err), 0);
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
	expect_all(show("eve", "a"), "null");
	expect_all(list("eve", ""), "{\"entries\":[],\"more\":false}");
}

/* Many are written before anybody reads them. */
UNIT_TEST(wait_in_bounded_memory)
{
	auto_free char *text = mem_alloc(EXECUTIONS_WAITING_MAX);

	memset(text, 'a', EXECUTIONS_WAITING_MAX);
	keep("", "a", "x", 1);
	ck_assert_int_eq(
	    database_run(database, "SELECT id FROM calls", &err), -1);
	keep("", "b", text, EXECUTIONS_WAITING_MAX);
	ck_assert_int_eq(
	    database_run(database, "SELECT id FROM calls", &err), 0);
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
	expect_told(show("", "a"), "a\",\"stderr\":\"oops\"}");
}

UNIT_TEST(are_listed_with_their_facts_the_last_one_first)
{
	keep("", "a", "x", 1);
	keep("bob", "b", NULL, 0);
	expect_all(list(SCOPE_ALL, ""), "{\"entries\":[" FACTS("b") "},"
	    FACTS("a") ",\"stdout_bytes\":1,\"stderr_bytes\":4}],"
	    "\"more\":false}");
	expect_told(list(SCOPE_ALL, "b"), "{\"entries\":[" FACTS("a"));
	expect_told(list("bob", ""), "{\"entries\":[" FACTS("b"));
	expect_told(show("bob", "b"), FACTS("b") "}");
	expect_told(show(SCOPE_ALL, "a"),
	    ",\"stdout\":\"x\",\"stderr\":\"oops\"}");
}

UNIT_TEST(are_gone_after_days_and_their_output_after_one)
{
	keep("", "a", "x", 1);
	pass("86000");
	expect_told(load("", "a", 0, 0), "{\"text\":\"x\",\"next\":null}");
	pass("400");
	expect_err(load("", "a", 0, 0), NONE);
	expect_told(show("", "a"), FACTS("a") "}");
	keep("", "b", "x", 1);
	pass("-9");
	expect_err(load("", "a", 0, 0), NONE);
	expect_told(show("", "a"), FACTS("a") "}");
	pass("7 * 86400 + 9");
	keep("", "c", "x", 1);
	expect_all(show("", "a"), "null");
	ck_assert_int_eq(list("", ""), 0);
	ck_assert_uint_eq(count_told("\"id\""), 1);
}

/* The one of another scope stays. */
UNIT_TEST(give_way_where_most_are)
{
	auto_free char *text = mem_alloc(EXECUTIONS_BYTES_MAX / 4);
	char id[2] = "a";

	memset(text, 'a', EXECUTIONS_BYTES_MAX / 4);
	keep("bob", "a", "x", 1);
	for (; id[0] < 'f'; id[0]++)
		keep("", id, text, EXECUTIONS_BYTES_MAX / 4);
	expect_told(load("bob", "a", 0, 0), "{\"text\":\"x\",\"next\":null}");
	expect_err(load("", "b", 0, 0), NONE);
	ck_assert_int_eq(load("", "c", 0, 0), 0);
	ck_assert_int_eq(load("", "e", 0, 0), 0);
}
