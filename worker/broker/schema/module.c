/* The module of a server in TypeScript: see schema.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "schema.h"

/* data: the structured content, else the JSON in the text, else the text. */
static const char module_head[] =
    "\texport interface Result<T = any> { text: string; data: T; "
    "blocks: any[]; content: any[]; structuredContent?: T; isError?: boolean; "
    "[key: string]: any }";

/* Names that a function cannot have where it is declared. */
static const char module_words[] =
    " arguments await break case catch class const continue debugger default "
    "delete do else enum eval export extends false finally for function if "
    "implements import in instanceof interface let new null package private "
    "protected public return static super switch this throw true try typeof "
    "var void while with yield ";

/* Returns what is put before such a name. */
static const char *
module_mark(const char *name)
{
	auto_free char *word = mem_printf(" %s ", name);

	return strstr(module_words, word) != NULL ? "$" : "";
}

/* The tools of a server. */
struct module {
	struct type_writer writer;
	char **names;
	char **plain; /* the same without marks, in lower case, sorted */
	size_t count;
};

/* Returns the letters and digits of a name, which the caller frees. */
static char *
module_plain(const char *name)
{
	char *plain = mem_strdup(name), *to = plain;

	for (; *name != '\0'; name++)
		if (isalnum((unsigned char)*name))
			*to++ = (char)tolower((unsigned char)*name);
	*to = '\0';
	return plain;
}

static int
module_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether no other tool has the same letters and digits. */
static int
module_is_one(const struct module *module, const char *own)
{
	auto_free char *plain = module_plain(own);
	char *const *end = module->plain + module->count;
	char *const *found = bsearch(&plain, module->plain, module->count,
	    sizeof(*module->plain), module_compare);

	return found != NULL &&
	    (found == module->plain || strcmp(found[-1], plain) != 0) &&
	    (found + 1 == end || strcmp(found[1], plain) != 0);
}

/*
 * Returns a name as "readFile", which the caller frees. A first word in
 * capitals becomes small, of any other its first letter does.
 */
static char *
module_camel(const char *name)
{
	char *camel = mem_strdup(name), *to = camel;
	size_t first = 0, n = 0;
	int raised = 0;

	for (; *name != '\0'; name++) {
		if (!isalnum((unsigned char)*name)) {
			raised = to > camel;
			continue;
		}
		first += first == 0 && raised ? (size_t)(to - camel) : 0;
		*to++ = (char)(raised ? toupper((unsigned char)*name) : *name);
		raised = 0;
	}
	*to = '\0';
	first = first == 0 ? strlen(camel) : first;
	while (n < first && !islower((unsigned char)camel[n]))
		n++;
	for (n = n < first ? 1 : first; n-- > 0;)
		camel[n] = (char)tolower((unsigned char)camel[n]);
	return camel;
}

static void
module_add_export(struct module *module, const char *name, const char *other)
{
	type_add_line(&module->writer);
	buffer_printf(module->writer.text, "export { %s%s as %s };",
	    module_mark(name), name, other);
}

/* Appends that a function has another name, unless that may mean two. */
static void
module_add_camel(struct module *module, const char *own, const char *name)
{
	auto_free char *camel = module_camel(own);

	if (strcmp(camel, name) != 0 && type_is_identifier(camel) &&
	    module_is_one(module, own))
		module_add_export(module, name, camel);
}

/* Appends the parameter of a function: optional, if nothing is required. */
static void
module_add_arguments(struct type_writer *writer, struct json_span input)
{
	struct schema_parts parts;
	size_t n, needed = 0;

	writer->schema->root = input;
	writer->given = true;
	schema_find_parts(writer->schema, input, &parts);
	for (n = 0; n < parts.count; n++)
		needed += parts.list[n].required.len;
	buffer_add_text(writer->text, needed > 2 ? "args: " : "args?: ");
	type_add(writer, input);
	writer->given = false;
}

