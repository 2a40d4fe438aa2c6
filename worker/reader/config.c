/*
 * Reads a configuration file into rows: see config.h. This file converts its
 * bytes to JSON, which config_members.c reads. Runs in the reader; the bytes
 * are untrusted. A file may have CONFIG_FILE_MAX bytes: it is parsed in place,
 * and scanned once for each depth of interest.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "config.h"
#include "config_members.h"
#include "jsonc.h"
#include "toml.h"
#include "yaml.h"

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
	[CONFIG_SHAPE_MCP] = { NULL, { "mcp", "mcp.servers" }, 1 },
	[CONFIG_SHAPE_CODEX] = { toml_translate, { "mcp_servers" }, 1 },
	[CONFIG_SHAPE_GOOSE] = { yaml_translate, { "extensions" }, 1 },
	[CONFIG_SHAPE_CONTINUE] = { yaml_translate, { "mcpServers" }, 1 },
};

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
config_begin_locations(
    struct config *config, const char *written, size_t len)
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
	struct config config = { .file = file,
		.row = &config_rows[file->shape],
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
	return config_read_translated(
	    &config, data == NULL ? none : data, len);
}
