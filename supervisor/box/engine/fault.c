/*
 * Why an engine could not run a container: see engine.h. The text of the client
 * is only searched for known sentences, and one line of it is quoted, with
 * control characters escaped. The image or the code may have written this text:
 * they share the standard error of the engine, in the trial, in containers of
 * languages that are images, and before the container is ready for code. So the
 * text decides only the sentence.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/mem.h"
#include "../../../common/process_one.h"
#include "../../../common/base/shown.h"
#include "../../process/process.h"
#include "engine.h"

/*
 * Sentences of engines, and what they mean; the first that occurs decides.
 * PROGRAM and IMAGE stand for those names, CONF for the file containers.conf.
 * NULL: the image does not exist, and its name decides how to get it.
 */
static const struct container_saying {
	const char *says;
	const char *means;
} container_faults[] = {
	/* SPAWN_COMPLAINED: the client itself was not started. */
	{ "caisson: cannot execute",
	    "the container engine PROGRAM cannot be executed; install it, or "
	    "name another one" },
	{ "image not known", NULL },
	{ "No such image", NULL },
	{ "Cannot connect to the Docker daemon",
	    "PROGRAM cannot reach its daemon: start it, and check that you may "
	    "use it with 'PROGRAM ps'" },
	{ "permission denied while trying to connect",
	    "you may not use the daemon of PROGRAM: check it with 'PROGRAM "
	    "ps'" },
	{ "Cannot connect to Podman",
	    "PROGRAM cannot reach its service: check it with 'PROGRAM ps'" },
	{ "cgroups in hybrid mode",
	    "crun does not run on a host that has both versions of cgroups: "
	    "install runc, and set 'runtime = \"runc\"' in the section engine "
	    "of CONF" },
	{ "setting rlimit",
	    "PROGRAM may not raise the limits of a container here: set "
	    "'default_ulimits' in the section containers of CONF" },
	{ "unable to setup user",
	    "PROGRAM cannot map the user of the code: add a range of user IDs "
	    "for your user to /etc/subuid and /etc/subgid, or change "
	    "CAISSON_CONTAINER_USER" },
	{ "cannot re-exec process",
	    "PROGRAM cannot make a user namespace: add a range of user IDs "
	    "for your user to /etc/subuid and /etc/subgid" },
	{ "error mounting \"tmpfs\"",
	    "PROGRAM cannot map the user of the code: add a range of user IDs "
	    "for your user to /etc/subuid and /etc/subgid, or change "
	    "CAISSON_CONTAINER_USER" },
	{ "container-init binary not found",
	    "PROGRAM has no init for containers: install the package "
	    "catatonit" },
	{ "executable file not found",
	    "the image IMAGE has no interpreter for the code; use an image "
	    "with python3 in its PATH" },
	{ "unknown flag",
	    "this version of PROGRAM is too old; install a newer one" },
};

#define CONTAINER_FAULTS                                                       \
	(sizeof(container_faults) / sizeof(container_faults[0]))

/* The words that begin the line of an engine's client about its failure. */
static const char *const container_fault_words[] = { "Error: ", "docker: " };

#define CONTAINER_FAULT_WORDS                                                  \
	(sizeof(container_fault_words) / sizeof(container_fault_words[0]))

/* Appends the path of the containers.conf that podman of our user reads. */
static void
container_fault_add_conf(struct buffer *text)
{
	const char *named = getenv("CONTAINERS_CONF");
	const char *home = getenv("HOME");

	if (named != NULL && named[0] == '/')
		buffer_add_text(text, named);
	else if (geteuid() == 0 || home == NULL)
		buffer_add_text(text, "/etc/containers/containers.conf");
	else
		buffer_printf(
		    text, "%s/.config/containers/containers.conf", home);
}

/* Appends a meaning with its names. */
static void
container_fault_fill(struct buffer *text, const char *means,
    const char *program, const char *image)
{
	static const char program_word[] = "PROGRAM", image_word[] = "IMAGE",
			  conf_word[] = "CONF";
	size_t n;

	while (*means != '\0') {
		if (strncmp(means, program_word, strlen(program_word)) == 0) {
			buffer_add_text(text, program);
			n = strlen(program_word);
		} else if (strncmp(means, image_word,
		               strlen(image_word)) == 0) {
			buffer_add_text(text, image);
			n = strlen(image_word);
		} else if (strncmp(means, conf_word, strlen(conf_word)) == 0) {
			container_fault_add_conf(text);
			n = strlen(conf_word);
		} else {
			n = 1 + strcspn(means + 1, "PIC");
			buffer_add(text, means, n);
		}
		means += n;
	}
}

/* Returns how to get an image that does not exist here, or another one. */
static const char *
container_fault_get(const char *image)
{
	return image_may_be_pulled(image) ?
	    "'caisson image build python --engine PROGRAM' makes "
	    "caisson-python, 'PROGRAM pull IMAGE' fetches one" :
	    "'caisson image build python --engine PROGRAM' makes "
	    "caisson-python, 'PROGRAM images' shows those that are here";
}

