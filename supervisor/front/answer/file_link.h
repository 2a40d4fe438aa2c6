/*
 * A kept file in messages to a client: its URI, and links to it. Runs in the
 * supervisor; pure functions.
 */
#ifndef SUPERVISOR_FILE_LINK_H
#define SUPERVISOR_FILE_LINK_H

#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"

#define FILE_LINK_PREFIX "resource://caisson/files/"
/* Followed by the id of the conversation, a slash and the name. */
#define FILE_LINK_CONVERSATIONS "resource://caisson/conversations/"

/* A kept file; version 0: the newest. */
struct file_link {
	const char *name;
	uint64_t version;
	uint64_t size;
	const char *type; /* media type */
	const char *conversation; /* its id; NULL or empty: none */
};

/*
 * Appends its URI. All characters but the unreserved ones of RFC 3986 are
 * percent-encoded.
 */
void file_link_add_uri(struct buffer *text, const struct file_link *link);

/*
 * Appends the members that a Resource and a ResourceLink of MCP have in common,
 * without the braces: uri, name, mimeType and size.
 */
void file_link_add_members(struct buffer *json, const struct file_link *link);

/* Appends its size for people: "12 kB". */
void file_link_add_size(struct buffer *text, uint64_t size);

/*
 * Appends a line about it, without a newline: "file: a.csv (12 kB)", or "file:
 * /data/a.csv (12 kB)" for one of a conversation. Invisible characters and
 * control characters in its name are escaped.
 */
void file_link_add_line(struct buffer *text, const struct file_link *link);

/* Returns whether a URI, a JSON string, has the prefix of files. */
int file_link_is(struct json_span uri);

/*
 * Returns the name in a URI, the version (0: none is given), and the id of its
 * conversation (NULL: none); the caller frees both texts. Returns NULL if it is
 * not the URI of a file.
 */
char *file_link_read(
    struct json_span uri, uint64_t *version, char **conversation);

#endif
