/*
 * Tests of supervisor/servers/server_locations: what a reader says of places is
 * taken for the entry that it told last, and only where it can be so.
 */

#include "supervisor/servers/server_locations.h"
#include "tests/unit/unit.h"

static struct servers servers;
static struct server_file file;
static struct server server;

static void
enter(void)
{
	TAILQ_INIT(&servers.list);
	server.file = &file;
	TAILQ_INSERT_TAIL(&servers.list, &server, entry);
	servers.current = &file;
}

static const char *
location(uint64_t start, uint64_t end, uint64_t comma)
{
	struct ipc_location msg = { .start = start, .end = end, .comma = comma,
		.cut_start = start, .cut_end = end, .tied = "sandbox",
		.fixed = "" };

	return server_locations_set(&servers, &msg);
}

static const char *
gap(uint64_t at, const char *line, const char *behind)
{
	struct ipc_gap msg = { .form = CONFIG_GAP_MEMBER, .at = at,
		.line = line, .deeper = "", .behind = behind,
		.why = "" };

	return server_locations_set_gap(&servers, &msg);
}

UNIT_TEST(an_entry_has_one_location)
{
	enter();
	ck_assert_ptr_nonnull(location(5, 4, 0));
	ck_assert_ptr_nonnull(location(4, 9, 9));
	ck_assert_ptr_null(server.location);
	ck_assert_ptr_null(location(4, 9, 10));
	ck_assert_uint_eq(server.location->comma, 10);
	ck_assert_str_eq(server.location->tied, "sandbox");
	ck_assert_ptr_nonnull(location(4, 9, 10));
	server_locations_free(&server.location);
	server_locations_free(&server.location); /* NULL is accepted */
}

/* What is put around an entry is written as it comes: blanks and no more. */
UNIT_TEST(a_gap_has_blanks_only)
{
	enter();
	ck_assert_ptr_nonnull(gap(5, "\n\"x\"", ""));
	ck_assert_ptr_nonnull(gap(5, "", ","));
	ck_assert_ptr_null(gap(5, "\r\n\t ", "\n"));
	ck_assert_uint_eq(file.gap->at, 5);
	ck_assert_ptr_nonnull(gap(5, "", "")); /* twice */
	server_locations_free_gap(&file.gap);
	server_locations_free_gap(&file.gap); /* NULL is accepted */
}

UNIT_TEST(belongs_to_the_file_that_is_read)
{
	struct server_file other = { 0 };

	enter();
	servers.current = &other;
	ck_assert_ptr_nonnull(location(4, 9, 0));
	servers.current = NULL;
	ck_assert_ptr_nonnull(location(4, 9, 0));
	ck_assert_ptr_nonnull(gap(5, "", ""));
}
