/*
 * Numbers, dates and times of TOML 1.0, which servers do not need: they are
 * only checked. Pure; runs in the reader.
 */
#ifndef READER_TOML_SCALAR_H
#define READER_TOML_SCALAR_H

#include <stddef.h>

/*
 * Returns the length of the word that starts here; a date may contain a blank.
 */
size_t toml_scalar_word(const char *text, size_t len);

/* Whether these len bytes are a number. */
int toml_scalar_is_number(const char *text, size_t len);

/* Whether these len bytes are a date, a time, or both. */
int toml_scalar_is_date(const char *text, size_t len);

#endif
