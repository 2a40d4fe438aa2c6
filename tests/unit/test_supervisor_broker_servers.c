/*
 * Tests of supervisor/peers/broker: what the broker is told of the servers in
 * force, and when, and what becomes of the servers that it wants.
 */
#include "supervisor_broker_play.h"

/* Other servers */

static void
no_change(void)
{
}

static void
change_command(void)
{
	list[0].run = (struct server_texts)TEXTS("uvx\0-y\0fs");
}

static void
change_args(void)
{
	list[0].run = (struct server_texts)TEXTS("npx\0-y\0fs2");
}

static void
split_args(void)
{
	list[0].run = (struct server_texts)TEXTS("npx\0-y\0f\0s");
}

static void
move_arg_to_env(void)
{
	list[0].run = (struct server_texts)TEXTS("npx\0-y");
	list[0].run_env = (struct server_texts)TEXTS("fs\0A=1\0B=2");
}

static void
change_env(void)
{
	list[0].run_env = (struct server_texts)TEXTS("A=1\0B=3");
}

static void
drop_env(void)
{
	list[0].run_env = (struct server_texts){ NULL, 0 };
}

static void
change_cwd(void)
{
	list[1].run_cwd = (char *)"/srv/b";
}

static void
drop_cwd(void)
{
	list[1].run_cwd = NULL;
}

static void
change_alias(void)
{
	list[1].alias = (char *)"git_hub_2";
}

static void
change_description(void)
{
	list[0].description = (char *)"All files";
}

static void
narrow_tools(void)
{
	list[0].narrowed = 1;
	list[0].allow = (struct server_texts)TEXTS("read_*");
}

static void
deny_tools(void)
{
	list[0].deny = (struct server_texts)TEXTS("delete\0drop");
}

static void
change_all(void)
{
	change_env();
	change_description();
	change_alias();
}

static void
change_program(void)
{
	/* It is what the command is now, at its next start. */
	list[0].program = (char *)"/usr/local/bin/npx";
}

static void
add_server(void)
{
	nlist = 3;
}

static void
remove_server(void)
{
	nlist = 1;
}

static void
remove_all(void)
{
	nlist = 0;
}

static void
replace_all(void)
{
	list[0] = list[2];
	nlist = 1;
}

#define AGAIN "define fs fs 'Files'\n"

static const struct {
	void (*change)(void);
	const char *told;
} changes[] = {
	{ no_change, "" },
	{ change_command, "remove fs\n" AGAIN },
	{ change_args, "remove fs\n" AGAIN },
	{ split_args, "remove fs\n" AGAIN },
	{ move_arg_to_env, "remove fs\n" AGAIN },
	{ change_env, "remove fs\n" AGAIN },
	{ drop_env, "remove fs\n" AGAIN },
	{ change_cwd, "remove git-hub\ndefine git-hub git_hub ''\n" },
	{ drop_cwd, "remove git-hub\ndefine git-hub git_hub ''\n" },
	/* What runs already may go on. */
	{ change_program, AGAIN },
	{ change_alias, "define git-hub git_hub_2 ''\n" },
	{ change_description, "define fs fs 'All files'\n" },
	{ narrow_tools, "define fs fs 'Files' allow 7 read_*\n" },
	{ deny_tools, "define fs fs 'Files' deny 12 delete\n" },
	{ change_all, "remove fs\ndefine fs fs 'All files'\n"
	    "define git-hub git_hub_2 ''\n" },
	{ add_server, "define x x ''\n" },
	{ remove_server, "remove git-hub\n" },
	{ remove_all, "remove fs\nremove git-hub\n" },
	{ replace_all, "define x x ''\nremove fs\nremove git-hub\n" },
};

START_TEST(other_servers_are_named)
{
	begin();
	configure(2);
	changes[_i].change();
	broker_reconfigure(broker);
	was_told(changes[_i].told);
	/* Once. */
	broker_reconfigure(broker);
	was_told("");
}
END_TEST

