/*
 * caisson config: shows each setting with its value and its source, checks
 * them, and writes one member of config.json; the others stay.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../door/http/serve_sockets.h"
#include "../../door/http/tokens.h"
#include "../../options/option_value.h"
#include "../../options/options.h"
#include "../../options/state_dir.h"
#include "../adopt/adopt_file.h"
#include "../shared/command.h"

/* Numbers as people write them, such as 1.5. */
#define CONFIG_SET_FORM (JSON_INDENT(4) | JSON_REAL_PRECISION(15))

/* Returns the option of a key, as in the file or as a flag; -1 with err. */
static int
config_set_find(const char *name, enum option_id *id, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	char key[OPTION_NAME_SIZE];
	const char *suggested;

	option_key(name, strlen(name), key);
	*id = option_find(key);
	if (*id != OPTION_IDS)
		return 0;
	suggested = option_nearest(key, 0);
	shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
	return suggested == NULL ?
	    err_set(err, "\"%s\" is not a setting: 'caisson config show' "
	        "lists them", shown.data) :
	    err_set(err, "\"%s\" is not a setting: did you mean %s?",
	        shown.data, suggested);
}

/* Writes the file with this member. Returns 0, or -1 with err. */
static int
config_set_store(
    const char *path, const char *key, const char *value, struct err *err)
{
	auto_free char *folder =
	    mem_printf("%.*s", (int)(strrchr(path, '/') - path), path);
	json_t *object = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	auto_free char *text = NULL, *line = NULL;

	/* It was read before: it is an object, or does not exist. */
	if (object == NULL)
		object = json_object();
	json_object_set_new(object, key, json_string(value));
	text = json_dumps(object, CONFIG_SET_FORM);
	json_decref(object);
	if (text == NULL)
		return err_set(err, "%s: it cannot be written as JSON", path);
	line = mem_printf("%s\n", text);
	if (adopt_file_make_folder(folder, err) == -1)
		return -1;
	return adopt_file_write_through(path, line, strlen(line), err);
}

/*
 * Changes options as if config.json had the member that the command names;
 * *winner is what overrides it, or stays NULL: the caller frees it. Returns 0,
 * or -1 with err.
 */
static int
config_set_try(struct options *options, enum option_id id, char **winner,
    struct err *err)
{
	auto_buffer struct buffer name = { 0 };

	if (options->file == NULL || options->file_refusal != NULL)
		return err_set(err, "config.json cannot be used: %s",
		    options->file == NULL ? "set HOME to your home folder" :
		                            options->file_refusal);
	options_add_name(&name, options, id);
	if (options->sources[id] > OPTIONS_FILE)
		*winner = buffer_take(&name, NULL);
	if (options_set(options, id, OPTIONS_FILE, options->command.other,
	        err) == -1)
		return -1;
	return options_check(options, err);
}

/* Returns whether an error of config check names the new member. */
static int
config_set_is_blamed(
    const struct options *options, enum option_id id, const struct err *why)
{
	auto_buffer struct buffer name = { 0 };

	options_add_name(&name, options, id);
	return strstr(why->text, name.data) != NULL;
}

static int
config_set_write(const struct options *options, enum option_id id,
    const char *winner, struct err *err)
{
	const char *key = option_row(id)->key, *value = options->command.other;

	if (config_set_store(options->file, key, value, err) == -1)
		return -1;
	printf("%s: %s is \"%s\"\n", options->file, key, value);
	if (winner != NULL)
		fprintf(stderr, "caisson: %s is set, too, and wins\n", winner);
	return 0;
}

/*
 * Writes a value that config check does not refuse. What that says about
 * another one may be true in this terminal only, such as without a cgroup: it
 * is a warning.
 */
static int
config_set_change(
    const struct command_setup *setup, char **winner, struct err *err)
{
	struct options *options = setup->options;
	enum option_id id;
	struct err why;
	int wrong;

	if (config_set_find(options->command.operand, &id, err) == -1 ||
	    config_set_try(options, id, winner, err) == -1)
		return -1;
	wrong = setup->check(setup, &why) == -1;
	if (wrong && config_set_is_blamed(options, id, &why)) {
		*err = why;
		return -1;
	}
	if (config_set_write(options, id, *winner, err) == -1)
		return -1;
	if (wrong)
		fprintf(stderr, "caisson: config check: %s\n", why.text);
	return 0;
}

int
config_set_run(struct command_setup *setup, struct err *err)
{
	auto_free char *winner = NULL;

	if (config_set_change(setup, &winner, err) == -1)
		return err_wrap(err, "config set");
	return 0;
}

static void
config_show_token(const struct token *token)
{
	auto_free char *where = mem_printf("token %s", token->name);

	options_print_line(stdout, "limits", token->limits, where);
}

/* The limits of tokens, which precede those of the settings. */
static void
config_show_tokens(const struct options *options, char **envp)
{
	struct tokens tokens = { 0 };
	auto_fd int dir = -1;
	struct err err;
	size_t i;

	if (!state_dir_may_exist(options, envp))
		return;
	dir = state_dir_open(options, envp, &err);
	if (dir == -1 || tokens_read(&tokens, dir, &err) == -1)
		options_print_line(stdout, "limits", "of tokens", err.text);
	for (i = 0; i < tokens.count; i++)
		if (tokens.one[i].limits != NULL)
			config_show_token(&tokens.one[i]);
	tokens_reset(&tokens);
}

/* Shows the folders that defaults stand for, where there are any. */
int
config_show_run(struct command_setup *setup, struct err *err)
{
	struct options *options = setup->options;
	char *state = state_dir_path(options, setup->envp, err);
	char *socket = serve_sockets_path(setup->envp);

	if (state != NULL) {
		free(options->state_dir);
		options->state_dir = state;
	}
	if (options->listen[0] == '\0' && socket != NULL) {
		free(options->listen);
		options->listen = mem_printf(OPTION_UNIX "%s", socket);
	}
	free(socket);
	if (options_json(options)) {
		options_report(options);
		return 0;
	}
	options_print(options, stdout);
	config_show_tokens(options, setup->envp);
	return 0;
}

int
config_check_run(struct command_setup *setup, struct err *err)
{
	return setup->check(setup, err) == -1 ? -1 :
	                                        config_show_run(setup, err);
}
