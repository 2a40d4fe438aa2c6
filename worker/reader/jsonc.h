/*
 * JSON as people write it in configuration files: with comments, trailing
 * commas, and a byte order mark. These are replaced by blanks in place, so that
 * every byte keeps its position and a strict scanner can read the rest. Pure;
 * runs in the reader.
 */
#ifndef READER_JSONC_H
#define READER_JSONC_H

#include <stddef.h>

#include "../../common/base/err.h"

/*
 * Blanks in text a byte order mark at its start, comments (two slashes to the
 * end of the line, slash and star to star and slash) and a comma between a
 * value and a closing bracket. Newlines remain, and so do the positions that
 * place.h finds. Strings are unchanged. Returns 0, or -1 with err and *at, the
 * position of a comment without an end.
 */
int jsonc_blank(char *text, size_t len, size_t *at, struct err *err);

#endif
