/*
 * Tests of supervisor/box/engine/engine: what a command of an engine prints
 * and how it ends is its answer, and one that hangs is ended and named with a
 * command that shows whether the engine answers. What such a command leaves is
 * ended, too. Programs stand in for engines.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "supervisor/box/engine/engine.h"
#include "supervisor/process/process.h"
#include "tests/unit/unit.h"

#define LONG_MS 60000

static struct event_base *base;
static char folder[] = "/tmp/caisson-test-XXXXXX";

static void
set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	base = loop_new(0);
	reaper_init(base);
}

static void
tear_down(void)
{
	reaper_finish(LONG_MS);
	event_base_free(base);
	ck_assert_int_eq(rmdir(folder), 0);
}

UNIT_FIXTURE(set_up, tear_down)

/* Asks a program, with one argument or two. Returns as container_engine_ask. */
static int
ask(const char *path, const char *one, const char *other, unsigned int ms,
    struct container_answer *answer, struct err *err)
{
	auto_free char *name = mem_strdup(path), *first = mem_strdup(one);
	auto_free char *second = other == NULL ? NULL : mem_strdup(other);
	char *argv[] = { name, first, second, NULL };
	char *envp[] = { (char[]){ "PATH=/usr/bin:/bin" }, NULL };
	struct spawn_program program = { .path = path, .argv = argv,
		.envp = envp };

	memset(answer, 0, sizeof(*answer));
	return container_engine_ask(base, &program, ms, answer, err);
}

static void
forget(struct container_answer *answer)
{
	buffer_reset(&answer->out);
	buffer_reset(&answer->errors);
}

static const struct {
	const char *code;
	int status;
	const char *out;
	const char *errors;
} commands[] = {
	{ "echo out; echo err >&2; exit 3", 3, "out\n", "err\n" },
	{ "echo out", 0, "out\n", "" },
	{ "exit 125", 125, "", "" },
	{ "echo out; kill -9 $$", -1, "out\n", "" },
	/* What it leaves holds the streams open until its keeper ends it. */
	{ "sleep 1000 & exit 1", 1, "", "" },
};

UNIT_TESTS(
    an_answer_is_what_a_command_prints_and_its_status, UNIT_COUNT(commands))
{
	struct container_answer answer;
	struct err err;

	ck_assert_msg(ask("/bin/sh", "-c", commands[_i].code, LONG_MS, &answer,
	    &err) == 0, "%s", err.text);
	ck_assert_int_eq(answer.status, commands[_i].status);
	buffer_add(&answer.out, "", 1);
	buffer_add(&answer.errors, "", 1);
	ck_assert_str_eq(answer.out.data, commands[_i].out);
	ck_assert_str_eq(answer.errors.data, commands[_i].errors);
	forget(&answer);
}

/* The command is not held up by errors that are not kept. */
UNIT_TEST(an_answer_is_whole_and_its_errors_are_bounded)
{
	/* Its pieces do not end where those that are read end. */
	auto_free char *code = mem_printf("head -c 1 /dev/zero; "
	    "head -c %lu /dev/zero; head -c %lu /dev/zero >&2; exit 7",
	    ENGINE_OUT_MAX - 1, ENGINE_ERRORS_MAX + MIB);
	struct container_answer answer;
	struct err err;

	ck_assert_int_eq(ask("/bin/sh", "-c", code, LONG_MS, &answer, &err), 0);
	ck_assert_int_eq(answer.status, 7);
	ck_assert_uint_eq(answer.out.len, ENGINE_OUT_MAX);
	ck_assert_uint_eq(answer.errors.len, ENGINE_ERRORS_MAX);
	forget(&answer);
}

/* A part of a list would be taken for the whole one. */
UNIT_TEST(an_answer_that_is_too_long_is_an_error)
{
	auto_free char *code =
	    mem_printf("head -c %lu /dev/zero", ENGINE_OUT_MAX + 1);
	struct container_answer answer;
	struct err err;

	ck_assert_int_eq(
	    ask("/bin/sh", "-c", code, LONG_MS, &answer, &err), -1);
	ck_assert_str_eq(err.text, "/bin/sh printed more than 1 MiB: "
	    "check it with '/bin/sh ps'");
	ck_assert_int_eq(answer.status, -1);
	forget(&answer);
}

UNIT_TEST(a_part_of_an_answer_says_that_it_is_cut)
{
	auto_free char *name = mem_strdup("head"), *option = mem_strdup("-c");
	auto_free char *count = mem_printf("%lu", ENGINE_OUT_MAX);
	auto_free char *more = mem_printf("%lu", ENGINE_OUT_MAX + 1);
	auto_free char *file = mem_strdup("/dev/zero");
	char *argv[] = { name, option, count, file, NULL };
	char *envp[] = { NULL };
	struct spawn_program program = { .path = "/usr/bin/head", .argv = argv,
		.envp = envp };
	struct container_answer answer;
	int cut;

	for (cut = 0; cut < 2; cut++) {
		argv[2] = cut ? more : count;
		ck_assert_int_eq(container_engine_ask_part(base, &program,
		    LONG_MS, &answer, NULL), 0);
		ck_assert_int_eq(answer.cut, cut);
		ck_assert_int_eq(answer.status, cut ? -1 : 0);
		ck_assert_uint_eq(answer.out.len, ENGINE_OUT_MAX);
		forget(&answer);
	}
}

UNIT_TEST(an_engine_that_hangs_is_an_error_with_the_fix)
{
	auto_free char *path = mem_printf("%s/podman", folder);
	auto_free char *sentence = mem_printf("%s did not answer within 0 s: "
	    "check it with '%s ps'", path, path);
	struct container_answer answer;
	struct err err;

	ck_assert_int_eq(symlink("/bin/sleep", path), 0);
	ck_assert_int_eq(ask(path, "1000", NULL, 1, &answer, &err), -1);
	ck_assert_str_eq(err.text, sentence);
	ck_assert_int_eq(unlink(path), 0);
	forget(&answer);
}

/* Nothing else ends what the keeper would have ended. */
UNIT_TEST(what_a_killed_keeper_leaves_is_ended)
{
	const char *code = "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; "
	                   "kill -9 $PPID";
	struct container_answer answer;
	struct err err;
	pid_t left;

	ck_assert_msg(ask("/bin/sh", "-c", code, LONG_MS, &answer, &err) == 0,
	    "%s", err.text);
	ck_assert_int_eq(answer.status, -1);
	ck_assert_int_eq(answer.killer, SIGKILL);
	buffer_add(&answer.out, "", 1);
	left = (pid_t)atoi(answer.out.data);
	ck_assert_int_gt(left, 0);
	while (kill(left, 0) == 0)
		event_base_loop(base, EVLOOP_ONCE);
	forget(&answer);
}
