/* What the code may ask a server besides calls of tools: see link.h. */
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "link.h"
#include "../state/state.h"

struct method {
	char what[20]; /* of ASK_SERVER */
	char name[28];
	enum mcp_capability needs;
	char list[20];  /* the array of a page; empty: it lists nothing */
	char named[12]; /* the name: in a parameter, or in each of the list */
	char type[16];  /* of the reference that has the name; empty: none */
};

static const struct method methods[] = {
	{ "resources", "resources/list", MCP_RESOURCES, "resources", "uri",
	    "" },
	{ "resource_templates", "resources/templates/list", MCP_RESOURCES,
	    "resourceTemplates", "uriTemplate", "" },
	{ "read_resource", "resources/read", MCP_RESOURCES, "", "uri", "" },
	{ "prompts", "prompts/list", MCP_PROMPTS, "prompts", "name", "" },
	{ "get_prompt", "prompts/get", MCP_PROMPTS, "", "name", "" },
	{ "complete_prompt", "completion/complete", MCP_COMPLETIONS, "", "name",
	    "ref/prompt" },
	{ "complete_resource", "completion/complete", MCP_COMPLETIONS, "",
	    "uri", "ref/resource" },
};

const struct method *
method_find(const char *what)
{
	size_t n;

	for (n = 0; n < sizeof(methods) / sizeof(methods[0]); n++)
		if (strcmp(methods[n].what, what) == 0)
			return &methods[n];
	return NULL;
}

const char *
method_name(const struct method *method)
{
	return method->name;
}

enum mcp_capability
method_needs(const struct method *method)
{
	return method->needs;
}

int
method_lists(const struct method *method)
{
	return method->list[0] != '\0';
}

/* Appends a member of the arguments; they may have it once. */
static void
method_add_member(
    struct buffer *params, struct json_span arguments, const char *name)
{
	struct json_span value;

	if (json_span_get(arguments, name, &value) != 1)
		return;
	buffer_printf(params, ",\"%s\":", name);
	buffer_add(params, value.p, value.len);
}

int
method_add_params(const struct method *method, struct json_span name,
    struct json_span arguments, struct buffer *params, struct err *err)
{
	int refers = method->type[0] != '\0';
	struct json_span_walk walk = json_span_walk(arguments);
	struct json_span key, value;

	if (method_lists(method)) {
		buffer_add_text(params, "{}");
		return 0;
	}
	if (name.len == 0)
		return err_set(err, "%s needs the %s of what is meant",
		    method->name, method->named);
	buffer_add_text(params, "{");
	if (refers)
		buffer_printf(
		    params, "\"ref\":{\"type\":\"%s\",", method->type);
	buffer_printf(params, "\"%s\":", method->named);
	buffer_add(params, name.p, name.len);
	if (refers) {
		buffer_add_text(params, "}");
		method_add_member(params, arguments, "argument");
		method_add_member(params, arguments, "context");
	} else if (method->needs == MCP_PROMPTS &&
	    json_span_next_member(&walk, &key, &value)) {
		buffer_add_text(params, ",\"arguments\":");
		buffer_add(params, arguments.p, arguments.len);
	}
	buffer_add_text(params, "}");
	return 0;
}

int
method_is_barred(const struct method *method,
    const struct definition *definition, struct json_span name,
    struct buffer *reason)
{
	int prompts = strcmp(method->named, "name") == 0;

	/* Templates have their own form, and are listed by their servers. */
	return rules_refuse_other(
	    prompts ? &definition->prompts : &definition->resources,
	    prompts ? "prompts" : "resources", name,
	    strcmp(method->what, "read_resource") == 0, reason);
}

/*
 * Adds an entry of a page, which is left out if it has no name, or one that may
 * not be used.
 */
static int
method_add_entry(struct ask *ask, struct json_span entry)
{
	auto_buffer struct buffer reason = { 0 };
	struct pages *pages = &ask->pages;
	struct json_span name;

	if (json_span_get(entry, ask->method->named, &name) != 1 ||
	    json_span_kind(name) != JSON_SPAN_STRING ||
	    method_is_barred(ask->method, ask->definition, name, &reason))
		return 1;
	if (pages->entries == SERVER_TOOLS_MAX)
		return pages_fill(pages, err_set(&pages->cut, "it has more "
		    "than %d entries", SERVER_TOOLS_MAX));
	if (ask->entries.len + entry.len > SERVER_TOOLS_BYTES_MAX)
		return pages_fill(pages, err_set(&pages->cut, "it has more "
		    "than %lu bytes", SERVER_TOOLS_BYTES_MAX));
	if (pages->entries++ > 0)
		buffer_add_text(&ask->entries, ",");
	json_span_copy_line(entry, buffer_reserve(&ask->entries, entry.len));
	ask->entries.len += entry.len;
	return 1;
}

/* Adds the entries of a page; returns as method_add_page() does. */
static int
method_add_entries(struct ask *ask, struct json_span result, struct err *err)
{
	const struct method *method = ask->method;
	struct pages *pages = &ask->pages;
	struct json_span page, entry;
	struct json_span_walk walk;

	if (json_span_get(result, method->list, &page) == 0 ||
	    json_span_kind(page) != JSON_SPAN_ARRAY) {
		err_set(err, "its answer to \"%s\" has no array \"%s\"",
		    method->name, method->list);
		return pages->count == 0 ? -1 : pages_end(pages, err_set(
		    &pages->cut, "a page has no array \"%s\"", method->list));
	}
	if (pages->count++ == 0)
		buffer_printf(&ask->entries, "{\"%s\":[", method->list);
	walk = json_span_walk(page);
	while (json_span_next_element(&walk, &entry))
		if (json_span_kind(entry) == JSON_SPAN_OBJECT &&
		    !method_add_entry(ask, entry))
			return 0;
	return pages_turn(pages, result);
}

int
method_add_page(struct ask *ask, struct json_span result, struct err *err)
{
	int more = method_add_entries(ask, result, err);

	if (more != 0)
		return more;
	buffer_add_text(&ask->entries, "]");
	if (ask->pages.is_cut) {
		buffer_add_text(&ask->entries, ",\"cut\":");
		json_add_text(&ask->entries, ask->pages.cut.text);
	}
	buffer_add_text(&ask->entries, "}");
	return 0;
}
