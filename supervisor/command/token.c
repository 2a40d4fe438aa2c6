/*
 * caisson token: makes, lists and revokes the tokens of HTTP clients. A serving
 * program notices the change of their file.
 */
#include <stdio.h>
#include <string.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/text_list.h"
#include "../options/text/json_report.h"
#include "../options/option_value.h"
#include "../options/options.h"
#include "../options/state_dir.h"
#include "../door/http/tokens.h"
#include "shared/command.h"

/* Reads the tokens and locks their directory. Returns it, or -1 with err. */
static int
token_open(const struct options *options, char **envp,
    struct tokens *tokens, struct err *err)
{
	auto_fd int dir = state_dir_open(options, envp, err);

	if (dir == -1 || tokens_lock(dir, err) == -1 ||
	    tokens_read(tokens, dir, err) == -1)
		return -1;
	return fd_take(&dir);
}

/* What is allowed: the flags of token add */

static void
token_allow_server(struct token *token, const char *name)
{
	if (!text_list_has(&token->servers, name))
		text_list_add(&token->servers, name);
}

static int
token_set_servers(
    struct token *token, const struct command_flags *flags, struct err *err)
{
	const char *name;
	size_t i;

	token->restricted = command_has(flags, COMMAND_FLAG_NO_SERVERS);
	for (i = 0; (name = command_value(flags, COMMAND_FLAG_SERVER, i)) !=
	     NULL;
	     i++) {
		if (token->restricted && i == 0)
			return err_set(err, "--no-servers and --server exclude "
			    "each other");
		if (*name == '\0')
			return err_set(err, "--server needs the name of an MCP "
			    "server ('caisson servers list' shows them)");
		token->restricted = true;
		token_allow_server(token, name);
	}
	return 0;
}

/* Appends "run_python, run_code". */
static void
token_add_words(struct buffer *out, unsigned int set)
{
	const char *const *words = option_row(OPTION_ID_TOOLS)->words;
	const char *comma = "";
	size_t i;

	for (i = 0; words[i] != NULL; i++) {
		if (set != 0 && (set & 1U << i) == 0)
			continue;
		buffer_printf(out, "%s%s", comma, words[i]);
		comma = ", ";
	}
}

static int
token_set_tools(
    struct token *token, const struct command_flags *flags, struct err *err)
{
	const char *const *words = option_row(OPTION_ID_TOOLS)->words;
	auto_buffer struct buffer all = { 0 }, shown = { 0 };
	const char *name;
	size_t i, k;

	for (i = 0; (name = command_value(flags, COMMAND_FLAG_TOOL, i)) !=
	     NULL;
	     i++) {
		for (k = 0; words[k] != NULL; k++)
			if (strcmp(words[k], name) == 0)
				break;
		if (words[k] == NULL) {
			token_add_words(&all, 0);
			shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
			return err_set(err, "--tool \"%s\" is not a tool of "
			    "Caisson: the tools are %s", shown.data, all.data);
		}
		token->tools |= 1U << k;
	}
	return 0;
}

static int
token_set_number(const struct command_flags *flags, enum command_flag flag,
    struct token *token, enum token_number which, struct err *err)
{
	int sized = which == TOKEN_MEMORIES_MAX;
	const struct option_row row = {
		.kind = sized ? OPTION_KIND_SIZE : OPTION_KIND_COUNT,
		.least = 1,
		.most = token_numbers[which].most };
	const char *value = command_value(flags, flag, 0);
	char name[OPTION_NAME_SIZE];

	if (value == NULL || option_value_parse(
	        &row, value, token_number(token, which)) == 0)
		return 0;
	option_flag(command_flag_row(flag)->key, name);
	return err_set(err, "%s must be a %s from 1 to %llu", name,
	    sized ? "size, such as 8m," : "number",
	    (unsigned long long)row.most);
}

