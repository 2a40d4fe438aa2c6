/*
 * Converts TOML to JSON: see toml.h. Runs in the reader, on hostile bytes: the
 * text is parsed in place, and all allocated memory is bounded.
 */
#include <ctype.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "toml.h"
#include "toml_scalar.h"
#include "toml_text.h"
#include "toml_tree.h"

struct toml {
	const char *text;
	size_t len;
	size_t pos;
	struct place_walk walk;
	struct toml_tree tree;
	struct toml_node *table; /* of the last header */
	struct outline *outline; /* NULL: not requested */
	struct err *err;
};

/* The next byte, or NUL after the end. */
static char
toml_peek(const struct toml *t, size_t ahead)
{
	return ahead < t->len - t->pos ? t->text[t->pos + ahead] : '\0';
}

static struct place
toml_place(struct toml *t)
{
	return place_find(&t->walk, t->pos);
}

/* Reports what was found in place of the expected. Always returns -1. */
static int
toml_unexpected(struct toml *t, const char *wanted)
{
	unsigned char c = (unsigned char)toml_peek(t, 0);

	if (t->pos >= t->len)
		return err_set(t->err, "the text ends where %s should be",
		    wanted);
	if (c == '\n' || c == '\r')
		return err_set(t->err, "the line ends where %s should be",
		    wanted);
	if (c < 0x20 || c >= 0x7f)
		return err_set(t->err, "an invalid character where %s should "
		    "be", wanted);
	return err_set(t->err, "'%c' where %s should be", c, wanted);
}

/* Blanks, comments and line ends */

static void
toml_skip_blank(struct toml *t)
{
	while (toml_peek(t, 0) == ' ' || toml_peek(t, 0) == '\t')
		t->pos++;
}

/* Steps over a line end; returns whether there was one. */
static int
toml_skip_newline(struct toml *t)
{
	if (toml_peek(t, 0) == '\r' && toml_peek(t, 1) == '\n')
		t->pos++;
	if (toml_peek(t, 0) != '\n')
		return 0;
	t->pos++;
	return 1;
}

static int
toml_skip_comment(struct toml *t)
{
	unsigned char c;

	toml_skip_blank(t);
	if (toml_peek(t, 0) != '#')
		return 0;
	for (; t->pos < t->len; t->pos++) {
		c = (unsigned char)toml_peek(t, 0);
		if (c == '\n' || (c == '\r' && toml_peek(t, 1) == '\n'))
			break;
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return err_set(
			    t->err, "a control character in a comment");
	}
	return 0;
}

/* Blanks, comments and line ends. */
static int
toml_skip_lines(struct toml *t)
{
	do {
		if (toml_skip_comment(t) == -1)
			return -1;
	} while (toml_skip_newline(t));
	return 0;
}

static int
toml_end_line(struct toml *t)
{
	if (toml_skip_comment(t) == -1)
		return -1;
	if (toml_skip_newline(t) || t->pos >= t->len)
		return 0;
	return toml_unexpected(t, "the end of the line");
}

/* Keys */

