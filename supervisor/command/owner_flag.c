/*
 * The flag --owner of commands on what is kept: whose memories, saved tools and
 * files they are about. Runs in the supervisor.
 */
#include <string.h>

#include "../../common/buffer.h"
#include "../../common/limits.h"
#include "../../common/shown.h"
#include "../options/options.h"
#include "../peers/tokens.h"
#include "command.h"

const char *
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
