/*
 * One server of a configuration file: see entry.h. Runs in the reader; the
 * bytes are a stranger's. Sentences never show a value, which may be a secret.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/mem.h"
#include "entry.h"

/* How much of a name from the file a sentence shows. */
#define ENTRY_SHOWN 60

/* Remembers the place; for "return entry_fail(entry, value, err_set(…))". */
static int
entry_fail(struct entry *entry, struct json_span at, int failed)
{
	entry->at = at.p;
	return failed;
}

/*
 * Returns the text of a string with at most most bytes, which the caller
 * frees, or NULL with err; what is how the sentence calls it.
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
		err_set(err, "%s has a NUL character in it, which no program "
		    "can be given", what);
		return NULL;
	}
	if (len > most) {
		err_set(err, "%s has %zu bytes, at most %zu are possible",
		    what, len, most);
		return NULL;
	}
	return mem_take(&text);
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

static int
entry_read_args(struct entry *entry, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span arg;

	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return entry_fail(entry, value, err_set(err,
		    "\"args\" must be an array of strings"));
	while (json_span_next_element(&walk, &arg)) {
		auto_free char *text = entry_text(entry, arg,
		    "each element of \"args\"", CONFIG_ARGS_MAX, err);

		if (text == NULL)
			return -1;
		buffer_add(&entry->args, text, strlen(text) + 1);
		if (entry->args.len > CONFIG_ARGS_MAX)
			return err_set(err, "the arguments have more than %lu "
			    "bytes together", CONFIG_ARGS_MAX);
	}
	return 0;
}

/* A program, or, as one client writes it, the program and its arguments. */
static int
entry_read_command(
    struct entry *entry, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span first = value;

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
	if (entry_read_args(entry, value, err) == -1)
		return -1;
	buffer_drop_front(&entry->args, strlen(entry->command) + 1);
	return 0;
}

/* Whether a variable of this name was there before. */
static int
entry_has_variable(const struct entry *entry, const char *name)
{
	const char *p = entry->env.data;
	const char *end;

	if (p == NULL)
		return 0;
	end = p + entry->env.len;
	while (p < end) {
		if (strcmp(p, name) == 0)
			return 1;
		p += strlen(p) + 1; /* the name, and then its value */
		p += strlen(p) + 1;
	}
	return 0;
}

static int
entry_check_variable(struct entry *entry, struct json_span at,
    const char *name, struct err *err)
{
	if (name[0] == '\0' || strchr(name, '=') != NULL)
		return entry_fail(entry, at, err_set(err, "\"%.*s\" in "
		    "\"env\" cannot be the name of a variable", ENTRY_SHOWN,
		    name));
	if (entry_has_variable(entry, name))
		return entry_fail(entry, at, err_set(err, "\"%.*s\" stands "
		    "in \"env\" more than once", ENTRY_SHOWN, name));
	return 0;
}

static int
entry_read_variable(struct entry *entry, struct json_span key,
    struct json_span value, struct err *err)
{
	auto_free char *name = entry_text(
	    entry, key, "each name in \"env\"", CONFIG_ENV_MAX, err);
	auto_free char *what = NULL;
	auto_free char *text = NULL;

	if (name == NULL || entry_check_variable(entry, key, name, err) == -1)
		return -1;
	what = mem_printf("\"%.*s\" in \"env\"", ENTRY_SHOWN, name);
	text = entry_text(entry, value, what, CONFIG_ENV_MAX, err);
	if (text == NULL)
		return -1;
	buffer_add(&entry->env, name, strlen(name) + 1);
	buffer_add(&entry->env, text, strlen(text) + 1);
	if (entry->env.len > CONFIG_ENV_MAX)
		return err_set(err, "the variables have more than %lu bytes "
		    "together", CONFIG_ENV_MAX);
	return 0;
}

static int
entry_read_env(struct entry *entry, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span key, text;

	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return entry_fail(entry, value, err_set(err, "\"env\" must be "
		    "an object whose values are strings"));
	while (json_span_next_member(&walk, &key, &text))
		if (entry_read_variable(entry, key, text, err) == -1)
			return -1;
	return 0;
}

static int
entry_read_cwd(struct entry *entry, struct json_span value, struct err *err)
{
	entry->cwd = entry_word(entry, value, "\"cwd\"", CONFIG_PATH_MAX, err);
	return entry->cwd == NULL ? -1 : 0;
}

static int
entry_read_description(
    struct entry *entry, struct json_span value, struct err *err)
{
	entry->description = entry_text(
	    entry, value, "\"description\"", CONFIG_DESCRIPTION_MAX, err);
	return entry->description == NULL ? -1 : 0;
}

/* Names of tools; what is how the sentence calls their array. */
static int
entry_read_names(struct entry *entry, struct json_span value, const char *what,
    struct buffer *names, struct err *err)
{
	auto_free char *each = mem_printf("each element of %s", what);
	struct json_span_walk walk = json_span_walk(value);
	struct json_span name;

	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return entry_fail(entry, value, err_set(err, "%s must be an "
		    "array of names of tools", what));
	while (json_span_next_element(&walk, &name)) {
		auto_free char *text =
		    entry_word(entry, name, each, CONFIG_TOOLS_MAX, err);

		if (text == NULL)
			return -1;
		buffer_add(names, text, strlen(text) + 1);
		if (names->len > CONFIG_TOOLS_MAX)
			return err_set(err, "the names in %s have more than "
			    "%lu bytes together: * stands for any text in a "
			    "name", what, CONFIG_TOOLS_MAX);
	}
	return 0;
}

