/*
 * Tests of worker/store/database: it is made when it is missing, brought to its
 * version when it is older, refused when it is anything else, and whatever is
 * refused stays as it was.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/base/mem.h"
#include "tests/unit/unit_folder.h"
#include "worker/store/database.h"

static struct database *database;

static void
enter(void)
{
	database = database_new(1000);
}

static void
leave(void)
{
	database_free(&database);
}

/* The one number that a query gives, on a connection of its own. */
static sqlite3_int64
ask(const char *sql)
{
	sqlite3_stmt *statement;
	sqlite3_int64 number;
	sqlite3 *other;

	ck_assert_int_eq(sqlite3_open(DATABASE_NAME, &other), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(other, sql, -1, &statement, NULL),
	    SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(other);
	return number;
}

/* Changes the file from outside, as another program. */
static void
change(const char *sql)
{
	sqlite3 *other;

	ck_assert_int_eq(sqlite3_open(DATABASE_NAME, &other), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
}

static void
open_well(void)
{
	struct err err = { 0 };

	ck_assert_msg(database_open(database, &err) == 0, "%s", err.text);
}

/* What the file holds, byte for byte. */
static void
read_file(struct buffer *bytes)
{
	auto_fd int fd = open(DATABASE_NAME, O_RDONLY);
	ssize_t n;

	ck_assert_int_ne(fd, -1);
	while ((n = read(fd, buffer_reserve(bytes, 65536), 65536)) > 0)
		bytes->len += (size_t)n;
	ck_assert_int_eq(n, 0);
}

/* Refuses it with these words, in which its path is, and changes nothing. */
static void
expect_refused(const char *words)
{
	auto_buffer struct buffer before = { 0 }, after = { 0 };
	auto_free char *path = mem_printf("%s/%s", folder, DATABASE_NAME);
	struct err err = { 0 };

	read_file(&before);
	ck_assert_int_eq(database_open(database, &err), -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, path) != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, "CAISSON_STATE_DIR") != NULL, "%s",
	    err.text);
	ck_assert_ptr_null(database_prepare(database, "SELECT 1", &err));
	ck_assert_int_eq(database_run(database, "SELECT 1", &err), -1);
	read_file(&after);
	ck_assert_uint_eq(before.len, after.len);
	ck_assert_mem_eq(before.data, after.data, before.len);
}

UNIT_FIXTURE(enter, leave)

UNIT_TEST(makes_what_is_missing)
{
	open_well();
	open_well();
	ck_assert_int_eq(ask("PRAGMA application_id"), 0x43616973);
	ck_assert_int_ge(ask("PRAGMA user_version"), 1);
	ck_assert_int_eq(ask("SELECT sum(value) FROM totals"), 0);
}

/*
 * What 0.1.0 made its database with, word for word; never to be changed. What
 * is kept outlives the program, and users go back to an older one.
 */
static const char *const released[] = {
	"CREATE TABLE totals (name TEXT PRIMARY KEY, value INTEGER NOT "
	    "NULL) WITHOUT ROWID",
	"INSERT INTO totals VALUES ('version', 0), ('memories', 0), "
	    "('tools', 0), ('bytes', 0)",
	"CREATE TABLE memories (scope TEXT NOT NULL, key BLOB NOT NULL, "
	    "version INTEGER NOT NULL, size INTEGER NOT NULL, created TEXT NOT "
	    "NULL, updated TEXT NOT NULL, metadata BLOB NOT NULL, value BLOB "
	    "NOT NULL, UNIQUE (scope, key))",
	"CREATE TRIGGER memories_in AFTER INSERT ON memories BEGIN UPDATE "
	    "totals SET value = value + 1 WHERE name = 'memories'; UPDATE "
	    "totals SET value = value + new.size WHERE name = 'bytes'; END",
	"CREATE TRIGGER memories_set AFTER UPDATE ON memories BEGIN UPDATE "
	    "totals SET value = value + new.size - old.size WHERE name = "
	    "'bytes'; END",
	"CREATE TRIGGER memories_out AFTER DELETE ON memories BEGIN UPDATE "
	    "totals SET value = value - 1 WHERE name = 'memories'; UPDATE "
	    "totals SET value = value - old.size WHERE name = 'bytes'; END",
	"CREATE TABLE tools (scope TEXT NOT NULL, name TEXT NOT NULL, size "
	    "INTEGER NOT NULL, saved TEXT NOT NULL, about TEXT NOT NULL, "
	    "source BLOB NOT NULL, UNIQUE (scope, name))",
	"CREATE TRIGGER tools_in AFTER INSERT ON tools BEGIN UPDATE totals "
	    "SET value = value + 1 WHERE name = 'tools'; UPDATE totals SET "
	    "value = value + new.size WHERE name = 'bytes'; END",
	"CREATE TRIGGER tools_set AFTER UPDATE ON tools BEGIN UPDATE "
	    "totals SET value = value + new.size - old.size WHERE name = "
	    "'bytes'; END",
	"CREATE TRIGGER tools_out AFTER DELETE ON tools BEGIN UPDATE "
	    "totals SET value = value - 1 WHERE name = 'tools'; UPDATE totals "
	    "SET value = value - old.size WHERE name = 'bytes'; END",
	"CREATE TABLE tool_lists (fingerprint BLOB PRIMARY KEY, used "
	    "INTEGER NOT NULL, size INTEGER NOT NULL, info BLOB NOT NULL, list "
	    "BLOB NOT NULL)",
};