/* Back to what it was: that is a change, too. */
START_TEST(changes_add_up)
{
	begin();
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN);
	configure(1);
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN "remove git-hub\n");
	configure(2);
	broker_reconfigure(broker);
	was_told("define git-hub git_hub ''\n");
	get_grant(2, NULL, 0);
	was_told("grant 2 may fs,git-hub loads \n");
	nlist = 0;
	broker_reconfigure(broker);
	was_told("remove fs\nremove git-hub\n");
	nlist = 1;
	broker_reconfigure(broker);
	get_grant(3, NULL, 0);
	was_told("define fs fs 'Files'\ngrant 3 may fs loads \n");
}
END_TEST

/* A new description is the same server; a new command is another one. */
START_TEST(definitions_have_numbers)
{
	uint64_t fs, hub;

	begin();
	fs = numbers[0];
	hub = numbers[1];
	ck_assert_uint_gt(fs, 0);
	ck_assert_uint_gt(hub, fs);
	change_description();
	broker_reconfigure(broker);
	was_told("define fs fs 'All files'\n");
	ck_assert_uint_eq(numbers[0], fs);
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\ndefine fs fs 'All files'\n");
	ck_assert_uint_gt(numbers[0], hub);
	fs = numbers[0];
	configure(0);
	broker_reconfigure(broker);
	configure(2);
	broker_reconfigure(broker);
	was_told("remove git-hub\nremove fs\n" DEFINED);
	ck_assert_uint_gt(numbers[0], fs);
	fs = numbers[0];
	/* Of another broker, too: processes of the one before may be left. */
	die();
	begin();
	ck_assert_uint_gt(numbers[0], fs);
}
END_TEST

/* What crossed its removal is not started as what is there now. */
START_TEST(what_was_removed_is_not_started)
{
	uint64_t before;

	begin();
	before = numbers[0];
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN);
	want_defined(1, "fs", before);
	was_told("ended 1 could not be started: its configuration has changed "
	    "just now; call it again\n");
	want(2, "fs");
	was_told("launched 2\n");
	ck_assert_uint_eq(ndownstreams, 1);
	end_downstream(0, "exited with code 0");
	was_told("ended 2 exited with code 0\n");
}
END_TEST

/* Trust that is lost */

/* Of a file, not of another one; in what is there before and what is not. */
START_TEST(what_is_not_trusted_is_revoked)
{
	begin();
	want(1, "fs");
	want(2, "git-hub");
	was_told("launched 1\nlaunched 2\n");
	distrusted[1] = "its file is bad";
	nlist = 1;
	broker_reconfigure(broker);
	was_told("revoke 2 its file is bad\n");
	/* Whatever the broker does about that. */
	were_stopped("01");
	broker_reconfigure(broker);
	was_told("");
	distrusted[0] = "its file is bad";
	if (_i == 1) {
		/* Another file has the name now. */
		change_env();
		list[0].file = &files[1];
	} else {
		nlist = 0;
	}
	broker_reconfigure(broker);
	was_told(_i == 1 ? "revoke 1 its file is bad\n" AGAIN :
	    "revoke 1 its file is bad\n");
	were_stopped("11");
	end_downstream(0, "exited with code 0");
	end_downstream(1, "exited with code 0");
	was_told("ended 1 exited with code 0\nended 2 exited with code 0\n");
}
END_TEST

