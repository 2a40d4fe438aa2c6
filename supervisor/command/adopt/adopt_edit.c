/* Cuts entries out of a file and inserts others: see adopt_edit.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "adopt_edit.h"

/* Bytes of the file, and their replacement. */
struct adopt_piece {
	size_t start;
	size_t end; /* equal to start: nothing is cut */
	char *text; /* NULL: nothing is inserted */
	size_t order;
};

struct adopt_pieces {
	struct adopt_piece *list;
	size_t count;
};

static void
adopt_piece_add(struct adopt_pieces *pieces, size_t start, size_t end,
    struct buffer *text)
{
	struct adopt_piece *piece;

	pieces->list = mem_resize(pieces->list,
	    (pieces->count + 1) * sizeof(*pieces->list));
	piece = &pieces->list[pieces->count];
	*piece = (struct adopt_piece){ start, end, NULL, pieces->count++ };
	if (text != NULL)
		piece->text = buffer_take(text, NULL);
}

static int
adopt_piece_compare(const void *a, const void *b)
{
	const struct adopt_piece *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	/* At the same position, insertions come before cuts. */
	if ((one->end == one->start) != (other->end == other->start))
		return one->end == one->start ? -1 : 1;
	return one->order < other->order ? -1 : 1;
}

static void
adopt_pieces_free(struct adopt_pieces *pieces)
{
	size_t i;

	for (i = 0; i < pieces->count; i++)
		free(pieces->list[i].text);
	free(pieces->list);
}

/* Cutting */

static int
adopt_is_cut(const struct adopt_entry *entry)
{
	return entry->cut && entry->location->fixed[0] == '\0';
}

/*
 * Returns the last entry that is not fixed; with kept set, the last one of
 * those that stay; or NULL.
 */
static const struct adopt_entry *
adopt_last(const struct adopt_edit *edit, int kept)
{
	size_t i;

	for (i = edit->count; i-- > 0;)
		if (edit->entries[i].location->fixed[0] == '\0' &&
		    (!kept || !edit->entries[i].cut))
			return &edit->entries[i];
	return NULL;
}

/* If the last entry is removed, the comma of the one before it is, too. */
static void
adopt_cut_comma(const struct adopt_edit *edit, struct adopt_pieces *pieces)
{
	const struct adopt_entry *last = adopt_last(edit, 0);
	const struct adopt_entry *kept = adopt_last(edit, 1);

	if (edit->gap->form == CONFIG_GAP_MEMBER && last != NULL &&
	    last->cut && last->location->comma == 0 && kept != NULL &&
	    kept->location->comma != 0)
		adopt_piece_add(pieces, kept->location->comma - 1,
		    kept->location->comma, NULL);
}

/* Inserting */

/* Adds all members, one after the other. */
static void
adopt_add_members(const struct adopt_edit *edit, const char *line,
    struct buffer *text)
{
	size_t i;

	for (i = 0; i < edit->put_count; i++) {
		if (i > 0)
			buffer_printf(text, ",%s", line);
		buffer_add_text(text, edit->puts[i]);
	}
}

/* They are the first members; the comma is for those that stay. */
static void
adopt_put_members(const struct adopt_edit *edit, struct adopt_pieces *pieces)
{
	const struct server_gap *gap = edit->gap;
	int more = adopt_last(edit, 1) != NULL;
	struct buffer text = { 0 };

	buffer_add_text(&text, gap->line);
	adopt_add_members(edit, gap->line, &text);
	buffer_add_text(&text, more ? "," : gap->behind);
	adopt_piece_add(pieces, gap->at, gap->at, &text);
}

static void
adopt_put_list(const struct adopt_edit *edit, struct adopt_pieces *pieces)
{
	const struct server_gap *gap = edit->gap;
	struct buffer text = { 0 };

	buffer_printf(&text, "%s%s: {%s", gap->line, edit->list, gap->deeper);
	adopt_add_members(edit, gap->deeper, &text);
	buffer_printf(&text, "%s}%s", gap->line, gap->more ? "," : gap->behind);
	adopt_piece_add(pieces, gap->at, gap->at, &text);
}

static void
adopt_put_sections(const struct adopt_edit *edit, struct adopt_pieces *pieces)
{
	const struct server_gap *gap = edit->gap;
	struct buffer text = { 0 };
	size_t i;

	buffer_add_text(&text, gap->line);
	for (i = 0; i < edit->put_count; i++)
		buffer_printf(&text, "%s%s%s", i > 0 ? gap->deeper : "",
		    edit->puts[i], gap->deeper);
	buffer_add_text(&text, gap->behind);
	adopt_piece_add(pieces, gap->at, gap->at, &text);
}

/* The new members become the whole file. */
static void
adopt_put_whole(const struct adopt_edit *edit, struct adopt_pieces *pieces)
{
	struct buffer text = { 0 };
	size_t i;

	if (edit->list == NULL) {
		for (i = 0; i < edit->put_count; i++)
			buffer_printf(&text, "%s%s\n", i > 0 ? "\n" : "",
			    edit->puts[i]);
	} else {
		buffer_printf(&text, "{\n  %s: {\n    ", edit->list);
		adopt_add_members(edit, "\n    ", &text);
		buffer_add_text(&text, "\n  }\n}\n");
	}
	adopt_piece_add(pieces, 0, edit->len, &text);
}

static int
adopt_put(const struct adopt_edit *edit, struct adopt_pieces *pieces,
    struct err *err)
{
	switch (edit->gap->form) {
	case CONFIG_GAP_MEMBER:
		adopt_put_members(edit, pieces);
		return 0;
	case CONFIG_GAP_LIST:
		adopt_put_list(edit, pieces);
		return 0;
	case CONFIG_GAP_SECTION:
		adopt_put_sections(edit, pieces);
		return 0;
	case CONFIG_GAP_WHOLE:
		adopt_put_whole(edit, pieces);
		return 0;
	default:
		return err_set(err, "nothing can be added to the file: %s",
		    edit->gap->why);
	}
}

static int
adopt_copy(const struct adopt_edit *edit, struct adopt_pieces *pieces,
    struct buffer *out, struct err *err)
{
	size_t i, pos = 0;

	if (pieces->count > 0)
		qsort(pieces->list, pieces->count, sizeof(*pieces->list),
		    adopt_piece_compare);
	for (i = 0; i < pieces->count; i++) {
		const struct adopt_piece *piece = &pieces->list[i];

		if (piece->end > edit->len || piece->start > piece->end)
			return err_set(err, "an entry stands outside of the "
			    "file");
		if (piece->start > pos)
			buffer_add(out, edit->data + pos, piece->start - pos);
		if (piece->text != NULL)
			buffer_add_text(out, piece->text);
		if (piece->start > pos)
			pos = piece->start;
		if (piece->end > pos)
			pos = piece->end;
	}
	buffer_add(out, edit->data + pos, edit->len - pos);
	return 0;
}

int
adopt_edit(const struct adopt_edit *edit, struct buffer *out, struct err *err)
{
	struct adopt_pieces pieces = { NULL, 0 };
	size_t i;
	int done = 0;

	for (i = 0; i < edit->count; i++)
		if (adopt_is_cut(&edit->entries[i]))
			adopt_piece_add(&pieces,
			    edit->entries[i].location->cut_start,
			    edit->entries[i].location->cut_end, NULL);
	adopt_cut_comma(edit, &pieces);
	if (edit->put_count > 0)
		done = adopt_put(edit, &pieces, err);
	if (done == 0)
		done = adopt_copy(edit, &pieces, out, err);
	adopt_pieces_free(&pieces);
	return done;
}
