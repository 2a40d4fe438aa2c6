/*
 * Tests of the real caisson-store, its argument, behind its real lockdown: that
 * it needs nothing that it has given up, keeps what it has promised, and
 * outlives every client that talks nonsense.
 */
#include "store_play.h"

START_TEST(makes_its_files_for_nobody_else)
{
	auto_free char *path = NULL;
	struct stat st;

	play_start();
	play_end();
	path = play_path("caisson.db");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFREG | S_IRUSR | S_IWUSR);
}
END_TEST

START_TEST(cuts_off_who_talks_nonsense)
{
	int relay;

	play_start();
	relay = play_client();
	ck_assert_int_eq(send(relay, "nonsense", 8, 0), 8);
	play_expect_end(relay);
	close(play_client());
	play_end();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, play_make_folder, play_remove_folder);
	tcase_add_test(tc, makes_its_files_for_nobody_else);
	tcase_add_test(tc, cuts_off_who_talks_nonsense);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		play_program = argv[1];
	return unit_run("store", add_tests);
}