static int
entry_read_tools_member(struct entry *entry, struct json_span key,
    struct json_span value, struct err *err)
{
	if (json_span_is(key, "allow") && !entry->narrowed) {
		entry->narrowed = 1;
		return entry_read_names(entry, value, "\"allow\" of \"tools\"",
		    &entry->allow, err);
	}
	if (json_span_is(key, "deny") && entry->deny.len == 0)
		return entry_read_names(entry, value, "\"deny\" of \"tools\"",
		    &entry->deny, err);
	return entry_fail(entry, key, err_set(err, "\"tools\" may have "
	    "\"allow\" and \"deny\" in it, each once, and nothing else"));
}

/* Which tools may be used: {"allow": […], "deny": […]}, or those allowed. */
static int
entry_read_tools(struct entry *entry, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span key, names;

	if (json_span_kind(value) == JSON_SPAN_ARRAY) {
		entry->narrowed = 1;
		return entry_read_names(
		    entry, value, "\"tools\"", &entry->allow, err);
	}
	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return entry_fail(entry, value, err_set(err, "\"tools\" must "
		    "be an object such as {\"deny\": [\"delete_*\"]}, or an "
		    "array of the names to allow"));
	while (json_span_next_member(&walk, &key, &names))
		if (entry_read_tools_member(entry, key, names, err) == -1)
			return -1;
	return 0;
}

static int
entry_read_url(struct entry *entry, struct json_span value, struct err *err)
{
	auto_free char *url =
	    entry_word(entry, value, "the URL", CONFIG_PATH_MAX, err);

	entry->has_url = url != NULL;
	return url == NULL ? -1 : 0;
}

static int
entry_read_switch(struct entry *entry, struct json_span value,
    const char *key, int disabled_when, struct err *err)
{
	enum json_span_kind kind = json_span_kind(value);

	if (kind != JSON_SPAN_TRUE && kind != JSON_SPAN_FALSE)
		return entry_fail(entry, value,
		    err_set(err, "\"%s\" must be true or false", key));
	if ((kind == JSON_SPAN_TRUE) == disabled_when)
		entry->disabled = 1;
	return 0;
}

static int
entry_read_disabled(
    struct entry *entry, struct json_span value, struct err *err)
{
	return entry_read_switch(entry, value, "disabled", 1, err);
}

static int
entry_read_enabled(
    struct entry *entry, struct json_span value, struct err *err)
{
	return entry_read_switch(entry, value, "enabled", 0, err);
}

/* The kinds of servers, with the names that clients have for them. */
static const struct {
	const char *type;
	int remote;
} entry_types[] = {
	{ "stdio", 0 },
	{ "local", 0 },
	{ "http", 1 },
	{ "streamable-http", 1 },
	{ "streamableHttp", 1 },
	{ "streamable_http", 1 },
	{ "remote", 1 },
	{ "sse", 1 },
};

/* Read last: it is judged by what else is there. */
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
		if (entry->remote && !entry->has_url)
			return entry_fail(entry, value, err_set(err,
			    "\"type\" is %s, but there is no \"url\"",
			    entry_types[i].type));
		return 0;
	}
	return entry_fail(entry, value,
	    err_set(err, "\"type\" must be stdio, http or sse"));
}

static const struct {
	const char *key;
	int (*read)(
	    struct entry *entry, struct json_span value, struct err *err);
} entry_members[] = {
	{ "command", entry_read_command },
	{ "args", entry_read_args },
	{ "env", entry_read_env },
	{ "cwd", entry_read_cwd },
	{ "description", entry_read_description },
	{ "tools", entry_read_tools },
	{ "disabled", entry_read_disabled },
	{ "enabled", entry_read_enabled },
	{ "url", entry_read_url },
	{ "httpUrl", entry_read_url },
	{ "serverUrl", entry_read_url },
	{ "type", entry_read_type },
};

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
			    "have control characters in it");
	return 0;
}

static int
entry_read_members(
    struct entry *entry, struct json_span object, struct err *err)
{
	struct json_span value;
	size_t i;
	int count, typed = 0;

	for (i = 0; i < sizeof(entry_members) / sizeof(entry_members[0]);
	     i++) {
		count = json_span_get(object, entry_members[i].key, &value);
		if (count > 1)
			return entry_fail(entry, value, err_set(err,
			    "\"%s\" stands here more than once",
			    entry_members[i].key));
		/* Programs that write such files put null for nothing. */
		if (count == 0 || json_span_kind(value) == JSON_SPAN_NULL)
			continue;
		if (entry_members[i].read(entry, value, err) == -1)
			return -1;
		typed = entry_members[i].read == entry_read_type;
	}
	if (entry->command != NULL && entry->has_url && !typed)
		return entry_fail(entry, object, err_set(err, "has both "
		    "\"command\" and \"url\": remove one of them, or say "
		    "which it is by \"type\""));
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
	if (entry->command == NULL && !entry->has_url)
		return entry_fail(entry, name, err_set(err, "has neither "
		    "\"command\" nor \"url\": one of them is needed"));
	if (entry->command == NULL)
		entry->remote = 1;
	return 0;
}

void
entry_reset(struct entry *entry)
{
	free(entry->name);
	free(entry->command);
	buffer_reset(&entry->args);
	buffer_reset(&entry->env);
	free(entry->cwd);
	free(entry->description);
	buffer_reset(&entry->allow);
	buffer_reset(&entry->deny);
	memset(entry, 0, sizeof(*entry));
}