static int
token_set(struct token *token, const struct command *command, struct err *err)
{
	const struct command_flags *flags = &command->flags;
	auto_buffer struct buffer shown = { 0 };

	buffer_add_text(&shown, "\"");
	shown_add_quoted(&shown, command->operand, OPTION_VALUE_SHOWN);
	if (!token_is_name(command->operand))
		return err_set(err, "%s\" cannot be the name of a token: it "
		    "has 1 to %d letters, digits, dots, dashes or underscores, "
		    "and does not begin with a dot or a dash", shown.data,
		    TOKEN_NAME_MAX);
	token->name = mem_strdup(command->operand);
	return token_set_servers(token, flags, err) == -1 ||
	        token_set_tools(token, flags, err) == -1 ||
	        token_set_number(flags, COMMAND_FLAG_CALLS, token, TOKEN_CALLS,
	            err) == -1 ||
	        token_set_number(flags, COMMAND_FLAG_RATE, token, TOKEN_RATE,
	            err) == -1 ||
	        token_set_number(flags, COMMAND_FLAG_MEMORIES_MAX, token,
	            TOKEN_MEMORIES_MAX, err) == -1 ||
	        token_set_number(flags, COMMAND_FLAG_CPU_SECONDS, token,
	            TOKEN_CPU_SECONDS, err) == -1 ? -1 : 0;
}

static int
token_add_to(
    struct tokens *tokens, struct token *token, int dir, struct err *err)
{
	if (tokens_find(tokens, token->name) != NULL)
		return err_set(err, "token \"%s\": there is one already: "
		    "choose another name, or revoke it first", token->name);
	if (tokens->count == TOKENS_MAX)
		return err_set(err, "token \"%s\": there are %d tokens, the "
		    "most: revoke one first", token->name, TOKENS_MAX);
	tokens_add(tokens, token);
	return tokens_write(tokens, dir, err);
}

/* A token cannot allow a tool that is not served; these may be later. */
static void
token_tell_missing(unsigned int tools, const struct options *options)
{
	auto_buffer struct buffer names = { 0 };
	unsigned int missing = tools & ~options->tools;

	if (missing == 0)
		return;
	token_add_words(&names, missing);
	fprintf(stderr, "caisson: the setting tools lacks %s: clients of this "
	    "token see no more until it is added there\n", names.data);
}

/* Checks that there are the servers that --server names. */
static int
token_check_servers(struct command_setup *setup, struct err *err)
{
	if (!command_has(&setup->options->command.flags, COMMAND_FLAG_SERVER))
		return 0;
	return setup->prepare(setup, err) == -1 ? -1 :
	    print_config_check_named(
	        setup->base, setup->options, setup->envp, err);
}

int
token_add_run(struct command_setup *setup, struct err *err)
{
	const struct options *options = setup->options;
	struct tokens tokens = { 0 };
	struct token token = { 0 };
	char secret[TOKEN_SIZE + 1];
	auto_fd int dir = -1;
	int status = token_set(&token, &options->command, err);
	unsigned int tools = token.tools;

	/* Flags of all commands, which mean the token here. */
	if (options->sources[OPTION_ID_LIMITS] == OPTIONS_FLAG)
		token.limits = options_word(options, OPTION_ID_LIMITS);
	if (options->sources[OPTION_ID_FILES_MAX] == OPTIONS_FLAG)
		token.files_max = options->files_max;
	if (status == 0)
		status = token_check_servers(setup, err);
	if (status == 0) {
		dir = token_open(options, setup->envp, &tokens, err);
		status = dir == -1 ? -1 : 0;
	}
	if (status == 0) {
		token_make(&token, secret);
		status = token_add_to(&tokens, &token, dir, err);
	}
	if (status == 0) {
		token_tell_missing(tools, options);
		printf("%s\n", secret);
		fputs("caisson: keep this token: it is not shown again; "
		      "clients send it as \"Authorization: Bearer "
		      "TOKEN\"\n", stderr);
	}
	explicit_bzero(secret, sizeof(secret));
	token_reset(&token);
	tokens_reset(&tokens);
	return status;
}

/* Listing */

static void
token_add_size(struct buffer *line, const char *what, uint64_t size)
{
	if (size == 0)
		return;
	buffer_add_text(line, what);
	option_value_add(line, option_row(OPTION_ID_STATE_MAX), size);
}

