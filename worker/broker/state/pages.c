/* The pages of a list: see state.h. */
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/text_list.h"
#include "state.h"

int
pages_end(struct pages *pages, int /* failed */)
{
	pages->is_cut = true;
	return 0;
}

int
pages_fill(struct pages *pages, int failed)
{
	pages->is_full = true;
	return pages_end(pages, failed);
}

/* Whether there was a page of this cursor. */
static int
pages_seen(const struct pages *pages, struct json_span cursor)
{
	const char *known;

	TEXT_LIST_EACH (known, pages->cursors.data, pages->cursors.len)
		if (strlen(known) == cursor.len &&
		    memcmp(known, cursor.p, cursor.len) == 0)
			return 1;
	return 0;
}

int
pages_turn(struct pages *pages, struct json_span result)
{
	struct json_span next;

	if (json_span_get(result, "nextCursor", &next) == 0 ||
	    json_span_kind(next) == JSON_SPAN_NULL)
		return 0;
	if (json_span_kind(next) != JSON_SPAN_STRING)
		return pages_end(pages, err_set(&pages->cut,
		    "its \"nextCursor\" is not a string"));
	if (json_span_is(next, ""))
		return pages_end(pages,
		    err_set(&pages->cut, "its \"nextCursor\" is empty"));
	if (pages_seen(pages, next))
		return pages_end(pages, err_set(&pages->cut, "it has no end: "
		    "the same \"nextCursor\" came twice"));
	if (pages->count == SERVER_TOOLS_PAGES_MAX ||
	    pages->cursors.len + next.len > SERVER_TOOLS_BYTES_MAX)
		return pages_fill(pages, err_set(&pages->cut, "it has more "
		    "than %d pages", SERVER_TOOLS_PAGES_MAX));
	pages->cursor = pages->cursors.len;
	buffer_add(&pages->cursors, next.p, next.len);
	buffer_add(&pages->cursors, "", 1);
	return 1;
}

struct json_span
pages_cursor(const struct pages *pages)
{
	size_t len = pages->cursors.len - pages->cursor;

	if (len == 0)
		return (struct json_span){ NULL, 0 };
	return (struct json_span){ pages->cursors.data + pages->cursor,
		len - 1 };
}

void
pages_reset(struct pages *pages)
{
	buffer_reset(&pages->cursors);
}
