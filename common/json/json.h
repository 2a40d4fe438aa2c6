/*
 * Writing JSON: escaped strings into a buffer. Parsed JSON is read by json_span
 * and jansson. Used by every process that writes JSON.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include "../base/buffer.h"

/*
 * Appends a JSON string with its quotes. data is valid UTF-8 (otherwise fatal:
 * a bug in Caisson). Control characters are escaped, also U+2028 and U+2029, so
 * the result is one line for every reader of lines.
 */
void json_add_string(struct buffer *buffer, const char *data, size_t len);

/* Like json_add_string, for a NUL-terminated string. */
void json_add_text(struct buffer *buffer, const char *text);

#endif
