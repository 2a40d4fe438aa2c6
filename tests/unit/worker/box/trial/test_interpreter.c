/*
 * Tests of worker/box/trial/interpreter: what an interpreter of an image does
 * becomes a status of the trial, and its output does not.
 */
#include <stdio.h>
#include <unistd.h>

#include "common/trial.h"
#include "tests/unit/unit.h"
#include "worker/box/trial/trial.h"

/* Longer than any command here that ends needs. */
#define LONG_SECONDS 100

/* Runs a command of the shell. Returns the status. */
static int
try_shell(char *code, unsigned int seconds)
{
	char *command[] = { (char[]){ "sh" }, (char[]){ "-c" }, code, NULL };

	return interpreter_try(command, seconds);
}

/* Sends the descriptor to a file. */
static void
keep(int fd, FILE *file)
{
	ck_assert_int_eq(dup2(fileno(file), fd), fd);
}

/* Compares with what a file begins with. */
static void
expect(FILE *file, const char *wanted)
{
	char found[1000] = { 0 };

	rewind(file);
	(void)!fread(found, 1, sizeof(found) - 1, file);
	ck_assert_str_eq(found, wanted);
	fclose(file);
}

static const struct {
	const char *code;
	int status;
	const char *errors;
} ends[] = {
	{ "exit 0", 0, "" },
	{ "exit 1", TRIAL_INTERPRETER_FAILED, "" },
	{ "echo why >&2; exit 80", TRIAL_INTERPRETER_FAILED, "why\n" },
	{ "exec /missing 2> /dev/null", TRIAL_NO_INTERPRETER, "" },
	{ "kill -KILL $$", TRIAL_INTERPRETER_FAILED, "killed by signal 9\n" },
	{ "kill -ALRM $$", TRIAL_INTERPRETER_FAILED, "killed by signal 14\n" },
	{ "head -c 3000000 /dev/zero", 0, "" },
};

UNIT_TESTS(test_ends, UNIT_COUNT(ends))
{
	FILE *out = tmpfile(), *errors = tmpfile();
	char code[100];

	keep(STDOUT_FILENO, out);
	keep(STDERR_FILENO, errors);
	snprintf(code, sizeof(code), "%s", ends[_i].code);
	ck_assert_int_eq(try_shell(code, LONG_SECONDS), ends[_i].status);
	expect(out, "");
	expect(errors, ends[_i].errors);
}

UNIT_TEST(test_not_started)
{
	char *missing[] = { (char[]){ "no-such-command" }, NULL };
	char *folder[] = { (char[]){ "/" }, NULL };
	FILE *errors = tmpfile();

	keep(STDERR_FILENO, errors);
	ck_assert_int_eq(
	    interpreter_try(missing, LONG_SECONDS), TRIAL_NO_INTERPRETER);
	ck_assert_int_eq(
	    interpreter_try(folder, LONG_SECONDS), TRIAL_INTERPRETER_FAILED);
	expect(errors, "/: Permission denied\n");
}
