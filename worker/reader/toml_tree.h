/*
 * The values of a TOML file as a tree, with the rules for definitions and
 * redefinitions. Pure; runs in the reader.
 */
#ifndef READER_TOML_TREE_H
#define READER_TOML_TREE_H

#include <stddef.h>

#include "../../common/base/err.h"
#include "place.h"
#include "translation.h"

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

/* Makes the root, which will contain all members. */
void toml_tree_begin(struct toml_tree *tree);
void toml_tree_free(struct toml_tree *tree);

/*
 * Adds a value to a table (key is NULL in an array). Returns it, to be filled
 * by the caller, or NULL with err.
 */
struct toml_node *toml_tree_add(struct toml_tree *tree,
    struct toml_node *parent, const struct toml_key *key, enum toml_kind kind,
    struct err *err);

/*
 * Descends to the table of this name, as a part of a dotted key, or as a part
 * of a header that is not its last; creates it if there is none. Returns NULL
 * with err if that is not allowed.
 */
struct toml_node *toml_tree_enter_dotted(struct toml_tree *tree,
    struct toml_node *table, const struct toml_key *key, struct err *err);
struct toml_node *toml_tree_enter_path(struct toml_tree *tree,
    struct toml_node *table, const struct toml_key *key, struct err *err);

/* The last part of a header: [key] or, for an array, [[key]]. */
struct toml_node *toml_tree_define(struct toml_tree *tree,
    struct toml_node *table, const struct toml_key *key, struct err *err);
struct toml_node *toml_tree_append(struct toml_tree *tree,
    struct toml_node *table, const struct toml_key *key, struct err *err);

/* Writes the tree as JSON; a number or a date becomes 0. */
void toml_tree_write(
    const struct toml_tree *tree, struct translation *translation);

#endif
