/* A kept file as a client sees it: see answer.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/file_name.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/utf8.h"
#include "../../peers/files.h"
#include "answer.h"

#define FILE_LINK_VERSION "?version="

static int
file_link_has_conversation(const struct file_link *link)
{
	return link->conversation != NULL && link->conversation[0] != '\0';
}

void
file_link_add_uri(struct buffer *text, const struct file_link *link)
{
	if (file_link_has_conversation(link)) {
		buffer_add_text(text, FILE_LINK_CONVERSATIONS);
		file_url_encode(text, link->conversation, "-._~");
		buffer_add_text(text, "/");
	} else {
		buffer_add_text(text, FILE_LINK_PREFIX);
	}
	file_url_encode(text, link->name, "-._~/");
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
	if (link->url == NULL)
		return;
	buffer_add_text(json, ",\"_meta\":{\"caisson/url\":");
	json_add_text(json, link->url);
	buffer_add_text(json, "}");
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
file_link_add_line(struct buffer *text, const struct file_link *link,
    const char *scope)
{
	buffer_add_text(text, "file: ");
	if (file_link_has_conversation(link))
		buffer_add_text(text, "/data/");
	shown_add(text, link->name, strlen(link->name));
	buffer_add_text(text, " (");
	file_link_add_size(text, link->size);
	if (link->version > 1)
		buffer_printf(text, ", version %llu",
		    (unsigned long long)link->version);
	if (link->size > FILE_READ_MAX)
		buffer_printf(text, ", too large to be read: 'caisson files "
		    "save%s%s'", FILES_OWNER_FLAG(scope));
	buffer_add_text(text, ")");
}

/* Returns whether a URI has more than this prefix. */
static int
file_link_begins(struct json_span uri, const char *prefix)
{
	size_t len = strlen(prefix);

	return json_span_kind(uri) == JSON_SPAN_STRING && uri.len > len + 2 &&
	    memcmp(uri.p + 1, prefix, len) == 0;
}

int
file_link_is(struct json_span uri)
{
	return file_link_begins(uri, FILE_LINK_PREFIX) ||
	    file_link_begins(uri, FILE_LINK_CONVERSATIONS);
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

/*
 * Splits the id of a conversation, which is decoded, from the name after it.
 * Returns the name in text, or NULL if there is no valid id.
 */
static char *
file_link_split(char *text, char **conversation)
{
	char *slash = strchr(text, '/');

	if (slash == NULL)
		return NULL;
	*slash = '\0';
	if (file_url_decode(text) == -1 ||
	    !conversation_id_valid(text, strlen(text)))
		return NULL;
	*conversation = text;
	return slash + 1;
}

/*
 * Returns the decoded name of a file, which the caller frees, and the id of the
 * conversation that precedes it if talk is set; NULL if they are not valid.
 */
static char *
file_link_read_rest(char *text, int talk, char **conversation)
{
	char *id = NULL;
	char *name = talk ? file_link_split(text, &id) : text;

	if (name == NULL || file_url_decode(name) == -1 || *name == '\0' ||
	    strlen(name) > FILE_NAME_MAX || !utf8_valid(name, strlen(name)))
		return NULL;
	*conversation = mem_strdup(id);
	return mem_strdup(name);
}

/* Cuts the query off a text. Returns 0, or -1 if it asks for no version. */
static int
file_link_cut_query(char *text, uint64_t *version)
{
	const size_t prefix = strlen(FILE_LINK_VERSION);
	char *query = strchr(text, '?');
	int n = 0;

	*version = 0;
	if (query == NULL)
		return 0;
	if (strncmp(query, FILE_LINK_VERSION, prefix) != 0 ||
	    file_link_read_version(query + prefix, version) == -1)
		n = -1;
	*query = '\0';
	return n;
}

char *
file_link_read_path(const char *path, size_t len, uint64_t *version,
    char **conversation)
{
	auto_free char *text = mem_dup(path, len);

	*conversation = NULL;
	if (file_link_cut_query(text, version) == -1)
		return NULL;
	return file_link_read_rest(
	    text, strchr(text, '/') != NULL, conversation);
}

char *
file_link_read(struct json_span uri, uint64_t *version, char **conversation)
{
	int talk = file_link_begins(uri, FILE_LINK_CONVERSATIONS);
	size_t len, prefix =
	    strlen(talk ? FILE_LINK_CONVERSATIONS : FILE_LINK_PREFIX);
	auto_free char *text = json_span_string(uri, &len, NULL);

	*version = 0;
	*conversation = NULL;
	if (text == NULL || strlen(text) != len || len <= prefix ||
	    file_link_cut_query(text + prefix, version) == -1)
		return NULL;
	return file_link_read_rest(text + prefix, talk, conversation);
}
