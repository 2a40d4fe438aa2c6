/*
 * caisson image: builds, pulls, lists, enables and removes the images from
 * which containers are started. Runs in the supervisor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../box/image_store.h"
#include "../box/language.h"
#include "../box/language_images.h"
#include "../options/json_report.h"
#include "../peers/state_dir.h"
#include "command.h"
#include "image_command.h"

/* The list */

static const char *
image_holder(const struct image *image)
{
	return image->engine[0] == '\0' ? "caisson" : image->engine;
}

/* Those that hold images: none, for ours, and engines. */
static const char *const image_holders[] = { "", "podman", "docker" };

#define IMAGE_HOLDERS (sizeof(image_holders) / sizeof(image_holders[0]))

/*
 * Returns how calls name the language of an image, static; NULL: it is not
 * used. The languages of its holder were read.
 */
static const char *
image_language(const struct image *image)
{
	auto_free char *exact = mem_printf("%s@%.12s", image->language,
	    image_digits(image->digest));
	const struct language *language =
	    image->enabled > 0 ? language_find(exact) : NULL;

	return language != NULL &&
	        strcmp(language->digest, image->digest) == 0 ? language->name :
	                                                       NULL;
}

/*
 * Returns how calls name the languages of all images of a list: as many texts,
 * static or NULL; the caller frees the array. NULL with err if they cannot be
 * read.
 */
static const char **
image_list_languages(
    const char *folder, const struct image_list *list, struct err *err)
{
	auto_free const char **names =
	    mem_alloc((list->count + 1) * sizeof(*names));
	size_t holder, i;

	for (holder = 0; holder < IMAGE_HOLDERS; holder++) {
		if (language_images_read(
		        folder, image_holders[holder], err) == -1)
			return NULL;
		for (i = 0; i < list->count; i++)
			if (strcmp(list->one[i].engine,
			        image_holders[holder]) == 0)
				names[i] = image_language(&list->one[i]);
	}
	return mem_take(&names);
}

static void
image_list_json(const struct image_list *list, const char *const *languages)
{
	auto_buffer struct buffer json = { 0 };
	size_t i;

	buffer_add_text(&json, "{");
	json_report_open(&json, "images", '[');
	for (i = 0; i < list->count; i++) {
		const struct image *one = &list->one[i];

		json_report_open(&json, NULL, '{');
		json_report_text(&json, "name", one->name);
		json_report_text(&json, "digest", one->digest);
		json_report_text(&json, "language", one->language);
		json_report_text(&json, "held_by", image_holder(one));
		json_report_bool(&json, "newest", one->newest);
		json_report_bool(&json, "enabled", one->enabled > 0);
		json_report_text(&json, "enabled_as", languages[i]);
		if (one->root != NULL) {
			json_report_text(&json, "root", one->root);
			json_report_number(&json, "bytes", one->bytes);
		}
		json_report_close(&json, '}');
	}
	json_report_close(&json, ']');
	json_report_print(&json);
}

static int
image_is_like(const struct image *one, const struct image *other)
{
	return strcmp(one->name, other->name) == 0 &&
	    strcmp(one->engine, other->engine) == 0;
}

/* Returns the image that the name of an older one stands for, or NULL. */
static const struct image *
image_list_newest(const struct image_list *list, const struct image *older)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->one[i].newest && image_is_like(&list->one[i], older))
			return &list->one[i];
	return NULL;
}

static void
image_list_older(const struct image_list *list, const struct image *older)
{
	const struct image *newest = image_list_newest(list, older);

	if (newest != NULL)
		printf(", older: the name stands for %.12s",
		    image_digits(newest->digest));
	else
		printf(", older: the name stood for one that was removed");
}

static void
image_list_text(const struct image_list *list, const char *const *languages)
{
	size_t i;

	if (list->count == 0) {
		printf("There are no images: 'caisson image build python "
		       "--engine podman' builds one for podman.\n");
		return;
	}
	for (i = 0; i < list->count; i++) {
		const struct image *one = &list->one[i];

		printf("%s  %.12s  %s, held by %s", one->name,
		    image_digits(one->digest), one->language,
		    image_holder(one));
		if (one->root != NULL)
			printf(", %llu MiB",
			    (unsigned long long)(one->bytes / MIB));
		if (!one->newest)
			image_list_older(list, one);
		if (languages[i] != NULL)
			printf(", enabled as %s", languages[i]);
		else if (one->enabled > 0)
			printf(", enabled, but not used");
		printf("\n");
	}
}

