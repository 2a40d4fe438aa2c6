/*
 * The languages that images add: see container.h. The languages are never
 * freed, since calls refer to them, also to those of images that have been
 * disabled. Nothing else happens while the engine is asked: the next call must
 * see what a command has changed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "container.h"
#include "../engine/engine.h"
#include "../shared/language.h"

/* The language of an image, which may have been disabled since. */
struct language_image {
	SLIST_ENTRY(language_image) entry;
	struct language language;
	struct buffer command;
};

/* The file that commands write to, as it was when it was last looked at. */
struct language_images_file {
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

/* One per process, as there is one table of languages. */
static struct {
	SLIST_HEAD(, language_image) all;
	const struct boxes *boxes;
	char *changed;
	struct language_images_file file; /* all zeroes: there is none */
} language_images;

/* Returns that language of an image that was read before, or NULL. */
static const struct language *
language_images_known(const char *name, const char *digest)
{
	const struct language_image *known;

	SLIST_FOREACH (known, &language_images.all, entry)
		if (strcmp(known->language.name, name) == 0 &&
		    strcmp(known->language.digest, digest) == 0)
			return &known->language;
	return NULL;
}

/* Makes the language of an image, whose command is taken. */
static const struct language *
language_images_make(
    const char *name, const char *tag, struct container_image *image)
{
	struct language_image *made = mem_alloc(sizeof(*made));
	const char **aliases = mem_alloc(2 * sizeof(*aliases));

	aliases[0] = mem_printf("%s@%.*s", name, IMAGE_DIGITS_MIN,
	    image_digits(image->digest));
	made->command = image->command;
	image->command = (struct buffer){ 0 };
	made->language = (struct language){
		.name = mem_strdup(name),
		.title = mem_strdup(name),
		.aliases = aliases,
		.interpreter = OPTION_ID_PYTHON,
		.kind = "a command that reads code",
		.fix = "'caisson image list' shows the images",
		.use = "by print and files: it calls no servers, and works in "
		    "/data",
		.image = mem_strdup(image_digits(image->digest)),
		.image_name = mem_printf("%.*s",
		    (int)(strlen(tag) - strlen(IMAGE_TAG_END)), tag),
		.digest = mem_strdup(image->digest),
		.uid = image->uid,
		.gid = image->gid,
		.command = (const char *const *)text_list_vector(
		    made->command.data, made->command.len),
	};
	SLIST_INSERT_HEAD(&language_images.all, made, entry);
	return &made->language;
}

/* That of Python is the image of all boxes: see fetch.c. */
static int
language_image_is_python(const char *language)
{
	return language_find(language) == language_default();
}

static int
language_image_is_new(const char *language, struct err *err)
{
	if (language_find(language) == NULL ||
	    language_image_is_python(language))
		return 0;
	return err_set(err, "%s is built in, and an image cannot replace it: "
	    "name the image in the setting image to run that language in it",
	    language);
}

int
language_image_judge(enum container_engine engine, const char *shown,
    const char *language, const struct container_image *image, struct err *err)
{
	if (language_image_is_new(language, err) == -1)
		return -1;
	if (image->command.len == 0 && !language_image_is_python(language))
		return err_set(err, "the image %s has no ENTRYPOINT, which "
		    "would read the code", shown);
	return container_image_judge(engine, shown, image, err);
}

int
language_image_ask(const struct container_boxes *engine, const char *tag,
    const char *language, struct container_image *found, struct err *err)
{
	auto_buffer struct buffer words = { 0 }, answer = { 0 };

	if (language_image_is_new(language, err) == -1)
		return -1;
	container_image_argv(&words, engine->engine, engine->program, tag);
	if (container_engine_tell(engine, &words, tag, IMAGE_ASK_MS, &answer,
	        err) == -1 ||
	    container_image_read(engine->engine, tag, &answer, found, err) ==
	        -1)
		return -1;
	return language_image_judge(engine->engine, tag, language, found, err);
}

/* Adds the language of a tag. Returns 0, or -1 with err if it is left out. */
static int
language_images_add(const char *tag, const char *name, struct err *err)
{
	struct container_image image = { .language = NULL };
	const struct language *language;
	int done = language_image_ask(container_boxes(language_images.boxes),
	    tag, name, &image, err);

	if (done == 0) {
		language = language_images_known(name, image.digest);
		language_add(language != NULL ? language :
		    language_images_make(name, tag, &image));
	}
	container_image_reset(&image);
	return done;
}

/* Adds all of a list of tags, one on each line. */
static void
language_images_add_all(char *list)
{
	struct err err;
	char *tag;

	while ((tag = strsep(&list, "\n")) != NULL) {
		auto_free char *name = image_tag_language(tag);

		if (name != NULL && !language_image_is_python(name) &&
		    language_images_add(tag, name, &err) == -1)
			log_warn("the image %s is not used: %s", tag, err.text);
	}
}

/* Asks for all tags. Returns 0, or -1 with err. */
static int
language_images_ask_all(unsigned int ms, struct err *err)
{
	const struct container_boxes *shared =
	    container_boxes(language_images.boxes);
	auto_buffer struct buffer words = { 0 }, answer = { 0 };

	language_remove_added();
	container_argv_images(&words, shared->program,
	    "reference=" IMAGE_TAGS "*", "{{.Repository}}:{{.Tag}}");
	if (container_engine_tell(
	        shared, &words, IMAGE_TAGS "*", ms, &answer, err) == -1)
		return -1;
	buffer_add(&answer, "", 1);
	language_images_add_all(answer.data);
	return 0;
}

/* Looks at the file. Returns whether it has changed since the last time. */
static int
language_images_changed(void)
{
	struct language_images_file last = language_images.file;
	struct language_images_file *file = &language_images.file;
	struct stat st;

	memset(file, 0, sizeof(*file));
	if (stat(language_images.changed, &st) == 0) {
		file->device = st.st_dev;
		file->inode = st.st_ino;
		file->changed = st.st_ctim;
	}
	return memcmp(&last, file, sizeof(last)) != 0;
}

static void
language_images_renew(void)
{
	struct err err;

	if (language_images_changed() &&
	    language_images_ask_all(IMAGE_ASK_MS, &err) == -1)
		log_error("the languages of images cannot be used: %s",
		    err.text);
}

int
language_images_read(
    const struct boxes *boxes, const char *changed, struct err *err)
{
	free(language_images.changed);
	language_images.changed = mem_strdup(changed);
	language_images.boxes = boxes;
	language_images_changed();
	if (language_images_ask_all(CONTAINER_LIST_MS, err) == -1)
		return -1;
	language_set_renewer(language_images_renew);
	return 0;
}
