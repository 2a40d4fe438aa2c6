/*
 * caisson image: builds, pulls, lists, enables and disables the images from
 * which containers are started. podman or docker holds them; one is enabled as
 * a language by a tag there (box/engine/engine.h), so a label only proposes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../box/container/container.h"
#include "../../options/text/json_report.h"
#include "../../options/state_dir.h"
#include "../../process/process.h"
#include "image_command.h"

/* The engine */

static const char *
image_flag(const struct command *command)
{
	return command_value(&command->flags, COMMAND_FLAG_ENGINE, 0);
}

/* Checks the flag --engine without looking for a program. */
static int
image_check_engine(const struct command *command, struct err *err)
{
	const char *flag = image_flag(command);
	int kind = flag == NULL ? -1 : container_program_engine(flag);

	if (flag == NULL || (kind != -1 && (flag[0] == '/' ||
	        strcmp(flag, container_names[kind]) == 0)))
		return 0;
	return err_set(err, "--engine must be podman or docker, or the path of "
	    "one of them");
}

/* The path that names an engine is not that of a program. Returns -1. */
static int
image_refuse_path(const char *name, const char *path, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *why =
	    access(path, X_OK) == -1 ? strerror(errno) : "not a regular file";

	shown_add_quoted(&shown, path, OPTION_PATH_MAX);
	return err_set(err, "the engine %s cannot be executed: %s; set "
	    "--engine to the path of %s, or to %s for the one that is "
	    "installed", shown.data, why, name, name);
}

/*
 * Finds the engine that --engine or the setting runtime names, or else the
 * first that is installed. Returns 0, or -1 with err.
 */
static int
image_find_engine(const struct options *options,
    struct container_boxes *engine, struct err *err)
{
	const char *flag = image_flag(&options->command);
	const char *named = flag != NULL ? flag : options->runtime;
	int kind = container_program_engine(named), i;
	struct err why;

	for (i = 0; i < CONTAINER_ENGINES && kind == -1; i++) {
		engine->program = container_program_path(
		    (enum container_engine)i, container_names[i]);
		kind = engine->program == NULL ? -1 : i;
		free(mem_take(&engine->program));
		named = container_names[i];
	}
	engine->engine = (enum container_engine)(kind == -1 ? 0 : kind);
	if (kind == -1)
		named = container_names[0];
	if (container_program_find(engine, named, &why) == 0)
		return 0;
	if (named[0] == '/')
		return image_refuse_path(
		    container_names[engine->engine], named, err);
	return err_set(err, "%s is not installed: run 'apt-get install %s' as "
	    "root, or name another engine in --engine", named,
	    engine->engine == CONTAINER_DOCKER ? "docker.io" : named);
}

/* Runs the engine. Returns 0 and what it has printed, or -1 with err. */
static int
image_ask(const struct container_boxes *engine, const struct buffer *words,
    const char *shown, struct buffer *answer, struct err *err)
{
	if (container_engine_tell(engine, words, shown, CONTAINER_LIST_MS,
	        answer, err) == -1)
		return -1;
	buffer_add(answer, "", 1);
	return 0;
}

/* The same for words that end with NULL. */
static int
image_do(const struct container_boxes *engine, const char *const *words,
    const char *shown, struct err *err)
{
	auto_buffer struct buffer list = { 0 }, answer = { 0 };

	text_list_add(&list, engine->program);
	for (; *words != NULL; words++)
		text_list_add(&list, *words);
	return image_ask(engine, &list, shown, &answer, err);
}

/* Asks for all tags of a filter, a line "DIGEST NAME:TAG" each. */
static int
image_ask_tags(const struct container_boxes *engine, const char *filter,
    struct buffer *answer, struct err *err)
{
	auto_buffer struct buffer words = { 0 };

	container_argv_images(&words, engine->program, filter,
	    "{{.ID}} {{.Repository}}:{{.Tag}}");
	return image_ask(engine, &words, filter, answer, err);
}

/* Splits such a line. Returns the tag, and ends the digest. */
static char *
image_split(char *line)
{
	char *tag = strchr(line, ' ');

	if (tag == NULL)
		return line + strlen(line);
	*tag = '\0';
	return tag + 1;
}

