/*
 * A configuration file as rows: see config.h. Runs in the reader; the bytes
 * are a stranger's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/json_span.h"
#include "../../common/mem.h"
#include "../../common/utf8.h"
#include "config.h"
#include "entry.h"
#include "jsonc.h"
#include "place.h"

/* The members whose members are servers, as clients call them. */
static const char *const config_keys[] = {
	"mcpServers",
	"servers",
	"mcp_servers",
	"context_servers",
};

struct config {
	const char *original; /* for places */
	char *text;           /* the same with comments made blank */
	size_t len;
	size_t entries;
	const struct config_sink *sink;
};

static struct place
config_place(const struct config *config, const char *at)
{
	return place_find(
	    config->original, config->len, (size_t)(at - config->text));
}

/* Cuts text to at most max bytes, between two characters. */
static void
config_cut(char *out, size_t max, const char *text)
{
	size_t len = strnlen(text, max);

	len -= utf8_incomplete_tail(text, len);
	memcpy(out, text, len);
	out[len] = '\0';
}

static void
config_reject(const struct config *config, const char *at, const char *name,
    const struct err *err)
{
	char name_cut[CONFIG_NAME_MAX + 1], reason[CONFIG_REASON_MAX + 1];
	struct place place = config_place(config, at);
	struct ipc_rejected rejected = { .line = place.line,
		.column = place.column,
		.name = name_cut,
		.reason = reason };

	config_cut(name_cut, CONFIG_NAME_MAX, name);
	config_cut(reason, CONFIG_REASON_MAX, err->text);
	config->sink->rejected(config->sink->ctx, &rejected);
}

/* What an entry has become, as a message; it points into the entry. */
static struct ipc_server
config_row(const struct entry *entry, struct place place)
{
	struct ipc_server row = { .line = place.line,
		.column = place.column,
		.remote = entry->remote,
		.disabled = entry->disabled,
		.name = entry->name,
		.command = entry->command == NULL ? "" : entry->command,
		.cwd = entry->cwd == NULL ? "" : entry->cwd,
		.description =
		    entry->description == NULL ? "" : entry->description,
		.narrowed = entry->narrowed };

	row.args = (struct ipc_bytes){ (const uint8_t *)entry->args.data,
		entry->args.len };
	row.env = (struct ipc_bytes){ (const uint8_t *)entry->env.data,
		entry->env.len };
	row.allow = (struct ipc_bytes){ (const uint8_t *)entry->allow.data,
		entry->allow.len };
	row.deny = (struct ipc_bytes){ (const uint8_t *)entry->deny.data,
		entry->deny.len };
	return row;
}

static void
config_read_entry(struct config *config, struct json_span name,
    struct json_span value)
{
	struct entry entry = { 0 };
	struct ipc_server row;
	struct err err;

	if (entry_read(&entry, name, value, &err) == 0) {
		row = config_row(&entry, config_place(config, name.p));
		config->sink->server(config->sink->ctx, &row);
	} else {
		config_reject(config, entry.at,
		    entry.name == NULL ? "" : entry.name, &err);
	}
	entry_reset(&entry);
}

/* The servers below one member of the file. Returns -1 to stop. */
static int
config_read_servers(
    struct config *config, const char *key, struct json_span servers)
{
	struct json_span_walk walk = json_span_walk(servers);
	struct json_span name, value;
	struct err err;

	if (json_span_kind(servers) != JSON_SPAN_OBJECT) {
		err_set(&err, "\"%s\" must be an object whose members are "
		    "servers, such as {\"name\": {\"command\": \"npx\"}}", key);
		config_reject(config, servers.p, "", &err);
		return 0;
	}
	while (json_span_next_member(&walk, &name, &value)) {
		if (config->entries++ == CONFIG_ENTRIES_MAX) {
			err_set(&err, "more than %d servers in one file: this "
			    "one and those behind it are left out",
			    CONFIG_ENTRIES_MAX);
			config_reject(config, name.p, "", &err);
			return -1;
		}
		config_read_entry(config, name, value);
	}
	return 0;
}

/* Reads the members that hold servers; returns whether there are any. */
static int
config_read_members(struct config *config, struct json_span file)
{
	struct json_span value;
	struct err err;
	size_t i;
	int count, found = 0;

	for (i = 0; i < sizeof(config_keys) / sizeof(config_keys[0]); i++) {
		count = json_span_get(file, config_keys[i], &value);
		if (count == 0)
			continue;
		found = 1;
		if (count > 1) {
			err_set(&err, "\"%s\" stands in the file more than "
			    "once: make one of them", config_keys[i]);
			config_reject(config, value.p, "", &err);
		} else if (config_read_servers(
		               config, config_keys[i], value) == -1) {
			break;
		}
	}
	return found;
}

static void
config_read_file(struct config *config, struct json_span file)
{
	struct err err;

	if (json_span_kind(file) != JSON_SPAN_OBJECT)
		err_set(&err, "the file must be one JSON object, such as "
		    "{\"mcpServers\": {\"name\": {\"command\": \"npx\"}}}");
	else if (config_read_members(config, file))
		return;
	else
		err_set(&err, "the file has no member \"mcpServers\" (nor "
		    "\"servers\"), so it defines no server");
	config_reject(config, file.p, "", &err);
}

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

void
config_read(const char *data, size_t len, const struct config_sink *sink)
{
	auto_free char *text = mem_dup(data, len);
	struct config config = { .original = data,
		.text = text,
		.len = len,
		.sink = sink };
	struct json_span file;
	struct err err;
	size_t at;

	if (jsonc_blank(text, len, &at, &err) == -1)
		config_reject(&config, text + at, "", &err);
	else if (json_span_parse(text, len, &file, &err) == -1)
		config_reject(
		    &config, config_take_place(&config, &err), "", &err);
	else
		config_read_file(&config, file);
}
