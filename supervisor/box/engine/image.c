/* Names of images, and the tags of languages: see engine.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "engine.h"

#define IMAGE_HEX "0123456789abcdef"

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

/*
 * A language is part of the name of an image, where these must stand between
 * letters or digits.
 */
static int
image_is_separator(char letter)
{
	return letter != '\0' && strchr("._-", letter) != NULL;
}

int
image_is_language(const char *text)
{
	const char *p;

	if (!image_is_word(text, "+#._-", IMAGE_LANGUAGE_MAX))
		return 0;
	for (p = text; *p != '\0'; p++)
		if (image_is_separator(*p) &&
		    (p[1] == '\0' || strchr("+#._-", p[1]) != NULL))
			return 0;
	return 1;
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

/* What engines do not take in names, and what stands for it. */
static const struct {
	char letter;
	const char *stands;
} image_letters[] = { { '+', "__p" }, { '#', "__s" } };

#define IMAGE_LETTERS (sizeof(image_letters) / sizeof(image_letters[0]))

/* Appends a language, as it is in names. */
static void
image_add_language(struct buffer *text, const char *language)
{
	size_t i;

	for (; *language != '\0'; language++) {
		for (i = 0; i < IMAGE_LETTERS; i++)
			if (image_letters[i].letter == *language)
				break;
		if (i < IMAGE_LETTERS)
			buffer_add_text(text, image_letters[i].stands);
		else
			buffer_add(text, language, 1);
	}
}

void
image_add_tag(struct buffer *text, const char *language)
{
	buffer_add_text(text, IMAGE_TAGS);
	image_add_language(text, language);
	buffer_add_text(text, IMAGE_TAG_END);
}

void
image_add_built(struct buffer *text, const char *language)
{
	buffer_add_text(text, IMAGE_BUILT);
	image_add_language(text, language);
}

/* Appends a letter of a language. Returns the length of what stands for it. */
static size_t
image_add_letter(struct buffer *language, const char *tag)
{
	size_t i;

	for (i = 0; i < IMAGE_LETTERS; i++)
		if (image_begins(tag, image_letters[i].stands)) {
			buffer_add(language, &image_letters[i].letter, 1);
			return strlen(image_letters[i].stands);
		}
	buffer_add(language, tag, 1);
	return 1;
}

char *
image_tag_language(const char *tag)
{
	struct buffer language = { 0 };
	size_t len = strlen(tag), end = strlen(IMAGE_TAG_END);
	const char *p = tag + strlen(IMAGE_TAGS);
	char *found;

	if (!image_begins(tag, IMAGE_TAGS) || len < end ||
	    strcmp(tag + len - end, IMAGE_TAG_END) != 0)
		return NULL;
	while (p < tag + len - end)
		p += image_add_letter(&language, p);
	found = buffer_take(&language, NULL);
	if (!image_is_language(found))
		free(mem_take(&found));
	return found;
}
