/*
 * The servers of a configuration file: see config_members.h. Runs in the
 * reader.
 */
#include <string.h>
#include <strings.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "config_members.h"

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
		config->sink->tell(
		    config->sink->ctx, IPC_ENTRY, &row);
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

/*
 * Rejects a member whose name is that of the list of servers in another case.
 * Returns whether there is one.
 */
static int
config_reject_case(struct config *config, struct json_span file)
{
	struct json_span_walk walk = json_span_walk(file);
	const char *const *keys = config->row->keys;
	struct json_span name, value;
	struct err err;
	size_t i;

	while (json_span_next_member(&walk, &name, &value))
		for (i = 0; i < CONFIG_KEYS && keys[i] != NULL; i++) {
			if (name.len != strlen(keys[i]) + 2 ||
			    strncasecmp(name.p + 1, keys[i],
			        name.len - 2) != 0)
				continue;
			err_set(&err, "the member \"%.*s\" is not read: write "
			    "it \"%s\"", (int)name.len - 2, name.p + 1,
			    keys[i]);
			config_reject(config, name.p, &err);
			config->unfit = "the name of its list of servers has "
			    "the wrong case";
			return 1;
		}
	return 0;
}

void
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
	if (config_read_members(config, file) ||
	    config_reject_case(config, file) || config->row->other) {
		config_tell_gap(config, file);
		return;
	}
	err_set(&err, "the file has no member \"mcpServers\" (nor "
	    "\"servers\"), so it defines no server");
	config_reject(config, file.p, &err);
}
