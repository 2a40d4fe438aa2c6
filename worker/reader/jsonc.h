/*
 * JSON as people write it into configuration files: with comments, commas
 * behind the last member, and a byte order mark. All of that is made blank
 * where it stands, so that every byte keeps its place and a strict scanner
 * reads what is left. Pure; runs in the reader.
 */
#ifndef READER_JSONC_H
#define READER_JSONC_H

#include <stddef.h>

#include "../../common/err.h"

/*
 * Makes blank in text a byte order mark at its start, comments (two slashes
 * to the end of the line, slash and star to star and slash) and a comma
 * between a value and a closing bracket. Newlines stay, and so do the places
 * that place.h finds. Strings are not touched. Returns 0, or -1 with err and
 * *at, the place of a comment that has no end.
 */
int jsonc_blank(char *text, size_t len, size_t *at, struct err *err);

#endif
