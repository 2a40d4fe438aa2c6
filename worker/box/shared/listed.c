/*
 * The servers and tools: requests, searches and prints them. Text of servers
 * may be any JSON. Run by the command, in the box.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp.h"
#include "../../../common/alias.h"
#include "../../../common/limits.h"
#include "../../../common/suggest.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"

static const char listed_none[] = "no servers are configured";

/* Servers */

/*
 * Returns a string member of an object, which the caller frees; "" if absent.
 */
static char *
listed_string(struct json_span object, const char *name)
{
	struct json_span value;
	char *text = NULL;
	size_t len;

	if (json_span_get(object, name, &value) == 1)
		text = json_span_string(value, &len, NULL);
	return text == NULL ? mem_strdup("") : text;
}

int
listed_fetch(struct listed_servers *servers, struct err *err)
{
	auto_buffer struct buffer line = { 0 };
	struct json_span payload, told, loaded;
	struct json_span_walk walk;
	struct listed_server *row;

	*servers = (struct listed_servers){ NULL, 0 };
	if (ask_about("list_servers", NULL, 0, &line, &payload, err) == -1)
		return -1;
	walk = json_span_walk(payload);
	while (json_span_next_element(&walk, &told)) {
		servers->rows = mem_resize(servers->rows,
		    (servers->count + 1) * sizeof(*servers->rows));
		row = &servers->rows[servers->count++];
		row->name = listed_string(told, "name");
		row->alias = listed_string(told, "alias");
		row->about = listed_string(told, "description");
		row->loaded = json_span_get(told, "loaded", &loaded) == 1 &&
		    json_span_kind(loaded) == JSON_SPAN_TRUE;
	}
	return 0;
}

void
listed_free(struct listed_servers *servers)
{
	size_t i;

	for (i = 0; i < servers->count; i++) {
		free(servers->rows[i].name);
		free(servers->rows[i].alias);
		free(servers->rows[i].about);
	}
	free(servers->rows);
	*servers = (struct listed_servers){ NULL, 0 };
}

/* Sets the error for an unknown server. */
static void
listed_explain(const struct listed_servers *servers, const char *name,
    struct err *err)
{
	struct suggest suggest = suggest_start(name);
	auto_buffer struct buffer known = { 0 };
	size_t i;

	if (servers->count == 0) {
		err_set(err, "%s", listed_none);
		return;
	}
	for (i = 0; i < servers->count; i++) {
		if (i < REFUSED_NAMES_MAX)
			buffer_printf(&known, "%s%s", i == 0 ? "" : ", ",
			    servers->rows[i].name);
		suggest_try(&suggest, servers->rows[i].name);
	}
	err_set(err, "there is no server %s; %s%s%sthere are: %s", name,
	    suggest.best != NULL ? "did you mean " : "",
	    suggest.best != NULL ? suggest.best : "",
	    suggest.best != NULL ? "? " : "", known.data);
}

const struct listed_server *
listed_find(const struct listed_servers *servers, const char *name,
    struct err *err)
{
	struct alias_search search = alias_search_server(name);
	size_t i;

	for (i = 0; i < servers->count; i++)
		alias_try(&search, servers->rows[i].name,
		    servers->rows[i].alias, &servers->rows[i]);
	if (alias_found(&search) == NULL)
		listed_explain(servers, name, err);
	return alias_found(&search);
}

int
listed_print_servers(void)
{
	struct listed_servers servers;
	struct err err;
	size_t i;

	if (listed_fetch(&servers, &err) == -1) {
		print_error("%s", err.text);
		return MCP_FAILED;
	}
	if (servers.count == 0)
		print_error("%s", listed_none);
	for (i = 0; i < servers.count; i++)
		printf("%s%s%s%s\n", servers.rows[i].name,
		    servers.rows[i].loaded ? "" : " (not loaded)",
		    servers.rows[i].about[0] != '\0' ? " - " : "",
		    servers.rows[i].about);
	listed_free(&servers);
	return MCP_DONE;
}

/* Tools */

/* Appends the first line of a string, at most most bytes of it. */
static void
listed_add_text(struct buffer *text, struct json_span string, size_t most)
{
	size_t len, kept;
	auto_free char *bytes = json_span_string(string, &len, NULL);

	if (bytes == NULL)
		return;
	len = strcspn(bytes, "\r\n");
	kept = utf8_cut(bytes, len, most);
	buffer_add(text, bytes, kept);
	if (kept < len)
		buffer_add_text(text, "...");
}

