/*
 * The sides of an SVG, as its root element tells them: see type.h. What readers
 * of XML might understand otherwise does not fit. Runs in files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/limits.h"
#include "type.h"

#define SVG_BLANKS " \t\r\n"

static int
svg_is(const char *at, const char *word)
{
	return strncmp(at, word, strlen(word)) == 0;
}

/* Returns the attributes of the root element, or NULL. */
static char *
svg_begin(char *at)
{
	int end;

	for (; at != NULL; at = at == NULL ? NULL : strchr(at, '>') + 1) {
		at += strspn(at, SVG_BLANKS);
		if (svg_is(at, "<svg"))
			return at + strlen("<svg");
		end = 0;
		sscanf(at,
		    "<!DOCTYPE svg PUBLIC \"%*[^\"]\" \"%*[^\"]\"%n", &end);
		at = svg_is(at, "<?") ? strstr(at, "?>") :
		    svg_is(at, "<!--") ? strstr(at, "-->") :
		    end > 0 && at[end] == '>' ? at + end : NULL;
	}
	return NULL;
}

static int
svg_side_fits(const char *text)
{
	static const struct {
		const char *name;
		double pixels;
	} units[] = { { "", 1 }, { "px", 1 }, { "pt", 96.0 / 72 },
		{ "mm", 96 / 25.4 }, { "cm", 96 / 2.54 }, { "in", 96 } };
	size_t i, len = strspn(text, ".0123456789");
	char *end;
	double side = strtod(text, &end);

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end == text + len && strcmp(end, units[i].name) == 0)
			return side * units[i].pixels >= 1 &&
			    side * units[i].pixels <= PICTURE_SIDE_MAX;
	return 0;
}

/*
 * Counts sides among the attributes, which are changed. Returns what follows
 * the next one, or NULL if it does not fit.
 */
static char *
svg_next(char *at, int *sides)
{
	char *name = at + strspn(at, SVG_BLANKS);
	char *equal = name + strcspn(name, "=>");
	char *value = equal + strspn(equal, "=" SVG_BLANKS);
	char *end = *equal == '=' && (*value == '"' || *value == '\'') ?
	    strchr(value + 1, *value) : NULL;

	if (end == NULL || name == at)
		return NULL;
	*end = name[strcspn(name, "=" SVG_BLANKS)] = '\0';
	value++;
	if (strcmp(name, "style") == 0 &&
	    (strstr(value, "width") != NULL || strstr(value, "height") != NULL))
		return NULL;
	if (strcmp(name, "width") != 0 && strcmp(name, "height") != 0)
		return end + 1;
	++*sides;
	return svg_side_fits(value) ? end + 1 : NULL;
}

int
svg_fits(const uint8_t *data, size_t len)
{
	auto_free char *text = mem_dup((const char *)data, len);
	char *at = svg_begin(text);
	int sides = 0;

	while (at != NULL && at[strspn(at, SVG_BLANKS)] != '>' &&
	    at[strspn(at, SVG_BLANKS)] != '/')
		at = svg_next(at, &sides);
	return at != NULL && sides == 2;
}
