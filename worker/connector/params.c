/* Arguments in headers: see connector.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "connector.h"

#define PARAM_MARK "x-mcp-header"

struct param {
	LIST_ENTRY(param) entry;
	char *tool;
	char *header; /* behind "Mcp-Param-" */
	struct buffer path; /* names of members, each + NUL */
};

static void
param_free(struct param **paramp)
{
	struct param *param = mem_take(paramp);

	LIST_REMOVE(param, entry);
	free(param->tool);
	free(param->header);
	buffer_reset(&param->path);
	free(param);
}

void
params_reset(struct params *params)
{
	struct param *param;

	while ((param = LIST_FIRST(params)) != NULL)
		param_free(&param);
}

static void
params_forget(struct params *params, const char *tool)
{
	struct param *param, *next;

	for (param = LIST_FIRST(params); param != NULL; param = next) {
		next = LIST_NEXT(param, entry);
		if (strcmp(param->tool, tool) == 0)
			param_free(&param);
	}
}

/* Returns a string that can be the name of a header of this tool, or NULL. */
static char *
params_header(
    const struct params *params, const char *tool, struct json_span value)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";
	const struct param *param;
	auto_free char *name = NULL;
	size_t len, n;

	if (json_span_kind(value) == JSON_SPAN_STRING)
		name = json_span_string(value, &len, NULL);
	if (name == NULL || len == 0 || strlen(name) != len)
		return NULL;
	for (n = 0; n < len; n++)
		if (!isalnum((unsigned char)name[n]) &&
		    strchr(marks, name[n]) == NULL)
			return NULL;
	LIST_FOREACH (param, params, entry)
		if (strcmp(param->tool, tool) == 0 &&
		    strcasecmp(param->header, name) == 0)
			return NULL;
	return mem_take(&name);
}

/* A member of a tool, and where it is. */
struct param_place {
	const char *tool;
	struct buffer path;
	size_t found; /* so many annotations */
};

/* Adds the annotation of one property, if it has one. Returns 0, or -1. */
static int
params_add(struct params *params, struct param_place *place,
    struct json_span schema)
{
	struct json_span mark, type;
	struct param *param;
	char *header;

	if (json_span_get(schema, PARAM_MARK, &mark) == 0)
		return 0;
	header = params_header(params, place->tool, mark);
	if (header == NULL || json_span_get(schema, "type", &type) == 0 ||
	    (!json_span_is(type, "string") && !json_span_is(type, "integer") &&
	        !json_span_is(type, "boolean"))) {
		free(header);
		return -1;
	}
	param = mem_alloc(sizeof(*param));
	param->tool = mem_strdup(place->tool);
	param->header = header;
	buffer_add(&param->path, place->path.data, place->path.len);
	LIST_INSERT_HEAD(params, param, entry);
	place->found++;
	return 0;
}

/* Adds those of the properties of a schema, and below. Returns 0, or -1. */
static int
params_walk(struct params *params, struct param_place *place,
    struct json_span schema)
{
	struct json_span properties, name, value;
	struct json_span_walk walk;
	size_t len = place->path.len, size;
	int done = 0;

	if (json_span_get(schema, "properties", &properties) == 0)
		return 0;
	walk = json_span_walk(properties);
	while (done == 0 && json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = json_span_string(name, &size, NULL);

		if (text == NULL)
			continue;
		text_list_add(&place->path, text);
		done = params_add(params, place, value);
		if (done == 0)
			done = params_walk(params, place, value);
		place->path.len = len;
	}
	return done;
}

/* Returns how often the annotation is in a schema, wherever. */
static size_t
params_count(struct json_span schema)
{
	static const char mark[] = "\"" PARAM_MARK "\"";
	const char *p = schema.p, *end = schema.p + schema.len;
	size_t n = 0;

	while ((p = memmem(p, (size_t)(end - p), mark, strlen(mark))) != NULL) {
		p += strlen(mark);
		n++;
	}
	return n;
}

/* Learns from one tool. Returns 0, or -1 if its annotations are wrong. */
static int
params_learn_tool(struct params *params, struct json_span tool)
{
	struct param_place place = { 0 };
	auto_free char *name = NULL;
	struct json_span value, schema;
	size_t len;
	int done;

	if (json_span_get(tool, "name", &value) > 0)
		name = json_span_string(value, &len, NULL);
	if (name == NULL || json_span_get(tool, "inputSchema", &schema) == 0)
		return 0;
	place.tool = name;
	params_forget(params, name);
	done = params_walk(params, &place, schema);
	/* Elsewhere than in a chain of properties it means nothing. */
	if (done == 0 && params_count(schema) != place.found)
		done = -1;
	if (done == -1)
		params_forget(params, name);
	buffer_reset(&place.path);
	return done;
}

int
params_learn(struct params *params, struct json_span result, struct buffer *out)
{
	struct json_span tools, tool, name, value;
	struct json_span_walk walk;
	auto_buffer struct buffer kept = { 0 };
	int wrong = 0;

	if (json_span_get(result, "tools", &tools) == 0)
		return 0;
	walk = json_span_walk(tools);
	while (json_span_next_element(&walk, &tool)) {
		if (params_learn_tool(params, tool) == -1) {
			wrong = 1;
			continue;
		}
		buffer_add_text(&kept, kept.len > 0 ? "," : "");
		buffer_add(&kept, tool.p, tool.len);
	}
	if (!wrong)
		return 0;
	buffer_add_text(out, "{");
	walk = json_span_walk(result);
	while (json_span_next_member(&walk, &name, &value)) {
		if (json_span_is(name, "tools"))
			continue;
		buffer_add(out, name.p, name.len);
		buffer_add_text(out, ":");
		buffer_add(out, value.p, value.len);
		buffer_add_text(out, ",");
	}
	buffer_printf(out, "\"tools\":[%s]}", kept.len > 0 ? kept.data : "");
	return 1;
}

static void
params_add_header(
    const struct param *param, struct json_span value, struct buffer *headers)
{
	auto_free char *name = mem_printf("Mcp-Param-%s", param->header);
	auto_free char *text = NULL;
	const char *member;
	size_t len;

	TEXT_LIST_EACH (member, param->path.data, param->path.len)
		if (json_span_get(value, member, &value) == 0)
			return;
	switch (json_span_kind(value)) {
	case JSON_SPAN_STRING:
		text = json_span_string(value, &len, NULL);
		break;
	case JSON_SPAN_NUMBER:
	case JSON_SPAN_TRUE:
	case JSON_SPAN_FALSE:
		text = mem_dup(value.p, value.len);
		break;
	default:
		break;
	}
	if (text != NULL)
		era_add_header(headers, name, text);
}

void
params_add_headers(const struct params *params, struct json_span call,
    struct buffer *headers)
{
	const struct param *param;
	struct json_span name, arguments;

	if (json_span_get(call, "name", &name) == 0 ||
	    json_span_get(call, "arguments", &arguments) == 0)
		return;
	LIST_FOREACH (param, params, entry)
		if (json_span_is(name, param->tool))
			params_add_header(param, arguments, headers);
}
