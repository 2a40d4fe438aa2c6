/*
 * The statements of a TOML file: see outline.h. Runs in the reader, on text
 * that toml.c has accepted.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/err.h"
#include "../../common/base/mem.h"
#include "outline.h"
#include "toml_text.h"

static int
outline_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void
outline_skip(const char *text, size_t end, size_t *pos)
{
	while (*pos < end && outline_is_blank(text[*pos]))
		(*pos)++;
}

/* One part of a key. Returns 0, or -1 if there is none. */
static int
outline_name(
    const char *text, size_t end, size_t *pos, struct buffer *name)
{
	size_t start;
	struct err err;

	outline_skip(text, end, pos);
	start = *pos;
	buffer_add(name, "", 0);
	if (start < end && (text[start] == '"' || text[start] == '\''))
		return toml_text_read(text, end, pos, 0, name, &err);
	while (*pos < end && (isalnum((unsigned char)text[*pos]) ||
	        text[*pos] == '_' || text[*pos] == '-'))
		(*pos)++;
	buffer_add(name, text + start, *pos - start);
	return *pos > start ? 0 : -1;
}

/*
 * Reads the parts of a dotted key; the first two from *depth on are stored in
 * path. *depth becomes the number of parts, including earlier ones.
 */
static void
outline_path(const char *text, size_t end, size_t pos, struct buffer path[2],
    size_t *depth)
{
	do {
		struct buffer name = { 0 };

		if (outline_name(text, end, &pos, &name) == 0) {
			if (*depth < 2) {
				buffer_reset(&path[*depth]);
				path[*depth] = name;
				name = (struct buffer){ 0 };
			}
			(*depth)++;
		}
		buffer_reset(&name);
		outline_skip(text, end, &pos);
	} while (pos < end && text[pos++] == '.');
}

static struct outline_line *
outline_new(struct outline *outline, const char *text, size_t start, size_t end)
{
	struct outline_line *line;

	if (outline->count == outline->size) {
		outline->size = 2 * outline->size + 16;
		outline->lines = mem_resize(outline->lines,
		    outline->size * sizeof(*outline->lines));
	}
	line = &outline->lines[outline->count++];
	while (start > 0 && outline_is_blank(text[start - 1]))
		start--;
	*line = (struct outline_line){ .start = start, .end = end };
	return line;
}

/* The subject of a statement, as the path of names to it. */
static void
outline_judge(struct outline_line *line, const struct buffer path[2],
    size_t depth)
{
	if (depth == 0 || path[0].len != strlen(OUTLINE_TABLE) ||
	    memcmp(path[0].data, OUTLINE_TABLE, path[0].len) != 0)
		return;
	line->table = depth == 1 && !line->header;
	if (depth < 2)
		return;
	line->name = mem_dup(path[1].data, path[1].len);
	line->name_len = path[1].len;
}

void
outline_add(
    struct outline *outline, const char *text, size_t start, size_t end)
{
	struct outline_line *line = outline_new(outline, text, start, end);
	struct buffer path[2] = { { 0 }, { 0 } };
	size_t i, depth;

	line->header = text[start] == '[';
	if (line->header) {
		outline->depth = 0;
		start += start + 1 < end && text[start + 1] == '[' ? 2 : 1;
		outline_path(text, end, start, outline->path,
		    &outline->depth);
		outline_judge(line, outline->path, outline->depth);
		return;
	}
	depth = outline->depth;
	for (i = 0; i < depth && i < 2; i++)
		buffer_add(
		    &path[i], outline->path[i].data, outline->path[i].len);
	outline_path(text, end, start, path, &depth);
	outline_judge(line, path, depth);
	buffer_reset(&path[0]);
	buffer_reset(&path[1]);
}

static int
outline_is_of(const struct outline_line *line, const char *name, size_t len)
{
	return line->name != NULL && line->name_len == len &&
	    memcmp(line->name, name, len) == 0;
}

/* Steps over lines that are empty or blank. */
static size_t
outline_behind(const char *text, size_t len, size_t pos)
{
	size_t p = pos;

	for (;;) {
		outline_skip(text, len, &p);
		if (p < len && text[p] == '\r')
			p++;
		if (p >= len || text[p] != '\n')
			return pos;
		pos = ++p;
	}
}

int
outline_section(const struct outline *outline, const char *text, size_t len,
    const char *name, size_t name_len, size_t *n, size_t *start, size_t *end)
{
	const struct outline_line *line;
	int header;

	while (*n < outline->count &&
	    !outline_is_of(&outline->lines[*n], name, name_len))
		(*n)++;
	if (*n >= outline->count)
		return 0;
	line = &outline->lines[(*n)++];
	*start = line->start;
	*end = line->end;
	/* Without a header, only adjacent statements are taken along. */
	while (!line->header && *n < outline->count &&
	    outline->lines[*n].start == *end &&
	    !outline->lines[*n].header &&
	    outline_is_of(&outline->lines[*n], name, name_len))
		*end = outline->lines[(*n)++].end;
	for (header = line->header; header && *n < outline->count; (*n)++) {
		line = &outline->lines[*n];
		if (line->header)
			break;
		*end = line->end;
	}
	if (header)
		*end = outline_behind(text, len, *end);
	return 1;
}

int
outline_is_inline(const struct outline *outline)
{
	size_t i;

	for (i = 0; i < outline->count; i++)
		if (outline->lines[i].table)
			return 1;
	return 0;
}

const struct outline_line *
outline_first(const struct outline *outline)
{
	size_t i;

	for (i = 0; i < outline->count; i++)
		if (outline->lines[i].header && outline->lines[i].name != NULL)
			return &outline->lines[i];
	return NULL;
}

void
outline_reset(struct outline *outline)
{
	size_t i;

	for (i = 0; i < outline->count; i++)
		free(outline->lines[i].name);
	free(outline->lines);
	buffer_reset(&outline->path[0]);
	buffer_reset(&outline->path[1]);
	memset(outline, 0, sizeof(*outline));
}
