/* caisson help and version: what this program is. */
#include <stdio.h>

#include "../../common/base/buffer.h"
#include "../options/text/json_report.h"
#include "../options/options.h"
#include "shared/command.h"

int
help_run(struct command_setup *setup, struct err *err)
{
	const struct options *options = setup->options;

	return options_help(options->command.operand, options->command.other,
	    options->command.brief, stdout, err);
}

int
version_run(struct command_setup *setup, struct err *)
{
	auto_buffer struct buffer out = { 0 };

	if (!options_json(setup->options)) {
		printf("caisson %s\n", CAISSON_VERSION);
		return 0;
	}
	json_report_text(&out, "version", CAISSON_VERSION);
	json_report_print(&out);
	return 0;
}
