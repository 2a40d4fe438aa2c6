/*
 * caisson image build: checks the command line, and becomes the script that
 * makes an image from Debian packages or a directory (image_build.sh).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../../common/base/utf8.h"
#include "../../box/engine/engine.h"
#include "../../box/shared/language.h"
#include "../../process/process.h"
#include "image_build_text.h"
#include "image_command.h"

static const char image_build_python[] = "python";

/* The shell, and the tools that scripts and other languages expect. */
static const char image_build_base[] = "bash,coreutils,dash,findutils,grep,sed";

/* The command line */

static int
image_build_is_python(const struct command *command)
{
	return strcmp(command->operand, image_build_python) == 0;
}

static const char *
image_build_flag(const struct command *command, enum command_flag flag)
{
	return command_value(&command->flags, flag, 0);
}

/* One source is enough. */
static int
image_build_check_sources(
    const struct command *command, int packages, struct err *err)
{
	const char *from = image_build_flag(command, COMMAND_FLAG_FROM);

	if (packages && from != NULL)
		return err_set(err, "--package and --from exclude each other: "
		    "give one of them");
	if (!packages && from == NULL && !image_build_is_python(command))
		return err_set(err, "an image of %s needs Debian packages or a "
		    "directory: name them in --package or --from",
		    command->operand);
	return 0;
}

/* A package is part of a list with commas in an argument. */
static int
image_build_check_packages(const struct command *command, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *name;
	size_t i;

	for (i = 0; (name = command_value(&command->flags,
	                 COMMAND_FLAG_PACKAGE, i)) != NULL; i++) {
		if (*name != '\0' && strchr("+-.", *name) == NULL &&
		    name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
		                      "0123456789+-.")] == '\0')
			continue;
		shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
		return err_set(err, "--package \"%s\" is not the name of a "
		    "Debian package", shown.data);
	}
	return image_build_check_sources(command, i > 0, err);
}

/* The command that reads code. */
static int
image_build_check_reader(const struct command *command, struct err *err)
{
	char *const *word;

	if (command->rest != NULL && command->rest[0] != NULL &&
	    image_build_is_python(command))
		return err_set(err, "an image of python needs no command: "
		    "leave out what is behind --, as its python3 is used");
	if (command->rest == NULL || command->rest[0] == NULL)
		return image_build_is_python(command) ? 0 : err_set(err,
		    "an image of %s needs the command that reads code on its "
		    "standard input: write it behind --, such as '-- "
		    "/usr/bin/%s'", command->operand, command->operand);
	if (command->rest[0][0] != '/')
		return err_set(err, "the command behind -- must begin with an "
		    "absolute path in the image, such as /usr/bin/%s",
		    command->operand);
	for (word = command->rest; *word != NULL; word++)
		if (word - command->rest == IMAGE_WORDS_MAX ||
		    !utf8_valid(*word, strlen(*word)))
			return err_set(err, "the command behind -- must have "
			    "at most %d words, and be UTF-8", IMAGE_WORDS_MAX);
	return 0;
}

/* Checks the command line without starting anything. */
static int
image_build_check(const struct command *command, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const struct language *known = language_find(command->operand);

	shown_add_quoted(&shown, command->operand, OPTION_VALUE_SHOWN);
	if (!image_is_language(command->operand))
		return err_set(err, "\"%s\" cannot be the name of a language: "
		    "it has 1 to %d lower-case letters and digits, and "
		    "\"+#._-\" between them", shown.data, IMAGE_LANGUAGE_MAX);
	if (known != NULL && !image_build_is_python(command))
		return err_set(err, "\"%s\" is built in, and runs in the image "
		    "of Python: run 'caisson image build python'", shown.data);
	if (image_build_check_packages(command, err) == -1)
		return -1;
	return image_build_check_reader(command, err);
}

/* The script */

/* Appends the packages, separated by commas. */
static void
image_build_add_packages(struct buffer *words, const struct command *command)
{
	auto_buffer struct buffer list = { 0 };
	const char *name;
	size_t i;

	buffer_add_text(&list, image_build_base);
	if (image_build_is_python(command))
		buffer_add_text(&list, ",python3");
	for (i = 0; (name = command_value(&command->flags,
	                 COMMAND_FLAG_PACKAGE, i)) != NULL; i++)
		buffer_printf(&list, ",%s", name);
	text_list_add(words, list.data);
}

/* Adds an option --change with its value. */
static void __attribute__((format(printf, 2, 3)))
image_build_change(struct buffer *words, const char *fmt, ...)
{
	auto_free char *value = NULL;
	va_list ap;

	va_start(ap, fmt);
	value = mem_vprintf(fmt, ap);
	va_end(ap);
	text_list_add(words, "--change");
	text_list_add(words, value);
}

/* What the image says of itself: what it is for, and what reads the code. */
static void
image_build_add_changes(struct buffer *words, const struct command *command)
{
	auto_buffer struct buffer json = { 0 };
	char *python[] = { (char[]){ "/usr/bin/python3" }, NULL };
	char *const *word = image_build_is_python(command) ? python :
	                                                     command->rest;
	const char *before = "";

	for (; *word != NULL; word++) {
		buffer_add_text(&json, before);
		json_add_text(&json, *word);
		before = ",";
	}
	image_build_change(words, "LABEL " IMAGE_LABEL_RUNNER "=true");
	image_build_change(
	    words, "LABEL " IMAGE_LABEL_LANGUAGE "=%s", command->operand);
	image_build_change(words, "ENTRYPOINT [%s]", json.data);
}

/* Adds the directory to copy, or "". Returns 0, or -1 with err. */
static int
image_build_add_from(
    struct buffer *words, const struct command *command, struct err *err)
{
	const char *from = image_build_flag(command, COMMAND_FLAG_FROM);
	auto_free char *source = from == NULL ? NULL : realpath(from, NULL);
	auto_buffer struct buffer shown = { 0 };
	struct stat st;

	if (from != NULL) {
		shown_add_quoted(&shown, from, OPTION_PATH_MAX);
		if (source == NULL || stat(source, &st) == -1)
			return err_sys(err, "--from %s cannot be used",
			    shown.data);
		if (!S_ISDIR(st.st_mode))
			return err_set(err, "--from %s is not a directory: "
			    "unpack it first", shown.data);
	}
	text_list_add(words, source == NULL ? "" : source);
	return 0;
}

/* Becomes the script that builds an image and gives it to the engine. */
static int
image_build(const struct command_setup *setup,
    const struct container_boxes *engine, struct err *err)
{
	const struct command *command = &setup->options->command;
	auto_buffer struct buffer words = { 0 }, name = { 0 };
	auto_free char **argv = NULL;

	text_list_add(&words, "/bin/sh");
	text_list_add(&words, "-c");
	text_list_add(&words, image_build_text);
	text_list_add(&words, "caisson image build");
	text_list_add(&words, engine->program);
	image_add_built(&name, command->operand);
	text_list_add(&words, name.data);
	text_list_add(&words, command->operand);
	if (image_build_add_from(&words, command, err) == -1)
		return -1;
	image_build_add_packages(&words, command);
	image_build_add_changes(&words, command);
	argv = text_list_vector(words.data, words.len);
	return spawn_instead(argv, setup->envp, err);
}

int
image_build_run(struct command_setup *setup, struct err *err)
{
	return image_build_check(&setup->options->command, err) == -1 ? -1 :
	    image_run(setup, image_build, err);
}
