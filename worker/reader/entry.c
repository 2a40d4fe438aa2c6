/*
 * Reads one server of a configuration file: see entry.h. Runs in the reader;
 * the bytes are untrusted. Error messages never contain a value, which may be a
 * secret.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "entry.h"

/* The length of a name in an error message. */
#define ENTRY_SHOWN 60

/* Records the position; for "return entry_fail(entry, value, err_set(…))". */
static int
entry_fail(struct entry *entry, struct json_span at, int failed)
{
	entry->at = at.p;
	return failed;
}

/*
 * Returns a string with at most most bytes, which the caller frees, or NULL
 * with err; what is its name in the error message.
 */
static char *
entry_text(struct entry *entry, struct json_span value, const char *what,
    size_t most, struct err *err)
{
	auto_free char *text = NULL;
	size_t len;

	entry->at = value.p;
	if (json_span_kind(value) != JSON_SPAN_STRING) {
		err_set(err, "%s must be a string", what);
		return NULL;
	}
	text = json_span_string(value, &len, err);
	if (text == NULL) {
		err_wrap(err, "%s must be text", what);
		return NULL;
	}
	if (memchr(text, '\0', len) != NULL) {
		err_set(err, "%s contains a NUL character, which cannot be "
		    "passed to a program", what);
		return NULL;
	}
	if (len > most) {
		err_set(err, "%s has %zu bytes; at most %zu are allowed",
		    what, len, most);
		return NULL;
	}
	return mem_take(&text);
}

/* The same, but numbers and booleans are taken as they are written. */
static char *
entry_value(struct entry *entry, struct json_span value, const char *what,
    size_t most, struct err *err)
{
	enum json_span_kind kind = json_span_kind(value);

	if ((kind == JSON_SPAN_NUMBER || kind == JSON_SPAN_TRUE ||
	        kind == JSON_SPAN_FALSE) && value.len <= most)
		return mem_dup(value.p, value.len);
	return entry_text(entry, value, what, most, err);
}

/* The same for a text that must not be empty. */
static char *
entry_word(struct entry *entry, struct json_span value, const char *what,
    size_t most, struct err *err)
{
	char *text = entry_text(entry, value, what, most, err);

	if (text != NULL && text[0] == '\0') {
		free(mem_take(&text));
		err_set(err, "%s must not be empty", what);
	}
	return text;
}

/* Members */

/* Appends the strings of an array, each followed by a NUL. */
static int
entry_read_list(struct entry *entry, struct buffer *list,
    struct json_span value, const char *key, size_t most, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	auto_free char *what = mem_printf("each element of \"%s\"", key);
	struct json_span element;

	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return entry_fail(entry, value, err_set(err,
		    "\"%s\" must be an array of strings", key));
	while (json_span_next_element(&walk, &element)) {
		auto_free char *text =
		    entry_value(entry, element, what, most, err);

		if (text == NULL)
			return -1;
		text_list_add(list, text);
		if (list->len > most)
			return err_set(err, "the elements of \"%s\" have "
			    "more than %zu bytes together", key, most);
	}
	return 0;
}

static int entry_read_pairs(struct entry *entry, struct buffer *pairs,
    const char *key, const char *format, struct json_span value,
    struct err *err);

/* {"path": …, "args": …, "env": …}, a format of one client. */
static int
entry_read_command_object(
    struct entry *entry, struct json_span value, struct err *err)
{
	struct json_span part;

	if (json_span_get(value, "path", &part) == 0)
		return entry_fail(entry, value, err_set(err, "\"command\" "
		    "must be a string, or have a member \"path\""));
	entry->command = entry_word(
	    entry, part, "\"path\"", CONFIG_PATH_MAX, err);
	if (entry->command == NULL)
		return -1;
	if (json_span_get(value, "args", &part) > 0 &&
	    entry_read_list(entry, &entry->args, part, "args",
		CONFIG_ARGS_MAX, err) == -1)
		return -1;
	if (json_span_get(value, "env", &part) > 0 &&
	    json_span_kind(part) != JSON_SPAN_NULL)
		return entry_read_pairs(
		    entry, &entry->env, "env", "", part, err);
	return 0;
}

