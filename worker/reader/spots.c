/*
 * The positions of entries in a file of JSON or TOML: see spots.h. Runs in the
 * reader, on hostile bytes.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "spots.h"

static int
spots_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The byte at that position, or NUL after the end. */
static char
spots_at(const struct spots *spots, size_t pos)
{
	return pos < spots->len ? spots->written[pos] : '\0';
}

/* The length of the line end that starts at a position: 0 if there is none. */
static size_t
spots_newline(const struct spots *spots, size_t pos)
{
	if (spots_at(spots, pos) == '\n')
		return 1;
	return spots_at(spots, pos) == '\r' &&
	    spots_at(spots, pos + 1) == '\n' ? 2 : 0;
}

/* The line end of the file: that of its first line. */
static const char *
spots_line_end(const struct spots *spots)
{
	const char *end = memchr(spots->written, '\n', spots->len);

	return end != NULL && end > spots->written && end[-1] == '\r' ?
	    "\r\n" : "\n";
}

/* The first byte of a line, after a byte order mark. */
static size_t
spots_line(const struct spots *spots, size_t pos)
{
	while (pos > 0 && spots->written[pos - 1] != '\n')
		pos--;
	if (pos == 0 && spots->len >= 3 &&
	    memcmp(spots->written, "\xef\xbb\xbf", 3) == 0)
		return 3;
	return pos;
}

/* The end of the blanks at the start of a line. */
static size_t
spots_indented(const struct spots *spots, size_t line)
{
	while (spots_is_blank(spots_at(spots, line)))
		line++;
	return line;
}

/* Whether only blanks precede a byte in its line. */
static int
spots_is_first(const struct spots *spots, size_t pos)
{
	return spots_indented(spots, spots_line(spots, pos)) == pos;
}

/* Telling */

static void
spots_tell_cut(const struct spots *spots, size_t start, size_t end)
{
	struct ipc_cut cut = { .start = start, .end = end };

	spots->sink->cut(spots->sink->ctx, &cut);
}

void
spots_tell_whole(const struct spots *spots)
{
	struct ipc_gap gap = { .form = CONFIG_GAP_WHOLE, .at = spots->len,
		.line = "", .deeper = "", .behind = "", .why = "" };

	spots->sink->gap(spots->sink->ctx, &gap);
}

void
spots_tell_none(const struct spots *spots, const char *why)
{
	struct ipc_gap gap = { .form = CONFIG_GAP_NONE, .line = "",
		.deeper = "", .behind = "", .why = why };

	spots->sink->gap(spots->sink->ctx, &gap);
}

/* Members of JSON */

/* The next byte that is neither a blank nor a line end. */
static size_t
spots_skip(const struct spots *spots, size_t pos)
{
	while (spots_is_blank(spots_at(spots, pos)) ||
	    spots_at(spots, pos) == '\n' || spots_at(spots, pos) == '\r')
		pos++;
	return pos;
}

/* Steps over the comment that starts at *pos. Returns whether there is one. */
static int
spots_skip_comment(const struct spots *spots, size_t *pos)
{
	const char *start = spots->written + *pos;
	const char *end;

	if (spots_at(spots, *pos) != '/')
		return 0;
	if (spots_at(spots, *pos + 1) == '/') {
		while (*pos < spots->len && spots_newline(spots, *pos) == 0)
			(*pos)++;
		return 1;
	}
	if (spots_at(spots, *pos + 1) != '*')
		return 0;
	end = memmem(start + 2, spots->len - *pos - 2, "*/", 2);
	if (end == NULL)
		return 0;
	*pos += (size_t)(end + 2 - start);
	return 1;
}

/* The position after the comma that follows a value; 0: there is none. */
static size_t
spots_comma(const struct spots *spots, size_t end)
{
	do
		end = spots_skip(spots, end);
	while (spots_skip_comment(spots, &end));
	return spots_at(spots, end) == ',' ? end + 1 : 0;
}