/* A memory, a saved tool and a list of tools, as 0.1.0 wrote them. */
static const char kept[] =
    "INSERT INTO memories VALUES ('', CAST('notes' AS BLOB), 1, 12, "
    "'2025-06-01T10:00:00Z', '2025-06-01T10:00:00Z', CAST('null' AS BLOB), "
    "CAST('[1]' AS BLOB));"
    "INSERT INTO tools VALUES ('', 'add', 52, '2025-06-01T10:00:00Z', "
    "'add(a, b)', CAST('def add(a, b):\n    return a + b\n' AS BLOB));"
    "INSERT INTO tool_lists VALUES (x'00ff', 1748772000, 20, "
    "CAST('{}' AS BLOB), CAST('[]' AS BLOB));"
    "UPDATE totals SET value = 7 WHERE name = 'version';"
    "PRAGMA application_id = 0x43616973; PRAGMA user_version = 1";

UNIT_TEST(opens_what_0_1_0_wrote)
{
	size_t i;

	for (i = 0; i < UNIT_COUNT(released); i++)
		change(released[i]);
	change(kept);
	open_well();
	ck_assert_int_eq(ask("SELECT count(*) FROM memories WHERE key = "
	    "CAST('notes' AS BLOB) AND value = CAST('[1]' AS BLOB)"), 1);
	ck_assert_int_eq(ask("SELECT count(*) FROM tools WHERE name = 'add' "
	    "AND about = 'add(a, b)' AND length(source) = 32"), 1);
	ck_assert_int_eq(ask("SELECT count(*) FROM tool_lists"), 1);
	ck_assert_int_eq(ask("SELECT sum(value) FROM totals"), 7 + 2 + 64);
}

/*
 * 0.1.0 opens a database of version 1 at most, and uses its own tables: what
 * comes later may only add to them.
 */
UNIT_TEST(makes_what_0_1_0_opens)
{
	char *sql;
	size_t i;

	open_well();
	ck_assert_int_eq(ask("PRAGMA user_version"), 1);
	for (i = 0; i < UNIT_COUNT(released); i++) {
		if (strncmp(released[i], "CREATE ", 7) != 0)
			continue;
		sql = sqlite3_mprintf("SELECT count(*) FROM sqlite_master "
		    "WHERE sql = %Q", released[i]);
		ck_assert_msg(ask(sql) == 1, "%s", released[i]);
		sqlite3_free(sql);
	}
	ck_assert_int_eq(ask("SELECT count(*) FROM totals WHERE name IN "
	    "('version', 'memories', 'tools', 'bytes')"), 4);
}

UNIT_TEST(refuses_a_newer_version)
{
	open_well();
	database_free(&database);
	database = database_new(1000);
	change("PRAGMA user_version = 1000");
	expect_refused("it was written by a newer Caisson (version 1000");
}

UNIT_TEST(refuses_another_program)
{
	change("PRAGMA application_id = 7; CREATE TABLE memories (a)");
	expect_refused("of another program");
}

UNIT_TEST(refuses_tables_of_others)
{
	change("CREATE TABLE bookmarks (a)");
	expect_refused("of another program");
}

/* The first page stays: the tables that it names cannot be read. */
UNIT_TEST(refuses_what_is_damaged)
{
	auto_buffer struct buffer zeroes = { 0 };
	struct stat st;
	auto_fd int fd = -1;

	change("PRAGMA application_id = 1130457459; PRAGMA user_version = 1;"
	    "CREATE TABLE a (b); CREATE TABLE c (d)");
	fd = open(DATABASE_NAME, O_WRONLY);
	ck_assert_int_eq(fstat(fd, &st), 0);
	memset(buffer_reserve(&zeroes, 3000), 0xff, 3000);
	ck_assert_int_eq(pwrite(fd, zeroes.data, 3000, 100), 3000);
	expect_refused("it is damaged");
}

