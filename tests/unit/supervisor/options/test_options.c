/*
 * Tests of supervisor/options/options: where values come from and which wins,
 * and what --help and --check print. What is said about mistakes is tested by
 * tests/e2e/wrong-invocations.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "supervisor/options/option_value.h"
#include "supervisor/options/options.h"
#include "tests/unit/unit_folder.h"

#define ARGS_MAX 10

static char *inner, *config, *config_home;

static void
make_folder(void)
{
	inner = mem_printf("%s/caisson", folder);
	config = mem_printf("%s/config.json", inner);
	config_home = mem_printf("XDG_CONFIG_HOME=%s", folder);
	ck_assert_int_eq(mkdir(inner, 0700), 0);
}

static void
remove_folder(void)
{
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

UNIT_TEST(defaults_are_those_of_the_manual)
{
	struct setting nothing = { 0 };
	struct options o;
	struct err err;

	ck_assert_int_eq(read_setting(&o, &nothing, &err), 0);
	ck_assert_uint_eq(o.command.task, COMMAND_NONE);
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

static const struct {
	struct setting setting;
	unsigned int pids;
	enum options_source source;
} precedence[] = {
	{ { NULL, { NULL }, { NULL } }, 128, OPTIONS_DEFAULT },
	{ { "{\"pids\": 11}", { NULL }, { NULL } }, 11, OPTIONS_FILE },
	{ { "{\"pids\": \"11\"}", { NULL }, { NULL } }, 11, OPTIONS_FILE },
	{ { NULL, { "CAISSON_PIDS=12" }, { NULL } }, 12, OPTIONS_ENVIRONMENT },
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
	{ { NULL, { "CAISSON_NONSENSE=" }, { NULL } }, 128, OPTIONS_DEFAULT },
};

UNIT_TESTS(flag_over_environment_over_file_over_default, UNIT_COUNT(precedence))
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

/* Each number of the table: its bounds are taken, one beyond is not. */
UNIT_TESTS(bounds_are_those_of_the_table, OPTION_IDS)
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

/* Who lowers the maximum did not ask for the default of the other. */
UNIT_TEST(the_default_timeout_gives_way)
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
	{ { "MCP_BRIDGE_MEMORY_LIMIT=x", "MCP_BRIDGE_PIDS_LIMIT=x" }, 30,
	    "caisson: MCP_BRIDGE_MEMORY_LIMIT is not used by this version: did "
	    "you mean CAISSON_MEMORY?\n"
	    "caisson: MCP_BRIDGE_PIDS_LIMIT is not used by this version: did "
	    "you mean CAISSON_PIDS?\n" },
	{ { "MCP_BRIDGE_TIMOUT=3", "MCP_BRIDGE_STARTUP_TIMEOUT=3" }, 30,
	    "caisson: MCP_BRIDGE_TIMOUT is not used by this version: did you "
	    "mean CAISSON_TIMEOUT?\n"
	    "caisson: MCP_BRIDGE_STARTUP_TIMEOUT is not used by this "
	    "version\n" },
	{ { "MCP_BRIDGE_CONFIG= {}" }, 30, "" },
	{ { "MCP_BRIDGE_CONFIG=/x" }, 30,
	    "caisson: MCP_BRIDGE_CONFIG is ignored, as it is no JSON: name a "
	    "file in CAISSON_SERVERS_CONFIG\n" },
	{ { "MCP_BRIDGE_FOO=x" }, 30,
	    "caisson: MCP_BRIDGE_FOO is not used by this version\n" },
	{ { "MCP_SERVERS_CONFIG=x", "CAISSON_SERVERS_CONFIG=y" }, 30,
	    "caisson: MCP_SERVERS_CONFIG is ignored, as "
	    "CAISSON_SERVERS_CONFIG is set to something else: remove one of "
	    "them\n" },
	{ { "MCP_SERVERS_CONFIGS=x", "MCP_SERVERS=x" }, 30, "" },
	{ { "CAISSON=/x", "XCAISSON_A=1", "MCP_BRIDGE_TIMEOUT" }, 30, "" },
};

UNIT_TESTS(former_names_of_variables_are_used, UNIT_COUNT(former))
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

/* Flags of a command stand in any order, also among options. */
UNIT_TEST(flags_of_commands)
{
	const struct setting setting = { NULL, { NULL },
		{ "adopt", "--keep", "a", "cursor", "--pids=9", "--undo",
		    "--keep=c", "-y" } };
	const struct command_flags *flags;
	struct options o;
	struct err err = { 0 };

	ck_assert_msg(read_setting(&o, &setting, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(o.pids, 9);
	ck_assert_str_eq(o.command.operand, "cursor");
	flags = &o.command.flags;
	ck_assert_str_eq(command_value(flags, COMMAND_FLAG_KEEP, 0), "a");
	ck_assert_str_eq(command_value(flags, COMMAND_FLAG_KEEP, 1), "c");
	ck_assert_ptr_null(command_value(flags, COMMAND_FLAG_KEEP, 2));
	ck_assert_int_eq(command_has(flags, COMMAND_FLAG_UNDO), 1);
	ck_assert_int_eq(command_has(flags, COMMAND_FLAG_YES), 1);
	ck_assert_int_eq(command_has(flags, COMMAND_FLAG_DRY_RUN), 0);
	options_free(&o);
}

/* A name is either that of an option or that of a flag of a command. */
UNIT_TEST(names_of_flags_are_their_own)
{
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++) {
		const char *key = command_flag_row(flag)->key;

		ck_assert_msg(option_find(key) == OPTION_IDS &&
		        option_action_find(key) == NULL, "%s", key);
	}
}

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

UNIT_TEST(help_has_every_option_within_its_columns)
{
	auto_free char *text = printed(NULL);
	char flag[OPTION_NAME_SIZE + 4];
	const struct option_action_row *action;
	enum option_id id;
	char *line, *rest = text;
	size_t i;

	for (id = 0; id < OPTION_IDS; id++) {
		memcpy(flag, "\n  ", 3);
		option_flag(option_row(id)->key, flag + 3);
		ck_assert_msg(strstr(text, flag) != NULL, "no %s", flag);
	}
	for (i = 0; (action = option_action_row(i)) != NULL; i++) {
		option_flag(action->key, flag + 3);
		ck_assert_msg(strstr(text, flag) != NULL, "no %s", flag);
	}
	ck_assert_ptr_nonnull(strstr(text, "Allowed: a size from 1k to 16m."));
	ck_assert_ptr_nonnull(strstr(text, "Default: 512m."));
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		ck_assert_msg(strlen(line) <= HELP_COLUMNS, "%s", line);
}

/* Returns what follows the word, which must be there. */
static const char *
behind(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	ck_assert_msg(at != NULL, "no %s in \"%s\"", word, text);
	return at + strlen(word);
}

UNIT_TEST(text_of_limits_has_the_presets)
{
	static const struct {
		enum option_id by;
		const char *word, *value;
	} rows[] = {
#define PRESET(BY, word, NAME, value) { OPTION_ID_##BY, word, value },
#include "supervisor/options/presets.def"
	};
	const char *text = option_row(OPTION_ID_LIMITS)->doc;
	const char *word = "";
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].by != OPTION_ID_LIMITS)
			continue;
		if (strcmp(word, rows[i].word) != 0)
			text = behind(text, rows[i].word);
		word = rows[i].word;
		text = behind(text, rows[i].value);
	}
}

UNIT_FIXTURE(make_folder, remove_folder)
