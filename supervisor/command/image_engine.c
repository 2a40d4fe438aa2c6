/*
 * Images that podman or docker holds: imported, pulled and looked at. An engine
 * parses what a registry sends; of its answer we accept a digest, a language
 * and a number, all of a strict form. Runs in the supervisor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/json.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../../common/text_list.h"
#include "../box/container_boxes.h"
#include "../box/container_image.h"
#include "../box/container_sweep.h"
#include "../box/image_store.h"
#include "image_command.h"

/* The path that names an engine is not that of a program. Returns -1. */
static int
image_engine_refuse(const char *name, const char *path, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *why =
	    access(path, X_OK) == -1 ? strerror(errno) : "not a regular file";

	shown_add_quoted(&shown, path, OPTION_PATH_MAX);
	return err_set(err, "the engine %s cannot be executed: %s; set "
	    "--engine to the path of %s, or to %s for the one that is "
	    "installed", shown.data, why, name, name);
}

/* Returns -1: there is no engine of that name, or named by that path. */
static int
image_engine_missing(const char *name, const char *named, struct err *err)
{
	if (named[0] == '/')
		return image_engine_refuse(name, named, err);
	return err_set(err, "%s is not installed: run 'apt-get install %s' as "
	    "root, or name another engine in --engine", name,
	    strcmp(name, "docker") == 0 ? "docker.io" : name);
}

/* Returns the name or path that the command line or the settings give. */
static const char *
image_engine_named(const struct image_command *image)
{
	const char *flag = command_value(
	    &image->command->flags, COMMAND_FLAG_ENGINE, 0);

	return flag != NULL ? flag : image->options->runtime;
}

/*
 * Returns the engine that holds images and that a name, or the path of a
 * program, stands for, as for the setting runtime; -1: none.
 */
static int
image_engine_kind(const char *named)
{
	int kind = container_program_engine(named);

	return kind < CONTAINER_ENGINES ? kind : -1;
}

int
image_engine_check_flag(const struct command *command, struct err *err)
{
	const char *flag =
	    command_value(&command->flags, COMMAND_FLAG_ENGINE, 0);
	int kind = flag == NULL ? -1 : image_engine_kind(flag);

	if (flag == NULL || (kind != -1 && (flag[0] == '/' ||
	        strcmp(flag, container_names[kind]) == 0)))
		return 0;
	return err_set(err, "--engine must be podman or docker, or the path of "
	    "one of them");
}

const char *
image_engine_flag_name(const struct command *command)
{
	const char *flag =
	    command_value(&command->flags, COMMAND_FLAG_ENGINE, 0);
	int kind = flag == NULL ? -1 : image_engine_kind(flag);

	return kind == -1 ? NULL : container_names[kind];
}

/* Finds the program of an engine. Returns whether there is one. */
static int
image_engine_locate(struct image_engine *engine, int kind, const char *named)
{
	engine->name = container_names[kind];
	engine->path = container_program_path(
	    (enum container_engine)kind, named);
	return engine->path != NULL;
}

int
image_engine_find(const struct image_command *image, int any,
    struct image_engine *engine, struct err *err)
{
	const char *named = image_engine_named(image);
	int kind = image_engine_kind(named), i;

	engine->name = "";
	if (kind != -1)
		return image_engine_locate(engine, kind, named) ? 0 :
		    image_engine_missing(engine->name, named, err);
	for (i = 0; i < CONTAINER_ENGINES && any; i++)
		if (image_engine_locate(engine, i, container_names[i]))
			return 0;
	named = container_names[0];
	return any ? image_engine_missing(named, named, err) : 0;
}

/* What an engine holds */

/*
 * Reads "DIGEST RUNNER LANGUAGE N", the last one the number of words of the
 * command. Returns 0, or -1 with err.
 */
static int
image_engine_read(const char *answer, const char *shown, struct image *image,
    struct err *err)
{
	char digest[128], runner[8], language[IMAGE_LANGUAGE_MAX + 1];
	int end = 0;
	unsigned int words;

