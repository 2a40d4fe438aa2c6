/*
 * Reads a configuration file into rows: see config.h. Its bytes become JSON,
 * whose members are reported. Runs in the reader; the bytes are untrusted. A
 * file may have CONFIG_FILE_MAX bytes: it is parsed in place, and scanned once
 * for each depth of interest.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "config.h"
#include "entry.h"
#include "jsonc.h"
#include "toml.h"
#include "yaml.h"

#define CONFIG_KEYS 6

/* The properties of a file format. */
struct config_row {
	int (*translate)(const char *text, size_t len,
	    struct translation *translation, struct place *place,
	    struct err *err); /* NULL for JSON */
	const char *keys[CONFIG_KEYS]; /* the object whose members are servers
				        */
	int other; /* a client's file: the list may be absent */
};

struct config {
	const struct config_file *file;
	const struct config_row *row;
	const char *text; /* JSON */
	size_t len;
	struct place_walk walk; /* position in the text, if the file is JSON */
	struct translation translation;
	struct json_span description; /* of all its servers, if p is set */
	struct json_span excluded; /* names of disabled servers, if p is set */
	struct json_span allowed;  /* names of the only enabled ones, if p is
				    * set */
	size_t entries;
	struct locations locations; /* if positions are requested */
	const char *unfit;  /* why no entry can be added, if so */
	const struct config_sink *sink;
};

#define CONFIG_PLAIN_KEYS                                                      \
	{                                                                      \
		"mcpServers", "servers", "mcp_servers", "context_servers",     \
		    "mcp"                                                      \
	}

static const struct config_row config_rows[CONFIG_SHAPES] = {
	[CONFIG_SHAPE_PLAIN] = { NULL, CONFIG_PLAIN_KEYS, 0 },
	[CONFIG_SHAPE_PLAIN_TOML] = { toml_translate, CONFIG_PLAIN_KEYS, 0 },
	[CONFIG_SHAPE_CLIENT] = { NULL, { "mcpServers", "servers",
	    "mcp_servers", "context_servers" }, 1 },
	[CONFIG_SHAPE_CLAUDE] = { NULL, { "mcpServers" }, 1 },
	[CONFIG_SHAPE_GEMINI] = { NULL, { "mcpServers" }, 1 },
	[CONFIG_SHAPE_ZED] = { NULL, { "context_servers" }, 1 },
	[CONFIG_SHAPE_MCP] = { NULL, { "mcp", "mcp.servers", "mcpServers" },
	    1 },
	[CONFIG_SHAPE_CODEX] = { toml_translate, { "mcp_servers" }, 1 },
	[CONFIG_SHAPE_GOOSE] = { yaml_translate, { "extensions" }, 1 },
	[CONFIG_SHAPE_CONTINUE] = { yaml_translate, { "mcpServers" }, 1 },
};

/* Reports */

/* Returns line and column of a byte of the text. */
static struct place
config_place(struct config *config, const char *at)
{
	size_t offset = (size_t)(at - config->text);

	return config->row->translate == NULL ?
	    place_find(&config->walk, offset) :
	    translation_place(&config->translation, offset);
}

/* Cuts text to at most max bytes, between two characters. */
static void
config_cut(char *out, size_t max, const char *text)
{
	size_t len = utf8_cut(text, strlen(text), max);

	memcpy(out, text, len);
	out[len] = '\0';
}

/* Reports why an entry, or the file (NULL), is rejected, with its position. */
static void
config_reject_at(const struct config *config, struct place place,
    const struct entry *entry, const struct err *err)
{
	char name[CONFIG_NAME_MAX + 1], reason[CONFIG_REASON_MAX + 1];
	struct ipc_rejected rejected = { .line = place.line,
		.column = place.column, .name = name, .reason = reason };

	config_cut(name, CONFIG_NAME_MAX,
	    entry == NULL || entry->name == NULL ? "" : entry->name);
	config_cut(reason, CONFIG_REASON_MAX, err->text);
	rejected.foreign = entry != NULL && entry->foreign;
	config->sink->tell(config->sink->ctx, IPC_REJECTED, &rejected);
}

/*
 * The same for a fault that starts at this byte of the text and is not in an
 * entry.
 */
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

/* Converts an entry to a message, which points into the entry. */
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
		.narrowed = entry->narrowed,
		.concurrency = entry->concurrency };

	if (!remote)
		row.args = config_bytes(&entry->args);
	row.env = config_bytes(remote ? &entry->headers : &entry->env);
	row.allow = config_bytes(&entry->allow);
	row.deny = config_bytes(&entry->deny);
	row.others = config_bytes(&entry->others);
	return row;
}

/* Entries */

/* Whether a list of strings contains this one. */
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

/* Applies settings about the entry elsewhere in the file. */
static int
config_is_disabled(const struct config *config, const char *name)
{
	return (config->excluded.p != NULL &&
	    config_lists(config->excluded, name)) ||
	    (config->allowed.p != NULL &&
	    !config_lists(config->allowed, name));
}

/* Reports the position of the last reported row, if requested. */
static void
config_tell_location(const struct config *config, struct json_span name,
    struct json_span value)
{
	if (config->locations.written == NULL)
		return;
	if (config->row->translate == NULL)
		locator_tell_member(&config->locations, name, value);
	else
		locator_tell_sections(&config->locations, name, value);
}

