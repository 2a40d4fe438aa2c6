/*
 * The flag --owner of commands on what is kept: whose memories, saved tools and
 * files they are about.
 */
#include <stdio.h>
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../options/options.h"
#include "../../options/state_dir.h"
#include "../../door/http/tokens.h"
#include "command.h"

/*
 * Returns the owner, a scope, that --owner of a command names, borrowed from
 * it; NULL with err if it cannot be one.
 */
static const char *
owner_flag_scope(const struct command *command, struct err *err)
{
	const char *name =
	    command_value(&command->flags, COMMAND_FLAG_OWNER, 0);
	auto_buffer struct buffer shown = { 0 };

	if (name == NULL || strcmp(name, OWNER_FLAG_USER) == 0)
		return "";
	/* The token may have been revoked; what it has kept is still there. */
	if (token_is_name(name))
		return name;
	shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
	err_set(err, "--owner is \"%s\", but must be the name of a token, or "
	    OWNER_FLAG_USER " for the local user", shown.data);
	return NULL;
}

/*
 * Says on standard error if --owner of the command is the name of no token: it
 * may have been revoked, and what it has kept is still there.
 */
static void
owner_flag_tell(const struct options *options, char **envp)
{
	auto_buffer struct buffer shown = { 0 };
	const char *name = command_value(
	    &options->command.flags, COMMAND_FLAG_OWNER, 0);
	struct tokens tokens = { 0 };
	auto_fd int dir = -1;
	struct err err;
	int known = name == NULL || strcmp(name, OWNER_FLAG_USER) == 0 ||
	    strcmp(name, TOKEN_API_NAME) == 0;

	/* Nothing is created to look for it. */
	if (!known && state_dir_may_exist(options, envp)) {
		dir = state_dir_open(options, envp, &err);
		known = dir == -1 || tokens_read(&tokens, dir, &err) == -1 ||
		    tokens_find(&tokens, name) != NULL;
		tokens_reset(&tokens);
	}
	if (known)
		return;
	shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
	fprintf(stderr, "caisson: owner \"%s\": no token has this name "
	    "('caisson token list' shows all)\n", shown.data);
}

/* Asks before all is removed. Returns whether to go on, or -1 with err. */
static int
owner_flag_consent(
    const struct command *command, const char *these, struct err *err)
{
	auto_buffer struct buffer question = { 0 };
	const char *owner =
	    command_value(&command->flags, COMMAND_FLAG_OWNER, 0);
	const char *conversation =
	    command_value(&command->flags, COMMAND_FLAG_CONVERSATION, 0);

	if (command->verb == NULL || strcmp(command->verb, "clear") != 0)
		return 1;
	buffer_printf(&question, "Remove all %s of %s%s", these,
	    owner == NULL || strcmp(owner, OWNER_FLAG_USER) == 0 ?
	    "the local user" : owner,
	    conversation == NULL ? "" : ", of conversation ");
	if (conversation != NULL)
		shown_add(&question, conversation, strlen(conversation));
	buffer_add_text(&question, "?");
	return command_consent(command, question.data, err);
}

int
owner_flag_begin(const struct command_setup *setup, const char *these,
    const char **scope, struct err *err)
{
	const struct command *command = &setup->options->command;
	int agreed;

	*scope = owner_flag_scope(command, err);
	if (*scope == NULL ||
	    state_dir_try(setup->options, setup->envp, err) == -1)
		return -1;
	owner_flag_tell(setup->options, setup->envp);
	agreed = owner_flag_consent(command, these, err);
	return agreed == -1 ? -1 : !agreed;
}

char *
owner_flag_again(const struct command *command)
{
	const char *name =
	    command_value(&command->flags, COMMAND_FLAG_OWNER, 0);

	return name == NULL ? mem_strdup("") : mem_printf(" --owner %s", name);
}
