/*
 * What --json prints: one JSON object, built member by member. Runs in the
 * supervisor; pure, except for json_report_print.
 */
#ifndef SUPERVISOR_JSON_REPORT_H
#define SUPERVISOR_JSON_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "../../common/buffer.h"

/*
 * Each appends a member of an object, or an element of an array where key is
 * NULL. A text that is NULL is null; one that is not UTF-8 is escaped as text
 * that is shown to people.
 */
void json_report_text(struct buffer *out, const char *key, const char *text);
void json_report_number(struct buffer *out, const char *key, uint64_t number);
void json_report_bool(struct buffer *out, const char *key, int value);

/* The same of a value that is JSON already. */
void json_report_raw(
    struct buffer *out, const char *key, const char *json, size_t len);

/* Begins an object or an array, by its bracket; ends it. */
void json_report_open(struct buffer *out, const char *key, char bracket);
void json_report_close(struct buffer *out, char bracket);

/* Ends the object that all of it is, and prints that to standard output. */
void json_report_print(struct buffer *out);

#endif
