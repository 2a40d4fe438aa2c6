/*
 * Tests of supervisor/options/options: where values come from and which wins,
 * what is said about each wrong one, and what --help and --check print.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/limits.h"
#include "common/log.h"
#include "common/mem.h"
#include "supervisor/options/option_value.h"
#include "supervisor/options/options.h"
#include "unit.h"

#define ARGS_MAX 10

static char folder[] = "/tmp/test_options.XXXXXX";
static char *inner, *config, *config_home;

static void
make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	inner = mem_printf("%s/caisson", folder);
	config = mem_printf("%s/config.json", inner);
	config_home = mem_printf("XDG_CONFIG_HOME=%s", folder);
	ck_assert_int_eq(mkdir(inner, 0700), 0);
}

static void
remove_folder(void)
{
	unlink(config);
	rmdir(inner);
	rmdir(folder);
	free(config_home);
	free(config);
	free(inner);
}

/* What a user did: each may be absent. */
struct setting {
	const char *file;
	const char *variables[3];
	const char *flags[ARGS_MAX - 1];
};

/* Reads options as main does, from these places only. */
static int
read_setting(
    struct options *options, const struct setting *setting, struct err *err)
{
	char *envp[5] = { config_home };
	char *argv[ARGS_MAX + 1] = { (char *)"caisson" };
	int argc = 1;
	size_t i;

	if (setting->file != NULL) {
		auto_fd int fd = open(config, O_WRONLY | O_CREAT, 0600);

		ck_assert_int_eq(fd_write_all(
		    fd, setting->file, strlen(setting->file)), 0);
	}
	for (i = 0; i < 3 && setting->variables[i] != NULL; i++)
		envp[i + 1] = (char *)setting->variables[i];
	for (; argc < ARGS_MAX && setting->flags[argc - 1] != NULL; argc++)
		argv[argc] = (char *)setting->flags[argc - 1];
	return options_read(options, argc, argv, envp, err);
}

START_TEST(defaults_are_those_of_the_manual)
{
	struct setting nothing = { 0 };
	struct options o;
	struct err err;

	ck_assert_int_eq(read_setting(&o, &nothing, &err), 0);
	ck_assert_uint_eq(o.action, OPTION_NONE);
	ck_assert_str_eq(o.runtime, "native");
	ck_assert_uint_eq(o.timeout, 30);
	ck_assert_uint_eq(o.max_timeout, 120);
	ck_assert_uint_eq(o.memory, 512 * MIB);
	ck_assert_uint_eq(o.pids, 128);
	ck_assert_uint_eq(o.max_output, 64 * KIB);
	ck_assert_uint_eq(o.max_code, MIB);
	ck_assert_uint_ge(o.max_concurrent, 4);
	ck_assert_uint_eq(o.queue, 64);
	ck_assert_uint_eq(o.queue_timeout, 10);
	ck_assert_str_eq(o.python, "/usr/bin/python3");
	ck_assert_str_eq(options_word(&o, OPTION_ID_OUTPUT_MODE), "compact");
	ck_assert_uint_eq(o.log_level, LOG_LEVEL_WARN);
	ck_assert_str_eq(o.log_file, "");
	ck_assert_str_eq(o.file, config);
	ck_assert_int_eq(o.file_found, 0);
	options_free(&o);
}
END_TEST

static const struct {
	struct setting setting;
	unsigned int pids;
	enum options_source source;
} precedence[] = {
	{ { NULL, { NULL }, { NULL } }, 128, OPTIONS_DEFAULT },
	{ { "{\"pids\": 11}", { NULL }, { NULL } }, 11, OPTIONS_FILE },
	{ { "{\"pids\": \"11\"}", { NULL }, { NULL } }, 11, OPTIONS_FILE },
	{ { NULL, { "CAISSON_PIDS=12" }, { NULL } }, 12,
	    OPTIONS_ENVIRONMENT },
	{ { NULL, { NULL }, { "--pids=13" } }, 13, OPTIONS_FLAG },
	{ { "{\"pids\": 11}", { "CAISSON_PIDS=12" }, { NULL } }, 12,
	    OPTIONS_ENVIRONMENT },
	{ { "{\"pids\": 11}", { "CAISSON_PIDS=" }, { NULL } }, 11,
	    OPTIONS_FILE },
	{ { NULL, { "CAISSON_PIDS=" }, { NULL } }, 128, OPTIONS_DEFAULT },
	{ { "{\"pids\": 11}", { NULL }, { "--pids", "13" } }, 13,
	    OPTIONS_FLAG },
	{ { "{\"pids\": 11}", { "CAISSON_PIDS=12" }, { "--pids=13" } }, 13,
	    OPTIONS_FLAG },
	{ { NULL, { NULL }, { "--pids=13", "--pids=14" } }, 14, OPTIONS_FLAG },
	{ { NULL, { "CAISSON_PIDS=128" }, { NULL } }, 128,
	    OPTIONS_ENVIRONMENT },
	/* Variables of other programs, and of other versions, are no matter. */
	{ { NULL, { "PIDS=9", "caisson_pids=9", "CAISSON=9" },
	    { NULL } }, 128, OPTIONS_DEFAULT },
	{ { NULL, { "MCP_BRIDGE_SOMETHING_ELSE=x", "CAISSON_PIDS=12" },
	    { NULL } }, 12, OPTIONS_ENVIRONMENT },
	{ { NULL, { "CAISSON_NONSENSE=" }, { NULL } }, 128,
	    OPTIONS_DEFAULT },
};