/* A program or, in some clients, the program and its arguments. */
static int
entry_read_command(struct entry *entry, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span first = value;

	if (entry->command != NULL)
		return entry_fail(
		    entry, value, err_set(err, "has more than one command"));
	if (json_span_kind(value) == JSON_SPAN_OBJECT)
		return entry_read_command_object(entry, value, err);
	if (json_span_kind(value) == JSON_SPAN_ARRAY &&
	    !json_span_next_element(&walk, &first))
		return entry_fail(entry, value,
		    err_set(err, "\"command\" must not be empty"));
	entry->command =
	    entry_word(entry, first, "\"command\"", CONFIG_PATH_MAX, err);
	if (entry->command == NULL)
		return -1;
	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return 0;
	if (entry_read_list(entry, &entry->args, value, "args",
		CONFIG_ARGS_MAX, err) == -1)
		return -1;
	buffer_drop_front(&entry->args, strlen(entry->command) + 1);
	return 0;
}

/* Appends a name and its value. */
static int
entry_add_pair(struct entry *entry, struct buffer *pairs, const char *key,
    const char *name, const char *value, struct err *err)
{
	if (text_list_value(pairs->data, pairs->len, name) != NULL)
		return err_set(err, "\"%.*s\" is in \"%s\" more than once",
		    ENTRY_SHOWN, name, key);
	text_list_add(pairs, name);
	text_list_add(pairs, value);
	if (entry->env.len + entry->headers.len > CONFIG_ENV_MAX)
		return err_set(err, "the values of \"%s\" have more than %lu "
		    "bytes together", key, CONFIG_ENV_MAX);
	return 0;
}

/*
 * One member of "env" or of "headers"; format determines the meaning of its
 * value.
 */
static int
entry_read_pair(struct entry *entry, struct buffer *pairs, const char *key,
    const char *format, struct json_span name, struct json_span value,
    struct err *err)
{
	auto_free char *which = mem_printf("each name in \"%s\"", key);
	auto_free char *shown =
	    entry_text(entry, name, which, CONFIG_ENV_MAX, err);
	auto_free char *what = NULL, *text = NULL, *meant = NULL;

	if (shown == NULL)
		return -1;
	if (shown[0] == '\0' || strpbrk(shown, "=\r\n") != NULL)
		return entry_fail(entry, name, err_set(err, "\"%.*s\" in "
		    "\"%s\" cannot be a name", ENTRY_SHOWN, shown, key));
	what = mem_printf("\"%.*s\" in \"%s\"", ENTRY_SHOWN, shown, key);
	text = (pairs == &entry->env ? entry_value : entry_text)(
	    entry, value, what, CONFIG_ENV_MAX, err);
	if (text == NULL)
		return -1;
	if (pairs == &entry->headers && strpbrk(text, "\r\n") != NULL)
		return err_set(err, "%s contains a line end, which is not "
		    "allowed in a header", what);
	meant = mem_printf("%s%s%s", format, text, *format ? "}" : "");
	entry->at = name.p;
	return entry_add_pair(entry, pairs, key, shown, meant, err);
}

/* An object of names and values. */
static int
entry_read_pairs(struct entry *entry, struct buffer *pairs, const char *key,
    const char *format, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span name, text;

	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return entry_fail(entry, value, err_set(err, "\"%s\" must be "
		    "an object whose values are strings", key));
	while (json_span_next_member(&walk, &name, &text))
		if (entry_read_pair(entry, pairs, key, format, name, text,
		        err) == -1)
			return -1;
	return 0;
}

/*
 * Used by a client that loads variables from a file; Caisson does not read such
 * files.
 */
static int
entry_read_env_file(
    struct entry *entry, struct json_span value, struct err *err)
{
	if (json_span_is(value, ""))
		return 0;
	return entry_fail(entry, value, err_set(err, "has an \"envFile\", "
	    "which is not read: put its variables into \"env\""));
}

/* A variable that contains a token. */
static int
entry_read_token(struct entry *entry, struct json_span value, struct err *err)
{
	auto_free char *name = entry_word(entry, value,
	    "\"bearer_token_env_var\"", CONFIG_NAME_MAX, err);
	auto_free char *header = NULL;

	if (name == NULL)
		return -1;
	header = mem_printf("Bearer ${%s}", name);
	return entry_add_pair(entry, &entry->headers, "headers",
	    "Authorization", header, err);
}

/*
 * {"clientId": …}: how to log in at a remote server. Each is kept as a header
 * whose name begins with a colon, as no real one does.
 */