void
listed_explain_tool(struct json_span list, const char *called,
    const char *name, const char *server)
{
	struct suggest suggest = suggest_start(name);
	struct json_span_walk walk;
	auto_free char *close = NULL;
	struct json_span tools, tool;

	if (json_span_get(list, "tools", &tools) == 1) {
		walk = json_span_walk(tools);
		while (json_span_next_element(&walk, &tool)) {
			auto_free char *own = listed_string(tool, "name");

			suggest_try(&suggest, own);
			if (suggest.best == own) {
				free(close);
				suggest.best = close = mem_strdup(own);
			}
		}
	}
	print_error("%s: the server has no such tool%s%s%s: mcp tools %s",
	    called, close != NULL ? "; did you mean " : "",
	    close != NULL ? close : "", close != NULL ? "?" : "", server);
}

int
listed_find_tool(struct json_span list, const char *name,
    struct json_span *tool)
{
	struct alias_search search = alias_search_tool(name);
	struct json_span tools, aliases, each;
	struct json_span_walk walk, names;
	size_t len;

	if (json_span_get(list, "tools", &tools) != 1 ||
	    json_span_get(list, "aliases", &aliases) != 1)
		return 0;
	walk = json_span_walk(tools);
	names = json_span_walk(aliases);
	while (json_span_next_element(&walk, tool) &&
	    json_span_next_element(&names, &each)) {
		auto_free char *own = listed_string(*tool, "name");
		auto_free char *alias = json_span_string(each, &len, NULL);

		if (alias != NULL)
			alias_try(&search, own, alias, tool->p);
	}
	walk = json_span_walk(tools);
	while (alias_found(&search) != NULL &&
	    json_span_next_element(&walk, tool))
		if (tool->p == alias_found(&search))
			return 1;
	return 0;
}

/* Whether a list of strings contains name, which has its quotes. */
static int
listed_is_required(struct json_span schema, struct json_span name)
{
	struct json_span list, each;
	struct json_span_walk walk;

	if (json_span_get(schema, "required", &list) != 1)
		return 0;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &each))
		if (each.len == name.len &&
		    memcmp(each.p, name.p, name.len) == 0)
			return 1;
	return 0;
}

/* The allowed values: "red|green". */
static void
listed_add_choices(struct buffer *text, struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span each;
	size_t n = 0;

	while (json_span_next_element(&walk, &each)) {
		buffer_add_text(text, n++ == 0 ? "" : "|");
		if (n > MCP_CHOICES_MAX) {
			buffer_add_text(text, "...");
			return;
		}
		if (json_span_kind(each) == JSON_SPAN_STRING)
			listed_add_text(text, each, MCP_SHOWN_MAX);
		else
			buffer_add(text, each.p,
			    utf8_cut(each.p, each.len, MCP_SHOWN_MAX));
	}
}

/* One argument: "path=string", in brackets if optional. */
static void
listed_add_argument(struct buffer *text, struct json_span schema,
    struct json_span name, struct json_span property)
{
	int required = listed_is_required(schema, name);
	struct json_span type;

	buffer_add_text(text, required ? " " : " [");
	listed_add_text(text, name, MCP_ABOUT_MAX);
	buffer_add_text(text, "=");
	if (json_span_get(property, "enum", &type) == 1 &&
	    json_span_kind(type) == JSON_SPAN_ARRAY)
		listed_add_choices(text, type);
	else if (json_span_get(property, "type", &type) == 1 &&
	    json_span_kind(type) == JSON_SPAN_STRING)
		listed_add_text(text, type, MCP_ABOUT_MAX);
	else
		buffer_add_text(text, "value");
	if (!required)
		buffer_add_text(text, "]");
}

/* Appends how a tool is called, without its description. */
static void
listed_add_call(struct buffer *text, const char *server, struct json_span tool)
{
	struct json_span value, schema, properties, name;
	struct json_span_walk walk;

	buffer_printf(text, "%s ", server);
	if (json_span_get(tool, "name", &value) == 1)
		listed_add_text(text, value, TOOL_NAME_MAX);
	if (json_span_get(tool, "inputSchema", &schema) == 1 &&
	    json_span_get(schema, "properties", &properties) == 1) {
		walk = json_span_walk(properties);
		while (json_span_next_member(&walk, &name, &value))
			listed_add_argument(text, schema, name, value);
	}
}

/* Appends a line: "server tool path=string [limit=number] - description". */
static void
listed_add_tool(struct buffer *text, const char *server, struct json_span tool)
{
	struct json_span value;

	listed_add_call(text, server, tool);
	if (json_span_get(tool, "description", &value) == 1) {
		buffer_add_text(text, " - ");
		listed_add_text(text, value, MCP_ABOUT_MAX);
	}
}

