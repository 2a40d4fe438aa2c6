/*
 * A configuration file as rows: see config.h. Runs in the reader; the bytes
 * are a stranger's. A file may be as large as CONFIG_FILE_MAX: it is read
 * where it lies, and walked through once for each depth that is of interest.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/json_span.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/utf8.h"
#include "config.h"
#include "entry.h"
#include "jsonc.h"
#include "place.h"
#include "spots.h"
#include "toml.h"
#include "translation.h"
#include "yaml.h"

#define CONFIG_KEYS 6

/* What the files of a shape have. */
static const struct config_row {
	int (*translate)(const char *text, size_t len,
	    struct translation *translation, struct place *place,
	    struct err *err); /* NULL: it is JSON */
	const char *keys[CONFIG_KEYS]; /* whose members are servers */
	int other; /* a client's file: it may have none of these yet */
} config_rows[CONFIG_SHAPES] = {
	[CONFIG_SHAPE_OWN] = { NULL, { "mcpServers", "servers",
	    "mcp_servers", "context_servers", "mcp" }, 0 },
	[CONFIG_SHAPE_CLIENT] = { NULL, { "mcpServers", "servers",
	    "mcp_servers", "context_servers" }, 1 },
	[CONFIG_SHAPE_CLAUDE] = { NULL, { "mcpServers" }, 1 },
	[CONFIG_SHAPE_GEMINI] = { NULL, { "mcpServers" }, 1 },
	[CONFIG_SHAPE_ZED] = { NULL, { "context_servers" }, 1 },
	[CONFIG_SHAPE_MCP] = { NULL, { "mcp" }, 1 },
	[CONFIG_SHAPE_CODEX] = { toml_translate, { "mcp_servers" }, 1 },
	[CONFIG_SHAPE_GOOSE] = { yaml_translate, { "extensions" }, 1 },
	[CONFIG_SHAPE_CONTINUE] = { yaml_translate, { "mcpServers" }, 1 },
};

struct config {
	const struct config_file *file;
	const struct config_row *row;
	const char *text; /* JSON */
	size_t len;
	struct place_walk walk; /* through the text, where that is the file */
	struct translation translation;
	struct json_span excluded; /* names that are disabled, if p is set */
	struct json_span allowed;  /* the only ones that are not, if so */
	size_t entries;
	struct spots spots; /* if they are asked for */
	const char *unfit;  /* why no entry can be put into the file, if so */
	const struct config_sink *sink;
};

static struct place
config_place(struct config *config, const char *at)
{
	size_t offset = (size_t)(at - config->text);

	return config->row->translate == NULL ?
	    place_find(&config->walk, offset) :
	    translation_place(&config->translation, offset);
}

/* Telling */

/* Cuts text to at most max bytes, between two characters. */
static void
config_cut(char *out, size_t max, const char *text)
{
	size_t len = utf8_cut(text, strlen(text), max);

	memcpy(out, text, len);
	out[len] = '\0';
}

static void
config_reject_at(const struct config *config, struct place place,
    const struct entry *entry, const struct err *err)
{
	char name[CONFIG_NAME_MAX + 1], reason[CONFIG_REASON_MAX + 1];
	struct ipc_rejected rejected = { .line = place.line,
		.column = place.column,
		.name = name,
		.reason = reason };

	config_cut(name, CONFIG_NAME_MAX,
	    entry == NULL || entry->name == NULL ? "" : entry->name);
	config_cut(reason, CONFIG_REASON_MAX, err->text);
	rejected.foreign = entry != NULL && entry->foreign;
	config->sink->rejected(config->sink->ctx, &rejected);
}

static void
config_reject(struct config *config, const char *at, const struct err *err)
{
	config_reject_at(config, config_place(config, at), NULL, err);
}

static struct ipc_bytes
config_bytes(const struct buffer *buffer)
{
	return (struct ipc_bytes){ (const uint8_t *)buffer->data,
		buffer->len };
}

/* What an entry has become, as a message; it points into the entry. */
static struct ipc_entry
config_message(const struct entry *entry, struct place place)
{
	int remote = entry->remote != CONFIG_STDIO;
	struct ipc_entry row = { .line = place.line,
		.column = place.column,
		.remote = entry->remote,
		.disabled = entry->disabled,
		.shared = entry->shared,
		.name = entry->name,
		.command = remote ? entry->url : entry->command,
		.cwd = entry->cwd == NULL || remote ? "" : entry->cwd,
		.description =
		    entry->description == NULL ? "" : entry->description,
		.narrowed = entry->narrowed };

	if (!remote)
		row.args = config_bytes(&entry->args);
	row.env = config_bytes(remote ? &entry->headers : &entry->env);
	row.allow = config_bytes(&entry->allow);
	row.deny = config_bytes(&entry->deny);
	return row;
}

