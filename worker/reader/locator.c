/*
 * The positions of entries in a file of JSON or TOML: see locator.h. Runs in
 * the reader, on hostile bytes.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "locator.h"

static int
locator_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The byte at that position, or NUL after the end. */
static char
locator_at(const struct locations *locations, size_t pos)
{
	return pos < locations->len ? locations->written[pos] : '\0';
}

/* The length of the line end that starts at a position: 0 if there is none. */
static size_t
locator_newline(const struct locations *locations, size_t pos)
{
	if (locator_at(locations, pos) == '\n')
		return 1;
	return locator_at(locations, pos) == '\r' &&
	    locator_at(locations, pos + 1) == '\n' ? 2 : 0;
}

/* The line end of the file: that of its first line. */
static const char *
locator_line_end(const struct locations *locations)
{
	const char *end = memchr(locations->written, '\n', locations->len);

	return end != NULL && end > locations->written && end[-1] == '\r' ?
	    "\r\n" : "\n";
}

/* The first byte of a line, after a byte order mark. */
static size_t
locator_line(const struct locations *locations, size_t pos)
{
	while (pos > 0 && locations->written[pos - 1] != '\n')
		pos--;
	if (pos == 0 && locations->len >= 3 &&
	    memcmp(locations->written, "\xef\xbb\xbf", 3) == 0)
		return 3;
	return pos;
}

/* The end of the blanks at the start of a line. */
static size_t
locator_indented(const struct locations *locations, size_t line)
{
	while (locator_is_blank(locator_at(locations, line)))
		line++;
	return line;
}

/* Whether only blanks precede a byte in its line. */
static int
locator_is_first(const struct locations *locations, size_t pos)
{
	return locator_indented(locations, locator_line(locations, pos)) == pos;
}

/* Telling */

static void
locator_tell(const struct locations *locations, struct ipc_location *location)
{
	locations->sink->tell(locations->sink->ctx, IPC_LOCATION, location);
}

void
locator_tell_whole(const struct locations *locations)
{
	struct ipc_gap gap = { .form = CONFIG_GAP_WHOLE, .at = locations->len,
		.line = "", .deeper = "", .behind = "", .why = "" };

	locations->sink->tell(locations->sink->ctx, IPC_GAP, &gap);
}

void
locator_tell_none(const struct locations *locations, const char *why)
{
	struct ipc_gap gap = { .form = CONFIG_GAP_NONE, .line = "",
		.deeper = "", .behind = "", .why = why };

	locations->sink->tell(locations->sink->ctx, IPC_GAP, &gap);
}

/* Members of JSON */

/* The next byte that is neither a blank nor a line end. */
static size_t
locator_skip(const struct locations *locations, size_t pos)
{
	while (locator_is_blank(locator_at(locations, pos)) ||
	    locator_at(locations, pos) == '\n' ||
	    locator_at(locations, pos) == '\r')
		pos++;
	return pos;
}

/* Steps over the comment that starts at *pos. Returns whether there is one. */
static int
locator_skip_comment(const struct locations *locations, size_t *pos)
{
	const char *start = locations->written + *pos;
	const char *end;

	if (locator_at(locations, *pos) != '/')
		return 0;
	if (locator_at(locations, *pos + 1) == '/') {
		while (*pos < locations->len &&
		    locator_newline(locations, *pos) == 0)
			(*pos)++;
		return 1;
	}
	if (locator_at(locations, *pos + 1) != '*')
		return 0;
	end = memmem(start + 2, locations->len - *pos - 2, "*/", 2);
	if (end == NULL)
		return 0;
	*pos += (size_t)(end + 2 - start);
	return 1;
}

/* The position after the comma that follows a value; 0: there is none. */
static size_t
locator_comma(const struct locations *locations, size_t end)
{
	do
		end = locator_skip(locations, end);
	while (locator_skip_comment(locations, &end));
	return locator_at(locations, end) == ',' ? end + 1 : 0;
}

