/*
 * What an image may have its engine do: see container_image.h. Runs in the
 * supervisor; composes text, and quotes one line of an answer.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/shown.h"
#include "../../common/text_list.h"
#include "container_image.h"

/*
 * podman copies the annotations of an image to the container. crun and runc
 * obey some, such as a seccomp filter instead of ours or properties of the
 * cgroup, and another runtime may obey others: those that are not for people
 * are refused. A name is compared as far as it must be equal.
 */
static const char container_image_annotations[] =
    "{{range $name, $value := .Annotations}}"
    "{{if and (ne (printf \"%.25s\" $name) \"org.opencontainers.image.\")"
    " (ne (printf \"%.11s\" $name) \"com.docker.\")}}"
    "{{printf \"%q\\n\" $name}}{{end}}{{end}}";

static const char container_image_volumes[] =
    "{{range $path, $value := .Config.Volumes}}"
    "{{printf \"%q\\n\" $path}}{{end}}";

void
container_image_argv(struct buffer *list, enum container_engine engine,
    const char *program, const char *image)
{
	text_list_add(list, program);
	text_list_add(list, "image");
	text_list_add(list, "inspect");
	text_list_add(list, "--format");
	text_list_add(list, engine == CONTAINER_PODMAN ?
	    container_image_annotations : container_image_volumes);
	text_list_add(list, image);
}

/* Returns whether there is no name: podman ends an empty answer, too. */
static int
container_image_is_empty(const struct buffer *answer)
{
	size_t i;

	for (i = 0; i < answer->len; i++)
		if (answer->data[i] != '\n')
			return 0;
	return 1;
}

/* Appends the first name, which its engine has put into quotes. */
static void
container_image_quote(struct buffer *text, const struct buffer *answer)
{
	const char *line = answer->data, *end = line + answer->len, *next;
	size_t len;

	while (line < end && *line == '\n')
		line++;
	next = memchr(line, '\n', (size_t)(end - line));
	len = (size_t)((next == NULL ? end : next) - line);
	shown_add(text, line,
	    len > CONTAINER_IMAGE_SHOWN ? CONTAINER_IMAGE_SHOWN : len);
	if (len > CONTAINER_IMAGE_SHOWN)
		buffer_add_text(text, "...");
}

int
container_image_judge(enum container_engine engine, const char *shown,
    const struct buffer *answer, struct err *err)
{
	auto_buffer struct buffer name = { 0 };

	if (container_image_is_empty(answer))
		return 0;
	container_image_quote(&name, answer);
	if (engine == CONTAINER_PODMAN)
		return err_set(err, "the image %s has the annotation %s, which "
		    "could weaken its containers, because podman passes it to "
		    "crun or runc: use an image whose annotations all begin "
		    "with \"org.opencontainers.image.\" or \"com.docker.\", or "
		    "the runtime docker", shown, name.data);
	return err_set(err, "the image %s has the volume %s, which docker "
	    "makes as a writable directory on the disk of the host, without a "
	    "limit: use an image without volumes, or the runtime podman",
	    shown, name.data);
}