/* Entries */

/* Whether a list of strings has this one. */
static int
config_lists(struct json_span list, const char *name)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span element;

	if (json_span_kind(list) != JSON_SPAN_ARRAY)
		return 0;
	while (json_span_next_element(&walk, &element))
		if (json_span_is(element, name))
			return 1;
	return 0;
}

/* What the file says of it elsewhere. */
static int
config_is_disabled(const struct config *config, const char *name)
{
	return (config->excluded.p != NULL &&
	    config_lists(config->excluded, name)) ||
	    (config->allowed.p != NULL &&
	    !config_lists(config->allowed, name));
}

/* Where the row that was told last stands, if that was asked for. */
static void
config_tell_spot(const struct config *config, struct json_span name,
    struct json_span value)
{
	if (config->spots.written == NULL)
		return;
	if (config->row->translate == NULL)
		spots_tell_member(&config->spots, name, value);
	else
		spots_tell_sections(&config->spots, name, value);
}

static void
config_read_entry(struct config *config, struct json_span name,
    struct json_span value)
{
	struct entry entry = { .shape = config->file->shape };
	struct ipc_entry row;
	struct err err;

	if (entry_read(&entry, name, value, &err) == 0) {
		entry.disabled |= config_is_disabled(config, entry.name);
		row = config_message(&entry, config_place(config, name.p));
		config->sink->server(config->sink->ctx, &row);
	} else {
		config_reject_at(
		    config, config_place(config, entry.at), &entry, &err);
	}
	config_tell_spot(config, name, value);
	entry_reset(&entry);
}

/* Returns -1, and says so once, when there are too many. */
static int
config_count(struct config *config, const char *at)
{
	struct err err;

	if (config->entries++ < CONFIG_ENTRIES_MAX)
		return 0;
	config->unfit = "it has too many servers";
	err_set(&err, "more than %d servers in one file: this one and those "
	    "behind it are left out", CONFIG_ENTRIES_MAX);
	config_reject(config, at, &err);
	return -1;
}

/* A list of entries that have their names in them. Returns -1 to stop. */
static int
config_read_list(struct config *config, struct json_span servers)
{
	struct json_span_walk walk = json_span_walk(servers);
	struct json_span value, name;
	struct err err;

	while (json_span_next_element(&walk, &value)) {
		if (config_count(config, value.p) == -1)
			return -1;
		if (json_span_kind(value) == JSON_SPAN_OBJECT &&
		    json_span_get(value, "name", &name) == 1) {
			config_read_entry(config, name, value);
			continue;
		}
		err_set(&err, "each element of \"mcpServers\" must have one "
		    "\"name\"");
		config_reject(config, value.p, &err);
	}
	return 0;
}

/* The servers below one member of the file. Returns -1 to stop. */
static int
config_read_servers(
    struct config *config, const char *key, struct json_span servers)
{
	struct json_span_walk walk = json_span_walk(servers);
	struct json_span name, value;
	struct err err;

	if (json_span_kind(servers) == JSON_SPAN_ARRAY &&
	    config->file->shape == CONFIG_SHAPE_CONTINUE)
		return config_read_list(config, servers);
	if (json_span_kind(servers) == JSON_SPAN_NULL && config->row->other)
		return 0;
	if (json_span_kind(servers) != JSON_SPAN_OBJECT) {
		err_set(&err, "\"%s\" must be an object whose members are "
		    "servers, such as {\"name\": {\"command\": \"npx\"}}", key);
		config_reject(config, servers.p, &err);
		return 0;
	}
	while (json_span_next_member(&walk, &name, &value)) {
		if (config_count(config, name.p) == -1)
			return -1;
		config_read_entry(config, name, value);
	}
	return 0;
}

