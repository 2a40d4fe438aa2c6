/*
 * The output of --json: one JSON object, built member by member; and foreign
 * text as commands print it.
 */
#ifndef SUPERVISOR_JSON_REPORT_H
#define SUPERVISOR_JSON_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../../common/base/buffer.h"

/*
 * Each appends a member of an object, which the first one begins, or an element
 * of an array if key is NULL. A text of NULL becomes null; bytes that are not
 * UTF-8 are escaped as in text for people.
 */
void json_report_text(struct buffer *out, const char *key, const char *text);
void json_report_number(struct buffer *out, const char *key, uint64_t number);
void json_report_bool(struct buffer *out, const char *key, int value);

/* The same for a value that is JSON already. */
void json_report_raw(
    struct buffer *out, const char *key, const char *json, size_t len);

/* Begin and end an object or an array, by its bracket. */
void json_report_open(struct buffer *out, const char *key, char bracket);
void json_report_close(struct buffer *out, char bracket);

/*
 * Prints foreign text, perhaps to a terminal: control characters and invisible
 * ones, but for tabs and ends of lines, are escaped. In strings of JSON, or
 * with python set in those of Python, the escapes mean the same.
 */
void json_report_put(FILE *out, const char *text, size_t len, int python);

/* Ends the outermost object, and prints it to standard output. */
void json_report_print(struct buffer *out);

#endif
