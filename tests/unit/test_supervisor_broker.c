/*
 * Tests of supervisor/peers/broker and its handlers: which grants are made,
 * that nothing the broker says or fails to say costs more than itself and its
 * servers, and how it ends. Other files test its servers.
 */
#include "supervisor_broker_play.h"

/* Grants */

START_TEST(nothing_starts_without_a_grant)
{
	broker_reconfigure(broker);
	configure(1);
	broker_reconfigure(broker);
	settle();
	ck_assert_uint_eq(started, 0);
}
END_TEST

START_TEST(a_grant_is_made)
{
	const struct broker_grant wanted = { 7, "", NULL,
		{ (char *)"git-hub\0fs", 11 } };
	auto_fd int relay = -1;
	struct err err;
	char c = 0;

	relay = broker_grant_servers(broker, &wanted, &err);
	ck_assert_int_ge(relay, 0);
	ck_assert_int_ne(fcntl(relay, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_ne(fcntl(relay, F_GETFD) & FD_CLOEXEC, 0);
	/* Every server is known before it is asked for. */
	was_told(DEFINED "grant 7 may fs,git-hub loads git-hub,fs\n");
	ck_assert_int_eq(send(grant_fd, "x", 1, 0), 1);
	ck_assert_int_eq(recv(relay, &c, 1, 0), 1);
	ck_assert_int_eq(c, 'x');
	get_grant(8, "fs", 3);
	was_told("grant 8 may fs,git-hub loads fs\n");
	ck_assert_uint_eq(started, 1);
	/* No other process has the broker's end. */
	fd_close(&grant_fd);
	ck_assert_int_eq(recv(relay, &c, 1, 0), 0);
}
END_TEST

/* Whichever broker it is; the supervisor's own descriptor stays. */
START_TEST(each_broker_gets_the_audit_file)
{
	char path[] = "/tmp/caisson-test-XXXXXX";
	auto_fd int file = mkstemp(path);

	broker_free(&broker);
	policy.audit = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	unlink(path);
	broker = broker_new(base, CONFIG, envp, &policy);
	get_grant(1, NULL, 0);
	was_told("audit\n" DEFINED "grant 1 may fs,git-hub loads \n");
	get_grant(2, NULL, 0);
	was_told("grant 2 may fs,git-hub loads \n");
	die();
	get_grant(3, NULL, 0);
	was_told("audit\n" DEFINED "grant 3 may fs,git-hub loads \n");
	ck_assert_int_eq(lseek(file, 0, SEEK_END), 2);
	fd_close(&policy.audit);
}
END_TEST

/* Another owner may use what it is allowed, and what is there. */
START_TEST(a_grant_of_another_owner)
{
	const struct server_texts allowed = { (char *)"gone\0git-hub", 13 };
	const struct broker_grant wanted = { 7, "bob", &allowed,
		{ (char *)"git-hub", 8 } };
	auto_fd int relay = -1;
	struct err err;

	relay = broker_grant_servers(broker, &wanted, &err);
	ck_assert_int_ge(relay, 0);
	was_told(DEFINED "grant 7 may for bob git-hub loads git-hub\n");
}
END_TEST

/* The broker may start servers only for owners whose grants it was given. */
START_TEST(a_server_of_a_stranger)
{
	struct ipc_want message = { .process = 1, .name = "fs",
		.owner = "mallory", .definition = 1 };

	begin();
	say(IPC_WANT, &message);
	was_ended();
}
END_TEST

START_TEST(a_broker_may_be_unstartable)
{
	const struct broker_grant none = { 2, "", NULL, { NULL, 0 } };
	struct err err;

	unspawnable = "no broker today";
	ck_assert_int_eq(broker_grant_servers(broker, &none, &err), -1);
	ck_assert_str_eq(err.text, "no broker today");
	ck_assert_int_eq(unit_open_fds(), fds_before);
	unspawnable = NULL;
	begin();
	ck_assert_uint_eq(started, 2);
}
END_TEST

/* Every descriptor on the way may be the one too many. */
START_TEST(descriptors_may_run_out)
{
	const struct broker_grant none = { 2, "", NULL, { NULL, 0 } };
	struct rlimit limit, all;
	struct err err;
	int extra, lowest;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	begin();
	lowest = dup(0);
	close(lowest);
	for (extra = 0; extra < 2; extra++) {
		limit = all;
		limit.rlim_cur = (rlim_t)(lowest + extra);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
		ck_assert_int_eq(
		    broker_grant_servers(broker, &none, &err), -1);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
		ck_assert_str_eq(
		    err.text, "make a socket pair: Too many open files");
	}
	was_told("");
	get_grant(3, NULL, 0);
	was_told("grant 3 may fs,git-hub loads \n");
}
END_TEST

/* One that has exited unnoticed costs no call. */
START_TEST(a_broker_that_has_just_died_is_replaced)
{
	const struct broker_grant none = { 2, "", NULL, { NULL, 0 } };
	siginfo_t si;
	struct err err;
	int relay;

	begin();
	want(1, "fs");
	kill(process, SIGKILL);
	waitid(P_PID, (id_t)process, &si, WEXITED | WNOWAIT);
	fd_close(&line);
	relay = broker_grant_servers(broker, &none, &err);
	ck_assert_int_ge(relay, 0);
	fd_close(&relay);
	ck_assert_uint_eq(started, 2);
	were_stopped("1");
	end_downstream(0, "exited with code 0");
}
END_TEST

/* One that takes nothing any more is ended, and the next call heals it. */
START_TEST(a_broker_that_does_not_listen_is_ended)
{
	const struct broker_grant none = { 2, "", NULL, { NULL, 0 } };
	struct err err;
	int relay, n = 0;

	begin();
	want(1, "fs");
	while ((relay = broker_grant_servers(broker, &none, &err)) >= 0) {
		fd_close(&relay);
		ck_assert_int_le(++n, 2 * IPC_QUEUE_PACKETS_MAX);
	}
	ck_assert_ptr_nonnull(strstr(err.text, "wait for broker already"));
	were_stopped("1");
	fd_close(&line);
	wait_until_gone();
	begin();
	end_downstream(0, "exited with code 0");
	was_told("");
}
END_TEST

/* Violations of the protocol */

static void
want_again(void)
{
	want(2, "fs");
}

static void
want_less(void)
{
	want(1, "x");
}

static void
let_go_of_nothing(void)
{
	let_go(3);
}

static void
talk_garbage(void)
{
	ck_assert_int_eq(send(line, "xyz", 3, 0), 3);
	settle();
}

static void
answer_what_nobody_asked(void)
{
	struct ipc_tried tried = { .name = "fs", .reason = "" };

	say(IPC_TRIED, &tried);
}

static void
answer_no_text(void)
{
	struct ipc_tried tried = { .name = "fs", .count = 1, .reason = "",
		.tools = { (const uint8_t *)"\xff", 2, -1 } };

	say(IPC_TRIED, &tried);
}

static void
answer_without_end(void)
{
	struct ipc_tried tried = { .name = "fs", .count = 1, .reason = "",
		.tools = { (const uint8_t *)"tool", 4, -1 } };

	say(IPC_TRIED, &tried);
}

static void (*const violations[])(void) = { want_again, want_less,
	let_go_of_nothing, talk_garbage, answer_what_nobody_asked,
	answer_no_text, answer_without_end, die };

/* However it ends: its servers are stopped, and the next call heals it. */
START_TEST(a_broker_that_breaks_the_rules_is_ended)
{
	begin();
	want(1, "git-hub");
	want(2, "fs");
	was_told("launched 1\nlaunched 2\n");
	let_go(1);
	violations[_i]();
	if (line != -1)
		was_ended();
	were_stopped("21");
	/* Another one, which counts from the beginning. */
	begin();
	ck_assert_uint_eq(started, 2);
	want(1, "fs");
	was_told("launched 1\n");
	/* It gets no message about the servers of the other one. */
	end_downstream(0, "exited with code 0");
	end_downstream(1, "exited with code 0");
	was_told("");
	were_stopped("210");
	let_go(1);
	were_stopped("211");
	end_downstream(2, "exited with code 0");
	was_told("ended 1 exited with code 0\n");
}
END_TEST

/* No request follows then: there is nothing to do. */
START_TEST(a_dead_broker_is_left_alone)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	die();
	were_stopped("1");
	configure(1);
	broker_reconfigure(broker);
	end_downstream(0, "exited with code 0");
	settle();
	ck_assert_uint_eq(started, 1);
	get_grant(2, NULL, 0);
	was_told("define fs fs 'Files'\ngrant 2 may fs loads \n");
}
END_TEST

/* Its process is reaped before its end is noticed on the channel. */
START_TEST(a_broker_may_be_reaped_first)
{
	begin();
	want(1, "fs");
	was_told("launched 1\n");
	kill(process, SIGKILL);
	wait_until_gone();
	settle();
	were_stopped("0");
	fd_close(&line);
	settle();
	were_stopped("1");
	end_downstream(0, "exited with code 0");
}
END_TEST

/* The end */

static int stopped;

static void
on_stopped(void *ctx)
{
	ck_assert_ptr_eq(ctx, &stopped);
	stopped++;
}

START_TEST(stops_at_once_without_servers)
{
	if (_i == 1)
		begin();
	broker_stop(broker, on_stopped, &stopped);
	ck_assert_int_eq(stopped, 1);
	if (_i == 1)
		was_ended();
}
END_TEST

START_TEST(stops_when_the_last_server_has_ended)
{
	begin();
	want(1, "fs");
	want(2, "git-hub");
	was_told("launched 1\nlaunched 2\n");
	if (_i == 1) {
		/* Those of a broker that has died count, too. */
		die();
		begin();
		want(1, "fs");
		was_told("launched 1\n");
	}
	broker_stop(broker, on_stopped, &stopped);
	ck_assert_int_eq(stopped, 0);
	was_ended();
	/* Stopped again by a caller that cannot wait. */
	broker_stop(broker, on_stopped, &stopped);
	end_downstream(1, "exited with code 0");
	if (_i == 1)
		end_downstream(2, "exited with code 0");
	ck_assert_int_eq(stopped, 0);
	end_downstream(0, "exited with code 0");
	ck_assert_int_eq(stopped, 1);
}
END_TEST

/* Trying */

static struct buffer tried;
static int gone;

static void
on_tried(void *ctx, const struct broker_answer *answer)
{
	const char *tools = answer->tools;
	size_t at;

	ck_assert_ptr_eq(ctx, &tried);
	buffer_printf(&tried, "%s %llu", answer->name,
	    (unsigned long long)answer->count);
	for (at = 0; at < answer->tools_len && at < 100;
	     at += strlen(tools + at) + 1)
		buffer_printf(&tried, " %s", tools + at);
	buffer_printf(&tried, " '%s'\n", answer->reason);
}

static void
on_gone(void *ctx)
{
	ck_assert_ptr_eq(ctx, &tried);
	gone++;
}

static void
try_all(void)
{
	struct err err = { 0, "" };

	ck_assert_msg(broker_try(
	    broker, NULL, on_tried, on_gone, &tried, &err) == 0,
	    "%s", err.text);
	was_told(DEFINED "try fs\ntry git-hub\n");
}

/* Of all that are in force, those that are named. */
START_TEST(tries_some_servers)
{
	struct buffer only = { 0 };
	struct err err;

	buffer_add(&only, "none\0git-hub", sizeof("none\0git-hub"));
	ck_assert_int_eq(broker_try(
	    broker, &only, on_tried, on_gone, &tried, &err), 0);
	was_told(DEFINED "try git-hub\n");
	buffer_reset(&only);
}
END_TEST

START_TEST(tries_all_servers)
{
	struct ipc_tried answer = { .name = "git-hub", .count = 2,
		.tools = { (const uint8_t *)"caf\xc3\xa9\0b", 8, -1 },
		.reason = "" };

	try_all();
	want(1, "git-hub");
	was_told("launched 1\n");
	say(IPC_TRIED, &answer);
	ck_assert_str_eq(tried.data, "git-hub 2 caf\xc3\xa9 b ''\n");
	tried.len = 0;
	answer = (struct ipc_tried){ .name = "fs",
		.reason = "could not be started: x" };
	say(IPC_TRIED, &answer);
	ck_assert_str_eq(tried.data, "fs 0 'could not be started: x'\n");
	broker_stop(broker, on_stopped, &stopped);
	end_downstream(0, "exited with code 0");
	ck_assert_int_eq(stopped, 1);
	ck_assert_int_eq(gone, 0);
	buffer_reset(&tried);
}
END_TEST

/* So many that they come in a memfd. */
START_TEST(tries_servers_with_many_tools)
{
	auto_free char *names = mem_alloc(TRIED_TOOLS_MAX);
	struct ipc_tried answer = { .name = "fs", .count = UINT32_MAX,
		.tools = { (const uint8_t *)names, TRIED_TOOLS_MAX, -1 },
		.reason = "" };

	memset(names, 'x', TRIED_TOOLS_MAX - 1);
	names[5] = '\0';
	try_all();
	say(IPC_TRIED, &answer);
	ck_assert_int_eq(
	    strncmp(tried.data, "fs 4294967295 xxxxx xxxx", 24), 0);
	ck_assert_uint_gt(tried.len, TRIED_TOOLS_MAX);
	buffer_reset(&tried);
}
END_TEST

START_TEST(says_that_the_broker_is_gone)
{
	static void (*const ends[])(void) = { die, talk_garbage,
		let_go_of_nothing, answer_no_text, answer_without_end };

	try_all();
	ends[_i]();
	ck_assert_int_eq(gone, 1);
	ck_assert_ptr_null(tried.data);
	if (line != -1)
		was_ended();
}
END_TEST

START_TEST(says_that_nothing_can_be_tried)
{
	struct err err;

	unspawnable = "no broker today";
	ck_assert_int_eq(
	    broker_try(
	        broker, NULL, on_tried, on_gone, &tried, &err), -1);
	ck_assert_str_eq(err.text, "no broker today");
	ck_assert_int_eq(gone, 0);
}
END_TEST

/* Where lists of tools are kept; without a store: nowhere. */

static void
want_lists(const char *wanted)
{
	struct ipc_want_lists message = { 0 };

	say(IPC_WANT_LISTS, &message);
	was_told(wanted);
}

START_TEST(lends_the_store)
{
	begin();
	broker_use_store(broker, STORE);
	want_lists("lists\n");
	/* One that asks again and again gets nothing for it. */
	want_lists("lists of nobody\n");
}
END_TEST

START_TEST(lends_no_store)
{
	begin();
	if (_i == 1) {
		broker_use_store(broker, STORE);
		unstorable = "no directory";
	}
	want_lists("lists of nobody\n");
	ck_assert_int_eq(lister, -1);
}
END_TEST

/* How much was logged so far, to this file. */
static size_t
count_lines(int log, char *text, size_t size)
{
	ssize_t n, len = pread(log, text, size - 1, 0);
	size_t lines = 0;

	ck_assert_int_ge(len, 0);
	text[len] = '\0';
	for (n = 0; n < len; n++)
		lines += text[n] == '\n';
	return lines;
}

/* The cause and its effect are logged once, as long as it lasts. */
START_TEST(reports_once_that_there_is_no_store)
{
	FILE *file = tmpfile();
	char text[4096];

	ck_assert_ptr_nonnull(file);
	dup2(fileno(file), STDERR_FILENO);
	begin();
	broker_use_store(broker, STORE);
	unstorable = "no directory";
	want_lists("lists of nobody\n");
	ck_assert_uint_eq(count_lines(STDERR_FILENO, text, sizeof(text)), 1);
	ck_assert_ptr_nonnull(strstr(text, "a search starts servers"));
	ck_assert_ptr_nonnull(strstr(text, "no directory"));
	second++;
	want_lists("lists of nobody\n");
	ck_assert_uint_eq(count_lines(STDERR_FILENO, text, sizeof(text)), 1);
	second++;
	unstorable = NULL;
	want_lists("lists\n");
	second++;
	unstorable = "no directory";
	want_lists("lists of nobody\n");
	ck_assert_uint_eq(count_lines(STDERR_FILENO, text, sizeof(text)), 2);
	fclose(file);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_loop_test(tc, a_broker_that_breaks_the_rules_is_ended, 0,
	    UNIT_COUNT(violations));
	tcase_add_test(tc, a_dead_broker_is_left_alone);
	tcase_add_test(tc, a_broker_may_be_reaped_first);
	tcase_add_test(tc, lends_the_store);
	tcase_add_loop_test(tc, lends_no_store, 0, 2);
	tcase_add_test(tc, reports_once_that_there_is_no_store);
	tcase_add_test(tc, nothing_starts_without_a_grant);
	tcase_add_test(tc, a_grant_is_made);
	tcase_add_test(tc, a_grant_of_another_owner);
	tcase_add_test(tc, a_server_of_a_stranger);
	tcase_add_test(tc, each_broker_gets_the_audit_file);
	tcase_add_test(tc, a_broker_may_be_unstartable);
	tcase_add_test(tc, descriptors_may_run_out);
	tcase_add_test(tc, a_broker_that_has_just_died_is_replaced);
	tcase_add_test(tc, a_broker_that_does_not_listen_is_ended);
	tcase_add_loop_test(tc, stops_at_once_without_servers, 0, 2);
	tcase_add_loop_test(tc, stops_when_the_last_server_has_ended, 0, 2);
	tcase_add_test(tc, tries_some_servers);
	tcase_add_test(tc, tries_all_servers);
	tcase_add_test(tc, tries_servers_with_many_tools);
	tcase_add_loop_test(tc, says_that_the_broker_is_gone, 0, 5);
	tcase_add_test(tc, says_that_nothing_can_be_tried);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run("supervisor_broker", add_tests);
}
