/*
 * Python names for servers and tools, and what names mean: see alias.h. Handles
 * names only, neither servers nor tools.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "alias.h"
#include "base/mem.h"

/* The hard keywords of Python 3, sorted by byte values. */
static const char *const alias_keywords[] = { "False", "None", "True", "and",
	"as", "assert", "async", "await", "break", "class", "continue", "def",
	"del", "elif", "else", "except", "finally", "for", "from", "global",
	"if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
	"raise", "return", "try", "while", "with", "yield" };

/* A name and the alias it would have if it were the only one. */
struct alias {
	const char *name;
	char *natural;
	size_t index; /* index in the caller's arrays */
};

static int
alias_compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int
alias_is_keyword(const char *word)
{
	return bsearch(&word, alias_keywords,
		   sizeof(alias_keywords) / sizeof(alias_keywords[0]),
		   sizeof(alias_keywords[0]), alias_compare_words) != NULL;
}

/* Returns the byte to use in an identifier; 0 if it is not allowed there. */
static char
alias_byte(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
		return c;
	return 0;
}

/* Returns the natural alias of a name; the caller frees it. */
static char *
alias_make(const char *name, const char *empty)
{
	size_t n, len = 0;
	char *alias, c, before = '_';

	if (name[0] == '\0')
		return mem_strdup(empty);
	/* Room for an underscore at each end and the NUL. */
	alias = mem_alloc(strlen(name) + 3);
	if (name[0] >= '0' && name[0] <= '9')
		alias[len++] = '_';
	for (n = 0; name[n] != '\0'; n++) {
		c = alias_byte(name[n]);
		if (c != 0)
			alias[len++] = c;
		else if (before != 0) /* the first of a run */
			alias[len++] = '_';
		before = c;
	}
	if (alias_is_keyword(alias))
		alias[len] = '_';
	return alias;
}

/* Whether a name is its own natural alias. */
static int
alias_is_exact(const struct alias *entry)
{
	return strcmp(entry->name, entry->natural) == 0;
}

/*
 * Sorts by natural alias. If several names share one, the name that equals it
 * comes first, because code that writes it means that name. The others are
 * sorted by name; a name may occur twice.
 */
static int
alias_compare(const void *a, const void *b)
{
	const struct alias *x = a, *y = b;
	int order = strcmp(x->natural, y->natural);

	if (order == 0)
		order = alias_is_exact(y) - alias_is_exact(x);
	if (order == 0)
		order = strcmp(x->name, y->name);
	if (order == 0)
		order = x->index < y->index ? -1 : 1;
	return order;
}

static int
alias_compare_naturals(const void *word, const void *entry)
{
	return strcmp(word, ((const struct alias *)entry)->natural);
}

/*
 * Returns natural with the first number, from *number on, that gives an alias
 * that is no name's natural alias; sets *number to the next one. Aliases made
 * from different natural aliases never collide: the part before the last _
 * differs.
 */
static char *
alias_number(const char *natural, size_t *number, const struct alias *sorted,
    size_t count)
{
	char *made = NULL;

	do {
		free(made);
		made = mem_printf("%s_%zu", natural, (*number)++);
	} while (bsearch(made, sorted, count, sizeof(*sorted),
		     alias_compare_naturals) != NULL);
	return made;
}

/* Returns the names with their natural aliases, sorted; the caller frees. */
static struct alias *
alias_sort(const char *const *names, size_t count, const char *empty)
{
	struct alias *sorted = mem_alloc(count * sizeof(*sorted));
	size_t n;

	for (n = 0; n < count; n++) {
		sorted[n].name = names[n];
		sorted[n].natural = alias_make(names[n], empty);
		sorted[n].index = n;
	}
	if (count > 0)
		qsort(sorted, count, sizeof(*sorted), alias_compare);
	return sorted;
}

void
alias_assign(
    const char *const *names, size_t count, const char *empty, char **aliases)
{
	auto_free struct alias *sorted = alias_sort(names, count, empty);
	size_t n, number = 2;

	for (n = 0; n < count; n++) {
		if (n > 0 &&
		    strcmp(sorted[n].natural, sorted[n - 1].natural) == 0) {
			aliases[sorted[n].index] = alias_number(
			    sorted[n].natural, &number, sorted, count);
			continue;
		}
		aliases[sorted[n].index] = mem_strdup(sorted[n].natural);
		number = 2;
	}
	for (n = 0; n < count; n++)
		free(sorted[n].natural);
}

struct alias_search
alias_search_server(const char *name)
{
	int prefixed = strncasecmp(name, "mcp_", 4) == 0;

	return (struct alias_search){ .name = name,
		.bare = prefixed ? name + 4 : name };
}

struct alias_search
alias_search_tool(const char *name)
{
	return (struct alias_search){ .name = name };
}

/*
 * Returns a name in lower case without marks or, if spelled is set, without "-"
 * and "_" that are not between digits. The caller frees it.
 */
static char *
alias_plain(const char *name, int spelled)
{
	char *plain = mem_strdup(name), *to = plain;
	size_t len, marks;
	int kept;

	for (; *name != '\0'; name += len) {
		marks = strspn(name, "-_");
		len = marks > 0 ? marks : 1;
		if (marks > 0)
			kept = spelled && to > plain &&
			    isdigit((unsigned char)to[-1]) &&
			    isdigit((unsigned char)name[marks]);
		else
			kept = spelled || isalnum((unsigned char)*name) ||
			    (*name & 0x80) != 0;
		if (!kept)
			continue;
		memcpy(to, name, len);
		*to = (char)tolower((unsigned char)*to);
		to += len;
	}
	*to = '\0';
	return plain;
}

/* Returns 0, 1 if two names differ in marks, or 2 if only in their spelling. */
static int
alias_likeness(const char *one, const char *other)
{
	int spelled;

	for (spelled = 0; spelled < 2; spelled++) {
		auto_free char *a = alias_plain(one, spelled);
		auto_free char *b = alias_plain(other, spelled);

		if (strcmp(a, b) != 0 || (spelled && a[0] == '\0'))
			break;
	}
	return spelled;
}

void
alias_try(struct alias_search *search, const char *name, const char *alias,
    const void *item)
{
	const char *const written[] = { search->name, search->bare };
	int n, like, by_alias;

	if (search->named == NULL && strcmp(search->name, name) == 0)
		search->named = item;
	if (search->aliased == NULL && strcmp(search->name, alias) == 0)
		search->aliased = item;
	for (n = 0; n < 2 && written[n] != NULL; n++) {
		like = alias_likeness(written[n], name);
		by_alias = search->bare == NULL ? 0 :
		    alias_likeness(written[n], alias);
		search->count[n] += like > 0 || by_alias > 0;
		if (like > 1 || by_alias > 1)
			search->like[n] = item;
	}
}

const void *
alias_found(const struct alias_search *search)
{
	int n;

	if (search->named != NULL)
		return search->named;
	if (search->aliased != NULL)
		return search->aliased;
	for (n = 0; n < 2; n++)
		if (search->count[n] == 1 && search->like[n] != NULL)
			return search->like[n];
	return NULL;
}
