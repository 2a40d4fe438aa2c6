/*
 * caisson image build: makes an image from Debian packages, by mmdebstrap, or
 * from a directory. Packages are unpacked and their scripts are not run, so no
 * privileges are needed and nothing is mounted. Runs in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../../common/text_list.h"
#include "../box/image_store.h"
#include "../box/language.h"
#include "image_command.h"

#define IMAGE_BUILD_RELEASE "/etc/os-release"
#define IMAGE_BUILD_CODENAME "VERSION_CODENAME="

static const char image_build_python[] = "python";

/* Where containers look for programs whose image does not set PATH. */
#define IMAGE_BUILD_PATH                                                       \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The shell, and the tools that scripts and other languages expect. */
static const char image_build_base[] =
    "bash,coreutils,dash,findutils,grep,sed";

/*
 * Links that scripts of packages would make. numpy and all that is built on it
 * cannot be imported without them.
 */
static const struct {
	const char *name;
	const char *target;
} image_build_links[] = {
	{ "libblas.so.3", "blas/libblas.so.3" },
	{ "liblapack.so.3", "lapack/liblapack.so.3" },
};

#define IMAGE_BUILD_LINKS                                                      \
	(sizeof(image_build_links) / sizeof(image_build_links[0]))

/* Where Debian has the libraries of this processor. */
#if defined(__x86_64__)
#define IMAGE_BUILD_LIBRARIES "usr/lib/x86_64-linux-gnu"
#else
#define IMAGE_BUILD_LIBRARIES "usr/lib/aarch64-linux-gnu"
#endif

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

/* Returns whether files are copied, instead of packages unpacked. */
static int
image_build_is_copied(const struct command *command)
{
	return image_build_flag(command, COMMAND_FLAG_FROM) != NULL ||
	    image_build_flag(command, COMMAND_FLAG_FROM_IMAGE) != NULL;
}