static int
entry_read_oauth(struct entry *entry, struct json_span value, struct err *err)
{
	static const char *const names[][2] = { { "clientId", ":clientId" },
		{ "client_id", ":clientId" }, { "CLIENT_ID", ":clientId" },
		{ "clientSecret", ":clientSecret" },
		{ "client_secret", ":clientSecret" },
		{ "CLIENT_SECRET", ":clientSecret" },
		{ "scope", ":scopes" }, { "scopes", ":scopes" },
		{ "grant", ":grant" }, { "callbackPort", ":callbackPort" },
		{ "privateKey", ":privateKey" },
		{ "private_key", ":privateKey" },
		{ "privateKeyFile", ":privateKeyFile" }, { "kid", ":kid" },
		{ "audience", ":audience" },
		{ "assertion", ":assertion" },
		{ "assertionFile", ":assertionFile" },
		{ "idToken", ":idToken" }, { "idTokenFile", ":idTokenFile" },
		{ "idpTokenEndpoint", ":idpTokenEndpoint" },
		{ "idpClientId", ":idpClientId" },
		{ "idpClientSecret", ":idpClientSecret" } };
	struct json_span member;
	size_t n;

	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		auto_free char *what = mem_printf("\"%s\"", names[n][0]);
		auto_buffer struct buffer list = { 0 };
		auto_free char *text = NULL;
		size_t i;

		if (json_span_get(value, names[n][0], &member) == 0)
			continue;
		if (json_span_kind(member) != JSON_SPAN_ARRAY) {
			text = entry_value(
			    entry, member, what, CONFIG_ENV_MAX, err);
		} else if (entry_read_list(entry, &list, member,
		               names[n][0], CONFIG_ENV_MAX, err) == 0) {
			for (i = 0; i + 1 < list.len; i++)
				if (list.data[i] == '\0')
					list.data[i] = ' ';
			text = mem_strdup(list.len == 0 ? "" : list.data);
		}
		if (text == NULL || entry_add_pair(entry, &entry->headers,
		        "oauth", names[n][1], text, err) == -1)
			return -1;
	}
	return 0;
}

/* Names of tools; what is the name of their array in the error message. */
static int
entry_read_names(struct entry *entry, struct json_span value, const char *what,
    struct buffer *names, struct err *err)
{
	auto_free char *each = mem_printf("each element of %s", what);
	struct json_span_walk walk = json_span_walk(value);
	struct json_span name;

	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return entry_fail(entry, value, err_set(err, "%s must be an "
		    "array of names", what));
	while (json_span_next_element(&walk, &name)) {
		auto_free char *text =
		    entry_word(entry, name, each, CONFIG_TOOLS_MAX, err);

		if (text == NULL)
			return -1;
		text_list_add(names, text);
		if (names->len > CONFIG_TOOLS_MAX)
			return err_set(err, "the names in %s have more than "
			    "%lu bytes together: use *, which matches any "
			    "text", what, CONFIG_TOOLS_MAX);
	}
	return 0;
}

static int
entry_read_tools_member(struct entry *entry, struct json_span key,
    struct json_span value, struct err *err)
{
	if (json_span_is(key, "allow") && !entry->narrowed) {
		entry->narrowed = true;
		return entry_read_names(entry, value, "\"allow\" of \"tools\"",
		    &entry->allow, err);
	}
	if (json_span_is(key, "deny") && entry->deny.len == 0)
		return entry_read_names(entry, value, "\"deny\" of \"tools\"",
		    &entry->deny, err);
	return entry_fail(entry, key, err_set(err, "\"tools\" may have the "
	    "members \"allow\" and \"deny\", each once, and no others"));
}

/*
 * The tools that may be used: {"allow": […], "deny": […]}, or only the
 * permitted ones.
 */
static int
entry_read_tools(struct entry *entry, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span key, names;

	if (json_span_kind(value) == JSON_SPAN_ARRAY) {
		entry->narrowed = true;
		return entry_read_names(
		    entry, value, "\"tools\"", &entry->allow, err);
	}
	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return entry_fail(entry, value, err_set(err, "\"tools\" must "
		    "be an object such as {\"deny\": [\"delete_*\"]}, or an "
		    "array of the names to allow"));
	/* In this format it has a table for each tool. */
	if (entry->shape == CONFIG_SHAPE_CODEX)
		return 0;
	while (json_span_next_member(&walk, &key, &names))
		if (entry_read_tools_member(entry, key, names, err) == -1)
			return -1;
	return 0;
}

