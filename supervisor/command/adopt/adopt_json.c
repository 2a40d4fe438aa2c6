/* Servers in the form of our own files: see adopt_json.h. */
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "adopt_json.h"

#define ADOPT_JSON_LIST "mcpServers"

/* Numbers as people write them, such as 1.5. */
#define ADOPT_JSON_FORM (JSON_INDENT(4) | JSON_REAL_PRECISION(15))

/* Sets a text that is not empty; whether it is UTF-8 is seen at the end. */
static void
adopt_json_text(json_t *entry, const char *key, const char *text)
{
	if (text != NULL && text[0] != '\0')
		json_object_set_new(entry, key, json_string_nocheck(text));
}

/* Sets an object or an array that is not empty; takes it. */
static void
adopt_json_member(json_t *entry, const char *key, json_t *member)
{
	if (json_object_size(member) > 0 || json_array_size(member) > 0)
		json_object_set_new(entry, key, member);
	else
		json_decref(member);
}

static json_t *
adopt_json_list(const char *data, size_t len)
{
	json_t *list = json_array();
	const char *text;

	TEXT_LIST_EACH (text, data, len)
		json_array_append_new(list, json_string_nocheck(text));
	return list;
}

static json_t *
adopt_json_pairs(const struct server_texts *pairs)
{
	json_t *object = json_object();
	const char *name, *value;

	TEXT_LIST_PAIRS (name, value, pairs->data, pairs->len)
		json_object_set_new_nocheck(
		    object, name, json_string_nocheck(value));
	return object;
}

/* Takes what says how to log in from headers, as the reader reads it. */
static json_t *
adopt_json_oauth(json_t *headers)
{
	json_t *oauth = json_object(), *value;
	const char *name;
	void *next;

	json_object_foreach_safe (headers, next, name, value)
		if (name[0] == ':') {
			json_object_set(oauth, name + 1, value);
			json_object_del(headers, name);
		}
	return oauth;
}

/* The rules of a server, and the additional ones. */
static void
adopt_json_deny(const struct server *server, const struct buffer *denied,
    struct buffer *deny)
{
	const char *name, *tool;

	buffer_add(deny, server->deny.data, server->deny.len);
	TEXT_LIST_PAIRS (name, tool, denied->data, denied->len)
		if (strcmp(name, server->name) == 0 &&
		    !text_list_has(deny, tool))
			text_list_add(deny, tool);
	/* Too many for a file: then none of the tools is allowed. */
	if (deny->len > CONFIG_TOOLS_MAX) {
		deny->len = 0;
		text_list_add(deny, "*");
	}
}

static json_t *
adopt_json_tools(const struct server *server, const struct buffer *denied)
{
	auto_buffer struct buffer deny = { 0 };
	json_t *tools = json_object();

	adopt_json_deny(server, denied, &deny);
	if (server->narrowed)
		json_object_set_new(tools, "allow",
		    adopt_json_list(server->allow.data, server->allow.len));
	adopt_json_member(tools, "deny", adopt_json_list(deny.data, deny.len));
	return tools;
}

/* The rules about resources, or about prompts, as the reader reads them. */
static json_t *
adopt_json_others(const struct server *server, const char *what)
{
	static const char *const rules[] = { "allow", "deny" };
	json_t *member = json_object();
	const char *text;
	size_t n;

	for (n = 0; n < 2; n++) {
		auto_free char *start = mem_printf("%s %s ", rules[n], what);
		size_t len = strlen(start);
		json_t *list = NULL;

		TEXT_LIST_EACH (text, server->others.data, server->others.len) {
			if (strncmp(text, start, len) != 0)
				continue;
			if (list == NULL)
				list = json_array();
			/* One without a pattern allows nothing. */
			if (text[len] != '\0')
				json_array_append_new(list,
				    json_string_nocheck(text + len));
		}
		if (list != NULL)
			json_object_set_new(member, rules[n], list);
	}
	return member;
}

static json_t *
adopt_json_server(const struct server *server, const struct buffer *denied)
{
	json_t *entry = json_object(), *others, *headers;

	if (server->remote != CONFIG_STDIO) {
		adopt_json_text(entry, "type",
		    server->remote == CONFIG_SSE ? "sse" : "http");
		adopt_json_text(entry, "url", server->url);
		headers = adopt_json_pairs(&server->headers);
		others = adopt_json_oauth(headers);
		adopt_json_member(entry, "headers", headers);
		adopt_json_member(entry, "oauth", others);
	} else {
		adopt_json_text(entry, "command", server->command);
		adopt_json_member(entry, "args",
		    adopt_json_list(server->args.data, server->args.len));
		adopt_json_member(entry, "env", adopt_json_pairs(&server->env));
		adopt_json_text(entry, "cwd", server->cwd);
	}
	adopt_json_text(entry, "description", server->description);
	if (server->disabled)
		json_object_set_new(entry, "disabled", json_true());
	if (server->shared)
		json_object_set_new(entry, "shared", json_true());
	adopt_json_member(entry, "tools", adopt_json_tools(server, denied));
	adopt_json_member(
	    entry, "resources", adopt_json_others(server, "resources"));
	adopt_json_member(
	    entry, "prompts", adopt_json_others(server, "prompts"));
	others = adopt_json_others(server, "roots");
	json_object_set(entry, "roots", json_object_get(others, "allow"));
	json_decref(others);
	others = adopt_json_others(server, "sampling");
	if (json_object_size(others) > 0)
		json_object_set_new(entry, "sampling", json_true());
	json_decref(others);
	if (server->concurrency > 0)
		json_object_set_new(
		    entry, "concurrency", json_integer(server->concurrency));
	return entry;
}

json_t *
adopt_json_new(void)
{
	json_t *file = json_object();

	json_object_set_new(file, ADOPT_JSON_LIST, json_object());
	return file;
}

json_t *
adopt_json_read(const struct buffer *data, const char *path, struct err *err)
{
	json_t *file = json_loadb(data->len > 0 ? data->data : "", data->len,
	    JSON_REJECT_DUPLICATES, NULL);

	if (json_is_object(json_object_get(file, ADOPT_JSON_LIST)))
		return file;
	json_decref(file);
	err_set(err, "%s was edited, and has comments, or no object \""
	    ADOPT_JSON_LIST "\": change it with an editor", path);
	return NULL;
}

void
adopt_json_add(json_t *file, const struct server *server,
    const struct buffer *denied)
{
	json_object_set_new_nocheck(json_object_get(file, ADOPT_JSON_LIST),
	    server->name, adopt_json_server(server, denied));
}

int
adopt_json_remove(json_t *file, const char *name)
{
	return json_object_del(json_object_get(file, ADOPT_JSON_LIST), name);
}

size_t
adopt_json_count(const json_t *file)
{
	return json_object_size(json_object_get(file, ADOPT_JSON_LIST));
}

int
adopt_json_write(json_t *file, struct buffer *out, struct err *err)
{
	auto_free char *text = json_dumps(file, ADOPT_JSON_FORM);

	json_decref(file);
	if (text == NULL)
		return err_set(err, "it cannot be written as JSON: save it as "
		    "UTF-8");
	buffer_printf(out, "%s\n", text);
	return 0;
}

int
adopt_json_is_same(const struct server *one, const struct server *other)
{
	const struct buffer none = { 0 };
	json_t *a = adopt_json_server(one, &none);
	json_t *b = adopt_json_server(other, &none);
	int same;

	json_object_del(a, "description");
	json_object_del(b, "description");
	same = json_equal(a, b);
	json_decref(a);
	json_decref(b);
	return same;
}
