/*
 * Converts TOML to JSON: see toml.h. Runs in the reader, on hostile bytes: the
 * text is parsed in place, and all allocated memory is bounded. The values
 * become a tree first, since a file may return to a table.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "toml.h"
#include "toml_text.h"

/* The length of a name in an error message. */
#define TOML_SHOWN 60

enum toml_kind {
	TOML_TABLE,
	TOML_ARRAY,
	TOML_STRING,
	TOML_TRUE,
	TOML_FALSE,
	TOML_NUMBER, /* or a date: its value is not kept */
};

/* How a table or an array was defined, which determines later additions. */
enum toml_made {
	TOML_MADE_AS_VALUE,  /* as a whole: no additions */
	TOML_MADE_BY_PATH,   /* as a part of a header */
	TOML_MADE_BY_HEADER, /* [table], [[array]] */
	TOML_MADE_BY_DOTS,   /* as a part of a key */
};

struct toml_node {
	struct toml_node *next;  /* next in its table or array */
	struct toml_node *first; /* its first and last element */
	struct toml_node *last;
	struct toml_node *older; /* all nodes of the tree, to free them */
	enum toml_kind kind;
	enum toml_made made;
	unsigned int depth;
	struct place key_place;
	struct place place;
	char *key; /* NULL in an array */
	size_t key_len;
	char *text; /* value of a string */
	size_t len;
};

/* All zeroes is an empty tree; toml_tree_free must be called in any case. */
struct toml_tree {
	struct toml_node *root;
	struct toml_node *newest;
	size_t count;
};

/* A name in the file, with its position. */
struct toml_key {
	const char *data;
	size_t len;
	struct place place;
};

struct toml {
	const char *text;
	size_t len;
	size_t pos;
	struct place_walk walk;
	struct toml_tree tree;
	struct toml_node *table; /* of the last header */
	struct outline *outline; /* NULL: not requested, or in a value */
	struct err *err;
};

/* The tree */

static void
toml_tree_begin(struct toml_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->root = mem_alloc(sizeof(*tree->root));
	tree->root->made = TOML_MADE_BY_HEADER;
	tree->root->place = (struct place){ 1, 1 };
	tree->newest = tree->root;
}

static void
toml_tree_free(struct toml_tree *tree)
{
	struct toml_node *node, *older;

	for (node = tree->newest; node != NULL; node = older) {
		older = node->older;
		free(node->key);
		free(node->text);
		free(node);
	}
	memset(tree, 0, sizeof(*tree));
}

static struct toml_node *
toml_tree_find(const struct toml_node *table, const struct toml_key *key)
{
	struct toml_node *node;

	for (node = table->first; node != NULL; node = node->next)
		if (node->key_len == key->len &&
		    memcmp(node->key, key->data, key->len) == 0)
			return node;
	return NULL;
}

/* Always returns NULL, for the caller to return. */
static struct toml_node *
toml_tree_refuse(const struct toml_key *key, const char *why, struct err *err)
{
	int len = key->len < TOML_SHOWN ? (int)key->len : TOML_SHOWN;

	err_set(err, "\"%.*s\" %s", len, key->data, why);
	return NULL;
}

/*
 * Makes a node in a table or an array; the caller checks that its name is
 * unused.
 */
static struct toml_node *
toml_tree_make(struct toml_tree *tree, struct toml_node *parent,
    const struct toml_key *key, enum toml_kind kind, struct err *err)
{
	struct toml_node *node;

	if (++tree->count > CONFIG_NODES_MAX ||
	    parent->depth + 1 > CONFIG_DEPTH_MAX) {
		err_set(err, "too many values: at most %d are allowed in a "
		    "file, nested at most %d deep",
		    CONFIG_NODES_MAX, CONFIG_DEPTH_MAX);
		return NULL;
	}
	node = mem_alloc(sizeof(*node));
	node->kind = kind;
	node->depth = parent->depth + 1;
	if (key != NULL) {
		node->key = mem_dup(key->data, key->len);
		node->key_len = key->len;
		node->key_place = node->place = key->place;
	}
	node->older = tree->newest;
	tree->newest = node;
	if (parent->last == NULL)
		parent->first = node;
	else
		parent->last->next = node;
	parent->last = node;
	return node;
}