START_TEST(flag_over_environment_over_file_over_default)
{
	struct options o;
	struct err err = { 0 };

	ck_assert_msg(read_setting(&o, &precedence[_i].setting, &err) == 0,
	    "%s", err.text);
	ck_assert_uint_eq(o.pids, precedence[_i].pids);
	ck_assert_uint_eq(o.sources[OPTION_ID_PIDS], precedence[_i].source);
	ck_assert_int_eq(o.file_found, precedence[_i].setting.file != NULL);
	options_free(&o);
}
END_TEST

#define TIMES "a time from 1s to 24h, such as 30, 30s, 2m or 1h"
#define DIGITS "012345678901234567890123456789"

static const struct {
	struct setting setting;
	int in_file; /* the sentence begins with the name of the file */
	const char *says;
} bad[] = {
	{ { NULL, { "CAISSON_TIMEOUT=abc" }, { NULL } }, 0,
	    "CAISSON_TIMEOUT is \"abc\", but must be " TIMES },
	{ { NULL, { NULL }, { "--timeout", "abc" } }, 0,
	    "--timeout is \"abc\", but must be " TIMES },
	{ { NULL, { NULL }, { "--timeout=" } }, 0,
	    "--timeout is \"\", but must be " TIMES },
	{ { "{\"timeout\": \"abc\"}", { NULL }, { NULL } }, 1,
	    ":timeout is \"abc\", but must be " TIMES },
	{ { "{\"timeout\": true}", { NULL }, { NULL } }, 1,
	    ":timeout is \"true\", but must be " TIMES },
	{ { "{\"timeout\": 1.5}", { NULL }, { NULL } }, 1,
	    ":timeout is \"1.5\", but must be " TIMES },
	/* A bad value is an error also where another one wins. */
	{ { "{\"pids\": 0}", { NULL }, { "--pids=9" } }, 1,
	    ":pids is \"0\", but must be a whole number from 8 to 32768" },
	{ { NULL, { "CAISSON_PIDS=x" }, { "--pids=9" } }, 0,
	    "CAISSON_PIDS is \"x\", but must be a whole number from 8 to "
	    "32768" },
	{ { NULL, { NULL }, { "--pids=x", "--pids=9" } }, 0,
	    "--pids is \"x\", but must be a whole number from 8 to 32768" },
	/* What a terminal would obey, and what would fill the screen. */
	{ { NULL, { "CAISSON_PIDS=\033[31m\n" }, { NULL } }, 0,
	    "CAISSON_PIDS is \"\\x1b[31m\\x0a\", but must be a whole number "
	    "from 8 to 32768" },
	{ { NULL, { "CAISSON_PIDS=" DIGITS DIGITS DIGITS }, { NULL } }, 0,
	    "CAISSON_PIDS is \"" DIGITS DIGITS "...\", but must be a whole "
	    "number from 8 to 32768" },
	/* Each kind of option. */
	{ { NULL, { "CAISSON_MEMORY=99999999999g" }, { NULL } }, 0,
	    "CAISSON_MEMORY is \"99999999999g\", but must be a size from "
	    "16m to 1t, such as 65536, 64k, 512m or 1g" },
	{ { NULL, { "CAISSON_RUNTIME=podmann" }, { NULL } }, 0,
	    "CAISSON_RUNTIME is \"podmann\", but must be one of native, "
	    "podman, docker, oci, auto, or an absolute path" },
	{ { NULL, { "CAISSON_IMAGE=a b" }, { NULL } }, 0,
	    "CAISSON_IMAGE is \"a b\", but must be a name without blanks "
	    "(UTF-8, at most 4095 bytes) or nothing" },
	{ { NULL, { "CAISSON_IMAGE=--privileged" }, { NULL } }, 0,
	    "CAISSON_IMAGE is \"--privileged\", but must be a name without "
	    "blanks (UTF-8, at most 4095 bytes) or nothing" },
	{ { NULL, { "CAISSON_CONTAINER_USER=0:0" }, { NULL } }, 0,
	    "CAISSON_CONTAINER_USER is \"0:0\", but must be two numbers from 1 "
	    "to 4294967294 with a colon between them" },
	{ { NULL, { "CAISSON_CONTAINER_USER=4294967295:1" }, { NULL } }, 0,
	    "CAISSON_CONTAINER_USER is \"4294967295:1\", but must be two "
	    "numbers from 1 to 4294967294 with a colon between them" },
	{ { NULL, { "MCP_BRIDGE_STATE_DIR=state" }, { NULL } }, 0,
	    "MCP_BRIDGE_STATE_DIR is \"state\", but must be an absolute path "
	    "(UTF-8, at most 4095 bytes) or nothing; write the whole path, or "
	    "leave it out: then it is /home/me/.local/state/caisson" },
	{ { NULL, { "CAISSON_LOG_LEVEL=loud" }, { NULL } }, 0,
	    "CAISSON_LOG_LEVEL is \"loud\", but must be one of error, warn, "
	    "info, debug" },
	{ { NULL, { "CAISSON_PYTHON=python3" }, { NULL } }, 0,
	    "CAISSON_PYTHON is \"python3\", but must be an absolute path "
	    "(UTF-8, at most 4095 bytes)" },
	{ { NULL, { "CAISSON_LOG_FILE=log" }, { NULL } }, 0,
	    "CAISSON_LOG_FILE is \"log\", but must be an absolute path "
	    "(UTF-8, at most 4095 bytes) or nothing" },
	/* The pair that can contradict each other. */
	{ { NULL, { "CAISSON_TIMEOUT=121" }, { NULL } }, 0,
	    "CAISSON_TIMEOUT is 121 seconds, but must be at most "
	    "CAISSON_MAX_TIMEOUT, which is 120 seconds" },
	{ { "{\"timeout\": \"1m\"}", { NULL }, { "--max-timeout=59" } }, 1,
	    ":timeout is 60 seconds, but must be at most --max-timeout, which "
	    "is 59 seconds" },
	/* Names that are none. */
	{ { NULL, { "CAISSON_TIMOUT=3" }, { NULL } }, 0,
	    "CAISSON_TIMOUT is not an option: did you mean "
	    "CAISSON_TIMEOUT?" },
	{ { NULL, { "CAISSON_timeout=3" }, { NULL } }, 0,
	    "CAISSON_timeout is not an option: did you mean "
	    "CAISSON_TIMEOUT?" },
	{ { NULL, { "CAISSON_MAX-CODE=1m" }, { NULL } }, 0,
	    "CAISSON_MAX-CODE is not an option: did you mean "
	    "CAISSON_MAX_CODE?" },
	{ { NULL, { "MCP_BRIDGE_TIMOUT=3" }, { NULL } }, 0,
	    "MCP_BRIDGE_TIMOUT is not an option: did you mean "
	    "CAISSON_TIMEOUT?" },
	{ { NULL, { "MCP_BRIDGE_timeout=3" }, { NULL } }, 0,
	    "MCP_BRIDGE_timeout is not an option: did you mean "
	    "CAISSON_TIMEOUT?" },
	{ { NULL, { "MCP_BRIDGE_TIMEOUT=abc", "CAISSON_TIMEOUT=3" },
	      { NULL } }, 0,
	    "MCP_BRIDGE_TIMEOUT is \"abc\", but must be " TIMES },
	{ { NULL, { "MCP_BRIDGE_SERVERS_CONFIG=x" }, { NULL } }, 0,
	    "MCP_BRIDGE_SERVERS_CONFIG is not an option: did you mean "
	    "CAISSON_SERVERS_CONFIG?" },
	{ { NULL, { "CAISSON_=3" }, { NULL } }, 0,
	    "CAISSON_ is not an option: 'caisson --help' lists them" },
	{ { NULL, { "CAISSON_CHECK=1" }, { NULL } }, 0,
	    "CAISSON_CHECK is not an option: 'caisson --help' lists them" },
	{ { "{\"timout\": 3}", { NULL }, { NULL } }, 1,
	    ": \"timout\" is not an option: did you mean \"timeout\"?" },
	{ { "{\"max-timeout\": 3}", { NULL }, { NULL } }, 1,
	    ": \"max-timeout\" is not an option: did you mean "
	    "\"max_timeout\"?" },
	{ { "{\"CAISSON_FROBNICATION\\n\": 3}", { NULL }, { NULL } }, 1,
	    ": \"CAISSON_FROBNICATION\\x0a\" is not an option: "
	    "'caisson --help' lists them" },
	{ { "{\"CAISSON_TIMEOUT\": 3}", { NULL }, { NULL } }, 1,
	    ": \"CAISSON_TIMEOUT\" is not an option: did you mean "
	    "\"timeout\"?" },
	{ { NULL, { NULL }, { "--python=~/venv" } }, 0,
	    "--python is \"~/venv\", but must be an absolute path (UTF-8, at "
	    "most 4095 bytes); ~ stands for nothing here: write the whole "
	    "path" },
	{ { NULL, { NULL }, { "--timout=3" } }, 0,
	    "--timout is not an option: did you mean --timeout?" },
	{ { NULL, { NULL }, { "service" } }, 0,
	    "'caisson service' is not there yet: write a unit for 'caisson "
	    "serve' yourself: see caisson(1)" },
	{ { NULL, { NULL }, { "selftest", "--check" } }, 0,
	    "'caisson selftest' and --check exclude each other: give one of "
	    "them" },
	{ { NULL, { NULL }, { "memory", "show", "k", "--try" } }, 0,
	    "'caisson memory show' and --try exclude each other: give one of "
	    "them" },
	{ { NULL, { NULL }, { "config", "show", "memory" } }, 0,
	    "\"memory\" is not understood: only options may follow the "
	    "command, 'caisson --help' lists them" },
	{ { NULL, { NULL }, { "--check", "--selftest" } }, 0,
	    "--check and --selftest exclude each other: give one of them" },
	{ { NULL, { NULL }, { "-v" } }, 0,
	    "--verbose is a flag of 'caisson selftest': write the command, "
	    "too; -V prints the version" },
	{ { NULL, { NULL }, { "config", "check", "--verbose" } }, 0,
	    "--verbose is not a flag of 'caisson config check', but of "
	    "'caisson selftest': leave it out" },
	{ { NULL, { NULL }, { "servers", "--try", "--check" } }, 0,
	    "--try and --check exclude each other: give one of them" },
	{ { NULL, { NULL }, { "servers", "gh" } }, 0,
	    "\"gh\" is not understood: 'caisson servers' takes one "
	    "of list, test, add "
	    "NAME -- COMMAND [ARG...], remove NAME, import CLIENT" },
	{ { NULL, { NULL }, { "--try", "servers" } }, 0,
	    "the command \"servers\" must come before all options" },
	{ { NULL, { NULL }, { "--timeout", "3", "config", "show" } }, 0,
	    "the command \"config\" must come before all options" },
	{ { NULL, { NULL }, { "--timeout", "3", "zed" } }, 0,
	    "\"zed\" is not understood: only options may follow an option, "
	    "'caisson --help' lists them" },
	{ { NULL, { NULL }, { "servers", "--timeout=x" } }, 0,
	    "--timeout is \"x\", but must be a time from 1s to 24h, such as "
	    "30, 30s, 2m or 1h" },
	/* Flags of commands. */
	{ { NULL, { NULL }, { "adopt", "--yes" } }, 0,
	    "'caisson adopt' lacks its CLIENT, such as cursor: 'caisson "
	    "client' lists them" },
	{ { NULL, { NULL }, { "adopt", "cursor", "--keep", "--yes" } }, 0,
	    "--keep lacks its NAME" },
	{ { NULL, { NULL }, { "adopt", "cursor", "--yes", "--dry-run", "-y" } },
	    0, "--yes is given twice: give it once" },
	{ { NULL, { NULL }, { "adopt", "cursor", "--yes=1" } }, 0,
	    "--yes takes no value" },
	{ { NULL, { NULL }, { "adopt", "cursor", "--dryrun" } }, 0,
	    "--dryrun is not an option: did you mean --dry-run?" },
	{ { NULL, { NULL }, { "adopt", "cursor", "--undone" } }, 0,
	    "--undone is not an option: did you mean --undo?" },
	{ { NULL, { NULL }, { "memory", "list", "--undone" } }, 0,
	    "--undone is not an option: 'caisson --help' lists them" },
	{ { NULL, { NULL }, { "memory", "list", "--undo" } }, 0,
	    "--undo is not a flag of 'caisson memory list', but of "
	    "'caisson adopt': leave it out" },
	{ { NULL, { NULL }, { "--undo" } }, 0,
	    "--undo is a flag of 'caisson adopt': write the command, "
	    "too" },
	{ { NULL, { NULL }, { "--selftest", "--undo" } }, 0,
	    "--undo is not a flag of 'caisson selftest', but of "
	    "'caisson adopt': leave it out" },
	{ { NULL, { NULL }, { "adopt", "cursor", "--yes", "zed" } }, 0,
	    "\"zed\" is not understood: only options may follow the "
	    "command, 'caisson --help' lists them" },
	{ { "{", { NULL }, { NULL } }, 1,
	    ": is not JSON at line 1, column 1: string or '}' expected near "
	    "end of file" },
};