/* Appends that an image does not exist here, and the fix. */
static void
container_fault_absent(struct buffer *text, const struct container_end *end)
{
	buffer_printf(text, "the image %s does not exist here: ", end->image);
	container_fault_fill(text, end->digest != NULL ?
	        "enable another one with 'caisson image add NAME'" :
	        container_fault_get(end->image), end->program, end->image);
}

/* Returns whether a line begins with a word, and has more. */
static int
container_fault_begins(const char *line, size_t len, const char *word)
{
	return len > strlen(word) && strncmp(line, word, strlen(word)) == 0;
}

/*
 * Finds the last line of the first *len bytes that is not empty. Returns it,
 * and sets *len to its length.
 */
static const char *
container_fault_last(const char *errors, size_t *len)
{
	size_t end = *len, start;

	while (end > 0 && strchr("\r\n ", errors[end - 1]) != NULL)
		end--;
	for (start = end; start > 0 && errors[start - 1] != '\n'; start--)
		;
	*len = end - start;
	return errors + start;
}

/* Returns the last line that says more than where help is. */
static const char *
container_fault_line(const char *errors, size_t *len)
{
	const char *line;

	*len = strlen(errors);
	line = container_fault_last(errors, len);
	if (container_fault_begins(line, *len, "See '") ||
	    container_fault_begins(line, *len, "Run '")) {
		*len = (size_t)(line - errors);
		line = container_fault_last(errors, len);
	}
	return line;
}

/*
 * The line is quoted without the word that engines begin it with. The image may
 * have written it, and a terminal may show it.
 */
void
container_fault_quote(
    struct buffer *text, const char *before, const char *errors)
{
	size_t len, i;
	const char *line = container_fault_line(errors, &len);

	for (i = 0; i < CONTAINER_FAULT_WORDS; i++)
		if (container_fault_begins(
		        line, len, container_fault_words[i])) {
			line += strlen(container_fault_words[i]);
			len -= strlen(container_fault_words[i]);
			break;
		}
	if (len > 0) {
		buffer_add_text(text, before);
		shown_add(text, line, len);
	}
}

char *
container_fault_command(const char *image, const char *errors)
{
	struct buffer text = { 0 };
	size_t len;
	const char *line = container_fault_line(errors, &len);

	if (container_fault_begins(line, len, PROCESS_ONE_NO_PROCESS ": ")) {
		buffer_printf(
		    &text, "a container of the image %s has failed", image);
		container_fault_quote(&text, ": ", errors);
		buffer_add_text(&text, "; check the limits CAISSON_PIDS and "
		    "CAISSON_MEMORY");
		return buffer_take(&text, NULL);
	}
	buffer_printf(&text, "the image %s cannot run its ENTRYPOINT", image);
	container_fault_quote(&text, ": ", errors);
	buffer_add_text(&text, "; build it with the path of a program that is "
	    "in it, with its interpreter and libraries");
	return buffer_take(&text, NULL);
}

/* Appends the meaning of a known sentence. Returns whether there is one. */
static int
container_fault_add(struct buffer *text, const struct container_end *end)
{
	const struct container_saying *known = NULL;
	size_t i;

	for (i = 0; i < CONTAINER_FAULTS && known == NULL; i++)
		if (strstr(end->errors, container_faults[i].says) != NULL)
			known = &container_faults[i];
	if (known == NULL)
		return 0;
	if (known->means == NULL)
		container_fault_absent(text, end);
	else
		container_fault_fill(
		    text, known->means, end->program, end->image);
	return 1;
}

char *
container_fault_asked(const struct container_end *end)
{
	struct buffer text = { 0 };

	if (!container_fault_add(&text, end)) {
		buffer_printf(&text, "%s could not describe the image %s",
		    end->program, end->image);
		container_fault_quote(&text, ": ", end->errors);
		buffer_printf(&text, "; check it, and the names of its images, "
		    "with '%s images'", end->program);
	}
	return buffer_take(&text, NULL);
}

/* Appends which signal has killed the client. */
static void
container_fault_killed(struct buffer *text, const struct container_end *end)
{
	auto_free char *killer =
	    end->killer == 0 ? NULL : signal_name(end->killer);

	buffer_printf(text, "%s, or its keeper, was killed by %s",
	    end->program, killer == NULL ? "an unknown signal" : killer);
}

/* Appends what has failed. */
static void
container_fault_failed(struct buffer *text, const struct container_end *end)
{
	if (end->status == KEEPER_ENGINE_FAILED)
		buffer_printf(text, "%s could not run a container",
		    end->program);
	else if (end->status == KEEPER_ENGINE_NOT_STARTED ||
	    end->status == KEEPER_ENGINE_NOT_FOUND)
		buffer_printf(text, "%s could not start a container of the "
		    "image %s", end->program, end->image);
	else
		buffer_printf(text, "a container of the image %s exited with "
		    "status %d before it was ready for code", end->image,
		    end->status);
}

char *
container_fault(const struct container_end *end)
{
	struct buffer text = { 0 };

	if (end->status == -1)
		container_fault_killed(&text, end);
	else if (!container_fault_add(&text, end)) {
		container_fault_failed(&text, end);
		container_fault_quote(&text, ": ", end->errors);
	}
	return buffer_take(&text, NULL);
}
