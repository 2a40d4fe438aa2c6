/*
 * The shape of what a tool returns: types and keys, and no values. Runs in the
 * broker; a pure function over foreign bytes, bounded.
 */
#ifndef WORKER_BROKER_SHAPE_H
#define WORKER_BROKER_SHAPE_H

#include "../../common/buffer.h"
#include "../../common/json_span.h"

/*
 * Appends the shape of the data of a result, as code in a box has it: of the
 * structured content, else of the text as JSON, else "str". The text is ASCII
 * without quotes or backslashes, of at most SHAPE_TEXT_MAX bytes. Appends
 * nothing for an error, for no text, and for a result above SHAPE_RESULT_MAX.
 */
void shape_add(struct buffer *text, struct json_span result);

#endif
