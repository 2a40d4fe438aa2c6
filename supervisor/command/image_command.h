/*
 * caisson image: what its commands share. image.c dispatches them and keeps the
 * list, image_build.c makes images, image_engine.c uses those of podman and
 * docker. Runs in the supervisor.
 */
#ifndef SUPERVISOR_IMAGE_COMMAND_H
#define SUPERVISOR_IMAGE_COMMAND_H

#include "../box/image.h"
#include "../options/options.h"
#include "image_work.h"

/* The labels by which an image says that it is for code, and of what. */
#define IMAGE_LABEL_RUNNER "sandbox.runner"
#define IMAGE_LABEL_LANGUAGE "sandbox.language"

struct image_command {
	struct image_work work;
	const struct options *options;
	const struct command *command;
	char *folder; /* of all images */
	int lock;     /* of image_store_lock; -1: not needed */
};

/*
 * Each returns 0, or -1 with err: then nothing has changed, unless the sentence
 * says otherwise.
 */

/* image_build.c: checks the command line without starting anything. */
int image_build_check(const struct command *command, struct err *err);
int image_build(struct image_command *image, struct err *err);

/*
 * image_engine.c: an engine, its name and the path of its program. Both are ""
 * and NULL if the command line and the setting runtime name none.
 */
struct image_engine {
	const char *name; /* static */
	char *path;       /* the caller frees it */
};

/* Checks the flag --engine without looking for a program. */
int image_engine_check_flag(const struct command *command, struct err *err);

/* Returns the name of the engine that the flag --engine means, or NULL. */
const char *image_engine_flag_name(const struct command *command);

/*
 * Finds the engine that --engine or the setting runtime names; with any, else
 * one that is installed.
 */
int image_engine_find(const struct image_command *image, int any,
    struct image_engine *engine, struct err *err);

/* Gives a new image, which has a root, to an engine, and keeps a record. */
int image_engine_import(struct image_command *image,
    const struct image_engine *engine, const struct image *made,
    struct err *err);

/* Pulls an image by its reference. */
int image_engine_pull(struct image_command *image,
    const struct image_engine *engine, const char *reference, struct err *err);

/*
 * Unpacks an image that an engine holds into a directory: the engine exports
 * it, and tar unpacks what the engine has written. Appends its variables to a
 * list of texts.
 */
int image_engine_unpack(struct image_command *image, const char *reference,
    const char *root, struct buffer *variables, struct err *err);

/*
 * Reads what an engine says of an image it holds, by its labels. Fills found,
 * which the caller resets, and keeps a record. Its name and digest are set if
 * the list has the image.
 */
int image_engine_keep(struct image_command *image,
    const struct image_engine *engine, const char *reference,
    struct image *found, struct err *err);

/*
 * The same for an image of our list that the command line means. Its engine is
 * asked by its name, which may stand for another image by now, if the command
 * line has the name, otherwise by its digest.
 */
int image_engine_renew(struct image_command *image, const struct image *known,
    struct image *found, struct err *err);

#endif
