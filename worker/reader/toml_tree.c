/*
 * The values of a TOML file: see toml_tree.h. Runs in the reader; names are
 * untrusted, and their number and depth are limited here.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "toml_tree.h"

/* The length of a name in an error message. */
#define TOML_SHOWN 60

void
toml_tree_begin(struct toml_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->root = mem_alloc(sizeof(*tree->root));
	tree->root->made = TOML_MADE_BY_HEADER;
	tree->root->place = (struct place){ 1, 1 };
	tree->newest = tree->root;
}

void
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
toml_tree_refuse(
    const struct toml_key *key, const char *why, struct err *err)
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

struct toml_node *
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

struct toml_node *
toml_tree_enter_dotted(struct toml_tree *tree, struct toml_node *table,
    const struct toml_key *key, struct err *err)
{
	struct toml_node *node = toml_tree_find(table, key);

	if (node == NULL)
		return toml_tree_make_table(
		    tree, table, key, TOML_MADE_BY_DOTS, err);
	if (node->kind != TOML_TABLE)
		return toml_tree_refuse(
		    key, "is already defined, and is not a table", err);
	if (node->made == TOML_MADE_AS_VALUE ||
	    node->made == TOML_MADE_BY_HEADER)
		return toml_tree_refuse(key, "is a complete table: nothing can "
		    "be added to it here", err);
	/* No header may define it afterwards. */
	node->made = TOML_MADE_BY_DOTS;
	return node;
}

struct toml_node *
toml_tree_enter_path(struct toml_tree *tree, struct toml_node *table,
    const struct toml_key *key, struct err *err)
{
	struct toml_node *node = toml_tree_find(table, key);

	if (node == NULL)
		return toml_tree_make_table(
		    tree, table, key, TOML_MADE_BY_PATH, err);
	if (node->kind == TOML_ARRAY && node->made == TOML_MADE_BY_HEADER)
		return node->last;
	if (node->kind != TOML_TABLE)
		return toml_tree_refuse(
		    key, "is already defined, and is not a table", err);
	if (node->made == TOML_MADE_AS_VALUE)
		return toml_tree_refuse(key, "is a complete table: nothing can "
		    "be added to it here", err);
	return node;
}

struct toml_node *
toml_tree_define(struct toml_tree *tree, struct toml_node *table,
    const struct toml_key *key, struct err *err)
{
	struct toml_node *node = toml_tree_find(table, key);

	if (node == NULL)
		return toml_tree_make_table(
		    tree, table, key, TOML_MADE_BY_HEADER, err);
	if (node->kind != TOML_TABLE || node->made != TOML_MADE_BY_PATH)
		return toml_tree_refuse(
		    key, "is defined here more than once", err);
	node->made = TOML_MADE_BY_HEADER;
	return node;
}

struct toml_node *
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

void
toml_tree_write(
    const struct toml_tree *tree, struct translation *translation)
{
	translation_mark(translation, tree->root->place);
	toml_tree_write_node(tree->root, translation);
}