static void
token_print(const struct token *token)
{
	auto_buffer struct buffer line = { 0 };
	const char *name, *comma = "";

	buffer_printf(&line, "%s (%s): ", token->name, token->created);
	if (!token->restricted)
		buffer_add_text(&line, "all servers");
	else if (token->servers.len == 0)
		buffer_add_text(&line, "no servers");
	else
		buffer_add_text(&line, "servers ");
	TEXT_LIST_EACH (name, token->servers.data, token->servers.len) {
		buffer_add_text(&line, comma);
		shown_add(&line, name, strlen(name));
		comma = ", ";
	}
	buffer_add_text(&line, token->tools == 0 ? "; all tools" : "; tools ");
	if (token->tools != 0)
		token_add_words(&line, token->tools);
	if (token->calls != 0)
		buffer_printf(&line, "; %llu call%s at once",
		    (unsigned long long)token->calls,
		    token->calls == 1 ? "" : "s");
	if (token->rate != 0)
		buffer_printf(&line, "; %llu request%s a minute",
		    (unsigned long long)token->rate,
		    token->rate == 1 ? "" : "s");
	token_add_size(&line, "; files of ", token->files_max);
	token_add_size(&line, "; memories of ", token->memories_max);
	if (token->cpu_seconds != 0)
		buffer_printf(&line, "; %llu s of processor time a day",
		    (unsigned long long)token->cpu_seconds);
	if (token->limits != NULL)
		buffer_printf(&line, "; limits %s", token->limits);
	printf("%s\n", line.data);
}

static void
token_report(struct buffer *json, const struct token *token)
{
	const char *const *words = option_row(OPTION_ID_TOOLS)->words;
	const char *name;
	size_t i;

	json_report_open(json, NULL, '{');
	json_report_text(json, "name", token->name);
	json_report_text(json, "created", token->created);
	if (token->restricted) {
		json_report_open(json, "servers", '[');
		TEXT_LIST_EACH (name, token->servers.data, token->servers.len)
			json_report_text(json, NULL, name);
		json_report_close(json, ']');
	}
	if (token->tools != 0) {
		json_report_open(json, "tools", '[');
		for (i = 0; words[i] != NULL; i++)
			if ((token->tools & 1U << i) != 0)
				json_report_text(json, NULL, words[i]);
		json_report_close(json, ']');
	}
	for (i = 0; i < TOKEN_NUMBERS; i++)
		if (*token_number(token, i) != 0)
			json_report_number(json, token_numbers[i].key,
			    *token_number(token, i));
	if (token->limits != NULL)
		json_report_text(json, "limits", token->limits);
	json_report_close(json, '}');
}

static void
token_show(const struct options *options, const struct tokens *tokens)
{
	auto_buffer struct buffer json = { 0 };
	size_t i;

	int names = command_has(&options->command.flags, COMMAND_FLAG_NAMES);

	if (!options_json(options)) {
		for (i = 0; i < tokens->count; i++)
			if (names)
				puts(tokens->one[i].name);
			else
				token_print(&tokens->one[i]);
		if (tokens->count == 0 && !names)
			printf("There are no tokens.\n");
		return;
	}
	json_report_open(&json, "tokens", '[');
	for (i = 0; i < tokens->count; i++)
		token_report(&json, &tokens->one[i]);
	json_report_close(&json, ']');
	json_report_print(&json);
}

int
token_list_run(struct command_setup *setup, struct err *err)
{
	const struct options *options = setup->options;
	struct tokens tokens = { 0 };
	auto_fd int dir = -1;
	int status = 0;

	/* Nothing is created to list it. */
	if (state_dir_may_exist(options, setup->envp)) {
		dir = token_open(options, setup->envp, &tokens, err);
		status = dir == -1 ? -1 : 0;
	}
	if (status == 0)
		token_show(options, &tokens);
	tokens_reset(&tokens);
	return status;
}

int
token_revoke_run(struct command_setup *setup, struct err *err)
{
	const struct options *options = setup->options;
	const char *name = options->command.operand;
	auto_buffer struct buffer shown = { 0 };
	struct tokens tokens = { 0 };
	struct token *token = NULL, gone = { 0 };
	auto_fd int dir = -1;
	int status = 0;

	if (state_dir_may_exist(options, setup->envp)) {
		dir = token_open(options, setup->envp, &tokens, err);
		status = dir == -1 ? -1 : 0;
	}
	if (status == 0) {
		token = tokens_find(&tokens, name);
		status = token == NULL;
	}
	if (status == 1) {
		shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
		fprintf(stderr, "caisson: token \"%s\": there is no token of "
		    "this name ('caisson token list' shows all)\n", shown.data);
	}
	if (token != NULL) {
		token_copy(&gone, token);
		tokens_remove(&tokens, token);
		status = tokens_write(&tokens, dir, err);
	}
	if (token != NULL && status == 0)
		status = tokens_remove_first(&gone, dir, err);
	token_reset(&gone);
	tokens_reset(&tokens);
	return status;
}
