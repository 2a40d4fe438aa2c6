/*
 * One program with two names: the first program of a box, and the command mcp
 * in it.
 */
#include <string.h>

#include "mcp.h"

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[0], MCP_BOOTSTRAP) == 0)
		return bootstrap_main(argv[1], argv[2]);
	return command_main(argc, argv);
}
