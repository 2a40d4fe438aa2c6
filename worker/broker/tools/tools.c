/* Builds a list of tools from its pages: see tools.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/alias.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/tool_size.h"
#include "tools.h"

/* One tool: its position in the texts, and its name. */
struct tool {
	size_t at;
	size_t len;
	char *name; /* decoded; NULL if an earlier tool has this name */
	bool hidden; /* it may not be used: only its name is kept */
	const char *fault; /* why it cannot be used, static; NULL: it can */
};

struct tools *
tools_new(const struct rules *rules)
{
	struct tools *tools = mem_alloc(sizeof(*tools));

	tools->rules = rules;
	return tools;
}

void
tools_free(struct tools **toolsp)
{
	struct tools *tools = mem_take(toolsp);
	size_t n;

	if (tools == NULL)
		return;
	for (n = 0; n < tools->count; n++)
		free(tools->list[n].name);
	free(tools->list);
	buffer_reset(&tools->texts);
	pages_reset(&tools->pages);
	buffer_reset(&tools->wrong);
	free(tools);
}

/*
 * Returns the name as a string; the caller frees it. A name that cannot be a C
 * string is represented by its JSON form.
 */
static char *
tools_decode(struct json_span name)
{
	size_t len;
	char *text = json_span_string(name, &len, NULL);

	if (text != NULL && strlen(text) == len)
		return text;
	free(text);
	return mem_dup(name.p, name.len);
}

/* Returns the entry for one more tool, which has its name. */
static struct tool *
tools_append(struct tools *tools, struct json_span name)
{
	struct tool *entry;

	if (tools->count == tools->size) {
		tools->size = tools->size > 0 ? 2 * tools->size : 16;
		tools->list = mem_resize(
		    tools->list, tools->size * sizeof(*tools->list));
	}
	entry = &tools->list[tools->count++];
	*entry = (struct tool){ .name = tools_decode(name) };
	return entry;
}

/* Whether a value is a tool with a name; returns the name, in its quotes. */
static int
tools_is_tool(struct json_span tool, struct json_span *name)
{
	return json_span_get(tool, "name", name) > 0 &&
	    json_span_kind(*name) == JSON_SPAN_STRING &&
	    name->len <= TOOL_NAME_MAX;
}

/* Whether a tool has something else in the place of a schema. */
static int
tools_is_misshapen(struct json_span tool, const char *name)
{
	struct json_span schema;

	return json_span_get(tool, name, &schema) > 0 &&
	    json_span_kind(schema) != JSON_SPAN_OBJECT &&
	    json_span_kind(schema) != JSON_SPAN_NULL;
}

/* Returns why a tool cannot be used, static; NULL: it can. */
static const char *
tools_fault(struct json_span tool)
{
	if (tool.len > SERVER_TOOL_MAX)
		return "it has more than a megabyte";
	if (tools_is_misshapen(tool, "inputSchema"))
		return "its inputSchema is not an object, or nested too deeply";
	if (tools_is_misshapen(tool, "outputSchema"))
		return "its outputSchema is not an object, or nested too "
		    "deeply";
	return NULL;
}

static void
tools_note(struct tools *tools, const char *name, const char *fault)
{
	if (++tools->nwrong <= SERVER_TOOLS_NAMED_MAX)
		buffer_printf(&tools->wrong, "%s\"%s\": %s",
		    tools->nwrong > 1 ? "; " : "", name, fault);
	else if (tools->nwrong == SERVER_TOOLS_NAMED_MAX + 1)
		buffer_add_text(&tools->wrong, "; and others");
}