/*
 * Adds a value to a table (key is NULL in an array). Returns it, for the caller
 * to fill, or NULL with err.
 */
static struct toml_node *
toml_tree_add(struct toml_tree *tree, struct toml_node *parent,
    const struct toml_key *key, enum toml_kind kind, struct err *err)
{
	if (key != NULL && toml_tree_find(parent, key) != NULL)
		return toml_tree_refuse(
		    key, "is defined here more than once", err);
	return toml_tree_make(tree, parent, key, kind, err);
}

static struct toml_node *
toml_tree_make_table(struct toml_tree *tree, struct toml_node *parent,
    const struct toml_key *key, enum toml_made made, struct err *err)
{
	struct toml_node *node =
	    toml_tree_make(tree, parent, key, TOML_TABLE, err);

	if (node != NULL)
		node->made = made;
	return node;
}

/*
 * Descends to the table of this name, as a part of a dotted key or of a header,
 * or as the last part of a header; creates it if there is none. Returns NULL
 * with err if that is not allowed.
 */
static struct toml_node *
toml_tree_enter(struct toml_tree *tree, struct toml_node *table,
    const struct toml_key *key, enum toml_made how, struct err *err)
{
	struct toml_node *node = toml_tree_find(table, key);

	if (node == NULL)
		return toml_tree_make_table(tree, table, key, how, err);
	if (how == TOML_MADE_BY_HEADER && (node->kind != TOML_TABLE ||
		node->made != TOML_MADE_BY_PATH))
		return toml_tree_refuse(
		    key, "is defined here more than once", err);
	if (how == TOML_MADE_BY_PATH && node->kind == TOML_ARRAY &&
	    node->made == TOML_MADE_BY_HEADER)
		return node->last;
	if (node->kind != TOML_TABLE)
		return toml_tree_refuse(
		    key, "is already defined, and is not a table", err);
	if (node->made == TOML_MADE_AS_VALUE || (how == TOML_MADE_BY_DOTS &&
		node->made == TOML_MADE_BY_HEADER))
		return toml_tree_refuse(key, "is a complete table: nothing can "
		    "be added to it here", err);
	/* No header may define it again. */
	if (how != TOML_MADE_BY_PATH)
		node->made = how;
	return node;
}

/* An element of the array of tables that a header names: [[key]]. */
static struct toml_node *
toml_tree_append(struct toml_tree *tree, struct toml_node *table,
    const struct toml_key *key, struct err *err)
{
	struct toml_node *element, *array = toml_tree_find(table, key);

	if (array == NULL) {
		array = toml_tree_make(tree, table, key, TOML_ARRAY, err);
		if (array == NULL)
			return NULL;
		array->made = TOML_MADE_BY_HEADER;
	} else if (array->kind != TOML_ARRAY ||
	    array->made != TOML_MADE_BY_HEADER) {
		return toml_tree_refuse(key, "is already defined, and is not "
		    "an array of tables", err);
	}
	element = toml_tree_make_table(
	    tree, array, NULL, TOML_MADE_BY_HEADER, err);
	if (element != NULL)
		element->place = key->place;
	return element;
}

/* As JSON */

static void toml_tree_write_node(
    const struct toml_node *node, struct translation *translation);

static void
toml_tree_write_all(
    const struct toml_node *parent, struct translation *translation)
{
	const struct toml_node *node;
	struct buffer *json = &translation->json;

	for (node = parent->first; node != NULL; node = node->next) {
		if (node != parent->first)
			buffer_add_text(json, ",");
		if (node->key != NULL) {
			translation_mark(translation, node->key_place);
			json_add_string(json, node->key, node->key_len);
			buffer_add_text(json, ":");
		}
		translation_mark(translation, node->place);
		toml_tree_write_node(node, translation);
	}
}

/* Recursive, but the tree limits the depth. */
static void
toml_tree_write_node(
    const struct toml_node *node, struct translation *translation)
{
	struct buffer *json = &translation->json;

	switch (node->kind) {
	case TOML_TABLE:
		buffer_add_text(json, "{");
		toml_tree_write_all(node, translation);
		buffer_add_text(json, "}");
		break;
	case TOML_ARRAY:
		buffer_add_text(json, "[");
		toml_tree_write_all(node, translation);
		buffer_add_text(json, "]");
		break;
	case TOML_STRING:
		json_add_string(json, node->text, node->len);
		break;
	case TOML_NUMBER:
		buffer_add_text(json, "0");
		break;
	default:
		buffer_add_text(
		    json, node->kind == TOML_TRUE ? "true" : "false");
		break;
	}
}

