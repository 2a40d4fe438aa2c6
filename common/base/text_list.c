/*
 * A list of texts in one array of bytes: see text_list.h. Linked into every
 * process.
 */
#include <string.h>

#include "mem.h"
#include "text_list.h"

int
text_list_complete(const char *data, size_t len)
{
	return len == 0 || data[len - 1] == '\0';
}

size_t
text_list_count(const char *data, size_t len)
{
	const char *text;
	size_t count = 0;

	TEXT_LIST_EACH (text, data, len)
		count++;
	return count;
}

const char *
text_list_next(const char *data, size_t len, const char *text)
{
	const char *next;

	if (len == 0)
		return NULL;
	next = text == NULL ? data : text + strlen(text) + 1;
	return next < data + len ? next : NULL;
}

int
text_list_has(const struct buffer *list, const char *text)
{
	const char *known;

	TEXT_LIST_EACH (known, list->data, list->len)
		if (strcmp(known, text) == 0)
			return 1;
	return 0;
}

const char *
text_list_value(const char *data, size_t len, const char *name)
{
	const char *known, *value;

	TEXT_LIST_PAIRS (known, value, data, len)
		if (strcmp(known, name) == 0)
			return value;
	return NULL;
}

void
text_list_add(struct buffer *list, const char *text)
{
	buffer_add(list, text, strlen(text) + 1);
}

char **
text_list_vector(char *data, size_t len)
{
	char **vector =
	    mem_alloc((text_list_count(data, len) + 1) * sizeof(*vector));
	const char *text;
	size_t n = 0;

	TEXT_LIST_EACH (text, data, len)
		vector[n++] = data + (text - data);
	return vector;
}