/* One source is enough. */
static int
image_build_check_sources(
    const struct command *command, int packages, struct err *err)
{
	const char *held = image_build_flag(command, COMMAND_FLAG_FROM_IMAGE);
	int n = packages + (held != NULL) +
	    (image_build_flag(command, COMMAND_FLAG_FROM) != NULL);

	if (n > 1)
		return err_set(err, "--package, --from and --from-image "
		    "exclude each other: give one of them");
	if (n == 0 && !image_build_is_python(command))
		return err_set(err, "an image of %s needs Debian packages or a "
		    "directory: name them in --package or --from",
		    command->operand);
	if (held != NULL && !image_is_name(held) && !image_is_digest(held))
		return err_set(err, "--from-image is not the name of an image: "
		    "it has lower-case letters, digits and \"._-/:\"");
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

int
image_build_check(const struct command *command, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const struct language *known = language_find(command->operand);

	shown_add_quoted(&shown, command->operand, OPTION_VALUE_SHOWN);
	if (!image_is_language(command->operand))
		return err_set(err, "\"%s\" cannot be the name of a language: "
		    "it has 1 to %d lower-case letters, digits and \"+#._-\"",
		    shown.data, IMAGE_LANGUAGE_MAX);
	if (known != NULL && !image_build_is_python(command))
		return err_set(err, "\"%s\" is built in, and runs in the image "
		    "of Python: run 'caisson image build python'", shown.data);
	if (image_build_check_packages(command, err) == -1)
		return -1;
	return image_build_check_reader(command, err);
}

/* The root */

/* Returns the release of this Debian, which the caller frees; or NULL. */
static char *
image_build_release(void)
{
	auto_fd int fd = open(IMAGE_BUILD_RELEASE, O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t n = fd == -1 ? -1 : read(fd, text, sizeof(text) - 1);
	char *line, *rest = text;
	size_t len = strlen(IMAGE_BUILD_CODENAME);

	if (n <= 0)
		return NULL;
	text[n] = '\0';
	while ((line = strsep(&rest, "\n")) != NULL)
		if (strncmp(line, IMAGE_BUILD_CODENAME, len) == 0 &&
		    line[len] != '\0' &&
		    line[len + strspn(line + len,
		        "abcdefghijklmnopqrstuvwxyz")] == '\0')
			return mem_strdup(line + len);
	return NULL;
}

/* Appends the packages, separated by commas. */
static void
image_build_add_packages(struct buffer *out, const struct command *command)
{
	const char *name;
	size_t i;

	buffer_add_text(out, image_build_base);
	if (image_build_is_python(command))
		buffer_add_text(out, ",python3");
	for (i = 0; (name = command_value(&command->flags,
	                 COMMAND_FLAG_PACKAGE, i)) != NULL; i++)
		buffer_printf(out, ",%s", name);
}

/* Makes the command line of mmdebstrap. */
static int
image_build_add_debian(const struct image_command *image, struct buffer *words,
    const char *root, struct err *err)
{
	auto_free char *path = image_work_find(&image->work, "mmdebstrap");
	auto_free char *release = image_build_release();
	auto_buffer struct buffer packages = { 0 };

	if (path == NULL)
		return err_set(err, "mmdebstrap is not installed: run "
		    "'apt-get install mmdebstrap' as root, or give a directory "
		    "with the files of the image in --from");
	if (release == NULL)
		return err_set(err, "%s names no release of Debian: give a "
		    "directory with the files of the image in --from",
		    IMAGE_BUILD_RELEASE);
	buffer_add_text(&packages, "--include=");
	image_build_add_packages(&packages, image->command);
	text_list_add(words, path);
	text_list_add(words, "--quiet");
	/* No program of a package runs, so no root is needed. */
	text_list_add(words, "--mode=chrootless");
	text_list_add(words, "--variant=extract");
	text_list_add(words, packages.data);
	text_list_add(words, release);
	text_list_add(words, root);
	fprintf(stderr, "Unpacking packages of Debian %s (%s) ...\n", release,
	    packages.data + strlen("--include="));
	return 0;
}

/* Makes the command line that copies a directory. */
static int
image_build_add_copy(const struct image_command *image, struct buffer *words,
    const char *from, const char *root, struct err *err)
{
	auto_free char *path = image_work_find(&image->work, "cp");
	auto_buffer struct buffer shown = { 0 };
	auto_free char *source = realpath(from, NULL);
	auto_free char *all = NULL;
	struct stat st;

	shown_add_quoted(&shown, from, OPTION_PATH_MAX);
	if (source == NULL || stat(source, &st) == -1)
		return err_sys(err, "--from %s cannot be used", shown.data);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, "--from %s is not a directory: unpack it "
		    "first", shown.data);
	if (path == NULL)
		return err_set(err, "the program cp is not in PATH");
	all = mem_printf("%s/.", source);
	text_list_add(words, path);
	text_list_add(words, "-R");
	text_list_add(words, "-P");
	/* Nothing that is mounted there. */
	text_list_add(words, "-x");
	text_list_add(words, "--preserve=mode,links");
	text_list_add(words, "--");
	text_list_add(words, all);
	text_list_add(words, root);
	fprintf(stderr, "Copying %s ...\n", shown.data);
	return 0;
}

/* Makes the links, unless a package has them. Returns 0, or -1 with err. */
static int
image_build_add_links(const char *root, struct err *err)
{
	auto_free char *folder = mem_printf("%s/" IMAGE_BUILD_LIBRARIES, root);
	auto_fd int fd =
	    open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t i;

	for (i = 0; i < IMAGE_BUILD_LINKS && fd != -1; i++)
		if (faccessat(fd, image_build_links[i].target, F_OK, 0) == 0 &&
		    symlinkat(image_build_links[i].target, fd,
		        image_build_links[i].name) == -1 && errno != EEXIST)
			return err_sys(err, "make the link %s in the image",
			    image_build_links[i].name);
	return 0;
}

static int
image_build_fill(struct image_command *image, const char *root,
    struct buffer *variables, struct err *err)
{
	const char *from = image_build_flag(image->command, COMMAND_FLAG_FROM);
	const char *held =
	    image_build_flag(image->command, COMMAND_FLAG_FROM_IMAGE);
	auto_buffer struct buffer words = { 0 };

	if (held != NULL)
		return image_engine_unpack(
		    image, held, root, variables, err);
	if ((from == NULL ?
	            image_build_add_debian(image, &words, root, err) :
	            image_build_add_copy(image, &words, from, root, err)) == -1)
		return -1;
	if (image_work_run(&image->work, &words, NULL, NULL, err) == -1)
		return -1;
	return from == NULL ? image_build_add_links(root, err) : 0;
}

/* Returns the value of PATH among the variables of an image. */
static const char *
image_build_path(const struct buffer *variables)
{
	const char *name = "PATH=", *pair;

	TEXT_LIST_EACH (pair, variables->data, variables->len)
		if (strncmp(pair, name, strlen(name)) == 0)
			return pair + strlen(name);
	return IMAGE_BUILD_PATH;
}

/*
 * Packages have it. Links may lead out of the root here, though not in a
 * container, so none is followed but those of directories.
 */
static int
image_build_check_python(
    const char *root, const struct buffer *variables, struct err *err)
{
	const char *place = image_build_path(variables);
	struct stat st;
	size_t len;

	for (; *place != '\0'; place += len) {
		auto_free char *path = NULL;

		place += *place == ':';
		len = strcspn(place, ":");
		path = mem_printf("%s/%.*s/python3", root, (int)len, place);
		if (lstat(path, &st) == 0 && !S_ISDIR(st.st_mode))
			return 0;
	}
	return err_set(err, "the image has no python3 in %s: install it there, "
	    "or build the image from packages, without --from and "
	    "--from-image", image_build_path(variables));
}

/* The image */

static void
image_build_describe(const struct command *command, struct image *made)
{
	char *const *word = command->rest;

	made->name = mem_printf(IMAGE_BUILT "%s", command->operand);
	made->language = mem_strdup(command->operand);
	made->engine = mem_strdup("");
	if (word == NULL || *word == NULL)
		text_list_add(&made->command, "/usr/bin/python3");
	else
		for (; *word != NULL; word++)
			text_list_add(&made->command, *word);
}

static int
image_build_make(
    struct image_command *image, struct image *made, struct err *err)
{
	auto_free char *root =
	    image_store_begin(image->lock, image->folder, err);
	auto_free char *tmp = image_store_tmp(image->folder);
	int done;

	image->work.tmp = tmp;
	done = root == NULL ? -1 :
	    image_build_fill(image, root, &made->variables, err);
	image->work.tmp = NULL;
	if (done == 0 && image_build_is_python(image->command) &&
	    image_build_is_copied(image->command))
		done = image_build_check_python(root, &made->variables, err);
	if (done == -1)
		return -1;
	fprintf(stderr, "Computing its digest ...\n");
	return image_store_put(image->lock, image->folder, made, err);
}

static void
image_build_report(const struct image *made)
{
	printf("Built %s, %s (%llu MiB).\n", made->name, made->digest,
	    (unsigned long long)(made->bytes / MIB));
	if (strcmp(made->language, image_build_python) != 0)
		printf("'caisson image add %s' makes it a language for code.\n",
		    made->name);
}

int
image_build(struct image_command *image, struct err *err)
{
	struct image_engine engine = { 0 };
	struct image made = { .root = NULL };
	int done;

	if (image_engine_find(image, 0, &engine, err) == -1)
		return -1;
	image_build_describe(image->command, &made);
	done = image_build_make(image, &made, err);
	if (done == -1) {
		image_store_drop(image->lock);
	} else {
		image_build_report(&made);
		/* An engine that it comes from has it already. */
		if (engine.path != NULL && image_build_flag(image->command,
		        COMMAND_FLAG_FROM_IMAGE) == NULL)
			done = image_engine_import(image, &engine, &made, err);
	}
	image_reset(&made);
	free(engine.path);
	return done;
}