static void
module_add_tool(struct module *module, struct json_span tool,
    const char *alias, const char *own)
{
	struct type_writer *writer = &module->writer;
	struct json_span input = { "{\"type\":\"object\"}", 17 }, found;
	/* Names with "$" are ours. */
	const char *name = type_is_identifier(own) &&
	    strchr(own, '$') == NULL ? own : alias;

	writer->end = writer->text->len + TYPES_TOOL_MAX;
	writer->prefix = alias;
	type_add_about(writer, tool, TYPES_ABOUT_MAX);
	type_add_line(writer);
	buffer_printf(writer->text, "export function %s%s(",
	    module_mark(name), name);
	if (schema_get(writer->schema, tool, "inputSchema", &found) > 0 &&
	    json_span_kind(found) == JSON_SPAN_OBJECT)
		input = found;
	module_add_arguments(writer, input);
	buffer_add_text(writer->text, "): Promise<Result");
	if (schema_get(writer->schema, tool, "outputSchema", &found) > 0 &&
	    json_span_kind(found) == JSON_SPAN_OBJECT) {
		writer->schema->root = found;
		buffer_add_text(writer->text, "<");
		type_add(writer, found);
		buffer_add_text(writer->text, ">");
	}
	buffer_add_text(writer->text, ">;");
	if (module_mark(name)[0] != '\0')
		module_add_export(module, name, name);
	module_add_camel(module, own, name);
	type_add_named(writer);
}

/* Appends functions until there is no room; returns how many. */
static size_t
module_add_tools(struct module *module, struct json_span tools,
    struct json_span aliases, struct json_span only)
{
	struct json_span_walk walk = json_span_walk(tools);
	struct json_span_walk names = json_span_walk(aliases);
	struct json_span tool, alias;
	size_t n, len, count = 0;
	auto_free char *wanted = only.len > 0 ?
	    json_span_string(only, &len, NULL) : NULL;

	for (n = 0; json_span_next_element(&walk, &tool) &&
	     json_span_next_element(&names, &alias); n++) {
		auto_free char *called = json_span_string(alias, &len, NULL);

		if (wanted != NULL && strcmp(module->names[n], wanted) != 0)
			continue;
		if (module->writer.text->len > TYPES_MODULE_MAX ||
		    module->writer.schema->work == 0) {
			buffer_printf(module->writer.text, "\n\t// %zu more: "
			    "ask for the types of one of them, by its name",
			    module->count - n);
			break;
		}
		module_add_tool(module, tool, called, module->names[n]);
		count++;
	}
	return count;
}

size_t
module_add(const char *alias, struct json_span list, struct json_span only,
    struct buffer *text)
{
	struct schema schema = { { NULL, 0 }, TYPES_WORK_MAX };
	struct module module = {
		.writer = { .schema = &schema, .text = text, .indent = 1 } };
	struct json_span tools = { NULL, 0 }, aliases = { NULL, 0 }, tool, name;
	struct json_span_walk walk;
	size_t len, count;

	(void)json_span_get(list, "tools", &tools);
	(void)json_span_get(list, "aliases", &aliases);
	module.names = mem_alloc(SERVER_TOOLS_MAX * sizeof(*module.names));
	module.plain = mem_alloc(SERVER_TOOLS_MAX * sizeof(*module.plain));
	walk = json_span_walk(tools);
	while (module.count < SERVER_TOOLS_MAX &&
	    json_span_next_element(&walk, &tool) &&
	    json_span_get(tool, "name", &name) > 0) {
		char *own = json_span_string(name, &len, NULL);

		/* One that is no text is called by its alias only. */
		own = own == NULL ? mem_strdup("") : own;
		module.plain[module.count] = module_plain(own);
		module.names[module.count++] = own;
	}
	qsort(module.plain, module.count, sizeof(*module.plain),
	    module_compare);
	buffer_printf(text, "declare module \"mcp/%s\" {\n%s", alias,
	    module_head);
	count = module_add_tools(&module, tools, aliases, only);
	if (only.len == 0)
		buffer_printf(text, "\n\tconst $all: typeof import(\"mcp/%s\");"
		    "\n\texport default $all;\n}\ndeclare const mcp_%s: "
		    "typeof import(\"mcp/%s\");\n", alias, alias, alias);
	else
		buffer_add_text(text, "\n}\n");
	while (module.count > 0) {
		free(module.names[--module.count]);
		free(module.plain[module.count]);
	}
	free(module.names);
	free(module.plain);
	return count;
}
