/*
 * A database in a temporary folder, which is the working directory of the test,
 * for tests of the tables of the store.
 */
#ifndef TESTS_UNIT_STORE_FOLDER_H
#define TESTS_UNIT_STORE_FOLDER_H

#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/store/database.h"

static char store_folder[] = "/tmp/test_tables.XXXXXX";
static int store_made; /* the folder is there: its name may end in X, too */
static struct database *database;
static struct buffer json; /* the last answer */
static struct err err;

static inline void
enter_with(uint64_t most)
{
	if (!store_made) {
		ck_assert_ptr_nonnull(mkdtemp(store_folder));
		ck_assert_int_eq(chdir(store_folder), 0);
		store_made = 1;
	}
	database_free(&database);
	database = database_new(most);
}

static inline void
enter(void)
{
	enter_with(STATE_MAX_MAX);
}

static inline void
leave(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", store_folder);

	database_free(&database);
	buffer_reset(&json);
	ck_assert_int_eq(system(command), 0);
}

/* The request succeeded, and its answer contains this. */
static inline void
expect_told(int done, const char *part)
{
	ck_assert_msg(done == 0, "%s", err.text);
	buffer_add(&json, "", 0);
	ck_assert_msg(strstr(json.data, part) != NULL, "%s", json.data);
}

/* The whole answer. */
static inline void
expect_all(int done, const char *text)
{
	expect_told(done, text);
	ck_assert_str_eq(json.data, text);
}

static inline void
expect_err(int done, const char *part)
{
	ck_assert_int_eq(done, -1);
	ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
}

/* How often a part stands in the answer. */
static inline size_t
count_told(const char *part)
{
	const char *p = json.data;
	size_t n = 0;

	while ((p = strstr(p, part)) != NULL) {
		n++;
		p++;
	}
	return n;
}

/* The one number that a query gives. */
static inline uint64_t
ask(const char *sql)
{
	auto_statement sqlite3_stmt *statement =
	    database_prepare(database, sql, &err);

	ck_assert_msg(statement != NULL, "%s", err.text);
	ck_assert_int_eq(database_step(database, statement, &err), 1);
	return database_number(statement, 0);
}

#endif
