/*
 * A kept file as a client sees it: see file_link.h. Runs in the supervisor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/json.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../../common/utf8.h"
#include "file_link.h"

#define FILE_LINK_VERSION "?version="

static int
file_link_is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') ||
	    (c != '\0' && strchr("-._~", c) != NULL);
}

void
file_link_add_uri(struct buffer *text, const struct file_link *link)
{
	const char *at;

	buffer_add_text(text, FILE_LINK_PREFIX);
	for (at = link->name; *at != '\0'; at++) {
		if (file_link_is_unreserved(*at))
			buffer_add(text, at, 1);
		else
			buffer_printf(text, "%%%02X", (unsigned char)*at);
	}
	if (link->version != 0)
		buffer_printf(text, FILE_LINK_VERSION "%llu",
		    (unsigned long long)link->version);
}

void
file_link_add_members(struct buffer *json, const struct file_link *link)
{
	buffer_add_text(json, "\"uri\":\"");
	file_link_add_uri(json, link);
	buffer_add_text(json, "\",\"name\":");
	json_add_text(json, link->name);
	buffer_add_text(json, ",\"mimeType\":");
	json_add_text(json, link->type);
	buffer_printf(json, ",\"size\":%llu", (unsigned long long)link->size);
}

void
file_link_add_size(struct buffer *text, uint64_t size)
{
	if (size < 1000)
		buffer_printf(text, "%u byte%s", (unsigned int)size,
		    size == 1 ? "" : "s");
	else if (size < 999500)
		buffer_printf(text, "%u kB", (unsigned int)(size + 500) / 1000);
	else
		buffer_printf(text, "%.1f MB", (double)size / 1e6);
}

void
file_link_add_line(struct buffer *text, const struct file_link *link)
{
	buffer_add_text(text, "file: ");
	shown_add(text, link->name, strlen(link->name));
	buffer_add_text(text, " (");
	file_link_add_size(text, link->size);
	if (link->version > 1)
		buffer_printf(text, ", version %llu",
		    (unsigned long long)link->version);
	if (link->size > FILE_READ_MAX)
		buffer_add_text(text,
		    ", too large to be read: 'caisson files save'");
	buffer_add_text(text, ")");
}

int
file_link_is(struct json_span uri)
{
	size_t len = strlen(FILE_LINK_PREFIX);

	return json_span_kind(uri) == JSON_SPAN_STRING && uri.len > len + 2 &&
	    memcmp(uri.p + 1, FILE_LINK_PREFIX, len) == 0;
}

static int
file_link_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes percent-encoding, in place. Returns 0, or -1. */
static int
file_link_decode(char *text)
{
	char *to = text;
	int high, low;

	for (; *text != '\0'; text++) {
		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		high = file_link_hex(text[1]);
		low = high == -1 ? -1 : file_link_hex(text[2]);
		if (low == -1 || (high == 0 && low == 0))
			return -1;
		*to++ = (char)(high << 4 | low);
		text += 2;
	}
	*to = '\0';
	return 0;
}

/* Returns 0, or -1 if the text is not a version number. */
static int
file_link_read_version(const char *text, uint64_t *version)
{
	char *end;

	errno = 0;
	*version = strtoull(text, &end, 10);
	return *text >= '1' && *text <= '9' && *end == '\0' && errno == 0 &&
	        *version <= UINT64_MAX / 2 ? 0 : -1;
}

char *
file_link_read(struct json_span uri, uint64_t *version)
{
	size_t len, prefix = strlen(FILE_LINK_PREFIX);
	auto_free char *text = json_span_string(uri, &len, NULL);
	char *name, *query;

	*version = 0;
	if (text == NULL || strlen(text) != len || len <= prefix)
		return NULL;
	name = text + prefix;
	query = strchr(name, '?');
	if (query != NULL &&
	    (strncmp(query, FILE_LINK_VERSION, strlen(FILE_LINK_VERSION)) !=
	            0 ||
	        file_link_read_version(
	            query + strlen(FILE_LINK_VERSION), version) == -1))
		return NULL;
	if (query != NULL)
		*query = '\0';
	if (file_link_decode(name) == -1 || *name == '\0' ||
	    strlen(name) > FILE_NAME_MAX ||
	    !utf8_valid(name, strlen(name)))
		return NULL;
	return mem_strdup(name);
}
