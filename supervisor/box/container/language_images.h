/*
 * The languages that images add to those of the program: one for each image
 * that the operator has enabled, by a tag in the engine (image.h). Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_LANGUAGE_IMAGES_H
#define SUPERVISOR_LANGUAGE_IMAGES_H

#include "../shared/runtime.h"

/*
 * Asks the engine of these boxes, which are containers, for the tags and adds a
 * language for each. Its name with "@" and the first digits of the digest is
 * another name of it. An image that is refused (container_image_judge), or has
 * the name of a built-in language, is left out, which is logged. From now on
 * language_renew does the same, and replaces them, whenever the file changes
 * that changed names and that commands write to, which may be missing; if the
 * engine does not answer then, it logs that, and there are none. Returns 0, or
 * -1 with err if the engine does not answer.
 */
int language_images_read(
    const struct boxes *boxes, const char *changed, struct err *err);

#endif
