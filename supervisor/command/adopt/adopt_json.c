/*
 * Servers in the form of our own files: see adopt_json.h. Runs in the
 * supervisor.
 */
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "adopt_json.h"

#define BEGIN "{\n  \"mcpServers\": {"

void
adopt_json_begin(struct buffer *out)
{
	buffer_add_text(out, BEGIN);
}

/* Adds the text before a member of a server. */
static void
adopt_json_key(struct buffer *out, const char *key)
{
	buffer_printf(out, "%s\n      \"%s\": ",
	    out->data[out->len - 1] == '{' ? "" : ",", key);
}

static void
adopt_json_text(struct buffer *out, const char *key, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return;
	adopt_json_key(out, key);
	json_add_text(out, text);
}

static void
adopt_json_list(struct buffer *out, const struct server_texts *texts)
{
	const char *separator = "";
	const char *text;

	buffer_add_text(out, "[");
	TEXT_LIST_EACH (text, texts->data, texts->len) {
		buffer_add_text(out, separator);
		json_add_text(out, text);
		separator = ", ";
	}
	buffer_add_text(out, "]");
}

static void
adopt_json_pairs(
    struct buffer *out, const char *key, const struct server_texts *pairs)
{
	const char *separator = " ";
	const char *name, *value;

	if (pairs->len == 0)
		return;
	adopt_json_key(out, key);
	buffer_add_text(out, "{");
	TEXT_LIST_PAIRS (name, value, pairs->data, pairs->len) {
		buffer_add_text(out, separator);
		json_add_text(out, name);
		buffer_add_text(out, ": ");
		json_add_text(out, value);
		separator = ", ";
	}
	buffer_add_text(out, " }");
}

/* The rules of a server, and the additional ones. */
static void
adopt_json_deny(const struct server *server, const struct buffer *denied,
    struct buffer *deny)
{
	const char *name, *tool, *known;

	buffer_add(deny, server->deny.data, server->deny.len);
	TEXT_LIST_PAIRS (name, tool, denied->data, denied->len) {
		int there = strcmp(name, server->name) != 0;

		TEXT_LIST_EACH (known, deny->data, deny->len)
			there |= strcmp(known, tool) == 0;
		if (!there)
			text_list_add(deny, tool);
	}
	/* Too many for a file: then none of the tools is allowed. */
	if (deny->len > CONFIG_TOOLS_MAX) {
		deny->len = 0;
		text_list_add(deny, "*");
	}
}

static void
adopt_json_tools(struct buffer *out, const struct server *server,
    const struct buffer *denied)
{
	auto_buffer struct buffer list = { 0 };
	struct server_texts deny;

	adopt_json_deny(server, denied, &list);
	deny = (struct server_texts){ list.data, list.len };
	if (!server->narrowed && deny.len == 0)
		return;
	adopt_json_key(out, "tools");
	buffer_add_text(out, "{");
	if (server->narrowed) {
		buffer_add_text(out, " \"allow\": ");
		adopt_json_list(out, &server->allow);
	}
	if (deny.len > 0) {
		buffer_printf(
		    out, "%s \"deny\": ", server->narrowed ? "," : "");
		adopt_json_list(out, &deny);
	}
	buffer_add_text(out, " }");
}

/* The rules about resources, or about prompts, as the reader reads them. */
static void
adopt_json_others(
    struct buffer *out, const struct server *server, const char *what)
{
	static const char *const rules[] = { "allow", "deny" };
	const char *between = "{ ", *text;
	size_t n;

	for (n = 0; n < 2; n++) {
		auto_free char *start = mem_printf("%s %s ", rules[n], what);
		auto_buffer struct buffer list = { 0 };
		size_t len = strlen(start), count = 0;

		TEXT_LIST_EACH (text, server->others.data, server->others.len)
			if (strncmp(text, start, len) == 0 && ++count > 0 &&
			    text[len] != '\0')
				text_list_add(&list, text + len);
		if (count == 0)
			continue;
		if (between[0] == '{')
			adopt_json_key(out, what);
		buffer_printf(out, "%s\"%s\": ", between, rules[n]);
		adopt_json_list(
		    out, &(struct server_texts){ list.data, list.len });
		between = ", ";
	}
	if (between[0] == ',')
		buffer_add_text(out, " }");
}

void
adopt_json_add(struct buffer *out, const struct server *server,
    const struct buffer *denied)
{
	buffer_printf(out, "%s\n    ",
	    out->len == strlen(BEGIN) ? "" : ",");
	adopt_json_add_member(out, server, denied);
}

void
adopt_json_add_member(struct buffer *out, const struct server *server,
    const struct buffer *denied)
{
	json_add_text(out, server->name);
	buffer_add_text(out, ": {");
	if (server->remote != CONFIG_STDIO) {
		adopt_json_text(out, "type",
		    server->remote == CONFIG_SSE ? "sse" : "http");
		adopt_json_text(out, "url", server->url);
		adopt_json_pairs(out, "headers", &server->headers);
	} else {
		adopt_json_text(out, "command", server->command);
		if (server->args.len > 0) {
			adopt_json_key(out, "args");
			adopt_json_list(out, &server->args);
		}
		adopt_json_pairs(out, "env", &server->env);
		adopt_json_text(out, "cwd", server->cwd);
	}
	adopt_json_text(out, "description", server->description);
	if (server->disabled) {
		adopt_json_key(out, "disabled");
		buffer_add_text(out, "true");
	}
	if (server->shared) {
		adopt_json_key(out, "shared");
		buffer_add_text(out, "true");
	}
	adopt_json_tools(out, server, denied);
	adopt_json_others(out, server, "resources");
	adopt_json_others(out, server, "prompts");
	if (server->concurrency > 0) {
		adopt_json_key(out, "concurrency");
		buffer_add_number(out, server->concurrency);
	}
	buffer_add_text(out, "\n    }");
}

void
adopt_json_end(struct buffer *out)
{
	buffer_add_text(out, "\n  }\n}\n");
}

static int
adopt_json_same_texts(
    const struct server_texts *one, const struct server_texts *other)
{
	return one->len == other->len &&
	    (one->len == 0 || memcmp(one->data, other->data, one->len) == 0);
}

static int
adopt_json_same_text(const char *one, const char *other)
{
	return strcmp(one == NULL ? "" : one, other == NULL ? "" : other) == 0;
}

int
adopt_json_is_same(const struct server *one, const struct server *other)
{
	return one->remote == other->remote &&
	    one->disabled == other->disabled &&
	    one->shared == other->shared &&
	    one->narrowed == other->narrowed &&
	    one->concurrency == other->concurrency &&
	    adopt_json_same_texts(&one->others, &other->others) &&
	    adopt_json_same_text(one->command, other->command) &&
	    adopt_json_same_text(one->cwd, other->cwd) &&
	    adopt_json_same_text(one->url, other->url) &&
	    adopt_json_same_texts(&one->args, &other->args) &&
	    adopt_json_same_texts(&one->env, &other->env) &&
	    adopt_json_same_texts(&one->headers, &other->headers) &&
	    adopt_json_same_texts(&one->allow, &other->allow) &&
	    adopt_json_same_texts(&one->deny, &other->deny);
}