/* Returns what the file says of all its servers, or NULL. */
static char *
config_description(const struct config *config)
{
	auto_free char *text = NULL;
	struct err err;
	size_t len;

	if (config->description.p == NULL ||
	    json_span_kind(config->description) != JSON_SPAN_STRING)
		return NULL;
	text = json_span_string(config->description, &len, &err);
	return text == NULL || strlen(text) != len ||
	        len > CONFIG_DESCRIPTION_MAX ? NULL : mem_take(&text);
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
		if (entry.description == NULL)
			entry.description = config_description(config);
		row = config_message(&entry, config_place(config, name.p));
		config->sink->tell(config->sink->ctx, IPC_ENTRY, &row);
	} else {
		config_reject_at(
		    config, config_place(config, entry.at), &entry, &err);
	}
	config_tell_location(config, name, value);
	entry_reset(&entry);
}

/* Returns -1, after reporting it once, if there are too many. */
static int
config_count(struct config *config, const char *at)
{
	struct err err;

	if (config->entries++ < CONFIG_ENTRIES_MAX)
		return 0;
	config->unfit = "it has too many servers";
	err_set(&err, "more than %d servers in one file: this one and those "
	    "after it are left out", CONFIG_ENTRIES_MAX);
	config_reject(config, at, &err);
	return -1;
}

/* A list of entries that contain their names. Returns -1 to stop. */
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

/* Servers one level deeper: "servers", which is not a server itself. */
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

/* Claude Code: entries of the directory precede those for all directories. */
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

/* Gemini: the servers of the file that are enabled. */
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

/* The members of a file that contain servers. */
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

/* Reads the members that contain servers; returns whether there are any. */
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
			config->unfit = "its list of servers is not an object";
		else if (config->locations.list.p == NULL)
			config->locations.list = found.values[i];
		if (found.counts[i] > 1) {
			err_set(&err, "\"%s\" is in the file more than once: "
			    "merge them into one", keys[i]);
			config_reject(config, found.values[i].p, &err);
		} else if (config_read_servers(
		               config, keys[i], found.values[i]) == -1) {
			break;
		}
	}
	return any;
}

/* Reports where an entry can be added, if requested. */
static void
config_tell_gap(const struct config *config, struct json_span file)
{
	if (config->locations.written == NULL)
		return;
	if (config->unfit != NULL)
		locator_tell_none(&config->locations, config->unfit);
	else if (config->row->translate == NULL)
		locator_tell_gap(&config->locations, file);
	else
		locator_tell_end(&config->locations);
}

/* Reads the single value of a file, and reports each entry in order. */
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
	if (json_span_get(file, "description", &config->description) != 1)
		config->description.p = NULL;
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
 * The scanner reports the position as " at byte N" at the end of its sentence:
 * removes that and returns the byte.
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

/* Returns whether it could be parsed, like the next two functions. */
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
config_begin_locations(struct config *config, const char *written, size_t len)
{
	config->locations.sink = config->sink;
	config->locations.written = written;
	config->locations.len = len;
}

/* The same, keeping the original bytes beside those that are blanked. */
static int
config_read_locations(struct config *config, char *data, size_t len)
{
	auto_free char *written = NULL;

	if (!config->sink->locations)
		return config_read_jsonc(config, data, len);
	written = mem_dup(data, len);
	config_begin_locations(config, written, len);
	config->locations.text = data;
	return config_read_jsonc(config, data, len);
}

/* TOML or YAML */
static int
config_read_translated(struct config *config, const char *data, size_t len)
{
	struct place place = { 1, 1 };
	struct err err;
	int read, parsed = 0;

	if (config->sink->locations) {
		config_begin_locations(config, data, len);
		config->translation.outline = &config->locations.outline;
		if (config->row->translate != toml_translate)
			config->unfit = "it is a file of YAML";
	}
	if (len > CONFIG_TREE_MAX)
		read = err_set(&err, "the file is larger than the limit of "
		    "%lu bytes", CONFIG_TREE_MAX);
	else
		read = config->row->translate(
		    data, len, &config->translation, &place, &err);
	if (read == 0) {
		config->text = config->translation.json.data;
		config->len = config->translation.json.len;
		parsed = config_read_json(config);
	} else {
		config_reject_at(config, place, NULL, &err);
	}
	translation_reset(&config->translation);
	outline_reset(&config->locations.outline);
	return parsed;
}

/* Whether it is empty, without even an empty object. */
static int
config_is_blank(const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (data[i] == '\0' || strchr(" \t\r\n", data[i]) == NULL)
			return 0;
	return 1;
}

/* Whether it is UTF-16, as some editors write, with a mark or without. */
static int
config_is_utf16(const char *data, size_t len)
{
	return len >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 ||
	    memcmp(data, "\xfe\xff", 2) == 0 ||
	    (data[0] == '\0') != (data[1] == '\0'));
}

int
config_read(char *data, size_t len, const struct config_file *file,
    const struct config_sink *sink)
{
	struct config config = { .file = file, .row = &config_rows[file->shape],
		.sink = sink };
	char none[] = "";
	struct err err;

	if (config_is_utf16(data, len)) {
		err_set(&err, "the file is UTF-16: save it as UTF-8");
		config_reject_at(&config, (struct place){ 1, 1 }, NULL, &err);
		return 0;
	}
	/* A client creates its file before it has anything to write. */
	if (config.row->other && config_is_blank(data, len)) {
		config_begin_locations(&config, data, len);
		if (sink->locations)
			locator_tell_whole(&config.locations);
		return 0;
	}
	if (config.row->translate == NULL)
		return config_read_locations(
		    &config, data == NULL ? none : data, len);
	return config_read_translated(&config, data == NULL ? none : data, len);
}
