/*
 * The table of tools, in the order of the words of the option tools. Runs in
 * the supervisor.
 */
#include "tool.h"

const struct tool *const tools_table[] = { &run_python_tool, &run_code_tool,
	&list_runners_tool, &upload_file_tool };

const size_t tools_count = sizeof(tools_table) / sizeof(tools_table[0]);