/* The running Caissons of this user ask the engine again. */
static int
image_tell_changed(const struct command_setup *setup, struct err *err)
{
	auto_fd int state = state_dir_open(setup->options, setup->envp, err);
	auto_fd int file = state == -1 ? -1 : openat(state, STATE_DIR_IMAGES,
	    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (state == -1)
		return -1;
	if (file == -1 || futimens(file, NULL) == -1)
		return err_sys(err, "the file " STATE_DIR_IMAGES " in the "
		    "state directory cannot be changed, so running Caissons "
		    "do not notice it");
	return 0;
}

/* Lists */

/* Whether a tag of ours makes its image a language, as at a start. */
static int
image_is_enabled(const struct container_boxes *engine, const char *tag,
    const char *language, struct err *why)
{
	struct container_image found = { .language = NULL };
	int done = language_image_ask(engine, tag, language, &found, why);

	container_image_reset(&found);
	return done == 0;
}

/*
 * One line of the list: an image, and the language that it is; or NULL, and
 * then why its tag is refused, or NULL.
 */
static void
image_list_row(struct buffer *json, const struct container_boxes *engine,
    const char *digest, const char *tag, const char *language,
    const char *refused)
{
	if (json == NULL) {
		printf("%s  %.12s  held by %s, ", tag, image_digits(digest),
		    container_names[engine->engine]);
		if (language != NULL)
			printf("enabled as %s\n", language);
		else
			printf("not enabled%s%s\n",
			    refused != NULL ? ": " : "",
			    refused != NULL ? refused : "");
		return;
	}
	json_report_open(json, NULL, '{');
	json_report_text(json, "name", tag);
	json_report_text(json, "digest", digest);
	json_report_text(json, "held_by", container_names[engine->engine]);
	json_report_bool(json, "enabled", language != NULL);
	json_report_text(json, "enabled_as", language);
	json_report_text(json, "refused", refused);
	json_report_close(json, '}');
}

/* Our tags. Appends the digest and the language of each that is enabled. */
static size_t
image_list_ours(struct buffer *json, const struct container_boxes *engine,
    char *lines, struct buffer *enabled)
{
	char *line;
	size_t n = 0;

	while ((line = strsep(&lines, "\n")) != NULL) {
		const char *tag = image_split(line);
		auto_free char *language = image_tag_language(tag);
		struct err why;

		if (language == NULL)
			continue;
		n++;
		if (image_is_enabled(engine, tag, language, &why)) {
			text_list_add(enabled, line);
			text_list_add(enabled, language);
			image_list_row(json, engine, line, tag, language, NULL);
		} else
			image_list_row(json, engine, line, tag, NULL, why.text);
	}
	return n;
}

/* The other names. */
static size_t
image_list_others(struct buffer *json, const struct container_boxes *engine,
    char *lines, const struct buffer *enabled)
{
	const char *digest, *known;
	char *line;
	size_t n = 0;

	while ((line = strsep(&lines, "\n")) != NULL) {
		const char *tag = image_split(line);
		auto_free char *enabled_as = image_tag_language(tag);
		const char *language = NULL;

		if (*tag == '\0' || enabled_as != NULL)
			continue;
		n++;
		TEXT_LIST_PAIRS (digest, known, enabled->data, enabled->len)
			if (strcmp(digest, line) == 0)
				language = known;
		image_list_row(json, engine, line, tag, language, NULL);
	}
	return n;
}

static int
image_list(const struct command_setup *setup,
    const struct container_boxes *engine, struct err *err)
{
	int is_json = options_json(setup->options);
	auto_buffer struct buffer text = { 0 }, enabled = { 0 };
	auto_buffer struct buffer ours = { 0 }, labelled = { 0 };
	struct buffer *json = is_json ? &text : NULL;
	size_t n;

	if (image_ask_tags(engine, "reference=" IMAGE_TAGS "*", &ours,
	        err) == -1 ||
	    image_ask_tags(engine, "label=" IMAGE_LABEL_RUNNER "=true",
	        &labelled, err) == -1)
		return -1;
	if (is_json)
		json_report_open(json, "images", '[');
	n = image_list_ours(json, engine, ours.data, &enabled);
	n += image_list_others(json, engine, labelled.data, &enabled);
	if (is_json) {
		json_report_close(json, ']');
		json_report_print(json);
	} else if (n == 0) {
		printf("%s holds no images for code: 'caisson image build "
		       "python --engine %s' builds one.\n", engine->program,
		    container_names[engine->engine]);
	}
	return 0;
}

/* Languages */

/* Asks about the image of the command line. Returns 0, or -1 with err. */
static int
image_look(const struct container_boxes *engine, const char *name,
    struct container_image *found, struct err *err)
{
	auto_buffer struct buffer words = { 0 }, answer = { 0 }, shown = { 0 };

	shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
	if (name[0] == '-' || (!image_is_name(name) && !image_is_digest(name)))
		return err_set(err, "\"%s\" is neither the name of an image, "
		    "which has lower-case letters, digits and \"._-/:\", nor "
		    "the first %d or more digits of its digest: 'caisson image "
		    "list' shows both", shown.data, IMAGE_DIGITS_MIN);
	container_image_argv(&words, engine->engine, engine->program,
	    image_is_digest(name) ? image_digits(name) : name);
	if (container_engine_tell(engine, &words, shown.data,
	        CONTAINER_LIST_MS, &answer, err) == -1)
		return -1;
	return container_image_read(
	    engine->engine, shown.data, &answer, found, err);
}

/* Whether an image may become the language that it proposes. */
static int
image_may_enable(const struct container_boxes *engine, const char *name,
    const struct container_image *found, struct err *err)
{
	if (found->language == NULL)
		return err_set(err, "the image %s adds no language: that needs "
		    "the labels " IMAGE_LABEL_RUNNER "=true and "
		    IMAGE_LABEL_LANGUAGE "=NAME. To run Python in it, name it "
		    "in the setting image", name);
	return language_image_judge(
	    engine->engine, name, found->language, found, err);
}

static int
image_add(const struct command_setup *setup,
    const struct container_boxes *engine, struct err *err)
{
	const char *name = setup->options->command.operand;
	auto_buffer struct buffer tag = { 0 };
	struct container_image found = { .language = NULL };
	int done = image_look(engine, name, &found, err);

	if (done == 0)
		done = image_may_enable(engine, name, &found, err);
	if (done == 0) {
		image_add_tag(&tag, found.language);
		done = image_do(engine, (const char *const[]){ "tag",
		    image_digits(found.digest), tag.data, NULL }, name, err);
	}
	if (done == 0)
		done = image_tell_changed(setup, err);
	if (done == 0)
		printf("Enabled %s, %s, for code of the language %s, with the "
		       "runtime %s.\n", name, found.digest, found.language,
		    container_names[engine->engine]);
	container_image_reset(&found);
	return done;
}

/* Removes a tag; the image stays where another name is left. */
static int
image_untag(const struct container_boxes *engine, const char *digest,
    const char *tag, struct err *err)
{
	const char *const podman[] = { "untag", image_digits(digest), tag,
		NULL };
	const char *const docker[] = { "image", "rm", tag, NULL };

	return image_do(engine,
	    engine->engine == CONTAINER_PODMAN ? podman : docker, tag, err);
}

/* Disables each language of that name or digest. Returns how many, or -1. */
static int
image_remove_tags(const struct container_boxes *engine, char *lines,
    const char *name, const char *digest, struct err *err)
{
	char *line;
	int n = 0;

	while ((line = strsep(&lines, "\n")) != NULL) {
		const char *tag = image_split(line);
		auto_free char *language = image_tag_language(tag);

		if (language == NULL || (strcmp(language, name) != 0 &&
		        strcmp(line, digest) != 0))
			continue;
		if (image_untag(engine, line, tag, err) == -1)
			return -1;
		printf("Disabled the language %s, %s. The image stays: '%s "
		       "image rm %.*s' removes it.\n", language, line,
		    container_names[engine->engine], IMAGE_DIGITS_MIN,
		    image_digits(line));
		n++;
	}
	return n;
}

static int
image_remove(const struct command_setup *setup,
    const struct container_boxes *engine, struct err *err)
{
	const char *name = setup->options->command.operand;
	auto_buffer struct buffer lines = { 0 }, shown = { 0 };
	struct container_image found = { .language = NULL };
	struct err why;
	int n = image_ask_tags(
	    engine, "reference=" IMAGE_TAGS "*", &lines, err);

	if (n == -1)
		return -1;
	/* The name of a language need not be that of an image. */
	if (image_look(engine, name, &found, &why) == -1)
		found = (struct container_image){ .language = NULL };
	n = image_remove_tags(engine, lines.data, name, found.digest, err);
	container_image_reset(&found);
	if (n > 0)
		return image_tell_changed(setup, err);
	if (n == -1)
		return -1;
	shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
	return err_set(err, "no image \"%s\" is enabled in %s: 'caisson image "
	    "list' shows all", shown.data, container_names[engine->engine]);
}

/* Becomes a shell that starts the engine. */
static int
image_pull(const struct command_setup *setup,
    const struct container_boxes *engine, struct err *err)
{
	const char *name = setup->options->command.operand;
	char *const argv[] = { (char[]){ "/bin/sh" }, (char[]){ "-c" },
		(char[]){ "\"$0\" pull \"$1\" || { echo \"caisson: $1 was not "
		          "pulled: $0 says why above\" >&2; exit 1; }; echo "
		          "\"Pulled $1: 'caisson image add $1' makes it a "
		          "language for code.\"" },
		engine->program, (char *)name, NULL };
	auto_buffer struct buffer shown = { 0 };

	if (!image_is_name(name)) {
		shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
		return err_set(err, "\"%s\" is not a reference of an image, "
		    "such as registry.example/ruby:3", shown.data);
	}
	return spawn_instead(argv, setup->envp, err);
}

/* All commands */

int
image_run(
    const struct command_setup *setup, image_command *command, struct err *err)
{
	const struct options *options = setup->options;
	struct container_boxes engine = { .program = NULL };
	int done;

	if (image_check_engine(&options->command, err) == -1)
		return -1;
	done = image_find_engine(options, &engine, err);
	if (done == 0)
		done = command(setup, &engine, err);
	done = command_end(done, err);
	free(engine.program);
	free(engine.envp);
	buffer_reset(&engine.environment);
	return done;
}

COMMAND_DEFINE(image_pull_run, image_run(setup, image_pull, err))
COMMAND_DEFINE(image_add_run, image_run(setup, image_add, err))
COMMAND_DEFINE(image_list_run, image_run(setup, image_list, err))
COMMAND_DEFINE(image_remove_run, image_run(setup, image_remove, err))
