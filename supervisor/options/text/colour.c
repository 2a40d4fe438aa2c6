/* Colours: see colour.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "colour.h"

#define COLOUR_STREAMS 3 /* standard input is not used */

static int colour_shown[COLOUR_STREAMS];

void
colour_begin(void)
{
	const char *term = getenv("TERM");
	const char *none = getenv("NO_COLOR");
	int able = term != NULL && term[0] != '\0' &&
	    strcmp(term, "dumb") != 0 && (none == NULL || none[0] == '\0');
	int fd;

	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		colour_shown[fd] = able && isatty(fd);
}

/* The escape sequences around a word: ECMA-48, "select graphic rendition". */
static void
colour_wrap(struct buffer *text, int fd, enum colour colour,
    const char *word, int width)
{
	static const char *const codes[] = { [COLOUR_PLAIN] = NULL,
		[COLOUR_GOOD] = "32",
		[COLOUR_BAD] = "1;31",
		[COLOUR_NOTE] = "33",
		[COLOUR_HEAD] = "1" };
	int len = (int)strlen(word);

	if (fd >= 0 && fd < COLOUR_STREAMS && colour_shown[fd] &&
	    codes[colour] != NULL)
		buffer_printf(text, "\033[%sm%s\033[0m", codes[colour], word);
	else
		buffer_add_text(text, word);
	buffer_printf(text, "%*s", width > len ? width - len : 0, "");
}

void
colour_add(struct buffer *text, enum colour colour, const char *word, int width)
{
	colour_wrap(text, STDOUT_FILENO, colour, word, width);
}

void
colour_print(FILE *out, enum colour colour, const char *word, int width)
{
	auto_buffer struct buffer text = { 0 };

	/* A stream in memory has no descriptor. */
	colour_wrap(&text, fileno(out), colour, word, width);
	fputs(text.data, out);
}