/* One that was removed goes on for some, until it is not trusted either. */
START_TEST(what_was_removed_is_revoked)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	change_env();
	broker_reconfigure(broker);
	was_told("remove fs\n" AGAIN);
	want(2, "fs");
	change_cwd();
	list[0].run_cwd = (char *)"/srv";
	list[0].file = &files[1];
	broker_reconfigure(broker);
	was_told("launched 2\nremove fs\n" AGAIN
	    "remove git-hub\ndefine git-hub git_hub ''\n");
	were_stopped("00");
	if (_i == 1) {
		/* What has ended needs no end. */
		end_downstream(1, "exited with code 0");
		was_told("ended 2 exited with code 0\n");
	}
	distrusted[0] = "its file is bad";
	broker_reconfigure(broker);
	was_told(_i == 1 ? "revoke 1 its file is bad\n" :
	    "revoke 1 its file is bad\nrevoke 3 its file is bad\n");
	broker_reconfigure(broker);
	was_told("");
	end_downstream(0, "exited with code 0");
	if (_i == 0)
		end_downstream(1, "exited with code 0");
	was_told(_i == 1 ? "ended 1 exited with code 0\n" :
	    "ended 1 exited with code 0\nended 2 exited with code 0\n");
}
END_TEST

/* A trusted file may define just the same: nothing has to end. */
START_TEST(another_file_may_define_the_same)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	distrusted[0] = "its file is bad";
	list[0].file = &files[1];
	broker_reconfigure(broker);
	was_told("");
	were_stopped("0");
	distrusted[1] = "that one too";
	nlist = 0;
	broker_reconfigure(broker);
	was_told("revoke 1 that one too\nrevoke 2 that one too\n");
	were_stopped("1");
	end_downstream(0, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
}
END_TEST

/* A path may be long, and is cut in whole characters. */
START_TEST(long_reasons_are_cut)
{
	auto_free char *reason = mem_alloc(2 * REVOKED_MAX + 3);
	auto_free char *wanted = NULL;
	size_t n;

	memset(reason, 'x', 2);
	for (n = (size_t)_i; n < 2 * REVOKED_MAX; n += 2)
		memcpy(reason + n, "\xc3\xa9", 2);
	begin();
	distrusted[1] = reason;
	nlist = 1;
	broker_reconfigure(broker);
	wanted = mem_printf("revoke 2 %.*s\n",
	    (int)((REVOKED_MAX - (size_t)_i) / 2 * 2 + (size_t)_i), reason);
	was_told(wanted);
}
END_TEST

/* Servers that are wanted */