/*
 * What may be used of resources or of prompts, in the same form as of tools:
 * added to the rules as "allow resources PATTERN" and the like.
 */
static int
entry_read_others(struct entry *entry, struct json_span value, const char *key,
    struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span name, patterns;
	const char *rule, *pattern;

	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return entry_fail(entry, value, err_set(err, "\"%s\" must be "
		    "an object such as {\"deny\": [\"private*\"]}", key));
	while (json_span_next_member(&walk, &name, &patterns)) {
		auto_buffer struct buffer names = { 0 };
		auto_free char *what = NULL;

		rule = json_span_is(name, "allow") ? "allow" : "deny";
		what = mem_printf("\"%s\" of \"%s\"", rule, key);
		if (!json_span_is(name, rule))
			return entry_fail(entry, name, err_set(err, "\"%s\" "
			    "may have the members \"allow\" and \"deny\", and "
			    "no others", key));
		if (entry_read_names(entry, patterns, what, &names, err) == -1)
			return -1;
		if (rule[0] == 'a') /* also of nothing */
			text_list_add(&names, "");
		TEXT_LIST_EACH (pattern, names.data, names.len) {
			auto_free char *text =
			    mem_printf("%s %s %s", rule, key, pattern);

			text_list_add(&entry->others, text);
		}
	}
	return entry->others.len <= CONFIG_RULES_MAX ? 0 :
	    entry_fail(entry, value, err_set(err, "the names of resources and "
	    "prompts have more than %lu bytes together: use *, which matches "
	    "any text", CONFIG_RULES_MAX));
}

static int
entry_read_resources(
    struct entry *entry, struct json_span value, struct err *err)
{
	return entry_read_others(entry, value, "resources", err);
}

static int
entry_read_prompts(struct entry *entry, struct json_span value, struct err *err)
{
	return entry_read_others(entry, value, "prompts", err);
}

/*
 * The folders that it works in: as "allow roots URI", each, and one without a
 * URI, so that none are not the client's.
 */
static int
entry_read_roots(struct entry *entry, struct json_span value, struct err *err)
{
	auto_buffer struct buffer names = { 0 };
	const char *name;
	int array = json_span_kind(value) == JSON_SPAN_ARRAY;

	if (array &&
	    entry_read_names(entry, value, "\"roots\"", &names, err) == -1)
		return -1;
	text_list_add(&entry->others, "allow roots ");
	TEXT_LIST_EACH (name, names.data, names.len) {
		auto_free char *text = mem_printf("allow roots %s", name);

		array &= name[0] == '/' || strncmp(name, "file:///", 8) == 0;
		text_list_add(&entry->others, text);
	}
	if (!array)
		return entry_fail(entry, value, err_set(err, "\"roots\" must "
		    "be an array of folders: absolute paths, or URIs such as "
		    "file:///home/me"));
	return entry->others.len <= CONFIG_RULES_MAX ? 0 :
	    entry_fail(entry, value, err_set(err, "\"roots\" is too long"));
}

/* Whether a model may generate what it asks for: as "allow sampling ". */
static int
entry_read_sampling(
    struct entry *entry, struct json_span value, struct err *err)
{
	if (json_span_kind(value) == JSON_SPAN_TRUE)
		text_list_add(&entry->others, "allow sampling ");
	return json_span_kind(value) == JSON_SPAN_TRUE ||
	    json_span_kind(value) == JSON_SPAN_FALSE ? 0 :
	    entry_fail(entry, value, err_set(
	        err, "\"sampling\" must be true or false"));
}

static int
entry_read_concurrency(
    struct entry *entry, struct json_span value, struct err *err)
{
	size_t n;

	entry->concurrency = 0;
	for (n = 0; n < value.len && n < 4 && value.p[n] >= '0' &&
	     value.p[n] <= '9'; n++)
		entry->concurrency =
		    10 * entry->concurrency + (uint64_t)(value.p[n] - '0');
	if (n == value.len && entry->concurrency >= 1 &&
	    entry->concurrency <= SERVER_CALLS_MAX)
		return 0;
	return entry_fail(entry, value, err_set(err, "\"concurrency\" must be "
	    "an integer from 1 to %d: how many calls the server gets at once",
	    SERVER_CALLS_MAX));
}

