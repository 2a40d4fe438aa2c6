/*
 * What an engine tells of an image: its digest, its command, the language that
 * its labels propose, and what it would have its engine do, beside providing
 * files. An image is asked for this before a container of it runs code. Runs in
 * the supervisor; composes text, and parses the answer as JSON, of which the
 * image has written parts.
 */
#ifndef SUPERVISOR_CONTAINER_IMAGE_H
#define SUPERVISOR_CONTAINER_IMAGE_H

#include "argv.h"
#include "image.h"

/* An image, as its engine describes it. All zeroes: none. */
struct container_image {
	char digest[IMAGE_DIGEST_SIZE]; /* with "sha256:" */
	char *language; /* that its labels propose; NULL: none */
	struct buffer command; /* ENTRYPOINT and CMD, a list of texts */
	char *wants; /* shown: a volume or annotation to refuse; NULL: none */
};

/*
 * Appends the command line (text_list.h) that describes an image. program is
 * the path of the engine.
 */
void container_image_argv(struct buffer *list, enum container_engine engine,
    const char *program, const char *image);

/*
 * Reads the answer. shown is the image as messages name it. Returns 0 with
 * found, which the caller resets, or -1 with err: the engine has answered
 * something else.
 */
int container_image_read(enum container_engine engine, const char *shown,
    const struct buffer *answer, struct container_image *found,
    struct err *err);

/* Frees its fields. */
void container_image_reset(struct container_image *image);

/*
 * Returns 0, or -1 with err if the image has a volume that docker would make on
 * the host, or an annotation that podman would pass on to its runtime: what it
 * would do, and the fix.
 */
int container_image_judge(enum container_engine engine, const char *shown,
    const struct container_image *image, struct err *err);

#endif