static int
image_list_all(struct image_command *image, struct err *err)
{
	struct image_list list;
	auto_free const char **languages = NULL;

	if (image_store_list(image->folder, &list, err) == -1)
		return -1;
	languages = image_list_languages(image->folder, &list, err);
	if (languages != NULL)
		(command_has(&image->command->flags, COMMAND_FLAG_JSON) ?
		        image_list_json :
		        image_list_text)(&list, languages);
	image_list_reset(&list);
	return languages == NULL ? -1 : 0;
}

/* Languages */

/* A built-in language is never replaced. */
static int
image_enable(
    struct image_command *image, const struct image *one, struct err *err)
{
	if (language_find(one->language) != NULL)
		return err_set(err, "%s is built in, and an image cannot "
		    "replace it: name the image in the setting image to run "
		    "that language in it", one->language);
	if (image_store_verify(one, err) == -1 ||
	    image_store_enable(image->lock, one, 1, err) == -1)
		return -1;
	printf("Enabled %s, %s, for code of the language %s, with the runtime "
	       "%s.\n", one->name, one->digest, one->language,
	    one->engine[0] == '\0' ? "oci" : one->engine);
	return 0;
}

/*
 * Enables an image that an engine holds and that is not in our list yet; err
 * says so already.
 */
static int
image_add_held(struct image_command *image, struct err *err)
{
	struct image_engine engine = { 0 };
	struct image found = { .root = NULL };
	struct err why;
	int done = image_engine_find(image, 1, &engine, &why);

	/* Without any engine there is nowhere else to look. */
	if (done == 0)
		done = image_engine_keep(image, &engine,
		    image->command->operand, &found, err);
	else if (image_engine_flag_name(image->command) != NULL)
		*err = why;
	if (done == 0 && image_enable(image, &found, err) == -1) {
		done = -1;
		(void)image_store_remove(image->lock, &found, &why);
	}
	image_reset(&found);
	free(engine.path);
	return done;
}

/*
 * Enables the image of our list that this engine holds, once it has said that
 * it still does. Returns 1, 0 with err if there is none, or -1 with err.
 */
static int
image_add_of(
    struct image_command *image, const char *engine, struct err *err)
{
	struct image known, found = { .root = NULL };
	int done;

	if (image_store_find(image->folder, engine, image->command->operand,
	        &known, err) == -1)
		return 0;
	if (engine[0] == '\0')
		done = image_enable(image, &known, err);
	else
		done = image_engine_renew(image, &known, &found, err) == -1 ?
		    -1 : image_enable(image, &found, err);
	image_reset(&found);
	image_reset(&known);
	return done == 0 ? 1 : -1;
}

/*
 * The same for all holders: each runtime uses the image of its own. One that
 * fails does not keep those of the others from being enabled.
 */
static int
image_add_any(struct image_command *image, struct err *err)
{
	int any = 0, failed = 0, done;
	struct err why;
	size_t i;

	for (i = 0; i < IMAGE_HOLDERS; i++) {
		done = image_add_of(
		    image, image_holders[i], failed ? &why : err);
		any |= done == 1;
		failed |= done == -1;
	}
	return failed ? -1 : any;
}

static int
image_add(struct image_command *image, struct err *err)
{
	const char *engine = image_engine_flag_name(image->command);
	int done = engine != NULL ? image_add_of(image, engine, err) :
	                            image_add_any(image, err);

	return done == 0 ? image_add_held(image, err) : done == 1 ? 0 : -1;
}

/* Returns whether no newer image in a list has that name and that holder. */
static int
image_list_is_first(const struct image_list *list, size_t n)
{
	size_t i = 0;

	while (!image_is_like(&list->one[i], &list->one[n]))
		i++;
	return i == n;
}

/* Says which images of that name are here, the first of each holder. */
static int
image_remove_report(const struct image_command *image,
    const struct image *removed, struct err *err)
{
	struct image_list list;
	size_t i;

	printf("Removed %s, %s.\n", removed->name, removed->digest);
	if (removed->engine[0] != '\0')
		printf("%s may still hold it: '%s image rm %.12s' removes it "
		    "there.\n", removed->engine, removed->engine,
		    image_digits(removed->digest));
	if (image_store_list(image->folder, &list, err) == -1)
		return -1;
	for (i = 0; i < list.count; i++) {
		const struct image *one = &list.one[i];

		if (strcmp(one->name, removed->name) == 0 &&
		    image_list_is_first(&list, i))
			printf("Another %s, held by %s, is still here%s: "
			    "'caisson image remove %.12s' removes it.\n",
			    one->name, image_holder(one),
			    one->enabled > 0 ? " and enabled" : "",
			    image_digits(one->digest));
	}
	image_list_reset(&list);
	return 0;
}

