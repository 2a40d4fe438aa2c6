/*
 * Python names for servers and tools: every run of characters other than
 * letters, digits and _ becomes one _; letters become lower case; _ is put
 * before a leading digit and after a keyword. Names with the same result get
 * the suffix _2, _3 and so on, except a name that already equals its alias.
 * Used by the supervisor for servers, by the broker for tools, and by relay and
 * store, which need the keywords only. Also which server or tool a name means:
 * used by the supervisor and, in the box, by the command mcp.
 */
#ifndef COMMON_ALIAS_H
#define COMMON_ALIAS_H

#include <stddef.h>

/*
 * Gives each of the names (bytes, NUL-terminated) a unique alias. The result
 * depends on the set of names, not on their order: a name that equals its
 * natural alias keeps it, and the others are numbered in byte order. empty
 * replaces a name of which no character is left ("server", "tool"). The caller
 * frees each of aliases.
 */
void alias_assign(
    const char *const *names, size_t count, const char *empty, char **aliases);

/* Whether a word is a hard keyword of Python, which cannot be a name. */
int alias_is_keyword(const char *word);

/* A search for the one server, or tool of a server, that a name means. */
struct alias_search {
	const char *name; /* borrowed */
	const char *bare; /* without "mcp_"; NULL for a tool */
	const void *named, *aliased; /* is called so */
	const void *like[2];         /* is spelled like name, and bare */
	size_t count[2];             /* of the same letters and digits */
};

struct alias_search alias_search_server(const char *name);
struct alias_search alias_search_tool(const char *name);

/* Compares the name with those of an item, which is not NULL. */
void alias_try(struct alias_search *search, const char *name,
    const char *alias, const void *item);

/*
 * Returns the item with this name, or else this alias, or else the one whose
 * name, for servers also alias, differs in case and in "-" and "_" only. Those
 * between digits count, as 1_2 is not 12. If several have the same letters and
 * digits, or none is meant, or the name has no more than "-" and "_", returns
 * NULL. The same is in Python (_named.py) and in JavaScript (names.mjs).
 */
const void *alias_found(const struct alias_search *search);

#endif
