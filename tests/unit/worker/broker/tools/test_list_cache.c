/*
 * Tests of worker/broker/tools/list_cache: what was put is found by its
 * fingerprint until it is doubted, and the least recently used goes first.
 * Linked with that file alone.
 */
#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/broker/tools/tools.h"

#define MOST 4096

static struct list_cache *cache;
static uint8_t prints[3][FINGERPRINT_SIZE] = { { 0 }, { [31] = 1 },
	{ [0] = 255 } };

static int
put(int n, const char *data, const char *info)
{
	struct cached_list list = { data, strlen(data), info, strlen(info),
		NULL, 0 };

	return list_cache_put(cache, prints[n], &list);
}

/* What is found must be this; NULL: nothing. */
static void
finds(int n, const char *data)
{
	struct cached_list list;

	ck_assert_int_eq(
	    list_cache_find(cache, prints[n], &list), data != NULL);
	if (data != NULL) {
		ck_assert_uint_eq(list.len, strlen(data));
		ck_assert_mem_eq(list.data, data, list.len);
	}
}

UNIT_TEST(finds_what_was_put)
{
	cache = list_cache_new(MOST);
	finds(0, NULL);
	ck_assert_int_eq(put(0, "[1]", "v1"), 1);
	ck_assert_int_eq(put(1, "[2]", ""), 1);
	finds(0, "[1]");
	finds(1, "[2]");
	finds(2, NULL);
	ck_assert_int_eq(put(0, "[1]", "v1"), 0);
	ck_assert_int_eq(put(0, "[1]", "v2"), 1);
	ck_assert_int_eq(put(0, "[3]", "v2"), 1);
	finds(0, "[3]");
	list_cache_free(&cache);
	ck_assert_ptr_null(cache);
	list_cache_free(&cache);
}

UNIT_TEST(doubts)
{
	cache = list_cache_new(MOST);
	ck_assert_int_eq(list_cache_doubt(cache, prints[0]), 0);
	put(0, "[1]", "v1");
	ck_assert_int_eq(list_cache_doubt(cache, prints[0]), 1);
	ck_assert_int_eq(list_cache_doubt(cache, prints[0]), 0);
	finds(0, NULL);
	/* It was right after all. */
	ck_assert_int_eq(put(0, "[1]", "v1"), 1);
	ck_assert_int_eq(put(0, "[1]", "v1"), 0);
	finds(0, "[1]");
	list_cache_doubt(cache, prints[0]);
	ck_assert_int_eq(put(0, "[2]", "v1"), 1);
	finds(0, "[2]");
	list_cache_free(&cache);
}

UNIT_TEST(an_old_one_replaces_nothing)
{
	struct cached_list old = { "[0]", 3, "", 0, NULL, 0 };

	cache = list_cache_new(MOST);
	list_cache_put_old(cache, prints[0], &old);
	finds(0, "[0]");
	put(0, "[1]", "");
	list_cache_put_old(cache, prints[0], &old);
	finds(0, "[1]");
	list_cache_doubt(cache, prints[0]);
	list_cache_put_old(cache, prints[0], &old);
	finds(0, NULL);
	list_cache_free(&cache);
}

UNIT_TEST(checks_the_version)
{
	cache = list_cache_new(MOST);
	ck_assert_int_eq(list_cache_check(cache, prints[0], "v1", 2), 0);
	put(0, "[1]", "v1");
	ck_assert_int_eq(list_cache_check(cache, prints[0], "v1", 2), 0);
	finds(0, "[1]");
	ck_assert_int_eq(list_cache_check(cache, prints[0], NULL, 0), 1);
	finds(0, NULL);
	put(0, "[1]", "v1");
	ck_assert_int_eq(list_cache_check(cache, prints[0], "v2", 2), 1);
	finds(0, NULL);
	list_cache_free(&cache);
}

UNIT_TEST(is_bounded)
{
	auto_free char *large = mem_alloc(MOST);

	memset(large, '1', MOST / 2 - 1);
	cache = list_cache_new(MOST);
	put(0, large, "");
	put(1, "[1]", "");
	finds(0, large);
	/* The second was used before the first. */
	put(2, large, "");
	finds(0, NULL);
	finds(1, NULL);
	finds(2, large);
	/* The newest stays, whatever it takes. */
	memset(large, '2', MOST - 1);
	put(2, large, "");
	finds(2, large);
	put(0, "[1]", "");
	finds(2, NULL);
	finds(0, "[1]");
	list_cache_free(&cache);
}
