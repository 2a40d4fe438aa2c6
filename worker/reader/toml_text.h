/*
 * The strings of TOML: basic and literal, on one line or several. Pure; runs in
 * the reader.
 */
#ifndef READER_TOML_TEXT_H
#define READER_TOML_TEXT_H

#include "../../common/base/buffer.h"
#include "../../common/base/err.h"

/*
 * Reads the string whose quote is at *pos, appends its value to out and moves
 * *pos past it. many: triple quotes and several lines are allowed, which names
 * may not have. Returns 0, or -1 with err and *pos at the fault. The text is
 * UTF-8.
 */
int toml_text_read(const char *text, size_t len, size_t *pos, int many,
    struct buffer *out, struct err *err);

#endif
