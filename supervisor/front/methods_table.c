/*
 * The table of MCP methods and their handlers. Runs in the supervisor.
 */
#include "rpc/rpc.h"
#include "methods.h"
#include "resources/resources.h"
#include "tools/tool.h"

const struct methods_row methods_table[] = {
	{ "initialize", era_initialize_on_initialize, &era_initialize, 1 },
	{ "ping", era_initialize_on_ping, &era_initialize, 1 },
	{ "server/discover", era_stateless_on_discover, &era_stateless, 0 },
	{ LISTEN_METHOD, listen_on_listen, &era_stateless, 0 },
	{ "tools/list", tools_on_list, NULL, 0 },
	{ "tools/call", tools_on_call, NULL, 0 },
	{ "resources/list", resources_on_list, NULL, 0 },
	{ "resources/templates/list", resources_on_templates_list, NULL, 0 },
	{ "resources/read", resources_on_read, NULL, 0 },
	{ "completion/complete", completion_on_complete, NULL, 0 },
};

const size_t methods_count =
    sizeof(methods_table) / sizeof(methods_table[0]);