/* Cuts whole lines if nothing else is on them, so that no blanks remain. */
static void
spots_tell_lines(const struct spots *spots, size_t start, size_t end)
{
	size_t line = spots_line(spots, start);
	size_t behind = spots_indented(spots, end);
	size_t newline = spots_newline(spots, behind);

	if (spots_is_first(spots, start) && newline > 0) {
		spots_tell_cut(spots, line, behind + newline);
		return;
	}
	if (newline > 0 || behind == spots->len)
		while (start > line && spots_is_blank(spots_at(spots,
		                           start - 1)))
			start--;
	else
		end = behind;
	spots_tell_cut(spots, start, end);
}

/*
 * Returns the first member of an entry that only the client that owns the file
 * supports, such as a sandbox or an approval for each tool; "" for none.
 */
static const char *
spots_tied(struct json_span value)
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
spots_tell_member(
    const struct spots *spots, struct json_span name, struct json_span value)
{
	struct ipc_spot spot = {
		.start = (uint64_t)(name.p - spots->text),
		.end = (uint64_t)(value.p + value.len - spots->text),
		.tied = spots_tied(value),
		.fixed = ""
	};

	if (name.p < spots->list.p ||
	    name.p >= spots->list.p + spots->list.len)
		spot.fixed = "it is in another part of the file than the "
		    "first servers";
	spot.comma = spots_comma(spots, spot.end);
	spots->sink->spot(spots->sink->ctx, &spot);
	if (spot.fixed[0] != '\0')
		return;
	if (spot.comma == 0 ||
	    spots_skip(spots, spot.end) == spot.comma - 1) {
		spots_tell_lines(spots, spot.start,
		    spot.comma == 0 ? spot.end : spot.comma);
		return;
	}
	spots_tell_cut(spots, spot.start, spot.end);
	spots_tell_cut(spots, spot.comma - 1, spot.comma);
}

/* A gap in JSON */

/*
 * Steps over comments on the line of a byte. If anything but the end of the
 * line follows them, they remain in place, and so does pos.
 */
static size_t
spots_behind_comments(const struct spots *spots, size_t pos)
{
	size_t start = pos;

	do
		pos = spots_indented(spots, pos);
	while (spots_newline(spots, pos) == 0 &&
	    spots_skip_comment(spots, &pos));
	return spots_newline(spots, pos) > 0 || pos == spots->len ? pos :
	    start;
}

/* The blanks at the start of the line of a byte, after a line end. */
static void
spots_add_line(const struct spots *spots, size_t pos, struct buffer *line)
{
	size_t start = spots_line(spots, pos);

	buffer_add_text(line, spots_line_end(spots));
	buffer_add(line, spots->written + start,
	    spots_indented(spots, start) - start);
}

/* The additional indentation of members. */
static void
spots_add_step(const struct spots *spots, struct json_span file,
    struct buffer *line)
{
	struct json_span_walk walk = json_span_walk(file);
	struct json_span name, value;
	size_t pos, start;

	if (json_span_next_member(&walk, &name, &value)) {
		pos = (size_t)(name.p - spots->text);
		start = spots_line(spots, pos);
		if (spots_is_first(spots, pos) && pos > start) {
			buffer_add(
			    line, spots->written + start, pos - start);
			return;
		}
	}
	buffer_add_text(line, "  ");
}

/* The texts of a gap while they are built. */
struct spots_gap {
	struct ipc_gap gap;
	struct buffer line;
	struct buffer deeper;
	struct buffer behind;
};

/* In an object without members. */
static void
spots_find_empty(const struct spots *spots, struct json_span file,
    struct json_span object, struct spots_gap *found)
{
	size_t open = (size_t)(object.p - spots->text);
	size_t close = open + object.len - 1;

	found->gap.at = open + 1;
	if (spots_line(spots, close) == spots_line(spots, 0)) {
		buffer_add_text(&found->line, " ");
		buffer_add_text(&found->behind, " ");
		return;
	}
	spots_add_line(spots, open, &found->line);
	if (object.p != file.p)
		spots_add_step(spots, file, &found->line);
	else
		buffer_add_text(&found->line, "  ");
	if (spots_line(spots, close) == spots_line(spots, open))
		spots_add_line(spots, open, &found->behind);
}

/* After the last member of an object. */
static void
spots_find_last(const struct spots *spots, struct json_span name,
    struct json_span value, struct spots_gap *found)
{
	size_t start = (size_t)(name.p - spots->text);
	size_t end = (size_t)(value.p + value.len - spots->text);
	size_t comma = spots_comma(spots, end);