/* Prints the full description of one tool. */
static int
listed_print_tool(const struct listed_server *server, struct json_span list,
    const char *name, int whole)
{
	auto_free char *called = mem_printf("%s.%s", server->name, name);
	auto_buffer struct buffer text = { 0 };
	auto_free char *about = NULL;
	struct json_span tool, schema;

	if (!listed_find_tool(list, name, &tool)) {
		listed_explain_tool(list, called, name, server->name);
		return MCP_USAGE;
	}
	if (whole) {
		printf("%.*s\n", (int)tool.len, tool.p);
		return MCP_DONE;
	}
	listed_add_call(&text, server->name, tool);
	about = listed_string(tool, "description");
	printf("%s\n%s%s", text.data, about, about[0] == '\0' ? "" : "\n");
	if (json_span_get(tool, "inputSchema", &schema) == 1)
		printf("%.*s\n", (int)schema.len, schema.p);
	return MCP_DONE;
}

/* Prints the tools of one server. Returns an enum mcp_status. */
static int
listed_print_server(
    const struct listed_server *server, const char *name, int whole)
{
	auto_buffer struct buffer line = { 0 };
	struct json_span list, tools, tool;
	struct json_span_walk walk;
	auto_free char *types = NULL;
	struct err err;
	size_t len;

	if (ask_about("list_tools", server->name, (server->loaded ? 0 :
	        MCP_REMEMBERED) | (whole & MCP_TYPES), &line, &list,
	        &err) == -1) {
		print_error("%s: %s", server->name, err.text);
		return MCP_FAILED;
	}
	if (whole == MCP_TYPES) {
		types = json_span_string(list, &len, NULL);
		printf("%s", types != NULL ? types : "");
		return MCP_DONE;
	}
	if (name != NULL)
		return listed_print_tool(server, list, name, whole);
	if (json_span_get(list, "tools", &tools) != 1)
		return MCP_DONE;
	if (whole) {
		printf("%.*s\n", (int)tools.len, tools.p);
		return MCP_DONE;
	}
	walk = json_span_walk(tools);
	while (json_span_next_element(&walk, &tool)) {
		auto_buffer struct buffer text = { 0 };

		listed_add_tool(&text, server->name, tool);
		printf("%s\n", text.data);
	}
	return MCP_DONE;
}

/* Like listed_print_tools, with the list of servers. */
static int
listed_print_some(const struct listed_servers *servers, const char *name,
    const char *tool, int whole)
{
	const struct listed_server *server;
	int status = MCP_DONE;
	size_t i, loaded = 0;
	struct err err;

	if (name != NULL) {
		server = listed_find(servers, name, &err);
		if (server != NULL)
			return listed_print_server(server, tool, whole);
		print_error("%s", err.text);
		return MCP_USAGE;
	}
	for (i = 0; i < servers->count; i++)
		if (servers->rows[i].loaded) {
			loaded++;
			status |= listed_print_server(
			    &servers->rows[i], NULL, whole);
		}
	if (servers->count == 0)
		print_error("%s", listed_none);
	else if (loaded == 0)
		print_error("no server is loaded; mcp servers lists those that "
		    "there are");
	return status;
}

int
listed_print_tools(const char *name, const char *tool, int whole)
{
	struct listed_servers servers;
	struct err err;
	int status;

	if (listed_fetch(&servers, &err) == -1) {
		print_error("%s", err.text);
		return MCP_FAILED;
	}
	status = listed_print_some(&servers, name, tool, whole);
	listed_free(&servers);
	return status;
}

/*
 * Searching. Words are compared more simply than in the boxes of Python and
 * JavaScript; the first tool that is found is mostly the same.
 */

/* Words that are left out, as in these boxes, and marks between words. */
static const char listed_common[] =
    " a an and any are as at be by can do does for from how i in into is it me "
    "my need of on or please some that the these this to tool tools use using "
    "want what when which with ";
static const char listed_marks[] = " \t\r\n!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/* A matching tool: the words it contains, and its score. */
struct listed_found {
	unsigned int words;
	unsigned int worth;
	char *line;
};

/* Returns the words of a text, which the caller frees, between blanks. */
static char *
listed_apart(const char *text)
{
	char *apart = mem_printf(" %s ", text), *at = apart;

	while (*(at += strcspn(at, listed_marks)) != '\0')
		*at++ = ' ';
	return apart;
}

/* Returns the words of a query but for common ones, unless it has no others. */
static char *
listed_asked(const char *query)
{
	auto_free char *all = listed_apart(query), *words = mem_strdup(all);
	auto_buffer struct buffer asked = { 0 };
	char *rest = words, *word;

	buffer_add_text(&asked, " ");
	while ((word = strsep(&rest, " ")) != NULL) {
		auto_free char *apart = mem_printf(" %s ", word);

		if (word[0] != '\0' && strcasestr(listed_common, apart) == NULL)
			buffer_add_text(&asked, apart + 1);
	}
	return asked.len > 1 ? buffer_take(&asked, NULL) : mem_take(&all);
}