START_TEST(one_clear_sentence_for_each_mistake)
{
	struct options o;
	struct err err;
	const char *text = err.text;

	ck_assert_int_eq(setenv("HOME", "/home/me", 1), 0);
	ck_assert_int_eq(unsetenv("XDG_STATE_HOME"), 0);
	ck_assert_int_eq(read_setting(&o, &bad[_i].setting, &err), -1);
	if (bad[_i].in_file) {
		ck_assert_msg(strncmp(text, config, strlen(config)) == 0,
		    "does not name the file: %s", text);
		text += strlen(config);
	}
	ck_assert_str_eq(text, bad[_i].says);
	options_free(&o);
}
END_TEST

/* Each number of the table: its bounds are taken, one beyond is not. */
START_TEST(bounds_are_those_of_the_table)
{
	const struct option_row *row = option_row((enum option_id)_i);
	const uint64_t numbers[] = { row->least, row->most, row->least - 1,
		row->most + 1 };
	char name[OPTION_NAME_SIZE];
	size_t i;

	if (row->kind == OPTION_KIND_CHOICE ||
	    row->kind == OPTION_KIND_WORDS ||
	    option_is_text((enum option_id)_i))
		return;
	option_variable(row->key, name);
	for (i = 0; i < 4; i++) {
		int share = row->kind == OPTION_KIND_SHARE;
		auto_free char *variable = mem_printf("%s=%llu.%02llu", name,
		    (unsigned long long)numbers[i] / (share ? 100 : 1),
		    (unsigned long long)numbers[i] % 100);
		/* So that no timeout is above the longest one. */
		struct setting setting = { NULL, { variable,
			_i == OPTION_ID_TIMEOUT ?
			    "CAISSON_MAX_TIMEOUT=24h" : NULL }, { NULL } };
		struct options o;
		struct err err;
		int wanted = i < 2 ? 0 : -1;

		if (!share)
			variable[strcspn(variable, ".")] = '\0';
		ck_assert_msg(read_setting(&o, &setting, &err) == wanted, "%s",
		    variable);
		if (wanted == 0)
			ck_assert_uint_eq(options_number(
			    &o, (enum option_id)_i), numbers[i]);
		else
			ck_assert_ptr_nonnull(strstr(err.text, name));
		options_free(&o);
	}
}
END_TEST

