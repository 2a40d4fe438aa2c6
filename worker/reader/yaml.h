/*
 * YAML, the format of Goose and Continue, translated into JSON: read with
 * libyaml, event by event, without anchors, aliases and tags, bounded in size,
 * depth and number of values. Pure; runs in the reader.
 */
#ifndef READER_YAML_H
#define READER_YAML_H

#include "../../common/base/err.h"
#include "place.h"

/*
 * Appends len bytes of YAML, one document, to translation, which is empty, as
 * one JSON value that json_span_parse accepts. Numbers become 0. Returns 0, or
 * -1 with err and the position of the fault; the caller calls translation_reset
 * in both cases.
 */
int yaml_translate(const char *text, size_t len,
    struct translation *translation, struct place *place, struct err *err);

#endif
