/*
 * Fuzz target of the broker's shapes of results: whatever a server returns,
 * its shape is a bounded text that needs no escapes, and what is told of a
 * list of tools with it is one JSON value on one line.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "fuzz.h"
#include "worker/broker/tools/tools.h"

static void
check_text(const struct buffer *text)
{
	size_t n;

	FUZZ_ASSERT(text->len <= SHAPE_TEXT_MAX);
	for (n = 0; n < text->len; n++)
		FUZZ_ASSERT(text->data[n] >= ' ' && text->data[n] <= '~' &&
		    text->data[n] != '"' && text->data[n] != '\\');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buffer struct buffer text = { 0 };
	struct json_span value;

	if (json_span_parse((const char *)data, size, &value, NULL) == -1)
		return 0;
	shape_add(&text, value);
	check_text(&text);
	return 0;
}