/* Adds a tool. Returns 1, or 0 if there is no room for it. */
static int
tools_add(struct tools *tools, struct json_span tool)
{
	struct pages *pages = &tools->pages;
	const char *fault;
	struct json_span name;
	struct tool *entry;

	if (!tools_is_tool(tool, &name)) {
		tools->left_out++;
		return 1;
	}
	if (tools->count == SERVER_TOOLS_MAX)
		return pages_fill(pages, err_set(&pages->cut, "it lists more "
		    "than %d tools", SERVER_TOOLS_MAX));
	fault = tools_fault(tool);
	if (fault == NULL && tools->bytes + tool.len > SERVER_TOOLS_BYTES_MAX)
		return pages_fill(pages, err_set(&pages->cut, "it has more "
		    "than %lu bytes", SERVER_TOOLS_BYTES_MAX));
	entry = tools_append(tools, name);
	entry->hidden = rules_refuse(tools->rules, name) != NULL;
	if (!entry->hidden)
		entry->fault = fault;
	entry->hidden |= fault != NULL;
	if (!entry->hidden) {
		tools->bytes += tool.len;
		entry->at = tools->texts.len;
		entry->len = tool.len;
		json_span_copy_line(
		    tool, buffer_reserve(&tools->texts, tool.len));
		tools->texts.len += tool.len;
	}
	return 1;
}

int
tools_add_page(struct tools *tools, struct json_span result, struct err *err)
{
	struct pages *pages = &tools->pages;
	struct json_span page, tool;
	struct json_span_walk walk;

	if (json_span_get(result, "tools", &page) == 0 ||
	    json_span_kind(page) != JSON_SPAN_ARRAY) {
		err_set(err, "its answer to \"tools/list\" has no array "
		    "\"tools\"");
		return pages->count == 0 ? -1 : pages_end(pages,
		    err_set(&pages->cut, "a page has no array \"tools\""));
	}
	pages->count++;
	walk = json_span_walk(page);
	while (json_span_next_element(&walk, &tool))
		if (!tools_add(tools, tool))
			return 0;
	return pages_turn(pages, result);
}

/* Sorts by name; entries with the same name by their order in the list. */
static int
tools_compare(const void *a, const void *b)
{
	const struct tool *x = *(struct tool *const *)a;
	const struct tool *y = *(struct tool *const *)b;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : x < y ? -1 : 1;
}

/* Whether nothing is lost without the second one: it is the first one again. */
static int
tools_are_same(
    const struct tools *tools, const struct tool *x, const struct tool *y)
{
	return y->hidden || (!x->hidden && x->len == y->len &&
	    memcmp(tools->texts.data + x->at, tools->texts.data + y->at,
	        x->len) == 0);
}

/* Drops the name of every tool whose name an earlier one has. */
static void
tools_drop_doubles(struct tools *tools)
{
	auto_free struct tool **sorted =
	    mem_alloc(tools->count * sizeof(*sorted));
	size_t n, kept = 0;

	for (n = 0; n < tools->count; n++)
		sorted[n] = &tools->list[n];
	if (tools->count > 0)
		qsort(sorted, tools->count, sizeof(*sorted), tools_compare);
	for (n = 1; n < tools->count; n++) {
		if (strcmp(sorted[n]->name, sorted[kept]->name) != 0) {
			kept = n;
			continue;
		}
		free(sorted[n]->name);
		sorted[n]->name = NULL;
		tools->left_out +=
		    !tools_are_same(tools, sorted[kept], sorted[n]);
	}
}

static void
tools_write_texts(const struct tools *tools, struct buffer *payload)
{
	const struct tool *tool;
	const char *between = "";
	size_t n;

	for (n = 0; n < tools->count; n++) {
		tool = &tools->list[n];
		if (tool->hidden)
			continue;
		buffer_add_text(payload, between);
		buffer_add(payload, tools->texts.data + tool->at, tool->len);
		between = ",";
	}
}

/*
 * A tool that may not be used keeps its alias, which is not listed. Otherwise
 * another tool would get the alias, and code that means the one would call the
 * other.
 */
