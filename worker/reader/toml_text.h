/*
 * The strings of TOML: basic and literal ones, on one line or on many. Pure;
 * runs in the reader.
 */
#ifndef READER_TOML_TEXT_H
#define READER_TOML_TEXT_H

#include "../../common/buffer.h"
#include "../../common/err.h"

/*
 * Reads the string whose quote is at *pos, appends what it says to out and
 * goes behind it. many: it may have three quotes and many lines, which names
 * may not. Returns 0, or -1 with err and *pos at what is wrong. The text is
 * UTF-8.
 */
int toml_text_read(const char *text, size_t len, size_t *pos, int many,
    struct buffer *out, struct err *err);

#endif
