/*
 * Tests of worker/broker/tools/shapes: what is kept of the shapes of results,
 * for whom, and how long.
 */
#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/broker/tools/tools.h"

#define LIST "{\"tools\":[],\"aliases\":[]}"
#define WITH(shapes) "{\"tools\":[],\"aliases\":[],\"shapes\":{" shapes "}}"

static struct shapes *shapes;
static struct definition gh = { .name = "gh", .fingerprint = { 1 } };
static struct definition theirs = { .name = "gh", .fingerprint = { 2 } };
static struct definition fs = { .name = "fs", .fingerprint = { 3 } };

static struct json_span
span(const char *text)
{
	return (struct json_span){ text, strlen(text) };
}

static void
learn(const struct definition *definition, const char *tool, const char *data)
{
	auto_free char *result = mem_printf("{\"structuredContent\":%s}", data);

	shapes_learn(shapes, definition, span(tool), span(result));
}

static void
expect(const struct definition *definition, const char *wanted)
{
	auto_buffer struct buffer list = { 0 };

	shapes_add_list(shapes, definition, LIST, strlen(LIST), &list);
	ck_assert_str_eq(list.data, wanted);
}

UNIT_TEST(keeps_the_longest)
{
	shapes = shapes_new();
	expect(&gh, LIST);
	learn(&gh, "\"t\"", "{\"a\":1}");
	expect(&gh, WITH("\"t\":\"{a: int}\""));
	learn(&gh, "\"t\"", "{\"a\":1,\"b\":[]}");
	ck_assert_int_eq(shapes_want(shapes, &gh, span("\"t\"")), 1);
	learn(&gh, "\"t\"", "{}");
	learn(&gh, "\"u\\n\"", "{}");
	expect(&gh, WITH("\"t\":\"{a: int, b: list of Any}\",\"u\\n\":\"{}\""));
	learn(&gh, "\"t\"", "{}");
	ck_assert_int_eq(shapes_want(shapes, &gh, span("\"t\"")), 0);
	ck_assert_int_eq(shapes_want(shapes, &gh, span("\"v\"")), 1);
	shapes_free(&shapes);
	shapes_free(&shapes); /* NULL is accepted */
}

UNIT_TEST(belongs_to_an_owner_and_a_server)
{
	shapes = shapes_new();
	learn(&gh, "\"t\"", "{\"a\":1}");
	learn(&fs, "\"t\"", "{\"c\":1}");
	expect(&theirs, LIST);
	learn(&theirs, "\"t\"", "{\"b\":1}");
	expect(&gh, WITH("\"t\":\"{a: int}\""));
	expect(&theirs, WITH("\"t\":\"{b: int}\""));
	/* The name is another server now, for all owners. */
	shapes_forget(shapes, "gh");
	expect(&gh, LIST);
	expect(&theirs, LIST);
	expect(&fs, WITH("\"t\":\"{c: int}\""));
	shapes_free(&shapes);
}

/* How many shapes of a server are listed. */
static size_t
count(const struct definition *definition)
{
	auto_buffer struct buffer list = { 0 };
	const char *found;
	size_t n = 0;

	shapes_add_list(shapes, definition, LIST, strlen(LIST), &list);
	for (found = list.data; (found = strstr(found, "\":\"{")) != NULL;
	     found++)
		n++;
	return n;
}

UNIT_TEST(is_bounded)
{
	struct definition other = { .name = "other", .fingerprint = { 4 } };
	size_t n;

	shapes = shapes_new();
	learn(&gh, "\"t\"", "{}");
	for (n = 0; n < SHAPES_MAX; n++) {
		auto_free char *tool = mem_printf("\"t%zu\"", n);

		learn(&fs, tool, "{}");
	}
	/* One server does not take the room of others. */
	ck_assert_uint_eq(count(&fs), SHAPES_SERVER_MAX);
	ck_assert_uint_eq(count(&gh), 1);
	for (n = 0; n < SHAPES_MAX; n++) {
		other.fingerprint[1] = (uint8_t)(n >> 8);
		other.fingerprint[2] = (uint8_t)n;
		learn(&other, "\"t\"", "{}");
	}
	ck_assert_uint_eq(count(&fs), 0);
	ck_assert_uint_eq(count(&gh), 0);
	ck_assert_uint_eq(count(&other), 1);
	shapes_free(&shapes);
}