/* Cuts whole lines if nothing else is on them, so that no blanks remain. */
static void
locator_set_cut(
    const struct locations *locations, struct ipc_location *location)
{
	size_t start = (size_t)location->start;
	size_t end = (size_t)(location->comma == 0 ? location->end :
	                                             location->comma);
	size_t line = locator_line(locations, start);
	size_t behind = locator_indented(locations, end);
	size_t newline = locator_newline(locations, behind);

	if (locator_is_first(locations, start) && newline > 0) {
		start = line;
		end = behind + newline;
	} else if (newline > 0 || behind == locations->len) {
		while (start > line &&
		    locator_is_blank(locator_at(locations, start - 1)))
			start--;
	} else {
		end = behind;
	}
	location->cut_start = start;
	location->cut_end = end;
}

/*
 * Returns the first member of an entry that only the client that owns the file
 * supports, such as a sandbox or an approval for each tool; "" for none.
 */
static const char *
locator_tied(struct json_span value)
{
	static const char *const tied[] = { "sandbox", "env_vars",
		"approval_mode", "default_tools_approval_mode" };
	struct json_span member, tools, tool;
	struct json_span_walk walk;
	size_t i;

	for (i = 0; i < sizeof(tied) / sizeof(tied[0]); i++)
		if (json_span_get(value, tied[i], &member) > 0)
			return tied[i];
	if (json_span_get(value, "sandboxEnabled", &member) > 0 &&
	    json_span_kind(member) == JSON_SPAN_TRUE)
		return "sandboxEnabled";
	/* A table for each tool, as in Codex. */
	if (json_span_get(value, "tools", &tools) == 0 ||
	    json_span_kind(tools) != JSON_SPAN_OBJECT)
		return "";
	walk = json_span_walk(tools);
	while (json_span_next_member(&walk, &member, &tool))
		if (json_span_kind(tool) == JSON_SPAN_OBJECT)
			return "tools";
	return "";
}

void
locator_tell_member(const struct locations *locations, struct json_span name,
    struct json_span value)
{
	struct ipc_location location = {
		.start = (uint64_t)(name.p - locations->text),
		.end = (uint64_t)(value.p + value.len - locations->text),
		.tied = locator_tied(value),
		.fixed = ""
	};

	if (name.p < locations->list.p ||
	    name.p >= locations->list.p + locations->list.len)
		location.fixed = "it is in another part of the file than the "
		    "first servers";
	location.comma = locator_comma(locations, location.end);
	locator_set_cut(locations, &location);
	locator_tell(locations, &location);
}

/* A gap in JSON */

/* The blanks at the start of the line of a byte, after a line end. */
static void
locator_add_line(
    const struct locations *locations, size_t pos, struct buffer *line)
{
	size_t start = locator_line(locations, pos);

	buffer_add_text(line, locator_line_end(locations));
	buffer_add(line, locations->written + start,
	    locator_indented(locations, start) - start);
}

/* The additional indentation of members. */
static void
locator_add_step(const struct locations *locations, struct json_span file,
    struct buffer *line)
{
	struct json_span_walk walk = json_span_walk(file);
	struct json_span name, value;
	size_t pos, start;

	if (json_span_next_member(&walk, &name, &value)) {
		pos = (size_t)(name.p - locations->text);
		start = locator_line(locations, pos);
		if (locator_is_first(locations, pos) && pos > start) {
			buffer_add(
			    line, locations->written + start, pos - start);
			return;
		}
	}
	buffer_add_text(line, "  ");
}

/* The texts of a gap while they are built. */
struct locator_gap {
	struct ipc_gap gap;
	struct buffer line;
	struct buffer deeper;
	struct buffer behind;
};

/* In an object without members. */
static void
locator_find_empty(const struct locations *locations, struct json_span file,
    struct json_span object, struct locator_gap *found)
{
	size_t open = (size_t)(object.p - locations->text);
	size_t close = open + object.len - 1;

	found->gap.at = open + 1;
	if (locator_line(locations, close) == locator_line(locations, 0)) {
		buffer_add_text(&found->line, " ");
		buffer_add_text(&found->behind, " ");
		return;
	}
	locator_add_line(locations, open, &found->line);
	if (object.p != file.p)
		locator_add_step(locations, file, &found->line);
	else
		buffer_add_text(&found->line, "  ");
	if (locator_line(locations, close) == locator_line(locations, open))
		locator_add_line(locations, open, &found->behind);
}

