/*
 * TOML 1.0, the format of Codex, translated into JSON: strict, bounded in size,
 * depth and number of values, with line and column of faults. Pure; runs in the
 * reader.
 */
#ifndef READER_TOML_H
#define READER_TOML_H

#include "../../common/base/err.h"
#include "outline.h"
#include "place.h"

/*
 * Appends len bytes of TOML to translation, which is empty, as one JSON object
 * that json_span_parse accepts, and its statements to translation->outline,
 * unless that is NULL. Numbers and dates become 0. Returns 0, or -1 with err
 * and the position of the fault; the caller calls translation_reset in both
 * cases.
 */
int toml_translate(const char *text, size_t len,
    struct translation *translation, struct place *place, struct err *err);

#endif
