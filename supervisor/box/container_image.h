/*
 * What an image may have its engine do, beside providing files: an image of an
 * engine is asked for this before a container of it runs code. Runs in the
 * supervisor; composes text, and of the answer it quotes the first line.
 */
#ifndef SUPERVISOR_CONTAINER_IMAGE_H
#define SUPERVISOR_CONTAINER_IMAGE_H

#include "container_argv.h"

/*
 * Appends the command line (text_list.h) that prints a line for each volume of
 * an image that docker would make on the host, or for each annotation that
 * podman would pass on to its runtime. program is the path of the engine.
 */
void container_image_argv(struct buffer *list, enum container_engine engine,
    const char *program, const char *image);

/*
 * Judges the answer, of which the first lines suffice. shown is the image as
 * messages name it. Returns 0, or -1 with err: what the image would do, and the
 * fix.
 */
int container_image_judge(enum container_engine engine, const char *shown,
    const struct buffer *answer, struct err *err);

#endif
