/*
 * Tests of the real caisson-broker, its argument, behind its real lockdown:
 * that it needs nothing that it has given up, and how much memory it has.
 */
static const char *program;

#define PLAY_PROGRAM program
#include "broker_play.h"

/* What ten idle servers may cost; the program alone has about 2 MiB. */
#define PSS_KIB_MAX 6144

static struct play_server gh;

/* All that it ever does, with bytes that travel by memfd. */
START_TEST(needs_nothing_it_gave_up)
{
	auto_buffer struct buffer text = { 0 }, answer = { 0 };
	char path[] = "/tmp/caisson-audit-XXXXXX";
	int file = mkstemp(path), relay;
	struct ipc_audit audit = { .file = open(path, O_WRONLY | O_APPEND) };

	unlink(path);
	play_start();
	play_send(play_supervisor, IPC_AUDIT, &audit);
	relay = play_grant();
	play_serve(&gh);
	buffer_add_text(&text, "{\"text\":\"");
	memset(buffer_reserve(&text, 40 * KIB), 'x', 40 * KIB);
	text.len += 40 * KIB;
	buffer_add_text(&text, "\"}");
	play_call_with(relay, 1, "gh", text.data, text.len);
	while (answer.len < text.len) {
		answer.len += (size_t)read(
		    gh.in, buffer_reserve(&answer, PIPE_CHUNK), PIPE_CHUNK);
		ck_assert_uint_lt(answer.len, text.len + KIB);
	}
	buffer_reset(&answer);
	buffer_printf(&answer, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":%s}",
	    text.data);
	play_say(&gh, answer.data);
	play_expect_result(relay, 1, text.data);
	play_list_servers(relay, 2);
	play_expect(relay, IPC_RESULT);
	play_put(gh.errors, "bye\n");
	play_list(relay, 3, "gh");
	play_die(&gh, "exited with code 1");
	play_expect_refused(relay, 3, "server \"gh\" ended before it answered");
	close(relay);
	play_try("gh");
	play_serve(&gh);
	play_hear(&gh);
	play_say(&gh, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"tools\":[{\"name\":\"a\"}]}}");
	play_expect(play_supervisor, IPC_TRIED);
	ck_assert_uint_eq(play_msg.tried.count, 1);
	play_remove("gh");
	play_expect_let_go(gh.link);
	play_ended(gh.link, "exited with code 0");
	play_end();
	/* The one call of a tool has a line. */
	buffer_reset(&answer);
	answer.len = (size_t)pread(
	    file, buffer_reserve(&answer, KIB), KIB - 1, 0);
	answer.data[answer.len] = '\0';
	ck_assert_ptr_nonnull(strstr(answer.data, "\"outcome\":\"ok\"}\n"));
	close(file);
}
END_TEST

/* The number behind a word in /proc/PID/smaps_rollup, in KiB. */
static unsigned long
read_pss(void)
{
	auto_free char *path =
	    mem_printf("/proc/%d/smaps_rollup", (int)play_pid);
	FILE *file = fopen(path, "r");
	char line[256];
	unsigned long kib = 0;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "Pss:", 4) == 0)
			kib = strtoul(line + 4, NULL, 10);
	if (file != NULL)
		fclose(file);
	return kib;
}

/* Says a result of 16 MiB, which is passed on. */
static void
pass_much(struct play_server *server, int relay)
{
	auto_buffer struct buffer line = { 0 };
	size_t len = RESULT_MAX - 100;

	play_call(relay, 1, "gh");
	play_hear(server);
	buffer_add_text(&line, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"text\":\"");
	memset(buffer_reserve(&line, len), 'x', len);
	line.len += len;
	buffer_add_text(&line, "\"}}");
	play_say(server, line.data);
	play_expect(relay, IPC_RESULT);
	ipc_message_close(IPC_RESULT, &play_msg);
}

/* With ten servers of fifty tools, also after a large result. */
START_TEST(is_small)
{
	auto_buffer struct buffer tools = { 0 };
	struct play_server servers[10];
	char name[8];
	int n, relay;

	if (UNIT_ASAN) {
		unit_skip("sanitizers need memory of their own");
		return;
	}
	buffer_add_text(&tools, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"tools\":[0");
	for (n = 0; n < 50; n++)
		buffer_printf(&tools, ",{\"name\":\"t%d\",\"d\":\"%0500d\"}",
		    n, n);
	buffer_add_text(&tools, "]}}");
	play_start();
	for (n = 0; n < 10; n++) {
		snprintf(name, sizeof(name), "s%d", n);
		play_define(name);
		play_try(name);
		play_launch(play_expect_want(name), &servers[n]);
		play_greet(&servers[n]);
		play_hear(&servers[n]);
		play_say(&servers[n], tools.data);
		play_expect(play_supervisor, IPC_TRIED);
		ck_assert_uint_eq(play_msg.tried.count, 50);
	}
	relay = play_grant();
	play_serve(&gh);
	pass_much(&gh, relay);
	play_sync(relay);
	if (read_pss() == 0)
		unit_skip("the memory of a process that cannot be dumped is "
		    "for root to see");
	printf("PSS of the broker: %lu KiB\n", read_pss());
	ck_assert_uint_lt(read_pss(), PSS_KIB_MAX);
	play_end();
}
END_TEST

/* What an operator sees in ps. */
START_TEST(is_named_after_its_role)
{
	auto_free char *path = NULL;
	char name[32] = "";
	FILE *file;

	play_start();
	play_sync_supervisor();
	path = mem_printf("/proc/%d/comm", (int)play_pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(name, sizeof(name), file));
	fclose(file);
	ck_assert_str_eq(name, "broker\n");
	play_end();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, needs_nothing_it_gave_up);
	tcase_add_test(tc, is_small);
	tcase_add_test(tc, is_named_after_its_role);
}

int
main(int argc, char **argv)
{
	program = argc > 1 ? argv[1] : "caisson-broker";
	return unit_run("broker", add_tests);
}