/* To build one is no fix for a command that removes one. Returns -1. */
static int
image_remove_missing(const struct image_command *image, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };

	if (err->code != ENOENT)
		return -1;
	shown_add_quoted(&shown, image->command->operand, OPTION_VALUE_SHOWN);
	return err_set(err, "image \"%s\": there is no such image in %s: "
	    "'caisson image list' shows all", shown.data, image->folder);
}

/* Checks that the command line does not have only the name that it had. */
static int
image_remove_check(
    const char *name, const struct image *found, struct err *err)
{
	if (!found->unnamed || strcmp(found->name, name) != 0)
		return 0;
	return err_set(err, "the name %s stands for no image: the one that had "
	    "it was removed; give the digest of another ('caisson image list' "
	    "shows all)", name);
}

static int
image_remove(struct image_command *image, struct err *err)
{
	const char *name = image->command->operand;
	struct image found;
	int done;

	if (image_store_find(image->folder, NULL, name, &found, err) == -1)
		return image_remove_missing(image, err);
	done = image_remove_check(name, &found, err);
	if (done == 0)
		done = image_store_remove(image->lock, &found, err);
	if (done == 0)
		done = image_remove_report(image, &found, err);
	image_reset(&found);
	return done;
}

/* Says what it is, and what comes next. */
static void
image_pull_report(const struct image *found)
{
	printf("Pulled %s, %s, for code of the language %s.\n", found->name,
	    found->digest, found->language);
	if (language_find(found->language) != NULL)
		printf("'--runtime %s --image %s' runs code in it.\n",
		    found->engine, found->name);
	else
		printf("'caisson image add %.12s' enables it.\n",
		    image_digits(found->digest));
}

static int
image_pull(struct image_command *image, struct err *err)
{
	const char *reference = image->command->operand;
	struct image_engine engine = { 0 };
	struct image found = { .root = NULL };
	int done = image_engine_find(image, 1, &engine, err);

	if (done == 0)
		done = image_engine_pull(image, &engine, reference, err);
	if (done == 0)
		done =
		    image_engine_keep(image, &engine, reference, &found, err);
	if (done == 0)
		image_pull_report(&found);
	image_reset(&found);
	free(engine.path);
	return done;
}

/* All commands */

/* Opens the directory of images; to list or remove images creates none. */
static int
image_open(struct image_command *image, struct err *err)
{
	char **envp = image->work.envp;
	auto_free char *state = state_dir_path(image->options, envp, err);
	auto_fd int fd = -1;

	if (state == NULL || state_dir_try(image->options, envp, err) == -1)
		return -1;
	image->folder = mem_printf("%s/images", state);
	if (image->command->task == COMMAND_IMAGE_LIST ||
	    (image->command->task == COMMAND_IMAGE_REMOVE &&
	        access(image->folder, F_OK) == -1))
		return 0;
	fd = state_dir_open(image->options, envp, err);
	if (fd == -1)
		return -1;
	image->lock = image_store_lock(image->folder, err);
	return image->lock == -1 ? -1 : 0;
}

static int
image_do(struct image_command *image, struct err *err)
{
	switch (image->command->task) {
	case COMMAND_IMAGE_BUILD:
		return image_build(image, err);
	case COMMAND_IMAGE_PULL:
		return image_pull(image, err);
	case COMMAND_IMAGE_ADD:
		return image_add(image, err);
	case COMMAND_IMAGE_REMOVE:
		return image_remove(image, err);
	default:
		return image_list_all(image, err);
	}
}

int
image_run(struct event_base *base, const struct options *options, char **envp,
    struct err *err)
{
	struct image_command image = { .work = { .base = base, .envp = envp },
		.options = options,
		.command = &options->command,
		.lock = -1 };
	int status = 0;

	if (image_engine_check_flag(image.command, err) == -1 ||
	    (image.command->task == COMMAND_IMAGE_BUILD &&
	        image_build_check(image.command, err) == -1))
		return -1;
	if (image_open(&image, err) == -1) {
		free(image.folder);
		return -1;
	}
	image_work_begin(&image.work);
	if (image_do(&image, err) == -1) {
		fflush(stdout);
		fprintf(stderr, "caisson: %s\n", err->text);
		status = 1;
	}
	image_work_end(&image.work);
	fd_close(&image.lock);
	free(image.folder);
	return status;
}
