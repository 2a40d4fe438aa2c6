/*
 * The languages that images add: see language_images.h. Runs in the supervisor;
 * the languages are never freed, since calls refer to them, also to those of
 * images that have been disabled.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "image_record.h"
#include "image_store.h"
#include "language.h"
#include "language_images.h"

/* The language of an image, which may have been disabled since. */
struct language_image {
	SLIST_ENTRY(language_image) entry;
	struct language language;
	struct buffer variables;
};

/* The list of enabled images, as a file: each change replaces it. */
struct language_images_list {
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

/* One per process, as there is one table of languages. */
static struct {
	SLIST_HEAD(, language_image) all;
	char *folder; /* NULL: none was read */
	char *engine;
	struct language_images_list list; /* all zeroes: there is none */
	struct image_list images; /* some hold fields of languages */
} language_images;

/* The digits of a digest in the name of a language. */
#define LANGUAGE_IMAGES_DIGITS 12

/* Returns the command of an image with a root; NULL: its engine knows it. */
static const char *const *
language_images_command(const struct image *image)
{
	if (image->root == NULL)
		return NULL;
	return (const char *const *)text_list_vector(
	    image->command.data, image->command.len);
}

/* Returns that language of an image that was read before, or NULL. */
static const struct language *
language_images_known(const struct image *image, const char *name)
{
	const struct language_image *known;

	SLIST_FOREACH (known, &language_images.all, entry)
		if (strcmp(known->language.name, name) == 0 &&
		    strcmp(known->language.digest, image->digest) == 0 &&
		    strcmp(known->language.image_name, image->name) == 0)
			return &known->language;
	return NULL;
}

/* Makes the language of an image, whose fields are kept. */
static const struct language *
language_images_make(struct image *image, char *name, char *exact)
{
	struct language_image *made = mem_alloc(sizeof(*made));
	const char **aliases = mem_alloc(2 * sizeof(*aliases));

	aliases[0] = exact;
	made->language = (struct language){
		.name = name,
		.title = image->language,
		.aliases = aliases,
		.interpreter = OPTION_ID_PYTHON,
		.kind = "a command that reads code",
		.fix = "'caisson image list' shows the images",
		.use = "by print only: it calls no servers and keeps no files",
		.image = image->root != NULL ? image->root :
		    mem_strdup(image_digits(image->digest)),
		.variables = &made->variables,
		.image_name = image->name,
		.digest = mem_strdup(image->digest),
		.command = language_images_command(image),
	};
	made->variables = image->variables;
	memset(image, 0, sizeof(*image));
	SLIST_INSERT_HEAD(&language_images.all, made, entry);
	return &made->language;
}

/* Adds the language of an image, whose fields may be kept. */
static void
language_images_add(struct image *image)
{
	auto_free char *exact = mem_printf("%s@%.*s", image->language,
	    LANGUAGE_IMAGES_DIGITS, image_digits(image->digest));
	auto_free char *name = mem_strdup(
	    language_find(image->language) == NULL ? image->language : exact);
	const struct language *language = language_images_known(image, name);

	if (language == NULL)
		language = language_images_make(
		    image, mem_take(&name), mem_take(&exact));
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

/* An earlier version did not ask the engine what the image has it do. */
static int
language_images_is_checked(const struct image *image)
{
	if (image->root != NULL || image->checked)
		return 1;
	log_warn("the image %s, %.19s, is not used: it was added before "
	    "volumes and annotations of images were checked; add it again with "
	    "'caisson image add --engine %s %s'", image->name, image->digest,
	    image->engine, image->name);
	return 0;
}

/* Adds all. Returns 0, or -1 with err. */
static int
language_images_add_all(struct err *err)
{
	struct image_list list;
	struct image *image;
	unsigned int place;

	if (image_store_list(language_images.folder, &list, err) == -1)
		return -1;
	/* An image of the list can be missing. */
	for (place = 1; place <= IMAGES_MAX; place++) {
		image = language_images_at(&list, place);
		if (image != NULL &&
		    language_images_may(image, language_images.engine) &&
		    language_images_is_checked(image))
			language_images_add(image);
	}
	language_images.images = list;
	return 0;
}

/* From now on there are no languages of images. */
static void
language_images_clear(void)
{
	language_remove_added();
	image_list_reset(&language_images.images);
}

/* Looks at the list. Returns whether it has changed since the last time. */
static int
language_images_changed(void)
{
	auto_free char *path =
	    mem_printf("%s/" IMAGE_ENABLED, language_images.folder);
	struct language_images_list last = language_images.list;
	struct language_images_list *list = &language_images.list;
	struct stat st;

	memset(list, 0, sizeof(*list));
	if (stat(path, &st) == 0) {
		list->device = st.st_dev;
		list->inode = st.st_ino;
		list->changed = st.st_ctim;
	}
	return memcmp(&last, list, sizeof(last)) != 0;
}

static void
language_images_renew(void)
{
	struct err err;

	if (!language_images_changed())
		return;
	language_images_clear();
	if (language_images_add_all(&err) == -1)
		log_error("the languages of images cannot be used: %s",
		    err.text);
}

int
language_images_read(const char *folder, const char *engine, struct err *err)
{
	free(language_images.folder);
	free(language_images.engine);
	language_images.folder = mem_strdup(folder);
	language_images.engine = mem_strdup(engine);
	language_images_changed();
	language_images_clear();
	if (language_images_add_all(err) == -1)
		return -1;
	language_set_renewer(language_images_renew);
	return 0;
}

const struct image *
language_images_absent(size_t n)
{
	const struct image *image;
	size_t i;

	for (i = 0; i < language_images.images.count; i++) {
		image = &language_images.images.one[i];
		if (image->enabled > 0 &&
		    language_find(image->language) == NULL && n-- == 0)
			return image;
	}
	return NULL;
}
