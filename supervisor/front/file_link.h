/*
 * A kept file as a client sees it: its URI, and how it is linked to. Runs in
 * the supervisor; pure functions.
 */
#ifndef SUPERVISOR_FILE_LINK_H
#define SUPERVISOR_FILE_LINK_H

#include <stdint.h>

#include "../../common/buffer.h"
#include "../../common/json_span.h"

#define FILE_LINK_PREFIX "resource://caisson/files/"

/* A file that is kept; version 0: the newest. */
struct file_link {
	const char *name;
	uint64_t version;
	uint64_t size;
	const char *type; /* media type */
};

/*
 * Appends its URI, in which all but the unreserved characters of RFC 3986 are
 * percent-encoded.
 */
void file_link_add_uri(struct buffer *text, const struct file_link *link);

/*
 * Appends the members that a Resource and a ResourceLink of MCP share, without
 * the braces: uri, name, mimeType and size.
 */
void file_link_add_members(struct buffer *json, const struct file_link *link);

/* Appends its size for people: "12 kB". */
void file_link_add_size(struct buffer *text, uint64_t size);

/*
 * Appends a line about it, without its end: "file: a.csv (12 kB)". In its name
 * what is not seen, or what a terminal obeys, is escaped.
 */
void file_link_add_line(struct buffer *text, const struct file_link *link);

/* Whether a URI, a JSON string, may be one of files. */
int file_link_is(struct json_span uri);

/*
 * Returns the name in a URI, which the caller frees, and the version (0: none
 * is named); NULL when it is no URI of a file.
 */
char *file_link_read(struct json_span uri, uint64_t *version);

#endif
