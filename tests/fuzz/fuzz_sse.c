/*
 * Fuzz target of worker/connector/sse: however a stream is cut, its events are
 * those of the whole. The first byte chooses the cutting.
 */
#include <string.h>

#include "fuzz.h"
#include "worker/connector/connector.h"

#define MOST 4096

static void
on_event(void *ctx, const char *type, const char *data, size_t len)
{
	struct buffer *seen = ctx;

	FUZZ_ASSERT(len > 0);
	buffer_printf(seen, "%zu:%s:%zu:", strlen(type), type, len);
	buffer_add(seen, data, len);
}

/* Returns what the whole stream came to, in pieces of that size. */
static int
read_all(const char *data, size_t len, size_t piece, struct buffer *seen)
{
	struct sse sse = { 0 };
	int done = 0;
	size_t n;

	for (; len > 0 && done == 0; data += n, len -= n) {
		n = piece < len ? piece : len;
		done = sse_feed(&sse, data, n, MOST, on_event, seen);
	}
	buffer_add(seen, sse.id.data == NULL ? "" : sse.id.data, sse.id.len);
	sse_reset(&sse);
	return done;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer whole = { 0 };
	struct buffer cut = { 0 };
	const char *text = (const char *)data + 1;

	/* Above the bound, how it is cut decides what came before. */
	if (size < 2 || size > MOST)
		return 0;
	FUZZ_ASSERT(read_all(text, size - 1, size, &whole) == 0);
	FUZZ_ASSERT(read_all(text, size - 1, data[0] % 7 + 1U, &cut) == 0);
	FUZZ_ASSERT(whole.len == cut.len &&
	    (whole.len == 0 || memcmp(whole.data, cut.data, whole.len) == 0));
	buffer_reset(&whole);
	buffer_reset(&cut);
	return 0;
}
