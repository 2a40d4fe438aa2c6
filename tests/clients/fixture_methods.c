/*
 * What turns the objects of caisson into the server that the conformance suite
 * expects: its methods, which take the place of the program's, and what it says
 * of itself.
 */
#include "fixtures.h"
#include "supervisor/front/rpc/rpc.h"
#include "supervisor/front/methods.h"
#include "supervisor/front/resources/texts.h"
#include "supervisor/run/run.h"

#define CAPABILITIES                                                           \
	"\"capabilities\":{\"tools\":{},\"prompts\":{},\"completions\":{},"    \
	"\"logging\":{},\"resources\":{"

void __wrap_texts_add_initialize(struct buffer *buffer, const char *version,
    const struct options *options);
const struct options *__real_owner_options(
    const struct owner *owner, const struct runs *runs);
const struct options *__wrap_owner_options(
    const struct owner *owner, const struct runs *runs);

void
__wrap_texts_add_initialize(struct buffer *buffer, const char *version,
    const struct options *)
{
	buffer_printf(buffer, "{\"protocolVersion\":\"%s\"," CAPABILITIES
	    "\"subscribe\":true}},\"serverInfo\":", version);
	texts_add_server(buffer);
	buffer_add_text(buffer, "}");
}

/* Every fixture is a tool that clients see. */
const struct options *
__wrap_owner_options(const struct owner *owner, const struct runs *runs)
{
	static struct options options;

	options = *__real_owner_options(owner, runs);
	options.tools = ~0U;
	return &options;
}

static void
fixture_on_discover(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	buffer_add_text(&result, "{\"supportedVersions\":[\"2026-07-28\"],"
	    CAPABILITIES "\"listChanged\":true}}}");
	era_answer(mcp->rpc, context, message->id, &result, 0);
}

static void
fixture_answer_empty(
    struct mcp *mcp, const struct context *context, struct json_span id)
{
	struct buffer result = { 0 };

	buffer_add_text(&result, "{}");
	era_answer(mcp->rpc, context, id, &result, ERA_NOT_CACHED);
}

/* The resource never changes. */
static void
fixture_on_subscribe(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	fixture_answer_empty(mcp, context, message->id);
}

static void
fixture_on_complete(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	buffer_add_text(&result, "{\"completion\":{\"values\":[\"paris\"],"
	    "\"total\":1,\"hasMore\":false}}");
	era_answer(mcp->rpc, context, message->id, &result, ERA_NOT_CACHED);
}

const struct methods_row methods_table[] = {
	{ "initialize", era_initialize_on_initialize, &era_initialize, 1 },
	{ "ping", era_initialize_on_ping, &era_initialize, 1 },
	{ "logging/setLevel", era_initialize_on_set_level, &era_initialize, 0 },
	{ "resources/subscribe", fixture_on_subscribe, &era_initialize, 0 },
	{ "resources/unsubscribe", fixture_on_subscribe, &era_initialize, 0 },
	{ "server/discover", fixture_on_discover, &era_stateless, 0 },
	{ "subscriptions/listen", listen_on_listen, &era_stateless, 0 },
	{ "tools/list", tools_on_list, NULL, 0 },
	{ "tools/call", tools_on_call, NULL, 0 },
	{ "prompts/list", fixture_on_prompts_list, NULL, 0 },
	{ "prompts/get", fixture_on_prompts_get, NULL, 0 },
	{ "resources/list", fixture_on_resources_list, NULL, 0 },
	{ "resources/templates/list", fixture_on_templates_list, NULL, 0 },
	{ "resources/read", fixture_on_resources_read, NULL, 0 },
	{ "completion/complete", fixture_on_complete, NULL, 0 },
};

const size_t methods_count = sizeof(methods_table) / sizeof(methods_table[0]);
