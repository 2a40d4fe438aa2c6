/*
 * Names as Python can write them: every run of other
 * characters than letters, digits and _ becomes one _, lower case, _ before a
 * leading digit, _ behind a keyword; names that become the same get _2, _3, but
 * for one that is such a name already, which stays what it is.
 * Used by the supervisor for servers, by the broker for tools of servers, and
 * by relay and store, which need the keywords only.
 */
#ifndef COMMON_ALIAS_H
#define COMMON_ALIAS_H

#include <stddef.h>

/*
 * Gives each of the names (bytes, NUL-terminated) an alias of its own. The
 * result depends on the set of names, not on their order: a name that is its
 * own alias has it, and the others are gone through in the order of their
 * bytes. empty stands for a name of which
 * nothing is left ("server", "tool"). The caller frees each of aliases.
 */
void alias_assign(
    const char *const *names, size_t count, const char *empty, char **aliases);

/* Whether a word is a hard keyword of Python, which can be no name in it. */
int alias_is_keyword(const char *word);

#endif
