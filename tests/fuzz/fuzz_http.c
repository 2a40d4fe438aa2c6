/*
 * Fuzz target of worker/gateway/http: whatever the pieces in which bytes come,
 * the same requests are read from them. The first byte chooses the pieces.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "fuzz.h"
#include "worker/gateway/http.h"

#define BODY_MAX 100

static void
describe(struct buffer *log, struct http_parser *parser)
{
	const struct http_head *head = http_parser_head(parser);
	const struct buffer *body = http_parser_body(parser);
	size_t i;

	FUZZ_ASSERT(body->len <= BODY_MAX);
	FUZZ_ASSERT(head->target != NULL && head->target[0] == '/');
	FUZZ_ASSERT(head->chunked || body->len == head->length);
	FUZZ_ASSERT(strcmp(head->method, "POST") == 0 || body->len == 0);
	buffer_printf(log, "%s %s %d%d%d", head->method, head->target,
	    head->minor, head->last, head->expects);
	for (i = 0; i < HTTP_FIELDS; i++) {
		if (head->fields[i] == NULL)
			continue;
		FUZZ_ASSERT(strpbrk(head->fields[i], "\r\n") == NULL);
		(void)http_list_has(head->fields[i], "chunked");
		buffer_printf(log, " %zu=%s", i, head->fields[i]);
	}
	buffer_add(log, body->data, body->len);
}

/* Reads all requests in pieces of at most this size. */
static void
read_pieces(struct buffer *log, const char *data, size_t len, size_t piece)
{
	struct http_parser *parser = http_parser_new(BODY_MAX);
	enum http_state state = HTTP_MORE;
	size_t n, used;

	while (state != HTTP_BAD && (state != HTTP_MORE || len > 0)) {
		n = len < piece ? len : piece;
		state = http_parser_read(parser, data, n, &used);
		FUZZ_ASSERT(used <= n);
		FUZZ_ASSERT(state != HTTP_MORE || used == n);
		data += used;
		len -= used;
		if (state == HTTP_END) {
			describe(log, parser);
			http_parser_next(parser);
		}
	}
	if (state == HTTP_BAD)
		buffer_printf(log, "%d %s", http_parser_fault(parser)->status,
		    http_parser_fault(parser)->reason);
	else
		buffer_printf(log, "%d", http_parser_begun(parser));
	http_parser_free(&parser);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *data = (const char *)bytes + 1;
	struct buffer whole = { 0 }, pieces = { 0 };

	if (size == 0)
		return 0;
	read_pieces(&whole, data, size - 1, size);
	read_pieces(&pieces, data, size - 1, (size_t)bytes[0] % 32 + 1);
	FUZZ_ASSERT(whole.len == pieces.len);
	FUZZ_ASSERT(memcmp(whole.data, pieces.data, whole.len) == 0);
	buffer_reset(&whole);
	buffer_reset(&pieces);
	return 0;
}