static int
entry_read_url(struct entry *entry, struct json_span value, struct err *err)
{
	if (entry->url != NULL)
		return entry_fail(
		    entry, value, err_set(err, "has more than one URL"));
	entry->url = entry_word(entry, value, "the URL", CONFIG_PATH_MAX, err);
	return entry->url == NULL ? -1 : 0;
}

/* The kinds of servers, with the names that clients use. */
static const struct {
	const char *type;
	enum config_remote remote;
} entry_types[] = {
	{ "stdio", CONFIG_STDIO },
	{ "local", CONFIG_STDIO },
	{ "http", CONFIG_HTTP },
	{ "streamable-http", CONFIG_HTTP },
	{ "streamableHttp", CONFIG_HTTP },
	{ "streamable_http", CONFIG_HTTP },
	{ "remote", CONFIG_HTTP },
	{ "sse", CONFIG_SSE },
};

/* Types, and sources, of servers that are part of the client. */
static const char *const entry_foreign[] = {
	"builtin",
	"platform",
	"frontend",
	"inline_python",
	"extension",
};

/* Checks for a server built into the client. Returns -1 if it is. */
static int
entry_check_foreign(
    struct entry *entry, struct json_span value, struct err *err)
{
	size_t i;

	for (i = 0; i < sizeof(entry_foreign) / sizeof(entry_foreign[0]); i++)
		if (json_span_is(value, entry_foreign[i])) {
			entry->foreign = true;
			return entry_fail(entry, value, err_set(err, "it is "
			    "built into the program that owns this file (%s)",
			    entry_foreign[i]));
		}
	return 0;
}

/* Read last, because it is compared with the other members. */
static int
entry_read_type(struct entry *entry, struct json_span value, struct err *err)
{
	size_t i;

	for (i = 0; i < sizeof(entry_types) / sizeof(entry_types[0]); i++) {
		if (!json_span_is(value, entry_types[i].type))
			continue;
		entry->remote = entry_types[i].remote;
		if (!entry->remote && entry->command == NULL)
			return entry_fail(entry, value, err_set(err,
			    "\"type\" is %s, but there is no \"command\"",
			    entry_types[i].type));
		if (entry->remote && entry->url == NULL)
			return entry_fail(entry, value, err_set(err,
			    "\"type\" is %s, but there is no \"url\"",
			    entry_types[i].type));
		return 0;
	}
	return entry_fail(entry, value,
	    err_set(err, "\"type\" must be stdio, http or sse"));
}

/* How a member is read into the field of its row. */
enum entry_form {
	ENTRY_OWN,   /* by a function */
	ENTRY_WORD,  /* a text that is not empty */
	ENTRY_TEXT,
	ENTRY_LIST,  /* an array of strings */
	ENTRY_PAIRS, /* an object of strings */
	ENTRY_REFS,  /* the same; the values are names of variables */
	ENTRY_ON,    /* true or false */
	ENTRY_OFF,   /* the opposite */
	ENTRY_ALLOW, /* names of tools, no others may be used */
	ENTRY_SOME,  /* the same, but an empty list allows all */
	ENTRY_DENY,
};

#define ENTRY_KEY(text) text, sizeof(text) - 1
#define ENTRY_FIELD(name) .field = offsetof(struct entry, name)