/* Who lowers the maximum did not ask for the default of the other. */
START_TEST(the_default_timeout_gives_way)
{
	struct setting setting = { NULL, { "CAISSON_MAX_TIMEOUT=20" },
		{ NULL } };
	struct options o;
	struct err err;

	ck_assert_int_eq(read_setting(&o, &setting, &err), 0);
	ck_assert_uint_eq(o.timeout, 20);
	ck_assert_uint_eq(o.sources[OPTION_ID_TIMEOUT], OPTIONS_DEFAULT);
	options_free(&o);
}
END_TEST

/* "caisson servers" is a word for what is said of servers. */
static const struct {
	const char *flags[3];
	enum option_action action;
} words[] = {
	{ { NULL }, OPTION_NONE },
	{ { "--try" }, OPTION_TRY },
	{ { "servers", "--try" }, OPTION_TRY },
	{ { "servers" }, OPTION_PRINT_CONFIG },
	{ { "servers", "--print-config" }, OPTION_PRINT_CONFIG },
	{ { "servers", "--pids=9" }, OPTION_PRINT_CONFIG },
	{ { "servers", "--help" }, OPTION_HELP },
	{ { "servers", "--try", "--try" }, OPTION_TRY },
	{ { "servers", "list" }, OPTION_PRINT_CONFIG },
	{ { "servers", "test" }, OPTION_TRY },
	{ { "selftest" }, OPTION_SELFTEST },
	{ { "selftest", "--selftest" }, OPTION_SELFTEST },
	{ { "selftest", "-v" }, OPTION_SELFTEST },
	{ { "--verbose", "--selftest" }, OPTION_SELFTEST },
	{ { "selftest", "-v", "-h" }, OPTION_HELP },
	{ { "client", "cursor" }, OPTION_PRINT_CLIENT_CONFIG },
	{ { "config", "check" }, OPTION_CHECK },
	{ { "config", "show" }, OPTION_NONE },
	{ { "config" }, OPTION_NONE },
	{ { "help" }, OPTION_HELP },
	{ { "-h" }, OPTION_HELP },
	{ { "memory", "-h" }, OPTION_HELP },
	{ { "version" }, OPTION_VERSION },
	{ { "-V" }, OPTION_VERSION },
	{ { "memory", "--check" }, OPTION_CHECK },
};

