/*
 * The resources of the conformance suite.
 */
#include <stdlib.h>
#include <string.h>

#include "common/json/json.h"
#include "common/base/mem.h"
#include "fixtures.h"
#include "supervisor/front/rpc/rpc.h"

#define TEMPLATE "test://template/"
#define TEMPLATE_END "/data"

/* What follows the URI in contents; NULL: see read_template. */
static const struct {
	const char *uri;
	const char *type;
	const char *contents;
} resources[] = {
	{ "test://static-text", "text/plain",
	    "\"text\":\"This is the content of the static text resource.\"" },
	{ "test://static-binary", "image/png", "\"blob\":\"" FIXTURE_PNG "\"" },
	{ "test://watched-resource", "text/plain",
	    "\"text\":\"Watched resource content\"" },
};

#define RESOURCES (sizeof(resources) / sizeof(resources[0]))

void
fixture_on_resources_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };
	size_t i;

	if (page_refuse_cursor(mcp, message))
		return;
	buffer_add_text(&result, "{\"resources\":[");
	for (i = 0; i < RESOURCES; i++)
		buffer_printf(&result,
		    "%s{\"uri\":\"%s\",\"name\":\"%s\",\"mimeType\":\"%s\"}",
		    i == 0 ? "" : ",", resources[i].uri, resources[i].uri + 7,
		    resources[i].type);
	buffer_add_text(&result, "]}");
	era_answer(mcp->rpc, context, message->id, &result, 0);
}

void
fixture_on_templates_list(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	struct buffer result = { 0 };

	if (page_refuse_cursor(mcp, message))
		return;
	buffer_add_text(&result, "{\"resourceTemplates\":[{\"uriTemplate\":\""
	    TEMPLATE "{id}" TEMPLATE_END "\",\"name\":\"template\","
	    "\"mimeType\":\"application/json\"}]}");
	era_answer(mcp->rpc, context, message->id, &result, 0);
}

/* Appends the contents of the resource with this id. */
static void
resource_add_data(struct buffer *result, const char *id, size_t len)
{
	auto_free char *text = mem_printf(
	    "{\"id\":\"%.*s\",\"templateTest\":true,"
	    "\"data\":\"Data for ID: %.*s\"}",
	    (int)len, id, (int)len, id);

	buffer_add_text(result, "\"text\":");
	json_add_string(result, text, strlen(text));
}

/* Appends what follows the URI. Returns 0 if there is no such resource. */
static int
resource_add(struct buffer *result, const char *uri)
{
	size_t len = strlen(uri);
	size_t fixed = strlen(TEMPLATE) + strlen(TEMPLATE_END);
	size_t i;

	for (i = 0; i < RESOURCES; i++)
		if (strcmp(uri, resources[i].uri) == 0) {
			buffer_printf(result, "\"mimeType\":\"%s\",%s",
			    resources[i].type, resources[i].contents);
			return 1;
		}
	if (len <= fixed || strncmp(uri, TEMPLATE, strlen(TEMPLATE)) != 0 ||
	    strcmp(uri + len - strlen(TEMPLATE_END), TEMPLATE_END) != 0)
		return 0;
	buffer_add_text(result, "\"mimeType\":\"application/json\",");
	resource_add_data(result, uri + strlen(TEMPLATE), len - fixed);
	return 1;
}

void
fixture_on_resources_read(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message)
{
	auto_free char *quoted = fixture_string(message->params, "uri");
	auto_free char *uri =
	    mem_printf("%.*s", (int)strlen(quoted) - 2, quoted + 1);
	auto_free char *data = mem_printf("{\"uri\":%s}", quoted);
	struct buffer result = { 0 };

	buffer_printf(&result, "{\"contents\":[{\"uri\":%s,", quoted);
	if (!resource_add(&result, uri)) {
		buffer_reset(&result);
		rpc_answer_error(mcp->rpc, message->id,
		    context->era->not_found, "Resource not found", data);
		return;
	}
	buffer_add_text(&result, "}]}");
	era_answer(mcp->rpc, context, message->id, &result, 0);
}
