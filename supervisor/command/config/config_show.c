/*
 * caisson config show and check: each setting with its value and its source.
 * Runs in the supervisor.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../../common/base/mem.h"
#include "../../door/http/serve_sockets.h"
#include "../../options/option_name.h"
#include "../../options/options.h"
#include "../../options/state_dir.h"
#include "../shared/command.h"

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
	if (options_json(options))
		options_report(options);
	else
		options_print(options, stdout);
	return 0;
}

int
config_check_run(struct command_setup *setup, struct err *err)
{
	return setup->check(setup, err) == -1 ? -1 :
	                                        config_show_run(setup, err);
}
