/*
 * The result of a call as MCP specifies it, its forms, and links to files. Runs
 * in the supervisor; but for answers pure functions.
 */
#ifndef SUPERVISOR_ANSWER_H
#define SUPERVISOR_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../../run/run.h"

/* The result of a call as MCP specifies it. */

/* The formats: the words of the option output_mode, in order. */
enum answer_mode {
	ANSWER_COMPACT,
	ANSWER_TOON,
	ANSWER_JSON,
};

struct answer_style {
	enum answer_mode mode;
	const char *word; /* of the mode, static */
	uint64_t max_output; /* limit on the kept bytes of a stream */
	bool structured; /* send structuredContent */
	bool sessions; /* calls can name sessions */
	bool linking; /* send resource links (2025-06-18) */
	/*
	 * The isolation as last sent, in full: in this session, or without
	 * one to this owner. It is sent again, and stored here, when it has
	 * changed. NULL: always send it.
	 */
	char **isolation;
};

/* Returns the style of the options, without the state of a session. */
struct answer_style answer_style(const struct options *options);

/* Appends the CallToolResult object of a concluded call, on one line. */
void answer_add(struct buffer *buffer, const struct call_result *result,
    const struct answer_style *style);

/* Appends a time in the largest unit that loses little: "12 s". */
void answer_add_age(struct buffer *text, uint64_t ms);

/* Appends the CallToolResult of a call that was refused before it ran. */
void answer_add_refusal(struct buffer *buffer, const char *status,
    const char *message, const struct answer_style *style);

/*
 * Writes an object in one of three forms: JSON on one line, indented JSON, or
 * TOON.
 */

enum answer_form_kind {
	FORM_LINE,   /* JSON without white space */
	FORM_PRETTY, /* JSON, indented by two spaces a level */
	FORM_TOON,
};

struct answer_form {
	struct buffer *buffer; /* TOON: empty when the first object begins */
	enum answer_form_kind kind;
	unsigned int depth; /* open objects (JSON: and arrays) */
};

/*
 * Begin and end an object. name is NULL for the first one, which contains the
 * others. Texts are valid UTF-8.
 */
void answer_form_open_object(struct answer_form *form, const char *name);
void answer_form_close_object(struct answer_form *form);

/* Append a member to the open object. */
void answer_form_add_text(
    struct answer_form *form, const char *name, const char *text);
void answer_form_add_number(
    struct answer_form *form, const char *name, long long value);

/* Write an array of count strings: open it, add count items, close it. */
void answer_form_open_array(
    struct answer_form *form, const char *name, size_t count);
void answer_form_add_item(
    struct answer_form *form, const char *data, size_t len);
void answer_form_close_array(struct answer_form *form);

/*
 * response.c: the answer of the code to its request, if there is one: a member
 * of the open object, and lines of a text, as HTTP has them.
 */
void response_add_fields(
    struct answer_form *form, const struct box_response *response);
void response_add_text(
    struct buffer *text, const struct box_response *response);

/*
 * A kept file in messages to a client: its URI, and links to it. Runs in the
 * supervisor; pure functions.
 */

#define FILE_LINK_PREFIX "resource://caisson/files/"
/* Followed by the id of the conversation, a slash and the name. */
#define FILE_LINK_CONVERSATIONS "resource://caisson/conversations/"

/* A kept file, by its resource address: see file_url.c for signed links. */
struct file_link {
	const char *name;
	uint64_t version; /* 0: the newest */
	uint64_t size;
	const char *type; /* media type */
	const char *conversation; /* its id; NULL or empty: none */
	const char *url; /* of a link to it; NULL: none, or told elsewhere */
};

/*
 * Appends its URI. All characters but the unreserved ones of RFC 3986 are
 * percent-encoded.
 */
void file_link_add_uri(struct buffer *text, const struct file_link *link);

/*
 * Appends the members that a Resource and a ResourceLink of MCP have in common,
 * without the braces: uri, name, mimeType, size, and its link in _meta.
 */
void file_link_add_members(struct buffer *json, const struct file_link *link);

/* Appends its size for people: "12 kB". */
void file_link_add_size(struct buffer *text, uint64_t size);

/*
 * Appends a line about it, without a newline: "file: a.csv (12 kB)", or "file:
 * /data/a.csv (12 kB)" for one of a conversation. Invisible characters and
 * control characters in its name are escaped.
 */
void file_link_add_line(struct buffer *text, const struct file_link *link,
    const char *scope);

/* Returns whether a URI, a JSON string, has the prefix of files. */
int file_link_is(struct json_span uri);

/*
 * Returns the name in a URI, the version (0: none is given), and the id of its
 * conversation (NULL: none); the caller frees both texts. Returns NULL if it is
 * not the URI of a file.
 */
char *file_link_read(
    struct json_span uri, uint64_t *version, char **conversation);

/*
 * The same for NAME or CONVERSATION/NAME, each percent-encoded, in len bytes
 * without a NUL, with ?version=N or without.
 */
char *file_link_read_path(const char *path, size_t len, uint64_t *version,
    char **conversation);

/*
 * Writes TOON (Token-Oriented Object Notation, version 4.4 of
 * https://github.com/toon-format/spec): the members of an object, one line
 * each, as far as results need them. Canonical: comma as delimiter, two spaces
 * a level, quotes only if necessary, no newline at the end.
 */

/*
 * Each of these appends a member, on a line of its own, to an object at this
 * depth (0: the document itself); the buffer contains only the document. A key
 * is a string, a value is len bytes of UTF-8, which may include NUL.
 */
void toon_add_text(struct buffer *buffer, unsigned int depth, const char *key,
    const char *data, size_t len);
void toon_add_number(struct buffer *buffer, unsigned int depth, const char *key,
    long long value);

/* Begins an object: its members follow, one level deeper. */
void toon_add_object(
    struct buffer *buffer, unsigned int depth, const char *key);

/*
 * Begins an array of strings: count calls of toon_add_item must follow at once.
 */
void toon_add_array(
    struct buffer *buffer, unsigned int depth, const char *key, size_t count);
void toon_add_item(struct buffer *buffer, const char *data, size_t len);

#endif
