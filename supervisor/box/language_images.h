/*
 * The languages that images add to those of the program: one for each image
 * that the operator has enabled and that a runtime can use. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_LANGUAGE_IMAGES_H
#define SUPERVISOR_LANGUAGE_IMAGES_H

#include <stddef.h>

#include "../../common/err.h"

struct image;

/*
 * Adds them from the directory of images: those that engine holds, or, for "",
 * those with a root of their own. The image that was enabled first has the name
 * of its language, each further one that name, "@" and the first digits of its
 * digest, which is another name of the first one, too. Replaces those of the
 * last time. From now on language_renew does the same where the list of enabled
 * images has changed; if the directory cannot be used then, it logs that, and
 * there are none. Returns 0, or -1 with err if the directory cannot be used.
 */
int language_images_read(
    const char *folder, const char *engine, struct err *err);

/*
 * Returns the n-th enabled image, from 0, whose language is none here, as
 * another runtime holds the image or its engine was not asked about it; NULL
 * behind the last one. Valid until languages are read again.
 */
const struct image *language_images_absent(size_t n);

#endif