/* Before the first member of an object. */
static void
locator_find_gap(const struct locations *locations, struct json_span file,
    struct json_span object, struct locator_gap *found)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	size_t start, at;

	if (!json_span_next_member(&walk, &name, &value)) {
		locator_find_empty(locations, file, object, found);
		return;
	}
	start = (size_t)(name.p - locations->text);
	at = (size_t)(object.p + 1 - locations->text);
	found->gap.at = at;
	found->gap.more = 1;
	if (locator_skip(locations, at) == start)
		buffer_add(&found->line, locations->written + at, start - at);
	else if (locator_is_first(locations, start))
		locator_add_line(locations, start, &found->line);
	else
		buffer_add_text(&found->line, " ");
}

/* If the indentation exceeds the limit, a line end is sufficient. */
static void
locator_finish_gap(const struct locations *locations, struct locator_gap *found)
{
	struct buffer *texts[] = { &found->line, &found->deeper,
		&found->behind };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		buffer_add_text(texts[i], "");
		if (texts[i]->len <= CONFIG_GAP_MAX)
			continue;
		texts[i]->len = 0;
		buffer_add_text(texts[i], locator_line_end(locations));
	}
	found->gap.line = found->line.data;
	found->gap.deeper = found->deeper.data;
	found->gap.behind = found->behind.data;
	found->gap.why = "";
	locations->sink->tell(locations->sink->ctx, IPC_GAP, &found->gap);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		buffer_reset(texts[i]);
}

void
locator_tell_gap(const struct locations *locations, struct json_span file)
{
	struct locator_gap found = { 0 };

	found.gap.form = CONFIG_GAP_MEMBER;
	if (locations->list.p != NULL) {
		locator_find_gap(locations, file, locations->list, &found);
	} else {
		found.gap.form = CONFIG_GAP_LIST;
		locator_find_gap(locations, file, file, &found);
		buffer_add(&found.deeper, found.line.data, found.line.len);
		if (found.line.len > 1)
			locator_add_step(locations, file, &found.deeper);
	}
	locator_finish_gap(locations, &found);
}

/* Sections of TOML */

void
locator_tell_sections(const struct locations *locations, struct json_span name,
    struct json_span value)
{
	struct ipc_location location = { .tied = locator_tied(value),
		.fixed = "" };
	size_t len, n = 0, start = 0, end = 0, next, last;
	struct err err;
	auto_free char *text = json_span_string(name, &len, &err);

	if (text == NULL)
		return;
	if (!outline_section(&locations->outline, locations->written,
	    locations->len, text, len, &n, &start, &end))
		location.fixed = "it is in an inline table";
	while (outline_section(&locations->outline, locations->written,
	    locations->len, text, len, &n, &next, &last)) {
		if (next != end)
			location.fixed = "its sections are not together";
		end = last;
	}
	location.start = location.cut_start = start;
	location.end = location.cut_end = end;
	locator_tell(locations, &location);
}

void
locator_tell_end(const struct locations *locations)
{
	const struct outline_line *first = outline_first(&locations->outline);
	struct locator_gap found = { 0 };
	const char *line_end = locator_line_end(locations);
	size_t len = locations->len;

	if (outline_is_inline(&locations->outline)) {
		locator_tell_none(locations,
		    "\"" OUTLINE_TABLE "\" is an inline "
		    "table: make a section [" OUTLINE_TABLE ".NAME] for each "
		    "server");
		return;
	}
	found.gap.form = CONFIG_GAP_SECTION;
	found.gap.at = first == NULL ? len : first->start;
	buffer_add_text(&found.deeper, line_end);
	if (first != NULL)
		buffer_add_text(&found.behind, line_end);
	else if (len > 0 && locations->written[len - 1] != '\n')
		buffer_printf(&found.line, "%s%s", line_end, line_end);
	else if (len > strlen(line_end) &&
	    locations->written[len - strlen(line_end) - 1] != '\n')
		buffer_add_text(&found.line, line_end);
	locator_finish_gap(locations, &found);
}