/* In the order in which they are read. */
static const struct entry_member {
	const char *key;
	size_t len;
	enum entry_form form;
	size_t field;
	size_t most;      /* bytes of a text */
	const char *what; /* it is called in errors; NULL: as its key */
	int (*read)(
	    struct entry *entry, struct json_span value, struct err *err);
} entry_members[] = {
	{ ENTRY_KEY("source"), .read = entry_check_foreign },
	{ ENTRY_KEY("type"), .read = entry_check_foreign },
	{ ENTRY_KEY("command"), .read = entry_read_command },
	{ ENTRY_KEY("cmd"), .read = entry_read_command },
	{ ENTRY_KEY("args"), ENTRY_LIST, ENTRY_FIELD(args), CONFIG_ARGS_MAX },
	{ ENTRY_KEY("env"), ENTRY_PAIRS, ENTRY_FIELD(env) },
	{ ENTRY_KEY("environment"), ENTRY_PAIRS, ENTRY_FIELD(env),
	    .what = "env" },
	{ ENTRY_KEY("envs"), ENTRY_PAIRS, ENTRY_FIELD(env), .what = "env" },
	{ ENTRY_KEY("envFile"), .read = entry_read_env_file },
	{ ENTRY_KEY("cwd"), ENTRY_WORD, ENTRY_FIELD(cwd), CONFIG_PATH_MAX },
	{ ENTRY_KEY("description"), ENTRY_TEXT, ENTRY_FIELD(description),
	    CONFIG_DESCRIPTION_MAX },
	{ ENTRY_KEY("disabled"), ENTRY_ON, ENTRY_FIELD(disabled) },
	{ ENTRY_KEY("enabled"), ENTRY_OFF, ENTRY_FIELD(disabled) },
	{ ENTRY_KEY("shared"), ENTRY_ON, ENTRY_FIELD(shared) },
	{ ENTRY_KEY("url"), .read = entry_read_url },
	{ ENTRY_KEY("httpUrl"), .read = entry_read_url },
	{ ENTRY_KEY("serverUrl"), .read = entry_read_url },
	{ ENTRY_KEY("uri"), .read = entry_read_url },
	{ ENTRY_KEY("headers"), ENTRY_PAIRS, ENTRY_FIELD(headers) },
	{ ENTRY_KEY("http_headers"), ENTRY_PAIRS, ENTRY_FIELD(headers),
	    .what = "headers" },
	{ ENTRY_KEY("env_http_headers"), ENTRY_REFS, ENTRY_FIELD(headers) },
	{ ENTRY_KEY("bearer_token_env_var"), .read = entry_read_token },
	{ ENTRY_KEY("oauth"), .read = entry_read_oauth },
	{ ENTRY_KEY("auth"), .read = entry_read_oauth },
	{ ENTRY_KEY("tools"), .read = entry_read_tools },
	{ ENTRY_KEY("resources"), .read = entry_read_resources },
	{ ENTRY_KEY("prompts"), .read = entry_read_prompts },
	{ ENTRY_KEY("roots"), .read = entry_read_roots },
	{ ENTRY_KEY("sampling"), .read = entry_read_sampling },
	{ ENTRY_KEY("concurrency"), .read = entry_read_concurrency },
	{ ENTRY_KEY("enabled_tools"), ENTRY_ALLOW, ENTRY_FIELD(allow) },
	{ ENTRY_KEY("includeTools"), ENTRY_ALLOW, ENTRY_FIELD(allow) },
	{ ENTRY_KEY("available_tools"), ENTRY_SOME, ENTRY_FIELD(allow) },
	{ ENTRY_KEY("disabled_tools"), ENTRY_DENY, ENTRY_FIELD(deny) },
	{ ENTRY_KEY("disabledTools"), ENTRY_DENY, ENTRY_FIELD(deny) },
	{ ENTRY_KEY("excludeTools"), ENTRY_DENY, ENTRY_FIELD(deny) },
	{ ENTRY_KEY("type"), .read = entry_read_type },
};

/* Reads a text, or a switch. */
static int
entry_read_one(struct entry *entry, const struct entry_member *member,
    struct json_span value, void *field, struct err *err)
{
	enum json_span_kind kind = json_span_kind(value);
	auto_free char *what = mem_printf("\"%s\"", member->key);

	if (member->form == ENTRY_WORD || member->form == ENTRY_TEXT) {
		*(char **)field = (member->form == ENTRY_WORD ? entry_word :
		    entry_text)(entry, value, what, member->most, err);
		return *(char **)field == NULL ? -1 : 0;
	}
	if (kind != JSON_SPAN_TRUE && kind != JSON_SPAN_FALSE)
		return entry_fail(entry, value,
		    err_set(err, "%s must be true or false", what));
	if ((kind == JSON_SPAN_TRUE) == (member->form == ENTRY_ON))
		*(bool *)field = true;
	return 0;
}

static int
entry_read_member(struct entry *entry, const struct entry_member *member,
    struct json_span value, struct err *err)
{
	const char *what = member->what == NULL ? member->key : member->what;
	void *field = (char *)entry + member->field;