static int
toml_is_bare(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* One part of a key; its bytes are appended to name. */
static int
toml_read_key(struct toml *t, struct buffer *name, struct toml_key *key)
{
	size_t start;

	toml_skip_blank(t);
	key->place = toml_place(t);
	name->len = 0;
	start = t->pos;
	if (toml_peek(t, 0) == '"' || toml_peek(t, 0) == '\'') {
		if (toml_text_read(t->text, t->len, &t->pos, 0, name,
		        t->err) == -1)
			return -1;
	} else {
		while (toml_is_bare(toml_peek(t, 0)))
			t->pos++;
		if (t->pos == start)
			return toml_unexpected(t, "a name");
		buffer_add(name, t->text + start, t->pos - start);
	}
	key->data = name->data;
	key->len = name->len;
	toml_skip_blank(t);
	return 0;
}

/*
 * Reads the parts of a key and descends with enter, except for the last part.
 * Returns the table that contains it, or NULL.
 */
static struct toml_node *
toml_read_path(struct toml *t, struct toml_node *table, struct buffer *name,
    struct toml_key *key,
    struct toml_node *(*enter)(struct toml_tree *tree,
        struct toml_node *table, const struct toml_key *key, struct err *err))
{
	size_t start;

	for (;;) {
		start = t->pos;
		if (toml_read_key(t, name, key) == -1)
			return NULL;
		if (toml_peek(t, 0) != '.')
			return table;
		table = enter(&t->tree, table, key, t->err);
		if (table == NULL) {
			t->pos = start;
			return NULL;
		}
		t->pos++;
	}
}

/* Values */

static struct toml_node *toml_read_value(struct toml *t,
    struct toml_node *parent, const struct toml_key *key);

/* A word: true, false, a number or a date. */
static int
toml_read_word(struct toml *t, enum toml_kind *kind)
{
	const char *p = t->text + t->pos;
	size_t len = toml_scalar_word(p, t->len - t->pos);

	if (len == 0)
		return toml_unexpected(t, "a value");
	if (len == 4 && memcmp(p, "true", 4) == 0)
		*kind = TOML_TRUE;
	else if (len == 5 && memcmp(p, "false", 5) == 0)
		*kind = TOML_FALSE;
	else if (toml_scalar_is_number(p, len) || toml_scalar_is_date(p, len))
		*kind = TOML_NUMBER;
	else
		return err_set(t->err, "this is not a TOML value: strings "
		    "need quotes");
	t->pos += len;
	return 0;
}

/* The values of an array, after its bracket. */
static int
toml_read_array(struct toml *t, struct toml_node *array)
{
	t->pos++;
	for (;;) {
		if (toml_skip_lines(t) == -1)
			return -1;
		if (toml_peek(t, 0) == ']')
			break;
		if (toml_read_value(t, array, NULL) == NULL ||
		    toml_skip_lines(t) == -1)
			return -1;
		if (toml_peek(t, 0) == ']')
			break;
		if (toml_peek(t, 0) != ',')
			return toml_unexpected(t, "a comma or ]");
		t->pos++;
	}
	t->pos++;
	return 0;
}

/* name = value, below a table. */
static int
toml_read_pair(struct toml *t, struct toml_node *table)
{
	auto_buffer struct buffer name = { 0 };
	struct toml_key key;

	table = toml_read_path(t, table, &name, &key, toml_tree_enter_dotted);
	if (table == NULL)
		return -1;
	if (toml_peek(t, 0) != '=')
		return toml_unexpected(t, "=");
	t->pos++;
	toml_skip_blank(t);
	return toml_read_value(t, table, &key) == NULL ? -1 : 0;
}

/* The pairs of an inline table, after its brace. */
static int
toml_read_inline(struct toml *t, struct toml_node *table)
{
	t->pos++;
	toml_skip_blank(t);
	if (toml_peek(t, 0) == '}') {
		t->pos++;
		return 0;
	}
	for (;;) {
		if (toml_read_pair(t, table) == -1)
			return -1;
		toml_skip_blank(t);
		if (toml_peek(t, 0) == '}')
			break;
		if (toml_peek(t, 0) != ',')
			return toml_unexpected(t, "a comma or }");
		t->pos++;
	}
	t->pos++;
	return 0;
}

static int
toml_read_string(struct toml *t, struct toml_node *node)
{
	auto_buffer struct buffer text = { 0 };

	if (toml_text_read(t->text, t->len, &t->pos, 1, &text, t->err) == -1)
		return -1;
	node->text = buffer_take(&text, &node->len);
	return 0;
}

static enum toml_kind
toml_kind_of(char c)
{
	switch (c) {
	case '"':
	case '\'':
		return TOML_STRING;
	case '[':
		return TOML_ARRAY;
	case '{':
		return TOML_TABLE;
	default:
		return TOML_NUMBER;
	}
}

/* Recursive, but the tree limits the depth. */
static struct toml_node *
toml_read_value(struct toml *t, struct toml_node *parent,
    const struct toml_key *key)
{
	struct place place = toml_place(t);
	enum toml_kind kind = toml_kind_of(toml_peek(t, 0));
	struct toml_node *node;
	int read;

	node = toml_tree_add(&t->tree, parent, key, kind, t->err);
	if (node == NULL)
		return NULL;
	node->place = place;
	if (kind == TOML_STRING)
		read = toml_read_string(t, node);
	else if (kind == TOML_ARRAY)
		read = toml_read_array(t, node);
	else if (kind == TOML_TABLE)
		read = toml_read_inline(t, node);
	else
		read = toml_read_word(t, &node->kind);
	return read == 0 ? node : NULL;
}

/* Lines */

/* [table] or [[array]] */
static int
toml_read_header(struct toml *t)
{
	auto_buffer struct buffer name = { 0 };
	size_t start, brackets = toml_peek(t, 1) == '[' ? 2 : 1;
	struct toml_node *table;
	struct toml_key key;

	t->pos += brackets;
	start = t->pos;
	table = toml_read_path(
	    t, t->tree.root, &name, &key, toml_tree_enter_path);
	if (table == NULL)
		return -1;
	if (toml_peek(t, 0) != ']' ||
	    (brackets == 2 && toml_peek(t, 1) != ']'))
		return toml_unexpected(t, brackets == 2 ? "]]" : "]");
	t->table = (brackets == 2 ? toml_tree_append : toml_tree_define)(
	    &t->tree, table, &key, t->err);
	if (t->table == NULL) {
		t->pos = start;
		return -1;
	}
	t->pos += brackets;
	return toml_end_line(t);
}

static int
toml_read_lines(struct toml *t)
{
	size_t start;
	int read = 0;

	t->table = t->tree.root;
	while (read == 0) {
		if (toml_skip_lines(t) == -1)
			return -1;
		if (t->pos >= t->len)
			return 0;
		start = t->pos;
		if (toml_peek(t, 0) == '[')
			read = toml_read_header(t);
		else if (toml_read_pair(t, t->table) == -1)
			return -1;
		else
			read = toml_end_line(t);
		if (read == 0 && t->outline != NULL)
			outline_add(t->outline, t->text, start, t->pos);
	}
	return read;
}

/* The start of the TOML text. */
static size_t
toml_start(const char *text, size_t len)
{
	return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int
toml_translate(const char *text, size_t len, struct translation *translation,
    struct place *place, struct err *err)
{
	struct toml t = { .text = text, .len = len,
		.walk = place_walk(text, len), .err = err };
	int read;

	t.pos = utf8_valid_prefix(text, len);
	if (t.pos < len) {
		*place = toml_place(&t);
		return err_set(err, "bytes that are not UTF-8");
	}
	t.pos = toml_start(text, len);
	toml_tree_begin(&t.tree);
	read = toml_read_lines(&t);
	if (read == 0)
		toml_tree_write(&t.tree, translation);
	else
		*place = toml_place(&t);
	toml_tree_free(&t.tree);
	return read;
}

int
toml_outline(
    const char *text, size_t len, struct outline *outline, struct err *err)
{
	struct toml t = { .text = text, .len = len,
		.pos = toml_start(text, len), .walk = place_walk(text, len),
		.outline = outline, .err = err };
	int read;

	toml_tree_begin(&t.tree);
	read = toml_read_lines(&t);
	toml_tree_free(&t.tree);
	return read;
}
