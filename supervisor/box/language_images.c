/*
 * The languages that images add: see language_images.h. Runs in the supervisor;
 * the languages are never freed, since calls refer to them.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "image_store.h"
#include "language.h"
#include "language_images.h"

/* The digits of a digest in the name of a language. */
#define LANGUAGE_IMAGES_DIGITS 12

/* Returns the command of an image with a root; NULL: its engine knows it. */
static const char *const *
language_images_command(struct image *image)
{
	const char *data = image->command.data, *word;
	size_t n = 0, len = image->command.len;
	const char **command;

	if (image->root == NULL)
		return NULL;
	command = mem_alloc((text_list_count(data, len) + 1) *
	    sizeof(*command));
	TEXT_LIST_EACH (word, data, len)
		command[n++] = word;
	return command;
}

/* Adds the language of an image, whose fields are kept. */
static void
language_images_add(struct image *image)
{
	struct language *language = mem_alloc(sizeof(*language));
	const char **aliases = mem_alloc(2 * sizeof(*aliases));
	char *exact = mem_printf("%s@%.*s", image->language,
	    LANGUAGE_IMAGES_DIGITS, image_digits(image->digest));

	aliases[0] = exact;
	*language = (struct language){
		.name = language_find(image->language) == NULL ?
		    image->language : exact,
		.title = image->language,
		.aliases = aliases,
		.interpreter = OPTION_ID_PYTHON,
		.kind = "a command that reads code",
		.fix = "'caisson image list' shows the images",
		.use = "by print only: it calls no servers and keeps no files",
		.image = image->root != NULL ? image->root :
		    mem_strdup(image_digits(image->digest)),
		.image_name = image->name,
		.digest = mem_strdup(image->digest),
		.command = language_images_command(image),
	};
	language_add(language);
}

/* Returns the image with that place among the enabled ones, or NULL. */
static struct image *
language_images_at(struct image_list *list, unsigned int place)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->one[i].enabled == place)
			return &list->one[i];
	return NULL;
}

/* A built-in language is never replaced, whatever is enabled. */
static int
language_images_may(const struct image *image, const char *engine)
{
	const struct language *known = language_find(image->language);

	return strcmp(image->engine, engine) == 0 &&
	    (known == NULL || known->image != NULL);
}

int
language_images_read(const char *folder, const char *engine, struct err *err)
{
	struct image_list list;
	struct image *image;
	unsigned int place;

	if (image_store_list(folder, &list, err) == -1)
		return -1;
	/* An image of the list can be missing. */
	for (place = 1; place <= IMAGES_MAX; place++) {
		image = language_images_at(&list, place);
		if (image == NULL || !language_images_may(image, engine))
			continue;
		language_images_add(image);
		memset(image, 0, sizeof(*image));
	}
	image_list_reset(&list);
	return 0;
}