/* The text */

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
 * Reads the parts of a key and descends, except for the last part. Returns the
 * table that contains it, or NULL.
 */
static struct toml_node *
toml_read_path(struct toml *t, struct toml_node *table, struct buffer *name,
    struct toml_key *key, enum toml_made how)
{
	size_t start;

	for (;;) {
		start = t->pos;
		if (toml_read_key(t, name, key) == -1)
			return NULL;
		if (t->outline != NULL)
			outline_name(t->outline, name);
		if (toml_peek(t, 0) != '.')
			return table;
		table = toml_tree_enter(&t->tree, table, key, how, t->err);
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

/* Returns the length of the word that is next; a date may contain a blank. */
static size_t
toml_word(const struct toml *t)
{
	size_t n = 0;

	while (t->pos + n < t->len &&
	    (strchr(" \t\r\n#,]}", toml_peek(t, n)) == NULL ||
		(n == strlen("1979-05-27") && toml_peek(t, 4) == '-' &&
		    toml_peek(t, n) == ' ' &&
		    isdigit((unsigned char)toml_peek(t, n + 1)))))
		n++;
	return n;
}

/*
 * Whether a word is written as numbers and dates are. Servers do not need them,
 * so their digits are not judged.
 */
static int
toml_is_number(const char *p, size_t len)
{
	size_t i, sign = *p == '+' || *p == '-';

	for (i = sign; i < len; i++)
		if (!isalnum((unsigned char)p[i]) &&
		    strchr("+-.:_ ", p[i]) == NULL)
			return 0;
	return len > sign && (isdigit((unsigned char)p[sign]) ||
	    (len == sign + 3 && (memcmp(p + sign, "inf", 3) == 0 ||
		memcmp(p + sign, "nan", 3) == 0)));
}

/* A word: true, false, a number or a date. */
static int
toml_read_word(struct toml *t, enum toml_kind *kind)
{
	const char *p = t->text + t->pos;
	size_t len = toml_word(t);

	if (len == 0)
		return toml_unexpected(t, "a value");
	if (len == 4 && memcmp(p, "true", 4) == 0)
		*kind = TOML_TRUE;
	else if (len == 5 && memcmp(p, "false", 5) == 0)
		*kind = TOML_FALSE;
	else if (toml_is_number(p, len))
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

	table = toml_read_path(t, table, &name, &key, TOML_MADE_BY_DOTS);
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
	struct outline *outline = mem_take(&t->outline);
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
	t->outline = outline;
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
	table = toml_read_path(t, t->tree.root, &name, &key, TOML_MADE_BY_PATH);
	if (table == NULL)
		return -1;
	if (toml_peek(t, 0) != ']' || (brackets == 2 && toml_peek(t, 1) != ']'))
		return toml_unexpected(t, brackets == 2 ? "]]" : "]");
	t->table = brackets == 2 ?
	    toml_tree_append(&t->tree, table, &key, t->err) :
	    toml_tree_enter(
		&t->tree, table, &key, TOML_MADE_BY_HEADER, t->err);
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
		if (t->outline != NULL)
			outline_begin(t->outline, toml_peek(t, 0) == '[');
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

int
toml_translate(const char *text, size_t len, struct translation *translation,
    struct place *place, struct err *err)
{
	struct toml t = { .text = text, .len = len,
		.walk = place_walk(text, len),
		.outline = translation->outline, .err = err };
	int read;

	t.pos = utf8_valid_prefix(text, len);
	if (t.pos < len) {
		*place = toml_place(&t);
		return err_set(err, "bytes that are not UTF-8");
	}
	t.pos = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	toml_tree_begin(&t.tree);
	read = toml_read_lines(&t);
	if (read == 0) {
		translation_mark(translation, t.tree.root->place);
		toml_tree_write_node(t.tree.root, translation);
	} else {
		*place = toml_place(&t);
	}
	toml_tree_free(&t.tree);
	return read;
}
