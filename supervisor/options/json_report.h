/*
 * The output of --json: one JSON object, built member by member. Runs in the
 * supervisor; pure, except for json_report_print.
 */
#ifndef SUPERVISOR_JSON_REPORT_H
#define SUPERVISOR_JSON_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "../../common/buffer.h"

/*
 * Each appends a member of an object, or an element of an array if key is NULL.
 * A text of NULL becomes null; bytes that are not UTF-8 are escaped as in text
 * for people.
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

/* Ends the outermost object, and prints it to standard output. */
void json_report_print(struct buffer *out);

#endif