/*
 * A page that says that it has no cells is a good page: what was kept would
 * not be found, and nothing would tell.
 */
UNIT_TESTS(refuses_what_has_lost_something, 2)
{
	static const char *const roots[] = {
		"SELECT rootpage FROM sqlite_master WHERE name = 'memories'",
		"SELECT rootpage FROM sqlite_master WHERE tbl_name = 'memories'"
		" AND type = 'index'",
	};
	off_t page;
	auto_fd int fd = -1;

	open_well();
	ck_assert_int_eq(database_run(database, "INSERT INTO memories VALUES"
	    " ('', x'6b', 1, 2, 't', 't', '{}', x'31')", NULL), 0);
	page = (off_t)((ask(roots[_i]) - 1) * ask("PRAGMA page_size"));
	database_free(&database);
	database = database_new(1000);
	fd = open(DATABASE_NAME, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, "\0\0", 2, page + 3), 2);
	expect_refused("it is damaged");
}

/* It is said what there is instead, and nothing is done to it. */
static void
expect_no_file(const char *words)
{
	auto_free char *path = mem_printf("%s/%s", folder, DATABASE_NAME);
	struct err err = { 0 };

	ck_assert_int_eq(database_open(database, &err), -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, path) != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, "move it away") != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, "CAISSON_STATE_DIR") != NULL, "%s",
	    err.text);
}

UNIT_TEST(does_not_follow_links)
{
	ck_assert_int_eq(symlink("elsewhere", DATABASE_NAME), 0);
	expect_no_file("it is a symbolic link, not a regular file");
	ck_assert_int_eq(access("elsewhere", F_OK), -1);
}

/* The file is removed while it is open. */
UNIT_TEST(a_file_that_was_removed_is_let_go)
{
	open_well();
	database_look(database);
	ck_assert_int_eq(unlink(DATABASE_NAME), 0);
	unlink(DATABASE_NAME "-wal");
	unlink(DATABASE_NAME "-shm");
	database_look(database);
	ck_assert_int_eq(database_run(database, "UPDATE totals SET value = 5"
	    " WHERE name = 'version'", NULL), 0);
	ck_assert_int_eq(ask("SELECT max(value) FROM totals"), 5);
}

static void
set_version(const char *version)
{
	auto_free char *sql = mem_printf("UPDATE totals SET value = %s"
	    " WHERE name = 'version'", version);
	struct err err;

	ck_assert_msg(database_run(database, sql, &err) == 0, "%s", err.text);
}

/* As a process that was killed leaves it. */
static void
leave_a_log(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		open_well();
		set_version("5");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(access(DATABASE_NAME "-wal", F_OK), 0);
}

UNIT_TEST(refuses_what_has_lost_its_log)
{
	leave_a_log();
	ck_assert_int_eq(unlink(DATABASE_NAME "-wal"), 0);
	expect_refused("its log caisson.db-wal was removed");
	ck_assert_int_eq(unlink(DATABASE_NAME "-shm"), 0);
	open_well();
	/* With its log it is as good as ever. */
	database_free(&database);
	database = database_new(1000);
	leave_a_log();
	open_well();
	ck_assert_int_eq(ask("SELECT max(value) FROM totals"), 5);
}

/* Everybody finds no tables, and one of them makes them. */
UNIT_TEST(is_made_once_by_many)
{
	int gate[2], status, n;
	char byte;

	ck_assert_int_eq(pipe(gate), 0);
	for (n = 0; n < 6; n++) {
		if (fork() != 0)
			continue;
		close(gate[1]);
		(void)!read(gate[0], &byte, 1);
		_exit(database_open(database, NULL) == 0 ? 0 : 1);
	}
	close(gate[1]);
	for (n = 0; n < 6; n++) {
		ck_assert_int_ne(wait(&status), -1);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(ask("SELECT count(*) FROM totals"), 4);
}

UNIT_TEST(changes_all_or_nothing)
{
	struct err err = { 0 };

	open_well();
	ck_assert_int_eq(database_begin(database, &err), 0);
	ck_assert_int_eq(database_run(database, "UPDATE totals SET value = 9"
	    " WHERE name = 'version'", &err), 0);
	ck_assert_int_eq(database_end(database, 1, &err), -1);
	ck_assert_int_eq(ask("SELECT max(value) FROM totals"), 0);
	ck_assert_int_eq(database_begin(database, &err), 0);
	ck_assert_int_eq(database_run(database, "UPDATE totals SET value = 9"
	    " WHERE name = 'version'", &err), 0);
	ck_assert_int_eq(database_end(database, 0, &err), 0);
	ck_assert_int_eq(ask("SELECT max(value) FROM totals"), 9);
}