static void
is_joined(int from, int to)
{
	char c = 0;

	ck_assert_int_eq(write(from, "x", 1), 1);
	ck_assert_int_eq(read(to, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
}

START_TEST(what_is_wanted_is_started)
{
	begin();
	want(1, "git-hub");
	was_told("launched 1\n");
	ck_assert_str_eq(downstreams[0].name, "git-hub");
	is_joined(launched_fds[0], downstreams[0].pipes[0]);
	is_joined(downstreams[0].pipes[1], launched_fds[1]);
	is_joined(downstreams[0].pipes[2], launched_fds[2]);
	/* No other process has an end of its pipes. */
	fd_close(&launched_fds[0]);
	ck_assert_int_eq(
	    read(downstreams[0].pipes[0], &(char){ 0 }, 1), 0);
	want(5, "fs");
	was_told("launched 5\n");
	ck_assert_str_eq(downstreams[1].name, "fs");
	end_downstream(0, "exited with code 3");
	was_told("ended 1 exited with code 3\n");
	let_go(5);
	were_stopped("01");
	was_told("");
	end_downstream(1, "was killed by SIGTERM");
	was_told("ended 5 was killed by SIGTERM\n");
	/* All of that again. */
	want(6, "fs");
	was_told("launched 6\n");
	end_downstream(2, "exited with code 0");
	was_told("ended 6 exited with code 0\n");
}
END_TEST

static void
unknown_name(void)
{
	nlist = 0;
}

static void
no_program(void)
{
	list[0].program = NULL;
	list[0].searched = (char *)"/caf\xe9:/bin";
}

static void
no_path(void)
{
	list[0].program = NULL;
}

static void
no_start(void)
{
	unstartable = "out of processes";
}

static const struct {
	void (*make)(void);
	const char *told;
} failures[] = {
	{ unknown_name,
	    "ended 9 could not be started: it is no longer configured\n" },
	{ no_program, "ended 9 could not be started: its command was not "
	    "found\n" },
	{ no_path, "ended 9 could not be started: its command is not an "
	    "executable file\n" },
	{ no_start, "ended 9 could not be started: out of processes\n" },
};

START_TEST(what_cannot_be_started_has_ended)
{
	begin();
	failures[_i].make();
	want(9, "fs");
	was_told(failures[_i].told);
	ck_assert_uint_eq(ndownstreams, 0);
	/* The broker may have let it go meanwhile; so has everybody. */
	let_go(9);
	was_told("");
	/* Its number is gone with it. */
	unstartable = NULL;
	installed = 1;
	configure(2);
	want(10, "fs");
	was_told("launched 10\n");
	end_downstream(0, "exited with code 0");
	was_told("ended 10 exited with code 0\n");
}
END_TEST

START_TEST(long_ends_are_cut)
{
	auto_free char *how = mem_alloc(3 * ENDED_HOW_MAX);
	auto_free char *wanted = NULL;
	size_t n, whole = (ENDED_HOW_MAX - (size_t)_i) / 2 * 2 + (size_t)_i;

	memset(how, 'x', (size_t)_i);
	for (n = (size_t)_i; n + 2 < 3 * ENDED_HOW_MAX; n += 2)
		memcpy(how + n, "\xc3\xa9", 2);
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	end_downstream(0, how);
	wanted = mem_printf("ended 1 %.*s\n", (int)whole, how);
	was_told(wanted);
}
END_TEST

/* A program that was missing has been installed. */
START_TEST(a_program_may_appear)
{
	begin();
	list[0].program = NULL;
	installed = 1;
	want(1, "fs");
	was_told("launched 1\n");
	end_downstream(0, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
}
END_TEST

/* Whatever is wanted, only so many processes of one server are there. */
START_TEST(processes_of_a_server_are_bounded)
{
	uint64_t link;

	begin();
	for (link = 1; link <= SERVER_PROCESSES_MAX; link++)
		want(link, "fs");
	was_told("launched 1\nlaunched 2\nlaunched 3\nlaunched 4\n");
	want(5, "fs");
	was_told("ended 5 could not be started: 4 of its processes still run "
	    "or are ending; they end with the executions that use them\n");
	/* Of others there may be more, also when few are left in force. */
	want(6, "git-hub");
	was_told("launched 6\n");
	configure(1);
	broker_reconfigure(broker);
	was_told("remove git-hub\n");
	end_downstream(0, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
	want(7, "fs");
	was_told("launched 7\n");
	for (link = 1; link < 6; link++)
		end_downstream(link, "exited with code 0");
	was_told("ended 2 exited with code 0\nended 3 exited with code 0\n"
	    "ended 4 exited with code 0\nended 6 exited with code 0\n"
	    "ended 7 exited with code 0\n");
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_test(tc, what_is_wanted_is_started);
	tcase_add_loop_test(tc, what_cannot_be_started_has_ended, 0,
	    UNIT_COUNT(failures));
	tcase_add_loop_test(tc, long_ends_are_cut, 0, 2);
	tcase_add_test(tc, a_program_may_appear);
	tcase_add_test(tc, processes_of_a_server_are_bounded);
	tcase_add_loop_test(
	    tc, other_servers_are_named, 0, UNIT_COUNT(changes));
	tcase_add_test(tc, changes_add_up);
	tcase_add_test(tc, definitions_have_numbers);
	tcase_add_test(tc, what_was_removed_is_not_started);
	tcase_add_loop_test(tc, what_is_not_trusted_is_revoked, 0, 2);
	tcase_add_loop_test(tc, what_was_removed_is_revoked, 0, 2);
	tcase_add_test(tc, another_file_may_define_the_same);
	tcase_add_loop_test(tc, long_reasons_are_cut, 0, 2);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run("supervisor_broker_servers", add_tests);
}
