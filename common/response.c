/* The answer of a worker: see response.h. */
#include <string.h>

#include "base/file_name.h"
#include "base/utf8.h"
#include "picture.h"
#include "response.h"

/* The characters of a name (RFC 9110, token), without capital letters. */
#define RESPONSE_NAME                                                          \
	"abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"

const char *
response_form_name(enum response_form form)
{
	static const char *const names[] = { "text", "base64", "file" };

	return names[form];
}

int
response_body_valid(enum response_form form, const char *body, size_t len)
{
	switch (form) {
	case RESPONSE_TEXT:
		return utf8_valid(body, len);
	case RESPONSE_BASE64:
		return picture_is_base64(body, len);
	default:
		return file_name_valid(body, len);
	}
}

int
response_next(const char **head, struct response_header *header)
{
	const char *line = *head;
	size_t name = strspn(line, RESPONSE_NAME), all = strcspn(line, "\n");

	if (*line == '\0')
		return 0;
	if (name == 0 || strncmp(line + name, ": ", 2) != 0 ||
	    line[all] != '\n')
		return -1;
	*header = (struct response_header){ line, line + name + 2, name,
		all - name - 2 };
	*head = line + all + 1;
	return 1;
}

/* Compares names, each with its colon. */
static int
response_compare(
    const struct response_header *one, const struct response_header *other)
{
	size_t len = one->name_len < other->name_len ? one->name_len :
	                                               other->name_len;

	return memcmp(one->name, other->name, len + 1);
}

int
response_same(
    const struct response_header *one, const struct response_header *other)
{
	return response_compare(one, other) == 0;
}

int
response_head_valid(const char *head)
{
	struct response_header last = { 0 }, header;
	int found;

	while ((found = response_next(&head, &header)) == 1) {
		if (last.name != NULL && response_compare(&last, &header) > 0)
			return 0;
		last = header;
	}
	return found == 0;
}
