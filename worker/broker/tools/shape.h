/*
 * The shape of a tool's results: types and keys, without values. Runs in the
 * broker; a pure, bounded function over foreign bytes.
 */
#ifndef WORKER_BROKER_SHAPE_H
#define WORKER_BROKER_SHAPE_H

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"

/*
 * Appends the shape of the data of a result, as code in a box receives it: of
 * the structured content, or else of the text as JSON, or else "str". The text
 * is ASCII without quotes or backslashes, of at most SHAPE_TEXT_MAX bytes.
 * Appends nothing for an error, for a result without text, and for one above
 * SHAPE_RESULT_MAX.
 */
void shape_add(struct buffer *text, struct json_span result);

#endif