/* Where they are one deeper: "servers", which is no server itself. */
static struct json_span
config_below_mcp(struct json_span mcp)
{
	struct json_span servers, member;

	if (json_span_kind(mcp) != JSON_SPAN_OBJECT ||
	    json_span_get(mcp, "servers", &servers) != 1 ||
	    json_span_kind(servers) != JSON_SPAN_OBJECT)
		return mcp;
	if (json_span_get(servers, "command", &member) > 0 &&
	    json_span_kind(member) != JSON_SPAN_OBJECT)
		return mcp;
	if (json_span_get(servers, "url", &member) > 0 &&
	    json_span_kind(member) != JSON_SPAN_OBJECT)
		return mcp;
	return servers;
}

/* Files */

/* Claude Code: what holds for the folder stands before what holds for all. */
static int
config_read_project(struct config *config, struct json_span file)
{
	struct json_span projects, project, servers;

	if (config->file->folder[0] == '\0' ||
	    json_span_get(file, "projects", &projects) != 1 ||
	    json_span_get(projects, config->file->folder, &project) != 1)
		return 0;
	if (json_span_get(project, "disabledMcpServers", &servers) == 1)
		config->excluded = servers;
	if (json_span_get(project, "mcpServers", &servers) != 1)
		return 0;
	return config_read_servers(config, "mcpServers", servers);
}

/* Gemini: which servers of the file are used. */
static void
config_read_choice(struct config *config, struct json_span file)
{
	struct json_span mcp, names;

	if (json_span_get(file, "mcp", &mcp) != 1)
		return;
	if (json_span_get(mcp, "excluded", &names) == 1)
		config->excluded = names;
	if (json_span_get(mcp, "allowed", &names) == 1 &&
	    json_span_kind(names) == JSON_SPAN_ARRAY)
		config->allowed = names;
}

/* What a file has of the members that hold servers. */
struct config_found {
	struct json_span values[CONFIG_KEYS];
	int counts[CONFIG_KEYS];
};

static void
config_find(const struct config *config, struct json_span file,
    struct config_found *found)
{
	struct json_span_walk walk = json_span_walk(file);
	const char *const *keys = config->row->keys;
	struct json_span name, value;
	size_t i;

	memset(found, 0, sizeof(*found));
	while (json_span_next_member(&walk, &name, &value))
		for (i = 0; i < CONFIG_KEYS && keys[i] != NULL; i++)
			if (json_span_is(name, keys[i])) {
				found->values[i] = value;
				found->counts[i]++;
			}
}

/* Reads the members that hold servers; returns whether there are any. */
static int
config_read_members(struct config *config, struct json_span file)
{
	const char *const *keys = config->row->keys;
	struct config_found found;
	struct err err;
	size_t i;
	int any = 0;

	config_find(config, file, &found);
	for (i = 0; i < CONFIG_KEYS && keys[i] != NULL; i++) {
		if (found.counts[i] == 0)
			continue;
		any = 1;
		if (strcmp(keys[i], "mcp") == 0)
			found.values[i] = config_below_mcp(found.values[i]);
		if (found.counts[i] > 1 ||
		    json_span_kind(found.values[i]) != JSON_SPAN_OBJECT)
			config->unfit = "its list of servers is no object";
		else if (config->spots.list.p == NULL)
			config->spots.list = found.values[i];
		if (found.counts[i] > 1) {
			err_set(&err, "\"%s\" stands in the file more than "
			    "once: make one of them", keys[i]);
			config_reject(config, found.values[i].p, &err);
		} else if (config_read_servers(
		               config, keys[i], found.values[i]) == -1) {
			break;
		}
	}
	return any;
}

/* Where one more entry goes, if that was asked for. */
static void
config_tell_gap(const struct config *config, struct json_span file)
{
	if (config->spots.written == NULL)
		return;
	if (config->unfit != NULL)
		spots_tell_none(&config->spots, config->unfit);
	else if (config->row->translate == NULL)
		spots_tell_gap(&config->spots, file);
	else
		spots_tell_end(&config->spots);
}

static void
config_read_file(struct config *config, struct json_span file)
{
	struct err err;

	if (json_span_kind(file) == JSON_SPAN_NULL &&
	    config->row->translate != NULL)
		return; /* comments alone */
	if (json_span_kind(file) != JSON_SPAN_OBJECT) {
		err_set(&err, "the file must be one JSON object, such as "
		    "{\"mcpServers\": {\"name\": {\"command\": \"npx\"}}}");
		config_reject(config, file.p, &err);
		return;
	}
	if (config->file->shape == CONFIG_SHAPE_CLAUDE &&
	    config_read_project(config, file) == -1)
		return;
	if (config->file->shape == CONFIG_SHAPE_GEMINI)
		config_read_choice(config, file);
	if (config_read_members(config, file) || config->row->other) {
		config_tell_gap(config, file);
		return;
	}
	err_set(&err, "the file has no member \"mcpServers\" (nor "
	    "\"servers\"), so it defines no server");
	config_reject(config, file.p, &err);
}

