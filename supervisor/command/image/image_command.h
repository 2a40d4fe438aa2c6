/*
 * caisson image: what its files share. image.c dispatches its commands and asks
 * the engine, image_build.c has a script build images. Runs in the supervisor.
 */
#ifndef SUPERVISOR_IMAGE_COMMAND_H
#define SUPERVISOR_IMAGE_COMMAND_H

#include "../../box/engine/engine.h"
#include "../../options/options.h"

/* Checks the command line of "image build" without starting anything. */
int image_build_check(const struct command *command, struct err *err);

/*
 * Becomes the script that builds an image and gives it to this engine. Returns
 * -1 with err if that fails.
 */
int image_build(const struct command *command,
    const struct container_boxes *engine, char **envp, struct err *err);

#endif