/* Whether a word may be a misspelling of one in the name of a tool. */
static int
listed_is_near(const char *word, const char *name)
{
	auto_free char *names = listed_apart(name);
	char *rest = names, *part;

	while (strlen(word) > 3 && (part = strsep(&rest, " ")) != NULL)
		if (suggest_score(part, word) >= SUGGEST_ALIKE_WORD)
			return 1;
	return 0;
}

/*
 * The score of a word, or if it is a plural its singular, which counts less:
 * more the nearer it stands to the name of a tool.
 */
static unsigned int
listed_weigh(const char *word, const char *const *texts)
{
	size_t len = strlen(word);
	auto_free char *part = mem_dup(word, len > 3 && word[len - 1] == 's' ?
	    len - 1 : len);
	unsigned int worth = strcasecmp(texts[0], word) == 0 ? 6 : 4;
	const char *name = texts[0];

	if (len == 0)
		return 0;
	for (; *texts != NULL; texts++, worth = worth > 2 ? 2 : 1)
		if (strcasestr(*texts, part) != NULL)
			return worth + (strcasestr(*texts, word) != NULL);
	return listed_is_near(word, name);
}

/* Orders tools like strcmp, the best first, equally good ones by name. */
static int
listed_compare(const struct listed_found *a, const struct listed_found *b)
{
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	if (a->worth != b->worth)
		return a->worth > b->worth ? -1 : 1;
	return strcmp(a->line, b->line);
}

/* Inserts a tool into the list of the best. */
static void
listed_keep(struct listed_found *best, struct listed_found *found)
{
	struct listed_found other;
	size_t i;

	for (i = 0; i < MCP_FOUND_MAX; i++) {
		if (best[i].line != NULL && listed_compare(&best[i], found) < 0)
			continue;
		other = best[i];
		best[i] = *found;
		*found = other;
	}
	free(found->line);
}

static void
listed_search_tool(const char *server, struct json_span tool,
    const char *said, struct listed_found *best)
{
	auto_free char *name = listed_string(tool, "name");
	auto_free char *about = listed_string(tool, "description");
	auto_free char *all = mem_printf("%s %s", server, about);
	auto_free char *whole = mem_dup(tool.p, tool.len);
	const char *const texts[] = { name, all, whole, NULL };
	auto_free char *named = listed_apart(name), *words = mem_strdup(said);
	auto_buffer struct buffer line = { 0 };
	struct listed_found found = { 0, 0, NULL };
	char *rest = words, *word;
	unsigned int worth;

	while ((word = strsep(&rest, " ")) != NULL) {
		worth = listed_weigh(word, texts);
		found.words += worth > 0;
		found.worth += worth;
	}
	found.worth += strcasestr(said, named) != NULL;
	if (found.worth == 0)
		return;
	listed_add_tool(&line, server, tool);
	found.line = buffer_take(&line, NULL);
	listed_keep(best, &found);
}

static void
listed_search_server(const struct listed_server *server, const char *said,
    struct listed_found *best)
{
	auto_buffer struct buffer line = { 0 };
	struct json_span list, tools, tool;
	struct json_span_walk walk;
	struct err err;

	if (ask_about("list_tools", server->name, MCP_REMEMBERED, &line, &list,
	        &err) == -1) {
		print_error("%s is left out: %s", server->name, err.text);
		return;
	}
	if (json_span_get(list, "tools", &tools) != 1)
		return;
	walk = json_span_walk(tools);
	while (json_span_next_element(&walk, &tool))
		listed_search_tool(server->name, tool, said, best);
}

int
listed_search(const char *query)
{
	auto_free char *said = listed_asked(query);
	struct listed_found best[MCP_FOUND_MAX] = { { 0, 0, NULL } };
	struct listed_servers servers;
	struct err err;
	size_t i;
	int none;

	if (listed_fetch(&servers, &err) == -1) {
		print_error("%s", err.text);
		return MCP_FAILED;
	}
	for (i = 0; i < servers.count; i++)
		listed_search_server(&servers.rows[i], said, best);
	none = servers.count == 0;
	listed_free(&servers);
	if (best[0].line == NULL) {
		print_error("%s", none ? listed_none : "no tool fits");
		return MCP_FAILED;
	}
	for (i = 0; i < MCP_FOUND_MAX && best[i].line != NULL; i++) {
		printf("%s\n", best[i].line);
		free(best[i].line);
	}
	return MCP_DONE;
}