	_Static_assert(IMAGE_LANGUAGE_MAX == 32, "see the format below");
	if (sscanf(answer, "%127s %7s %32s %u\n%n", digest, runner, language,
	        &words, &end) != 4 || answer[end] != '\0' ||
	    strcmp(runner, "true") != 0 || !image_is_language(language))
		return err_set(err, "the image %s adds no language: that "
		    "needs the labels " IMAGE_LABEL_RUNNER "=true and "
		    IMAGE_LABEL_LANGUAGE "=NAME. To run Python in it, name it "
		    "in the setting image", shown);
	if (!image_is_digest(digest) || strlen(image_digits(digest)) != 64)
		return err_set(
		    err, "the engine reports no digest of the image %s", shown);
	if (words == 0)
		return err_set(err, "the image %s has no ENTRYPOINT, which "
		    "would read the code", shown);
	snprintf(image->digest, sizeof(image->digest), IMAGE_ALGORITHM "%s",
	    image_digits(digest));
	image->language = mem_strdup(language);
	return 0;
}

/* Runs the engine, which describes an image in that format. */
static int
image_engine_ask(struct image_command *image, const struct image_engine *engine,
    const char *format, const char *reference, struct buffer *answer,
    struct err *err)
{
	auto_buffer struct buffer words = { 0 };

	text_list_add(&words, engine->path);
	text_list_add(&words, "image");
	text_list_add(&words, "inspect");
	text_list_add(&words, "--format");
	text_list_add(&words, format);
	text_list_add(&words, reference);
	return image_work_run(&image->work, &words, NULL, answer, err);
}

/* Returns whether an engine has the image of a digest; prints nothing. */
static int
image_engine_has(struct image_command *image,
    const struct image_engine *engine, const char *digits, struct err *err)
{
	int done;

	image->work.quiet = 1;
	done = image_engine_ask(image, engine, "{{.Id}}", digits, NULL, err);
	image->work.quiet = 0;
	return done == 0;
}

/*
 * The engine has failed for an image of our list. The name may stand for none
 * there, although the engine has the image that had it. Returns -1 with err.
 */
static int
image_engine_lost(struct image_command *image,
    const struct image_engine *engine, const char *reference,
    const struct image *found, const char *get, struct err *err)
{
	const char *digits = image_digits(found->digest);
	struct err why = *err;
	int has = strcmp(reference, digits) != 0 &&
	    image_engine_has(image, engine, digits, err);

	if (image->work.interrupted)
		return -1;
	if (has)
		return err_set(err, "%s; it still holds the image %.12s, which "
		    "had the name: 'caisson image add %.12s' enables it%s",
		    why.text, digits, digits, get);
	return err_set(err, "%s; if it has no such image: 'caisson image "
	    "remove %.12s' removes it from the list", why.text, digits);
}

/*
 * Without this, only the engine's own lines above would say what is wrong. They
 * are not read, so the engine may also have failed for another reason.
 */
static int
image_engine_unknown(struct image_command *image,
    const struct image_engine *engine, const char *reference,
    const struct image *found, struct err *err)
{
	const char *get = image_may_be_pulled(reference) ?
	    ", 'caisson image pull REFERENCE' fetches one" :
	    ", 'caisson image build LANGUAGE' makes one";
	struct err why = *err;

	if (image->work.interrupted || image->work.unstarted)
		return -1;
	if (found->digest[0] != '\0')
		return image_engine_lost(
		    image, engine, reference, found, get, err);
	return err_set(err, "%s; if it has no such image: 'caisson image list' "
	    "shows the images that are here%s", why.text,
	    image_is_digest(reference) ? "" : get);
}

/* Asks the engine. */
static int
image_engine_inspect(struct image_command *image,
    const struct image_engine *engine, const char *reference,
    struct image *found, struct err *err)
{
	auto_buffer struct buffer answer = { 0 }, shown = { 0 };