START_TEST(a_word_may_come_first)
{
	struct setting setting = { NULL, { NULL }, { NULL } };
	struct options o;
	struct err err = { 0, "" };

	memcpy(setting.flags, words[_i].flags, sizeof(words[_i].flags));
	ck_assert_msg(read_setting(&o, &setting, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(o.action, words[_i].action);
	options_free(&o);
}
END_TEST

START_TEST(help_is_given_whatever_else_is_wrong)
{
	struct setting setting = { "{", { "CAISSON_TIMEOUT=abc",
		"CAISSON_X=1" }, { "--timeout=x", "--help" } };
	struct options o;
	struct err err;

	ck_assert_int_eq(read_setting(&o, &setting, &err), 0);
	ck_assert_uint_eq(o.action, OPTION_HELP);
	options_free(&o);
	setting.flags[1] = "--version";
	ck_assert_int_eq(read_setting(&o, &setting, &err), 0);
	ck_assert_uint_eq(o.action, OPTION_VERSION);
	options_free(&o);
}
END_TEST

/* Returns what is logged meanwhile; the caller frees it. */
static char *
logged_while_reading(const struct setting *setting)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	char text[4096] = "";
	struct options o;
	struct err err;

	ck_assert_ptr_nonnull(file);
	dup2(fileno(file), STDERR_FILENO);
	if (read_setting(&o, setting, &err) == -1)
		dprintf(STDERR_FILENO, "failed: %s", err.text);
	dup2(saved, STDERR_FILENO);
	close(saved);
	options_free(&o);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return mem_strdup(text);
}

/* The lines of the log about variables, and the timeout that results. */
static const struct {
	const char *variables[3];
	unsigned int timeout;
	const char *says;
} former[] = {
	{ { "MCP_BRIDGE_TIMEOUT=9" }, 9, "" },
	{ { "MCP_BRIDGE_TIMEOUT=9", "CAISSON_TIMEOUT=9" }, 9, "" },
	{ { "MCP_BRIDGE_TIMEOUT=9", "CAISSON_TIMEOUT=" }, 9, "" },
	{ { "MCP_BRIDGE_TIMEOUT=9", "CAISSON_TIMEOUT=8" }, 8,
	    "caisson: MCP_BRIDGE_TIMEOUT is ignored, as CAISSON_TIMEOUT is "
	    "set to something else: remove one of them\n" },
	{ { "CAISSON_TIMEOUT=8", "MCP_BRIDGE_TIMEOUT=9" }, 8,
	    "caisson: MCP_BRIDGE_TIMEOUT is ignored, as CAISSON_TIMEOUT is "
	    "set to something else: remove one of them\n" },
	{ { "MCP_BRIDGE_IMAGE=python:3", "MCP_BRIDGE_CONTAINER_USER=1:1",
	      "MCP_BRIDGE_PRELOAD=" }, 30, "" },
	{ { "MCP_BRIDGE_FROBNICATION\033=1" }, 30,
	    "caisson: MCP_BRIDGE_FROBNICATION\\x1b is not used by this "
	    "version\n" },
	{ { "MCP_SERVERS_CONFIG=x", "CAISSON_SERVERS_CONFIG=y" }, 30,
	    "caisson: MCP_SERVERS_CONFIG is ignored, as "
	    "CAISSON_SERVERS_CONFIG is set to something else: remove one of "
	    "them\n" },
	{ { "MCP_SERVERS_CONFIGS=x", "MCP_SERVERS=x" }, 30, "" },
	{ { "CAISSON=/x", "XCAISSON_A=1", "MCP_BRIDGE_TIMEOUT" }, 30, "" },
};

START_TEST(former_names_of_variables_are_used)
{
	struct setting setting = { 0 };
	auto_free char *loud = NULL;
	auto_free char *quiet = NULL;
	struct options o;
	struct err err = { 0 };

	memcpy(setting.variables, former[_i].variables,
	    sizeof(setting.variables));
	loud = logged_while_reading(&setting);
	ck_assert_str_eq(loud, former[_i].says);
	ck_assert_msg(read_setting(&o, &setting, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(o.timeout, former[_i].timeout);
	options_free(&o);
	setting.flags[0] = "--log-level=error";
	quiet = logged_while_reading(&setting);
	ck_assert_str_eq(quiet, "");
}
END_TEST

/* Flags of a command stand in any order, also among options. */
START_TEST(flags_of_commands)
{
	const struct setting setting = { NULL, { NULL },
		{ "adopt", "--keep", "a", "b", "--pids=9", "cursor", "--undo",
		    "--keep=c", "-y" } };
	const struct command_flags *flags;
	struct options o;
	struct err err = { 0 };

	ck_assert_msg(read_setting(&o, &setting, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(o.pids, 9);
	ck_assert_str_eq(o.command.operand, "cursor");
	flags = &o.command.flags;
	ck_assert_str_eq(command_value(flags, COMMAND_FLAG_KEEP, 0), "a");
	ck_assert_str_eq(command_value(flags, COMMAND_FLAG_KEEP, 1), "b");
	ck_assert_str_eq(command_value(flags, COMMAND_FLAG_KEEP, 2), "c");
	ck_assert_ptr_null(command_value(flags, COMMAND_FLAG_KEEP, 3));
	ck_assert_int_eq(command_has(flags, COMMAND_FLAG_UNDO), 1);
	ck_assert_int_eq(command_has(flags, COMMAND_FLAG_YES), 1);
	ck_assert_int_eq(command_has(flags, COMMAND_FLAG_DRY_RUN), 0);
	options_free(&o);
}
END_TEST

/* A name is either that of an option or that of a flag of a command. */
START_TEST(names_of_flags_are_their_own)
{
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++) {
		const char *key = command_flag_row(flag)->key;

		ck_assert_msg(option_find(key) == OPTION_IDS &&
		        option_action_find(key) == OPTION_ACTIONS, "%s", key);
	}
}
END_TEST

/* Returns what print writes; the caller frees it. */
static char *
printed(const struct options *options)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct err err;

	if (options == NULL)
		ck_assert_int_eq(options_help(NULL, NULL, 0, out, &err), 0);
	else
		options_print(options, out);
	fclose(out);
	return text;
}

START_TEST(help_has_every_option_within_its_columns)
{
	auto_free char *text = printed(NULL);
	char flag[OPTION_NAME_SIZE + 4];
	enum option_action action;
	enum option_id id;
	char *line, *rest = text;

	for (id = 0; id < OPTION_IDS; id++) {
		memcpy(flag, "\n  ", 3);
		option_flag(option_row(id)->key, flag + 3);
		ck_assert_msg(strstr(text, flag) != NULL, "no %s", flag);
	}
	for (action = OPTION_NONE + 1; action < OPTION_ACTIONS; action++) {
		option_flag(option_action_row(action)->key, flag + 3);
		ck_assert_msg(strstr(text, flag) != NULL, "no %s", flag);
	}
	ck_assert_ptr_nonnull(strstr(text, "Allowed: a size from 1k to 16m."));
	ck_assert_ptr_nonnull(strstr(text, "Default: 512m."));
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		ck_assert_msg(strlen(line) <= HELP_COLUMNS, "%s", line);
}
END_TEST

/* The help for one command, or why there is none. */
static const struct {
	const char *command, *verb;
	int brief;
	const char *begins; /* NULL: nothing is */
	const char *says;   /* it, or the error */
} helps[] = {
	{ "memory", NULL, 0, "  memory list ", "\n  memory show KEY " },
	{ "selftest", NULL, 1, "  selftest ",
	    "options that 'caisson --help' lists" },
	{ "memory", "clear", 0, "  memory clear ",
	    "  Remove all memories; it" },
	{ "adopt", NULL, 0, "  adopt CLIENT ",
	    "\n  caisson adopt cursor --undo " },
	{ "state-max", NULL, 0, "  --state-max SIZE\n", "Default: 64m." },
	{ "adopt", NULL, 0, "  adopt CLIENT ",
	    "\n      --keep NAME ...       Leave these" },
	{ "memory", "drop", 0, NULL,
	    "\"drop\" is not understood: 'caisson memory' takes one "
	    "of list, show KEY, remove KEY, clear" },
	{ "selftest", "x", 0, NULL, "\"x\" is not understood: only "
	    "options may follow the command, 'caisson --help' lists them" },
	{ "memroy", NULL, 0, NULL,
	    "\"memroy\" is not a command: did you mean 'caisson help "
	    "memory'?" },
	{ "\033", NULL, 0, NULL,
	    "\"\\x1b\" is not a command: 'caisson help' lists them" },
	{ NULL, NULL, 1, "usage: caisson [COMMAND] ",
	    "\n  caisson selftest  " },
	{ NULL, NULL, 0, "usage: caisson [COMMAND] ", "\n  --timeout TIME\n" },
};

START_TEST(help_lists_commands)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct err err = { 0 };
	int told = options_help(helps[_i].command, helps[_i].verb,
	    helps[_i].brief, out, &err);

	fclose(out);
	ck_assert_int_eq(told, helps[_i].begins == NULL ? -1 : 0);
	if (helps[_i].begins == NULL) {
		ck_assert_str_eq(text, "");
		ck_assert_str_eq(err.text, helps[_i].says);
	} else {
		ck_assert_int_eq(strncmp(text, helps[_i].begins,
		    strlen(helps[_i].begins)), 0);
		ck_assert_ptr_nonnull(strstr(text, helps[_i].says));
		ck_assert_int_eq(strstr(text, "--pids") != NULL,
		    helps[_i].command == NULL && !helps[_i].brief);
	}
	free(text);
}
END_TEST

START_TEST(check_shows_values_and_their_sources)
{
	/* In columns of 20 and 24. */
	static const char *const lines[] = {
		"runtime              native                   default\n",
		"timeout              45s                      CAISSON_TIMEOUT"
		"\n",
		"max-timeout          2m                       default\n",
		"memory               1g                       file\n",
		"pids                 9                        flag\n",
		"tools                run_python,run_code      MCP_BRIDGE_TOOLS"
		"\n",
		"log-file             /a\\x1bb                  flag\n",
	};
	struct setting setting = { "{\"memory\": \"1024m\"}",
		{ "CAISSON_TIMEOUT=45",
		    "MCP_BRIDGE_TOOLS=run_code,run_python" },
		{ "--check", "--pids=9", "--log-file=/a\033b" } };
	auto_free char *text = NULL;
	struct options o;
	struct err err;
	size_t i;

	ck_assert_int_eq(read_setting(&o, &setting, &err), 0);
	ck_assert_uint_eq(o.action, OPTION_CHECK);
	text = printed(&o);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(strstr(text, lines[i]) != NULL, "no %s in\n%s",
		    lines[i], text);
	ck_assert_ptr_nonnull(strstr(text, config));
	options_free(&o);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, defaults_are_those_of_the_manual);
	tcase_add_loop_test(tc, flag_over_environment_over_file_over_default, 0,
	    UNIT_COUNT(precedence));
	tcase_add_loop_test(tc, one_clear_sentence_for_each_mistake, 0,
	    UNIT_COUNT(bad));
	tcase_add_loop_test(tc, bounds_are_those_of_the_table, 0, OPTION_IDS);
	tcase_add_test(tc, the_default_timeout_gives_way);
	tcase_add_loop_test(
	    tc, a_word_may_come_first, 0, UNIT_COUNT(words));
	tcase_add_test(tc, help_is_given_whatever_else_is_wrong);
	tcase_add_loop_test(tc, former_names_of_variables_are_used, 0,
	    sizeof(former) / sizeof(former[0]));
	tcase_add_test(tc, help_has_every_option_within_its_columns);
	tcase_add_test(tc, flags_of_commands);
	tcase_add_test(tc, names_of_flags_are_their_own);
	tcase_add_loop_test(tc, help_lists_commands, 0,
	    sizeof(helps) / sizeof(helps[0]));
	tcase_add_test(tc, check_shows_values_and_their_sources);
}

int
main(void)
{
	return unit_run("options", add);
}
