/* Server-sent events: see connector.h. */
#include <stdlib.h>
#include <string.h>

#include "connector.h"

static void
sse_set(struct buffer *field, const char *value, size_t len)
{
	field->len = 0;
	buffer_add(field, value, len);
	buffer_add(field, "", 1);
}

/* An id with a NUL is ignored. */
static void
sse_field(struct sse *sse, const char *name, size_t name_len,
    const char *value, size_t len)
{
	if (name_len == 4 && memcmp(name, "data", 4) == 0) {
		if (sse->has_data)
			buffer_add(&sse->data, "\n", 1);
		buffer_add(&sse->data, value, len);
		sse->has_data = true;
	} else if (name_len == 5 && memcmp(name, "event", 5) == 0) {
		sse_set(&sse->event, value, len);
	} else if (name_len == 2 && memcmp(name, "id", 2) == 0) {
		if (memchr(value, '\0', len) == NULL)
			sse_set(&sse->id, value, len);
	} else if (name_len == 5 && memcmp(name, "retry", 5) == 0) {
		sse->retry_ms = strtoul(value, NULL, 10);
	}
}

/* A whole line, which has a NUL behind it. */
static void
sse_line(struct sse *sse, sse_on_event *on_event, void *ctx)
{
	const char *line = sse->line.data;
	size_t len = sse->line.len - 1, name_len;
	const char *colon = memchr(line, ':', len);
	size_t skip;

	if (len == 0) {
		/* An empty one sets the id only. */
		if (sse->data.len > 0)
			on_event(ctx, sse->event.len > 1 ? sse->event.data :
			    "message", sse->data.data, sse->data.len);
		sse->data.len = 0;
		sse->event.len = 0;
		sse->has_data = false;
		return;
	}
	name_len = colon == NULL ? len : (size_t)(colon - line);
	skip = colon == NULL ? len : name_len + 1;
	if (skip < len && line[skip] == ' ')
		skip++;
	sse_field(sse, line, name_len, line + skip, len - skip);
}

/* Returns the number of bytes up to the end of a line, or len. */
static size_t
sse_span(const char *bytes, size_t len)
{
	size_t n = 0;

	while (n < len && bytes[n] != '\n' && bytes[n] != '\r')
		n++;
	return n;
}

static void
sse_skip_mark(struct sse *sse)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (!sse->begun && sse->line.len > 3 &&
	    memcmp(sse->line.data, mark, 3) == 0)
		buffer_drop_front(&sse->line, 3);
	sse->begun = true;
}

int
sse_feed(struct sse *sse, const char *bytes, size_t len, size_t most,
    sse_on_event *on_event, void *ctx)
{
	size_t n;

	while (len > 0) {
		if (sse->after_return && bytes[0] == '\n') {
			bytes++;
			len--;
			sse->after_return = false;
			continue;
		}
		sse->after_return = false;
		n = sse_span(bytes, len);
		if (sse->line.len + n > most || sse->data.len + n > most)
			return -1;
		buffer_add(&sse->line, bytes, n);
		if (n == len)
			return 0;
		buffer_add(&sse->line, "", 1);
		sse_skip_mark(sse);
		sse_line(sse, on_event, ctx);
		sse->line.len = 0;
		sse->after_return = bytes[n] == '\r';
		bytes += n + 1;
		len -= n + 1;
	}
	return 0;
}

void
sse_reset(struct sse *sse)
{
	buffer_reset(&sse->line);
	buffer_reset(&sse->event);
	buffer_reset(&sse->data);
	buffer_reset(&sse->id);
}