	if (image_engine_ask(image, engine, "{{.Id}}"
	        " {{index .Config.Labels \"" IMAGE_LABEL_RUNNER "\"}}"
	        " {{index .Config.Labels \"" IMAGE_LABEL_LANGUAGE "\"}}"
	        " {{len .Config.Entrypoint}}", reference, &answer, err) == -1)
		return image_engine_unknown(
		    image, engine, reference, found, err);
	shown_add_quoted(&shown, reference, IMAGE_NAME_MAX);
	buffer_add_text(&answer, "");
	if (strlen(answer.data) != answer.len)
		return err_set(err, "%s has not described the image %s",
		    engine->name, shown.data);
	return image_engine_read(answer.data, shown.data, found, err);
}

/* Asks the engine what the image would have it do, by its digest. */
static int
image_engine_check(struct image_command *image,
    const struct image_engine *engine, const char *reference,
    struct image *found, struct err *err)
{
	enum container_engine kind = strcmp(engine->name, "docker") == 0 ?
	    CONTAINER_DOCKER : CONTAINER_PODMAN;
	auto_buffer struct buffer words = { 0 }, answer = { 0 };

	container_image_argv(
	    &words, kind, engine->path, image_digits(found->digest));
	if (image_work_run(&image->work, &words, NULL, &answer, err) == -1 ||
	    container_image_judge(kind, reference, &answer, err) == -1)
		return -1;
	found->checked = 1;
	return 0;
}

static int
image_engine_check_name(const char *reference, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };

	if (reference[0] != '-' &&
	    (image_is_name(reference) || image_is_digest(reference)))
		return 0;
	shown_add_quoted(&shown, reference, OPTION_VALUE_SHOWN);
	return err_set(err, "\"%s\" is neither the name of an image, which has "
	    "lower-case letters, digits and \"._-/:\", nor the first %d or "
	    "more digits of its digest: 'caisson image list' shows both",
	    shown.data, IMAGE_DIGITS_MIN);
}

int
image_engine_keep(struct image_command *image,
    const struct image_engine *engine, const char *reference,
    struct image *found, struct err *err)
{
	if (image_engine_check_name(reference, err) == -1 ||
	    image_engine_inspect(image, engine, reference, found, err) == -1 ||
	    image_engine_check(image, engine, reference, found, err) == -1)
		return -1;
	if (found->name == NULL)
		found->name = mem_strdup(image_is_name(reference) ?
		        reference : found->language);
	found->engine = mem_strdup(engine->name);
	return image_store_put(image->lock, image->folder, found, err);
}

int
image_engine_renew(struct image_command *image, const struct image *known,
    struct image *found, struct err *err)
{
	const char *named = image_engine_named(image);
	const char *operand = image->command->operand;
	int kind = image_engine_kind(known->engine);
	int by_name = strcmp(known->name, operand) == 0;
	struct image_engine engine = { 0 };
	int done;

	if (image_engine_kind(named) != kind)
		named = known->engine;
	if (!image_engine_locate(&engine, kind, named))
		return image_engine_missing(known->engine, named, err);
	found->name = mem_strdup(known->name);
	memcpy(found->digest, known->digest, sizeof(found->digest));
	/* What the name stands for was not asked. */
	found->made = by_name ? 0 : known->made;
	found->unnamed = !by_name && known->unnamed;
	done = image_engine_keep(image, &engine,
	    by_name ? operand : image_digits(known->digest), found, err);
	free(engine.path);
	return done;
}

int
image_engine_pull(struct image_command *image,
    const struct image_engine *engine, const char *reference, struct err *err)
{
	auto_buffer struct buffer words = { 0 }, shown = { 0 };

	if (!image_is_name(reference)) {
		shown_add_quoted(&shown, reference, OPTION_VALUE_SHOWN);
		return err_set(err, "\"%s\" is not a reference of an image, "
		    "such as registry.example/ruby:3", shown.data);
	}
	fprintf(stderr, "Pulling %s with %s ...\n", reference, engine->name);
	text_list_add(&words, engine->path);
	text_list_add(&words, "pull");
	text_list_add(&words, reference);
	return image_work_run(&image->work, &words, NULL, NULL, err);
}

/* Unpacking */