	switch (member->form) {
	case ENTRY_OWN:
		return member->read(entry, value, err);
	case ENTRY_LIST:
		return entry_read_list(
		    entry, field, value, what, member->most, err);
	case ENTRY_PAIRS:
	case ENTRY_REFS:
		return entry_read_pairs(entry, field, what,
		    member->form == ENTRY_REFS ? "${" : "", value, err);
	case ENTRY_ALLOW:
	case ENTRY_SOME:
	case ENTRY_DENY:
		if (entry_read_names(entry, value, member->form == ENTRY_DENY ?
			"the list of tools to deny" :
			"the list of tools to allow", field, err) == -1)
			return -1;
		entry->narrowed |= member->form == ENTRY_ALLOW ||
		    (member->form == ENTRY_SOME && entry->allow.len > 0);
		return 0;
	default:
		return entry_read_one(entry, member, value, field, err);
	}
}

#define ENTRY_MEMBERS (sizeof(entry_members) / sizeof(entry_members[0]))

/* All together */

static int
entry_read_name(struct entry *entry, struct json_span name, struct err *err)
{
	const char *p;

	entry->name = entry_word(
	    entry, name, "the name of a server", CONFIG_NAME_MAX, err);
	if (entry->name == NULL)
		return -1;
	for (p = entry->name; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return err_set(err, "the name of a server must not "
			    "contain control characters");
	return 0;
}

/*
 * The members of an entry: the number of occurrences and the last value of
 * each.
 */
struct entry_found {
	struct json_span values[ENTRY_MEMBERS];
	int counts[ENTRY_MEMBERS];
};

/* Whether a name is that of a member; no escape makes a name shorter. */
static int
entry_is_member(const struct entry_member *member, struct json_span name)
{
	return name.len >= member->len + 2 &&
	    (name.len == member->len + 2 || memchr(name.p, '\\', name.len)) &&
	    json_span_is(name, member->key);
}

/* Finds all members in one pass, because an entry may be as long as a file. */
static void
entry_find(struct json_span object, struct entry_found *found)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	size_t i;

	memset(found, 0, sizeof(*found));
	while (json_span_next_member(&walk, &name, &value))
		for (i = 0; i < ENTRY_MEMBERS; i++)
			if (entry_is_member(&entry_members[i], name)) {
				found->values[i] = value;
				found->counts[i]++;
			}
}

static int
entry_read_members(
    struct entry *entry, struct json_span object, struct err *err)
{
	struct entry_found found;
	struct json_span value;
	size_t i;
	int typed = 0;

	entry_find(object, &found);
	for (i = 0; i < ENTRY_MEMBERS; i++) {
		value = found.values[i];
		if (found.counts[i] > 1)
			return entry_fail(entry, value, err_set(err,
			    "\"%s\" is in this entry more than once",
			    entry_members[i].key));
		/*
		 * Programs that generate such files write null for absent
		 * values.
		 */
		if (found.counts[i] == 0 ||
		    json_span_kind(value) == JSON_SPAN_NULL)
			continue;
		if (entry_read_member(
			entry, &entry_members[i], value, err) == -1)
			return -1;
		typed = entry_members[i].read == entry_read_type;
	}
	if (entry->command != NULL && entry->url != NULL && !typed)
		return entry_fail(entry, object, err_set(err, "has both "
		    "\"command\" and \"url\": remove one of them, or set "
		    "\"type\""));
	return 0;
}

int
entry_read(struct entry *entry, struct json_span name, struct json_span value,
    struct err *err)
{
	if (entry_read_name(entry, name, err) == -1)
		return -1;
	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return entry_fail(entry, value, err_set(err, "a server must "
		    "be an object, such as {\"command\": \"npx\"}"));
	if (entry_read_members(entry, value, err) == -1)
		return -1;
	if (entry->command == NULL && entry->url == NULL)
		return entry_fail(entry, name, err_set(err, "has neither "
		    "\"command\" nor \"url\": one of them is needed"));
	if (entry->command == NULL && entry->remote == CONFIG_STDIO)
		entry->remote = CONFIG_HTTP;
	return 0;
}

void
entry_reset(struct entry *entry)
{
	free(entry->name);
	free(entry->command);
	buffer_reset(&entry->args);
	buffer_reset(&entry->env);
	free(entry->url);
	buffer_reset(&entry->headers);
	free(entry->cwd);
	free(entry->description);
	buffer_reset(&entry->allow);
	buffer_reset(&entry->deny);
	buffer_reset(&entry->others);
	memset(entry, 0, sizeof(*entry));
}
