/*
 * Names as people write them: equality except for case, dashes and underscores,
 * and similarity. Run by the command, in the box.
 */
#include <ctype.h>
#include <string.h>

#include "mcp.h"
#include "../../../common/limits.h"

/* The next significant character, in lower case; 0 at the end. */
static int
names_next(const char **name)
{
	*name += strspn(*name, "-_");
	return **name == '\0' ? 0 : tolower((unsigned char)*(*name)++);
}

int
names_same(const char *one, const char *other)
{
	int c;

	do {
		c = names_next(&one);
		if (c != names_next(&other))
			return 0;
	} while (c != 0);
	return 1;
}

/*
 * Copies the significant characters of a name, at most MCP_CLOSE_MAX; returns
 * their number.
 */
static size_t
names_plain(const char *name, char *plain)
{
	size_t len = 0;
	int c;

	while (len <= MCP_CLOSE_MAX && (c = names_next(&name)) != 0)
		plain[len++] = (char)c;
	return len;
}

static size_t
names_least(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

int
names_close(const char *one, const char *other)
{
	char a[MCP_CLOSE_MAX + 1], b[MCP_CLOSE_MAX + 1];
	size_t row[MCP_CLOSE_MAX + 2], i, j, above, kept;
	size_t a_len = names_plain(one, a), b_len = names_plain(other, b);

	if (a_len > MCP_CLOSE_MAX || b_len > MCP_CLOSE_MAX)
		return 0;
	/* Edit distances of increasingly long prefixes. */
	for (j = 0; j <= b_len; j++)
		row[j] = j;
	for (i = 1; i <= a_len; i++) {
		above = row[0];
		row[0] = i;
		for (j = 1; j <= b_len; j++) {
			kept = above + (a[i - 1] != b[j - 1]);
			above = row[j];
			row[j] = names_least(kept, row[j] + 1, row[j - 1] + 1);
		}
	}
	return row[b_len] * 3 <= (a_len > b_len ? a_len : b_len);
}
