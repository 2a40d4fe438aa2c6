/*
 * The reports about a configuration file: see config_tell.h. Runs in the
 * reader.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/utf8.h"
#include "config_tell.h"

struct place
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

void
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
	config->sink->tell(config->sink->ctx, IPC_REJECTED, &rejected);
}

void
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

struct ipc_entry
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