/* Runs the engine with a verb, an option or NULL, and operands. */
static int
image_engine_do(struct image_command *image, const struct image_engine *engine,
    const char *const *words, struct err *err)
{
	auto_buffer struct buffer list = { 0 }, answer = { 0 };

	text_list_add(&list, engine->path);
	for (; *words != NULL; words++)
		text_list_add(&list, *words);
	return image_work_run(&image->work, &list, NULL, &answer, err);
}

/* The engine writes the archive, of what it has unpacked itself. */
static int
image_engine_export(struct image_command *image,
    const struct image_engine *engine, const char *name, const char *root,
    struct err *err)
{
	auto_free char *tar = image_work_find(&image->work, "tar");
	auto_buffer struct buffer words = { 0 }, feed = { 0 };

	if (tar == NULL)
		return err_set(err, "the program tar is not in PATH");
	text_list_add(&feed, engine->path);
	text_list_add(&feed, "export");
	text_list_add(&feed, name);
	text_list_add(&words, tar);
	text_list_add(&words, "--extract");
	text_list_add(&words, "--file=-");
	text_list_add(&words, "--no-same-owner");
	text_list_add(&words, "--delay-directory-restore");
	text_list_add(&words, "--exclude=dev/*");
	text_list_add(&words, "--directory");
	text_list_add(&words, root);
	return image_work_run(&image->work, &words, &feed, NULL, err);
}

/*
 * Reads lines NAME=VALUE, each ended by a newline; empty lines are skipped.
 * Returns 0, or -1 with err.
 */
static int
image_engine_read_variables(
    char *answer, struct buffer *variables, struct err *err)
{
	char *line;

	while ((line = strsep(&answer, "\n")) != NULL) {
		if (line[0] == '\0')
			continue;
		if (!image_is_variable(line))
			return err_set(err, "an environment variable of the "
			    "image cannot be kept: its name has other "
			    "characters than letters, digits and \"_\", or its "
			    "value has a newline or is not UTF-8");
		text_list_add(variables, line);
	}
	if (text_list_count(variables->data, variables->len) >
	        IMAGE_VARIABLES_MAX ||
	    variables->len > IMAGE_VARIABLES_BYTES_MAX)
		return err_set(err, "the image has too many environment "
		    "variables: it may have %d, of %lu KiB",
		    IMAGE_VARIABLES_MAX, IMAGE_VARIABLES_BYTES_MAX / KIB);
	return 0;
}

/* Asks the engine for the variables that the image sets. */
static int
image_engine_variables(struct image_command *image,
    const struct image_engine *engine, const char *reference,
    struct buffer *variables, struct err *err)
{
	auto_buffer struct buffer answer = { 0 };

	if (image_engine_ask(image, engine,
	        "{{range .Config.Env}}{{println .}}{{end}}", reference,
	        &answer, err) == -1)
		return -1;
	buffer_add_text(&answer, "");
	if (image->work.cut)
		return err_set(err, "%s has answered with more than %lu KiB "
		    "about the variables of the image: use an image with fewer",
		    engine->name, IMAGE_ANSWER_MAX / KIB);
	if (strlen(answer.data) != answer.len)
		return err_set(err, "%s has not described the image",
		    engine->name);
	return image_engine_read_variables(answer.data, variables, err);
}

/* Adds to err how the engine gets an image that it may not hold. */
static void
image_engine_absent(const struct image_command *image,
    const struct image_engine *engine, const char *reference, struct err *err)
{
	const struct err why = *err;
	auto_free char *fetch = image_may_be_pulled(reference) ?
	    mem_printf(", '%s pull %s' fetches one", engine->name, reference) :
	    mem_strdup("");

	if (!image->work.interrupted && !image->work.unstarted)
		err_set(err, "%s; '%s images' shows the images that it "
		    "holds%s", why.text, engine->name, fetch);
}