static void
tools_write_aliases(const struct tools *tools, struct buffer *payload)
{
	auto_free const char **names = mem_alloc(tools->count * sizeof(*names));
	auto_free char **aliases = mem_alloc(tools->count * sizeof(*aliases));
	const char *between = "";
	size_t n;

	for (n = 0; n < tools->count; n++)
		names[n] = tools->list[n].name;
	alias_assign(names, tools->count, "tool", aliases);
	for (n = 0; n < tools->count; n++) {
		if (!tools->list[n].hidden) {
			buffer_add_text(payload, between);
			json_add_text(payload, aliases[n]);
			between = ",";
		}
		free(aliases[n]);
	}
}

/*
 * Adds why tools with a wrong schema cannot be used, or those that are not in
 * the list, so that code is told; and notes the former.
 */
static void
tools_write_faults(struct tools *tools, struct buffer *payload)
{
	size_t n, shown = 0;

	for (n = 0; n < tools->count; n++) {
		if (tools->list[n].fault == NULL)
			continue;
		buffer_add_text(payload, shown++ > 0 ? "," : ",\"unusable\":{");
		json_add_text(payload, tools->list[n].name);
		buffer_add_text(payload, ":");
		json_add_text(payload, tools->list[n].fault);
		tools_note(tools, tools->list[n].name, tools->list[n].fault);
	}
	if (shown > 0)
		buffer_add_text(payload, "}");
	if (tools->pages.is_full)
		buffer_printf(payload, ",\"cut\":\"only a part of its list was "
		    "read, without this tool: %s\"", tools->pages.cut.text);
}

int
tools_finish(struct tools *tools, struct buffer *payload, struct err *err)
{
	size_t n, kept = 0;

	tools_drop_doubles(tools);
	/* Drops entries without a name. */
	for (n = 0; n < tools->count; n++)
		if (tools->list[n].name != NULL)
			tools->list[kept++] = tools->list[n];
	tools->count = kept;
	buffer_add_text(payload, "{\"tools\":[");
	tools_write_texts(tools, payload);
	buffer_add_text(payload, "],\"aliases\":[");
	tools_write_aliases(tools, payload);
	buffer_add_text(payload, "]");
	tools_write_faults(tools, payload);
	buffer_add_text(payload, "}");
	if (payload->len > RESULT_MAX)
		return err_set(err, "its list of tools has, with aliases, %zu "
		    "bytes, above the limit of %lu", payload->len, RESULT_MAX);
	return 0;
}

/* Returns the name of a tool as UTF-8 without NUL; the caller frees it. */
static char *
tools_shown(struct json_span tool)
{
	struct json_span name;
	char *text = NULL;
	size_t len = 0;

	if (tools_is_tool(tool, &name))
		text = json_span_string(name, &len, NULL);
	if (text != NULL && strlen(text) == len)
		return text;
	free(text);
	return mem_strdup("?");
}

size_t
tools_names(const struct buffer *payload, struct buffer *names)
{
	struct json_span value, list, tool;
	struct json_span_walk walk;
	size_t len, room = TRIED_TOOLS_MAX, count = 0;

	if (json_span_parse(payload->data, payload->len, &value, NULL) == -1 ||
	    json_span_get(value, "tools", &list) == 0)
		return 0;
	walk = json_span_walk(list);
	for (; json_span_next_element(&walk, &tool); count++) {
		auto_free char *name = tools_shown(tool);

		len = strlen(name) + 1;
		if (len > room)
			room = 0; /* nor any shorter one after it */
		if (room == 0)
			continue;
		buffer_add(names, name, len);
		room -= len;
	}
	return count;
}

uint64_t
tools_size(const struct buffer *payload)
{
	struct json_span value;

	if (json_span_parse(payload->data, payload->len, &value, NULL) == -1)
		return 0;
	return tool_size(value);
}

static int
tools_destroys(struct json_span tool)
{
	struct json_span annotations, hint;

	return json_span_get(tool, "annotations", &annotations) > 0 &&
	    json_span_get(annotations, "destructiveHint", &hint) > 0 &&
	    json_span_kind(hint) == JSON_SPAN_TRUE;
}

