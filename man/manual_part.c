/*
 * Markdown to mdoc, for the few forms that our own manual uses. Strong text and
 * code become fonts within the text, as macros would need their punctuation
 * taken apart.
 */
#include "manual_part.h"

#include <stdio.h>
#include <string.h>

#define LINE_SIZE 1024

/* Where the text stands. */
struct text {
	int listed;	/* within a list */
	int code, strong;
};

/* One character of text or code, so that neither becomes a request. */
static void
put_character(char c, int first)
{
	switch (c) {
	case '\\':
		fputs("\\e", stdout);
		break;
	case '-':
		fputs("\\-", stdout);
		break;
	case '"':
		fputs("\\(dq", stdout);
		break;
	case '\'':
		fputs("\\(aq", stdout);
		break;
	case '~':
		fputs("\\(ti", stdout);
		break;
	case '.':
		fputs(first ? "\\&." : ".", stdout);
		break;
	default:
		putchar(c);
	}
}

/* The words of a line, with their fonts. */
static void
put_text(struct text *text, const char *s)
{
	const char *start = s;

	for (; *s != '\0'; s++)
		if (*s == '`') {
			text->code = !text->code;
			fputs(text->code ? "\\fB" : "\\fP", stdout);
		} else if (!text->code && strncmp(s, "**", 2) == 0) {
			text->strong = !text->strong;
			fputs(text->strong ? "\\fB" : "\\fP", stdout);
			s++;
		} else if (!text->code && strncmp(s, ". ", 2) == 0) {
			/* Each sentence begins a line of its own. */
			fputs(".\n", stdout);
			s++;
		} else {
			put_character(*s, s == start);
		}
	putchar('\n');
}

static void
end_list(struct text *text)
{
	if (text->listed)
		puts(".El");
	text->listed = 0;
}

static void
manual_part_put_line(struct text *text, const char *line)
{
	if (strncmp(line, "---", 3) == 0)
		return;
	if (strncmp(line, "- ", 2) == 0) {
		if (!text->listed)
			puts(".Bl -bullet -compact");
		text->listed = 1;
		puts(".It");
		put_text(text, line + 2);
	} else if (*line == '\0') {
		end_list(text);
		puts(".Pp");
	} else {
		put_text(text, line + strspn(line, " "));
	}
}

int
manual_part(const char *path)
{
	struct text text = { 0 };
	FILE *manual = fopen(path, "r");
	char line[LINE_SIZE];

	if (manual == NULL) {
		perror(path);
		return -1;
	}
	while (fgets(line, sizeof(line), manual) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		manual_part_put_line(&text, line);
	}
	end_list(&text);
	fclose(manual);
	return 0;
}
