/* What an engine tells of an image: see engine.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json_span.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "engine.h"

#define CONTAINER_IMAGE_FORMAT(wants)                                          \
	"{\"id\":\"{{.Id}}\",\"labels\":{{json .Config.Labels}},"             \
	"\"entrypoint\":{{json .Config.Entrypoint}},"                          \
	"\"cmd\":{{json .Config.Cmd}},\"user\":{{json .Config.User}},"         \
	"\"wants\":{{json " wants "}}}"

void
container_image_argv(struct buffer *list, enum container_engine engine,
    const char *program, const char *image)
{
	text_list_add(list, program);
	text_list_add(list, "image");
	text_list_add(list, "inspect");
	text_list_add(list, "--format");
	text_list_add(list, engine == CONTAINER_PODMAN ?
	    CONTAINER_IMAGE_FORMAT(".Annotations") :
	    CONTAINER_IMAGE_FORMAT(".Config.Volumes"));
	text_list_add(list, image);
}

/* Returns a text that the caller frees; NULL if it is none, or has a NUL. */
static char *
container_image_text(struct json_span value)
{
	auto_free char *text = NULL;
	struct err err;
	size_t len;

	if (json_span_kind(value) == JSON_SPAN_STRING)
		text = json_span_string(value, &len, &err);
	return text != NULL && strlen(text) == len ? mem_take(&text) : NULL;
}

/* Appends the words of an array. Returns whether all are texts. */
static int
container_image_add_words(
    struct json_span object, const char *name, struct buffer *words)
{
	struct json_span value, each;
	struct json_span_walk walk;

	if (!json_span_get(object, name, &value))
		return 0;
	walk = json_span_walk(value);
	while (json_span_next_element(&walk, &each)) {
		auto_free char *word = container_image_text(each);

		if (word == NULL)
			return 0;
		text_list_add(words, word);
	}
	return text_list_count(words->data, words->len) <= IMAGE_WORDS_MAX;
}

/* Returns the language that labels propose, which the caller frees; or NULL. */
static char *
container_image_language(struct json_span object)
{
	struct json_span labels, value;
	auto_free char *language = NULL;

	if (json_span_get(object, "labels", &labels) &&
	    json_span_kind(labels) == JSON_SPAN_OBJECT &&
	    json_span_get(labels, IMAGE_LABEL_RUNNER, &value) &&
	    json_span_is(value, "true") &&
	    json_span_get(labels, IMAGE_LABEL_LANGUAGE, &value))
		language = container_image_text(value);
	return language != NULL && image_is_language(language) ?
	    mem_take(&language) : NULL;
}

/*
 * podman copies the annotations of an image to the container. crun and runc
 * obey some, such as a seccomp filter instead of ours or properties of the
 * cgroup, and another runtime may obey others: those that are not for people
 * are refused.
 */
static int
container_image_is_harmless(enum container_engine engine, const char *name)
{
	static const char *const people[] = { "org.opencontainers.image.",
		"com.docker." };
	size_t i;

	for (i = 0; i < 2 && engine == CONTAINER_PODMAN && name != NULL; i++)
		if (strncmp(name, people[i], strlen(people[i])) == 0)
			return 1;
	return 0;
}

/* Returns the first name to refuse, as it is shown; NULL: there is none. */
static char *
container_image_wants(enum container_engine engine, struct json_span object)
{
	struct json_span wants, name, value;
	struct json_span_walk walk;
	struct buffer shown = { 0 };

	if (!json_span_get(object, "wants", &wants))
		return NULL;
	walk = json_span_walk(wants);
	while (json_span_next_member(&walk, &name, &value)) {
		auto_free char *text = container_image_text(name);

		if (container_image_is_harmless(engine, text))
			continue;
		shown_add_quoted(&shown, text == NULL ? "?" : text,
		    CONTAINER_IMAGE_SHOWN);
		return buffer_take(&shown, NULL);
	}
	return NULL;
}

/* Reads the digest. Returns whether it is one. */
static int
container_image_digest(struct json_span object, struct container_image *found)
{
	struct json_span value;
	auto_free char *id = json_span_get(object, "id", &value) ?
	    container_image_text(value) : NULL;

	if (id == NULL || !image_is_digest(id) ||
	    strlen(image_digits(id)) != IMAGE_DIGITS)
		return 0;
	snprintf(found->digest, sizeof(found->digest), IMAGE_ALGORITHM "%s",
	    image_digits(id));
	return 1;
}

/* Reads the user, which only counts as a number: a name may be root, too. */
static void
container_image_user(struct json_span object, struct container_image *found)
{
	struct json_span value;
	auto_free char *user = json_span_get(object, "user", &value) ?
	    container_image_text(value) : NULL;
	unsigned long uid, gid = 0;
	char *end;

	if (user == NULL || user[0] < '1' || user[0] > '9')
		return;
	uid = strtoul(user, &end, 10);
	if (end[0] == ':' && end[1] >= '1' && end[1] <= '9')
		gid = strtoul(end + 1, &end, 10);
	if (*end != '\0' && strcmp(end, ":0") != 0)
		return;
	if (uid > CONTAINER_ID_MAX || gid > CONTAINER_ID_MAX)
		return;
	found->uid = (uint32_t)uid;
	found->gid = (uint32_t)(gid == 0 ? uid : gid);
}

int
container_image_read(enum container_engine engine, const char *shown,
    const struct buffer *answer, struct container_image *found, struct err *err)
{
	struct json_span object;

	memset(found, 0, sizeof(*found));
	if (answer->len == 0 ||
	    json_span_parse(answer->data, answer->len, &object, err) == -1 ||
	    json_span_kind(object) != JSON_SPAN_OBJECT ||
	    !container_image_digest(object, found) ||
	    !container_image_add_words(object, "entrypoint", &found->command) ||
	    !container_image_add_words(object, "cmd", &found->command)) {
		container_image_reset(found);
		return err_set(err, "the engine has not described the image %s",
		    shown);
	}
	found->language = container_image_language(object);
	found->wants = container_image_wants(engine, object);
	container_image_user(object, found);
	return 0;
}

void
container_image_reset(struct container_image *image)
{
	free(image->language);
	free(image->wants);
	buffer_reset(&image->command);
	memset(image, 0, sizeof(*image));
}

int
container_image_judge(enum container_engine engine, const char *shown,
    const struct container_image *image, struct err *err)
{
	if (image->wants == NULL)
		return 0;
	if (engine == CONTAINER_PODMAN)
		return err_set(err, "the image %s has the annotation \"%s\", "
		    "which could weaken its containers, because podman passes "
		    "it to crun or runc: use an image whose annotations all "
		    "begin with \"org.opencontainers.image.\" or "
		    "\"com.docker.\", or the runtime docker", shown,
		    image->wants);
	return err_set(err, "the image %s has the volume \"%s\", which docker "
	    "makes as a writable directory on the disk of the host, without a "
	    "limit: use an image without volumes, or the runtime podman",
	    shown, image->wants);
}