	found->gap.comma = comma == 0 ? end + 1 : 0;
	found->gap.at = comma == 0 ? end : comma;
	if (spots_is_first(spots, start)) {
		/* It starts with a line end, which ends any comment. */
		found->gap.at = spots_behind_comments(spots, found->gap.at);
		spots_add_line(spots, start, &found->line);
	} else {
		buffer_add_text(&found->line, " ");
	}
}

static void
spots_find_gap(const struct spots *spots, struct json_span file,
    struct json_span object, struct spots_gap *found)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	int any = 0;

	while (json_span_next_member(&walk, &name, &value))
		any = 1;
	if (any)
		spots_find_last(spots, name, value, found);
	else
		spots_find_empty(spots, file, object, found);
}

/* If the indentation exceeds the limit, a line end is sufficient. */
static void
spots_finish_gap(const struct spots *spots, struct spots_gap *found)
{
	struct buffer *texts[] = { &found->line, &found->deeper,
		&found->behind };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		buffer_add_text(texts[i], "");
		if (texts[i]->len <= CONFIG_GAP_MAX)
			continue;
		texts[i]->len = 0;
		buffer_add_text(texts[i], spots_line_end(spots));
	}
	found->gap.line = found->line.data;
	found->gap.deeper = found->deeper.data;
	found->gap.behind = found->behind.data;
	found->gap.why = "";
	spots->sink->gap(spots->sink->ctx, &found->gap);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		buffer_reset(texts[i]);
}

void
spots_tell_gap(const struct spots *spots, struct json_span file)
{
	struct spots_gap found = { 0 };

	found.gap.form = CONFIG_GAP_MEMBER;
	if (spots->list.p != NULL) {
		spots_find_gap(spots, file, spots->list, &found);
	} else {
		found.gap.form = CONFIG_GAP_LIST;
		spots_find_gap(spots, file, file, &found);
		buffer_add(
		    &found.deeper, found.line.data, found.line.len);
		if (found.line.len > 1)
			spots_add_step(spots, file, &found.deeper);
	}
	spots_finish_gap(spots, &found);
}

/* Sections of TOML */

void
spots_tell_sections(const struct spots *spots, struct json_span name,
    struct json_span value)
{
	struct ipc_spot spot = { .tied = spots_tied(value), .fixed = "" };
	size_t len, n = 0, start, end, cuts = 0;
	struct err err;
	auto_free char *text = json_span_string(name, &len, &err);

	if (text == NULL)
		return;
	while (outline_section(&spots->outline, spots->written, spots->len,
	    text, len, &n, &start, &end)) {
		spot.start = cuts++ == 0 ? start : spot.start;
		spot.end = end;
	}
	if (cuts == 0 || cuts > CONFIG_CUTS_MAX)
		spot.fixed = cuts == 0 ? "it is in an inline table" :
		    "it has too many sections";
	spots->sink->spot(spots->sink->ctx, &spot);
	if (spot.fixed[0] != '\0')
		return;
	for (n = 0; outline_section(&spots->outline, spots->written,
	         spots->len, text, len, &n, &start, &end);)
		spots_tell_cut(spots, start, end);
}

void
spots_tell_end(const struct spots *spots)
{
	const struct outline_line *first = outline_first(&spots->outline);
	struct spots_gap found = { 0 };
	const char *line_end = spots_line_end(spots);
	size_t len = spots->len;

	if (outline_is_inline(&spots->outline)) {
		spots_tell_none(spots, "\"" OUTLINE_TABLE "\" is an inline "
		    "table: make a section [" OUTLINE_TABLE ".NAME] for each "
		    "server");
		return;
	}
	found.gap.form = CONFIG_GAP_SECTION;
	found.gap.at = first == NULL ? len : first->start;
	buffer_add_text(&found.deeper, line_end);
	if (first != NULL)
		buffer_add_text(&found.behind, line_end);
	else if (len > 0 && spots->written[len - 1] != '\n')
		buffer_printf(&found.line, "%s%s", line_end, line_end);
	else if (len > strlen(line_end) &&
	    spots->written[len - strlen(line_end) - 1] != '\n')
		buffer_add_text(&found.line, line_end);
	spots_finish_gap(spots, &found);
}
