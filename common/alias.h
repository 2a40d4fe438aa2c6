/*
 * Python names for servers and tools: every run of characters other than
 * letters, digits and _ becomes one _; letters become lower case; _ is put
 * before a leading digit and after a keyword. Names with the same result get
 * the suffix _2, _3 and so on, except a name that already equals its alias.
 * Used by the supervisor for servers, by the broker for tools, and by relay and
 * store, which need the keywords only.
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

#endif
