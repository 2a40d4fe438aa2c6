/*
 * Images as values: see image.h. Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/utf8.h"
#include "image.h"

#define IMAGE_HEX "0123456789abcdef"

void
image_reset(struct image *image)
{
	free(image->name);
	free(image->language);
	free(image->engine);
	free(image->root);
	buffer_reset(&image->command);
	buffer_reset(&image->variables);
	memset(image, 0, sizeof(*image));
}

void
image_list_reset(struct image_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		image_reset(&list->one[i]);
	free(list->one);
	memset(list, 0, sizeof(*list));
}

/* Names */

static int
image_begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static int
image_is_word(const char *text, const char *others, size_t most)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *p;

	if (text[0] == '\0' || strchr(letters, text[0]) == NULL)
		return 0;
	for (p = text; *p != '\0'; p++)
		if (strchr(letters, *p) == NULL && strchr(others, *p) == NULL)
			return 0;
	return (size_t)(p - text) <= most;
}

int
image_is_name(const char *text)
{
	return image_is_word(text, "._-/:", IMAGE_NAME_MAX) &&
	    !image_begins(text, IMAGE_ALGORITHM);
}

int
image_is_language(const char *text)
{
	return image_is_word(text, "+#._-", IMAGE_LANGUAGE_MAX);
}

const char *
image_digits(const char *digest)
{
	size_t len = strlen(IMAGE_ALGORITHM);

	return image_begins(digest, IMAGE_ALGORITHM) ? digest + len : digest;
}

int
image_is_digest(const char *text)
{
	const char *digits = image_digits(text);
	size_t len = strlen(digits);

	return len >= IMAGE_DIGITS_MIN && len <= 64 &&
	    digits[strspn(digits, IMAGE_HEX)] == '\0';
}

int
image_may_be_pulled(const char *name)
{
	int built = image_begins(name, IMAGE_BUILT) &&
	    strchr(name, '/') == NULL;

	return !built && !image_begins(name, "localhost/") &&
	    !image_is_digest(name);
}

int
image_is_variable(const char *text)
{
	static const char letters[] =
	    "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = strspn(text, letters);

	return len > 0 && strchr("0123456789", text[0]) == NULL &&
	    text[len] == '=' && utf8_valid(text, strlen(text));
}