size_t
tools_destructive(const struct buffer *payload, struct buffer *names)
{
	struct json_span value, list, tool;
	struct json_span_walk walk;
	size_t len, left = 0;

	if (json_span_parse(payload->data, payload->len, &value, NULL) == -1 ||
	    json_span_get(value, "tools", &list) == 0)
		return 0;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &tool)) {
		auto_free char *name = tools_shown(tool);

		if (!tools_destroys(tool))
			continue;
		len = strlen(name) + 1;
		if (names->len + len > CONFIG_TOOLS_MAX || len < 2 ||
		    strcmp(name, "?") == 0)
			left++;
		else
			buffer_add(names, name, len);
	}
	return left;
}

/* What a list says of a name, by a number made of it: a tool, or a fault. */
struct tools_place {
	uint64_t hash;
	struct json_span name, said;
};

struct tools_index {
	struct json_span cut; /* what it says of all others */
	size_t count, size;
	struct tools_place places[]; /* sorted by hash */
};

static uint64_t
tools_hash(struct json_span name)
{
	auto_free char *text = tools_decode(name);
	uint64_t hash = 14695981039346656037ULL; /* FNV-1a */
	const char *p;

	for (p = text; *p != '\0'; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211ULL;
	return hash;
}

static int
tools_compare_places(const void *a, const void *b)
{
	const struct tools_place *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->said.p > y->said.p) - (x->said.p < y->said.p);
}

static struct tools_index *
tools_place(struct tools_index *index, struct json_span name,
    struct json_span said)
{
	if (index->count == index->size) {
		index->size = 2 * index->size + 16;
		index = mem_resize(index, sizeof(*index) +
		    index->size * sizeof(index->places[0]));
	}
	index->places[index->count++] =
	    (struct tools_place){ tools_hash(name), name, said };
	return index;
}

static struct tools_index *
tools_make_index(const char *list, size_t len)
{
	struct tools_index *index = mem_alloc(sizeof(*index));
	struct json_span value, said, name;
	struct json_span_walk walk;
	struct json_span_member members[] = { { .name = "tools" },
		{ .name = "unusable" }, { .name = "cut" } };

	if (json_span_parse(list, len, &value, NULL) == 0)
		json_span_members(value, members, 3);
	walk = json_span_walk(members[0].value);
	while (json_span_next_element(&walk, &said))
		if (json_span_get(said, "name", &name) > 0)
			index = tools_place(index, name, said);
	walk = json_span_walk(members[1].value);
	while (json_span_next_member(&walk, &name, &said))
		index = tools_place(index, name, said);
	index->cut = members[2].value;
	qsort(index->places, index->count, sizeof(index->places[0]),
	    tools_compare_places);
	return index;
}

/* Returns the number of places before the first of this hash. */
static size_t
tools_first(const struct tools_index *index, uint64_t hash)
{
	size_t low = 0, high = index->count, half;

	while (low < high) {
		half = low + (high - low) / 2;
		if (index->places[half].hash < hash)
			low = half + 1;
		else
			high = half;
	}
	return low;
}

int
tools_find(const char *list, size_t len, void **index, struct json_span name,
    struct json_span *tool)
{
	auto_free char *wanted = tools_decode(name);
	uint64_t hash = tools_hash(name);
	const struct tools_index *known;
	size_t n;

	if (*index == NULL)
		*index = tools_make_index(list, len);
	known = *index;
	*tool = known->cut;
	for (n = tools_first(known, hash);
	     n < known->count && known->places[n].hash == hash; n++) {
		auto_free char *text = tools_decode(known->places[n].name);

		if (strcmp(text, wanted) == 0) {
			*tool = known->places[n].said;
			return json_span_kind(*tool) == JSON_SPAN_OBJECT;
		}
	}
	return 0;
}