int
image_engine_unpack(struct image_command *image, const char *reference,
    const char *root, struct buffer *variables, struct err *err)
{
	/* Others at the same engine may have the same process number. */
	auto_free char *label = container_sweep_label(err);
	auto_free char *name = mem_printf("caisson-image-%s", label);
	struct image_engine engine = { 0 };
	struct err why;
	int created = 0;
	int done = label == NULL ? -1 :
	                           image_engine_find(image, 1, &engine, err);

	if (done == 0) {
		fprintf(stderr, "Unpacking %s with %s ...\n", reference,
		    engine.name);
		/* It is never started, so any command will do. */
		done = image_engine_do(image, &engine,
		    (const char *const[]){ "create", "--pull", "never",
		        "--network", "none", "--name", name, reference, "/",
		        NULL },
		    err);
		created = done == 0;
		if (done == -1)
			image_engine_absent(image, &engine, reference, err);
	}
	if (done == 0)
		done = image_engine_variables(
		    image, &engine, reference, variables, err);
	if (done == 0)
		done = image_engine_export(image, &engine, name, root, err);
	/* An engine that has failed, or was stopped, may have made it. */
	image->work.quiet = !created;
	if (engine.path != NULL)
		(void)image_engine_do(image, &engine,
		    (const char *const[]){ "rm", "--force", "--volumes", name,
		        NULL },
		    &why);
	image->work.quiet = 0;
	free(engine.path);
	return done;
}

/* Importing */

/* Adds an option --change with its value. */
static void __attribute__((format(printf, 2, 3)))
image_engine_change(struct buffer *words, const char *fmt, ...)
{
	auto_free char *value = NULL;
	va_list ap;

	va_start(ap, fmt);
	value = mem_vprintf(fmt, ap);
	va_end(ap);
	text_list_add(words, "--change");
	text_list_add(words, value);
}

static void
image_engine_add_entrypoint(struct buffer *words, const struct image *made)
{
	auto_buffer struct buffer json = { 0 };
	const char *word, *before = "";

	TEXT_LIST_EACH (word, made->command.data, made->command.len) {
		buffer_add_text(&json, before);
		json_add_text(&json, word);
		before = ",";
	}
	image_engine_change(words, "ENTRYPOINT [%s]", json.data);
}

/* The commands that import the root: tar, whose output the engine reads. */
static int
image_engine_add_import(const struct image_command *image,
    const struct image_engine *engine, const struct image *made,
    struct buffer *words, struct buffer *feed, struct err *err)
{
	auto_free char *tar = image_work_find(&image->work, "tar");

	if (tar == NULL)
		return err_set(err, "the program tar is not in PATH");
	text_list_add(feed, tar);
	text_list_add(feed, "--create");
	text_list_add(feed, "--file=-");
	text_list_add(feed, "--owner=0");
	text_list_add(feed, "--group=0");
	text_list_add(feed, "--numeric-owner");
	text_list_add(feed, "--sort=name");
	text_list_add(feed, "--directory");
	text_list_add(feed, made->root);
	text_list_add(feed, ".");
	text_list_add(words, engine->path);
	text_list_add(words, "import");
	image_engine_change(words, "LABEL " IMAGE_LABEL_RUNNER "=true");
	image_engine_change(
	    words, "LABEL " IMAGE_LABEL_LANGUAGE "=%s", made->language);
	image_engine_add_entrypoint(words, made);
	text_list_add(words, "-");
	text_list_add(words, made->name);
	return 0;
}

int
image_engine_import(struct image_command *image,
    const struct image_engine *engine, const struct image *made,
    struct err *err)
{
	auto_buffer struct buffer words = { 0 }, feed = { 0 };
	struct image held = { .root = NULL };
	int done;

	fprintf(stderr, "Giving it to %s ...\n", engine->name);
	done = image_engine_add_import(
	    image, engine, made, &words, &feed, err) == -1 ||
	    image_work_run(&image->work, &words, &feed, NULL, err) == -1 ||
	    image_engine_keep(image, engine, made->name, &held, err) == -1;
	if (done)
		err_wrap(err, "the image is built, but %s does not have it",
		    engine->name);
	else
		printf("%s has it as %s, %s.\n", engine->name, held.name,
		    held.digest);
	image_reset(&held);
	return done ? -1 : 0;
}