/* JSON */

/*
 * The scanner says the place as " at byte N", the last words of its sentence:
 * takes them off and returns that byte.
 */
static const char *
config_take_place(const struct config *config, struct err *err)
{
	char *found = NULL, *next = err->text;
	size_t byte;

	while ((next = strstr(next, " at byte ")) != NULL)
		found = next++;
	if (found == NULL)
		return config->text;
	byte = strtoul(found + strlen(" at byte "), NULL, 10);
	if (found > err->text && found[-1] == ',')
		found--;
	*found = '\0';
	if (byte == 0 || byte - 1 > config->len)
		byte = config->len + 1;
	return config->text + byte - 1;
}

/* Returns whether it could be parsed, as the next two do. */
static int
config_read_json(struct config *config)
{
	struct json_span file;
	struct err err;

	config->walk = place_walk(config->text, config->len);
	if (json_span_parse(config->text, config->len, &file, &err) == 0) {
		config_read_file(config, file);
		return 1;
	}
	config_reject(config, config_take_place(config, &err), &err);
	return 0;
}

static int
config_read_jsonc(struct config *config, char *data, size_t len)
{
	struct err err;
	size_t at;

	config->text = data;
	config->len = len;
	config->walk = place_walk(data, len);
	if (jsonc_blank(data, len, &at, &err) == 0)
		return config_read_json(config);
	config_reject(config, config->text + at, &err);
	return 0;
}

static void
config_begin_spots(
    struct config *config, const char *written, size_t len)
{
	config->spots.sink = config->sink->spots;
	config->spots.written = written;
	config->spots.len = len;
}

/* The same, with the bytes as they are beside those that are blanked. */
static int
config_read_spots(struct config *config, char *data, size_t len)
{
	auto_free char *written = NULL;

	if (config->sink->spots == NULL)
		return config_read_jsonc(config, data, len);
	written = mem_dup(data, len);
	config_begin_spots(config, written, len);
	config->spots.text = data;
	return config_read_jsonc(config, data, len);
}

/* The statements of TOML; those of YAML cannot be told apart. */
static void
config_outline(struct config *config, const char *data, size_t len)
{
	struct err err;

	if (config->sink->spots == NULL)
		return;
	config_begin_spots(config, data, len);
	if (config->row->translate != toml_translate ||
	    toml_outline(data, len, &config->spots.outline, &err) == -1)
		config->unfit = "it is a file of YAML";
}

/* TOML or YAML */
static int
config_read_translated(struct config *config, const char *data, size_t len)
{
	struct place place = { 1, 1 };
	struct err err;
	int read, parsed = 0;

	if (len > CONFIG_TREE_MAX)
		read = err_set(&err, "the file is larger than %lu bytes, which "
		    "no file of this kind is", CONFIG_TREE_MAX);
	else
		read = config->row->translate(
		    data, len, &config->translation, &place, &err);
	if (read == 0) {
		config_outline(config, data, len);
		config->text = config->translation.json.data;
		config->len = config->translation.json.len;
		parsed = config_read_json(config);
	} else {
		config_reject_at(config, place, NULL, &err);
	}
	translation_reset(&config->translation);
	outline_reset(&config->spots.outline);
	return parsed;
}

/* Whether there is nothing in it, not even an empty object. */
static int
config_is_blank(const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (data[i] == '\0' || strchr(" \t\r\n", data[i]) == NULL)
			return 0;
	return 1;
}

int
config_read(char *data, size_t len, const struct config_file *file,
    const struct config_sink *sink)
{
	struct config config = { .file = file,
		.row = &config_rows[file->shape],
		.sink = sink };
	char none[] = "";

	/* A client makes its file before it has something to write. */
	if (config.row->other && config_is_blank(data, len)) {
		config_begin_spots(&config, data, len);
		if (sink->spots != NULL)
			spots_tell_whole(&config.spots);
		return 0;
	}
	if (config.row->translate == NULL)
		return config_read_spots(
		    &config, data == NULL ? none : data, len);
	return config_read_translated(
	    &config, data == NULL ? none : data, len);
}
