/* The table of tools, in the order of the words of the option tools. */
#include "tool.h"

const struct tool *const tools_table[] = {
#define TOOL(name) &name##_tool,
#include "../../options/tools.def"
};

const size_t tools_count = sizeof(tools_table) / sizeof(tools_table[0]);
