/*
 * Tests of worker/store/tool_lists: what was kept is found until it is
 * replaced, forgotten, too old or too much, and nothing is written for a look.
 */
#include "store_folder.h"
#include "worker/store/tool_lists.h"

#define DAY 86400UL
#define NOW (20000 * DAY)

/* The fingerprint of a number. */
static const uint8_t *
print(unsigned int n)
{
	static uint8_t fingerprint[FINGERPRINT_SIZE];

	memcpy(fingerprint + 7, &n, sizeof(n));
	return fingerprint;
}

static void
put(unsigned int n, uint64_t now, const char *data, size_t len,
    const char *info)
{
	struct tool_list list = { data, len, info, strlen(info) };

	ck_assert_msg(
	    tool_lists_put(database, print(n), now, &list, &err) == 0, "%s",
	    err.text);
}

static void
put_text(unsigned int n, uint64_t now, const char *text)
{
	put(n, now, text, strlen(text), "info");
}

/* The list that is found must be this text; empty: none. */
static void
is_found(void *ctx, const struct tool_list *list)
{
	const char *wanted = ctx;

	ck_assert_uint_eq(list->len, strlen(wanted));
	if (list->len == 0)
		return;
	ck_assert_mem_eq(list->data, wanted, list->len);
	ck_assert_uint_eq(list->info_len, 4);
	ck_assert_mem_eq(list->info, "info", 4);
}

static void
find(unsigned int n, uint64_t now, const char *wanted)
{
	ck_assert_msg(tool_lists_find(database, print(n), now, is_found,
	        (void *)wanted, &err) == 0, "%s", err.text);
}

static uint64_t
number(const char *sql)
{
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, &err);

	ck_assert_int_eq(database_step(database, statement, &err), 1);
	return database_number(statement, 0);
}

static uint64_t
count(void)
{
	return number("SELECT count(*) FROM tool_lists");
}

UNIT_FIXTURE(enter, leave)

UNIT_TEST(keeps_lists)
{
	find(1, NOW, "");
	put_text(1, NOW, "{}");
	put_text(2, NOW, "{\"a\":[]}");
	find(1, NOW, "{}");
	find(2, NOW, "{\"a\":[]}");
	find(3, NOW, "");
	put_text(1, NOW, "[1]");
	find(1, NOW, "[1]");
	/* Another store finds them, too. */
	database_free(&database);
	database = database_new(1000);
	find(1, NOW, "[1]");
	put_text(1, NOW, "");
	find(1, NOW, "");
	put_text(1, NOW, "");
	ck_assert_uint_eq(count(), 1);
}

UNIT_TEST(drops_what_is_old)
{
	put_text(1, NOW, "{}");
	put_text(2, NOW, "{}");
	put_text(3, NOW + TOOL_LISTS_DAYS * DAY, "{}");
	/* To be found is to be used. */
	find(2, NOW + DAY, "{}");
	ck_assert_uint_eq(count(), 3);
	put_text(3, NOW + (TOOL_LISTS_DAYS + 1) * DAY, "{}");
	find(1, NOW, "");
	ck_assert_uint_eq(count(), 2);
	/* A clock that was set back drops nothing. */
	put_text(4, 5, "{}");
	ck_assert_uint_eq(count(), 3);
}

UNIT_TEST(drops_what_is_too_many)
{
	unsigned int n;

	ck_assert_int_eq(database_begin(database, &err), 0);
	ck_assert_int_eq(database_run(database, "WITH RECURSIVE n(i) AS"
	    " (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) INSERT INTO"
	    " tool_lists SELECT i, i, 1, '', 'x' FROM n", &err), 0);
	ck_assert_int_eq(database_end(database, 0, &err), 0);
	ck_assert_uint_eq(count(), TOOL_LISTS_MAX);
	for (n = 1; n <= 3; n++)
		put_text(n, 1000, "{}");
	ck_assert_uint_eq(count(), TOOL_LISTS_MAX);
	ck_assert_uint_eq(number("SELECT min(used) FROM tool_lists"), 4);
}

UNIT_TEST(drops_what_is_too_much)
{
	auto_free char *large = mem_alloc(TOOL_LIST_MAX);
	unsigned int n, most = TOOL_LISTS_BYTES_MAX / TOOL_LIST_MAX;

	memset(large, 'x', TOOL_LIST_MAX);
	for (n = 0; n <= most; n++)
		put(n, NOW + n, large, TOOL_LIST_MAX, "");
	ck_assert_uint_eq(count(), most);
	find(0, NOW, "");
	put_text(99, NOW + n, "{}");
	find(1, NOW, "");
	find(99, NOW, "{}");
	ck_assert_uint_eq(count(), most);
}

/* An entry of another program that is too large is not found. */
UNIT_TEST(bytes_of_somebody_else)
{
	put_text(0, NOW, "{}");
	ck_assert_int_eq(database_run(database,
	    "UPDATE tool_lists SET list = zeroblob(5000000)", &err), 0);
	find(0, NOW, "");
	ck_assert_int_eq(database_run(database, "UPDATE tool_lists SET"
	    " list = 'x', info = zeroblob(5000)", &err), 0);
	find(0, NOW, "");
}
