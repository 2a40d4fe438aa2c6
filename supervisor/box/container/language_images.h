/*
 * The languages that images add to those of the program: one for each image
 * that the operator has enabled, by a tag in the engine (image.h). Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_LANGUAGE_IMAGES_H
#define SUPERVISOR_LANGUAGE_IMAGES_H

#include "../engine/container_image.h"
#include "../shared/runtime.h"

struct container_boxes;

/*
 * Returns 0, or -1 with err if an image, which messages name as shown, may not
 * be this language: that is built in, or the image has no command, or would
 * weaken its containers.
 */
int language_image_judge(enum container_engine engine, const char *shown,
    const char *language, const struct container_image *image,
    struct err *err);

/*
 * Asks an engine about the image of a tag, and judges it. Returns 0 with found,
 * or -1 with err; the caller resets found.
 */
int language_image_ask(const struct container_boxes *engine, const char *tag,
    const char *language, struct container_image *found, struct err *err);

/*
 * Asks the engine of these boxes, which are containers, for the tags and adds a
 * language for each. Its name with "@" and the first digits of the digest is
 * another name of it. An image that is refused (language_image_judge) is left
 * out, which is logged. From now on language_renew does the same, and replaces
 * them, whenever the file changes that changed names and that commands write
 * to, which may be missing; if the engine does not answer then, it logs that,
 * and there are none. Returns 0, or -1 with err if the engine does not answer.
 */
int language_images_read(
    const struct boxes *boxes, const char *changed, struct err *err);

#endif
