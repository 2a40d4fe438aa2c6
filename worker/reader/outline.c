/*
 * The statements of a TOML file: see outline.h. Runs in the reader, on what
 * toml.c has accepted.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "outline.h"

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

void
outline_begin(struct outline *outline, int header)
{
	outline->header = header;
	outline->now = header ? 0 : outline->depth;
}

void
outline_name(struct outline *outline, const struct buffer *name)
{
	struct buffer *part;

	if (outline->now < 2) {
		part = &outline->path[outline->now];
		part->len = 0;
		buffer_add(part, name->data, name->len);
	}
	outline->now++;
}

void
outline_add(struct outline *outline, const char *text, size_t start, size_t end)
{
	struct outline_line *line = outline_new(outline, text, start, end);
	const struct buffer *path = outline->path;

	line->header = outline->header;
	if (line->header)
		outline->depth = outline->now;
	if (path[0].len != strlen(OUTLINE_TABLE) ||
	    memcmp(path[0].data, OUTLINE_TABLE, path[0].len) != 0)
		return;
	line->table = outline->now == 1 && !line->header;
	if (outline->now < 2)
		return;
	line->name = mem_dup(path[1].data, path[1].len);
	line->name_len = path[1].len;
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
