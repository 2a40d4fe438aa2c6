/*
 * Images from which containers are started: their names, and the tags by which
 * the operator enables some as languages. The engine holds the images and the
 * tags; nothing of them is kept here. Runs in the supervisor; pure.
 */
#ifndef SUPERVISOR_IMAGE_H
#define SUPERVISOR_IMAGE_H

#include "../../../common/base/buffer.h"

/* "sha256:", 64 digits, and a NUL. */
#define IMAGE_DIGEST_SIZE 72
#define IMAGE_ALGORITHM "sha256:"

/* The digits of a digest, and the fewest that stand for one. */
#define IMAGE_DIGITS 64
#define IMAGE_DIGITS_MIN 12

/*
 * Return whether a text can be the name of an image, of a language, and a
 * digest, whose first digits are enough, with or without "sha256:".
 */
int image_is_name(const char *text);
int image_is_language(const char *text);
int image_is_digest(const char *text);

/* Returns the digits of a digest that is given with or without "sha256:". */
const char *image_digits(const char *digest);

/* The name that Caisson gives to an image of a language that it builds. */
#define IMAGE_BUILT "caisson-"

/*
 * Returns whether a registry may have the image of this name, which podman and
 * docker could then pull: none has one that is named by its digest, that
 * Caisson has built, or that podman has built, "localhost/...".
 */
int image_may_be_pulled(const char *name);

/* The labels by which an image says that it is for code, and of what. */
#define IMAGE_LABEL_RUNNER "sandbox.runner"
#define IMAGE_LABEL_LANGUAGE "sandbox.language"

/*
 * The beginning of the names of enabled images: the language follows, in which
 * "__p" stands for "+" and "__s" for "#", and then ":latest".
 */
#define IMAGE_TAGS "localhost/caisson/"
#define IMAGE_TAG_END ":latest"

/*
 * Append the tag that enables an image for a language, and the name that
 * Caisson gives to an image of it.
 */
void image_add_tag(struct buffer *text, const char *language);
void image_add_built(struct buffer *text, const char *language);

/*
 * Returns the language that a tag enables an image for, which the caller frees;
 * NULL if it is no such tag.
 */
char *image_tag_language(const char *tag);

#endif
