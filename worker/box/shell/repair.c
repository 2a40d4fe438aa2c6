/*
 * Repairs code that is not a plain script: removes Windows line ends, and a
 * Markdown fence around the whole. Run by the code, before it starts.
 */
#include <stdlib.h>
#include <string.h>

#include "../shared/mcp.h"

/* Named by the manifest. */
mcp_prepare shell_prepare;

#define REPAIR_FENCE "```"

/* Converts CRLF to LF if every line ends with it. Returns whether it did. */
static int
repair_line_ends(char *code, size_t *len)
{
	size_t i, kept = 0, ends = 0;

	for (i = 0; i < *len; i++) {
		if (code[i] != '\n')
			continue;
		if (i == 0 || code[i - 1] != '\r')
			return 0;
		ends++;
	}
	if (ends == 0)
		return 0;
	for (i = 0; i < *len; i++)
		if (code[i] != '\r' || (i + 1 < *len && code[i + 1] != '\n'))
			code[kept++] = code[i];
	*len = kept;
	return 1;
}

/* Whether the first line of a fence names shell code, or no language. */
static int
repair_is_tag(const char *tag, size_t len)
{
	static const char *const tags[] = { "", "bash", "sh", "shell" };
	size_t i;

	while (len > 0 && strchr(" \t", tag[len - 1]) != NULL)
		len--;
	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (strlen(tags[i]) == len && memcmp(tags[i], tag, len) == 0)
			return 1;
	return 0;
}

/* Removes the single fence around all. Returns whether there was one. */
static int
repair_fence(char *code, size_t *len)
{
	static const size_t mark = sizeof(REPAIR_FENCE) - 1;
	size_t begin = 0, end = *len;
	char *first;

	while (end > 0 && strchr(" \t\r\n", code[end - 1]) != NULL)
		end--;
	while (begin < end && strchr(" \t\r\n", code[begin]) != NULL)
		begin++;
	if (end - begin < 2 * mark + 1 ||
	    memcmp(code + begin, REPAIR_FENCE, mark) != 0 ||
	    memcmp(code + end - mark - 1, "\n" REPAIR_FENCE, mark + 1) != 0)
		return 0;
	end -= mark;
	begin += mark;
	first = memchr(code + begin, '\n', end - begin);
	if (!repair_is_tag(code + begin, (size_t)(first - code) - begin))
		return 0;
	begin = (size_t)(first + 1 - code);
	/* With another fence inside it is not one script. */
	if (memmem(code + begin, end - begin, REPAIR_FENCE, mark) != NULL)
		return 0;
	memmove(code, code + begin, end - begin);
	*len = end - begin;
	return 1;
}

const char *
shell_prepare(char *code, size_t *len, const char *shell)
{
	int ends = repair_line_ends(code, len);
	int fence = repair_fence(code, len);

	/* Otherwise the shell would set it to an unknown program. */
	(void)setenv("SHELL", shell, 1);
	if (ends && fence)
		return "with LF for its line ends CRLF, and without its "
		       "Markdown fence";
	if (ends)
		return "with LF for its line ends CRLF";
	return fence ? "without its Markdown fence" : NULL;
}
