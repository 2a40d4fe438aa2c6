/*
 * caisson image: what its files share. image.c has its commands and asks the
 * engine, image_build.c has a script build images.
 */
#ifndef SUPERVISOR_IMAGE_COMMAND_H
#define SUPERVISOR_IMAGE_COMMAND_H

#include "../../box/engine/engine.h"
#include "../../options/options.h"
#include "../shared/command.h"

/* What a command does with the engine. Returns 0, or -1 with err. */
typedef int image_command(const struct command_setup *setup,
    const struct container_boxes *engine, struct err *err);

/*
 * Runs a command with the engine that --engine or a setting names. Returns as
 * the functions of commands.def.
 */
int image_run(
    const struct command_setup *setup, image_command *command, struct err *err);

#endif
