/*
 * An image from which containers are started, as a value, and the forms of its
 * names. Runs in the supervisor; pure.
 */
#ifndef SUPERVISOR_IMAGE_H
#define SUPERVISOR_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "../../common/buffer.h"

/* "sha256:", 64 digits, and a NUL. */
#define IMAGE_DIGEST_SIZE 72
#define IMAGE_ALGORITHM "sha256:"

/* An image. All zeroes: none. */
struct image {
	char digest[IMAGE_DIGEST_SIZE]; /* of the tree, or the engine's */
	char *name;     /* stands for the newest image that has it */
	char *language; /* of the code that its command reads */
	char *engine;   /* "podman" or "docker", which holds it, or "" */
	char *root;     /* the path of its unpacked root; NULL: it has none */
	struct buffer command; /* reads code; a list of texts (text_list.h) */
	struct buffer variables; /* of its code, besides ours: such a list */
	int checked;    /* its engine was asked: see container_image.h */
	int unnamed;    /* its engine has given the name to a later image */
	uint64_t made;  /* microseconds since 1970 */
	uint64_t bytes; /* of all files */
	int newest;     /* in a list: its name stands for it at its holder */
	unsigned int enabled; /* its place among enabled ones; 0: not one */
};

struct image_list {
	struct image *one; /* sorted by names, then the newest first */
	size_t count;
};

/* Free their fields. */
void image_reset(struct image *image);
void image_list_reset(struct image_list *list);

/* The fewest digits that stand for a digest. */
#define IMAGE_DIGITS_MIN 12

/*
 * Return whether a text can be the name of an image, of a language, and a
 * digest, whose first digits are enough, with or without "sha256:".
 */
int image_is_name(const char *text);
int image_is_language(const char *text);
int image_is_digest(const char *text);

/* The name that Caisson gives to an image of a language that it builds. */
#define IMAGE_BUILT "caisson-"

/*
 * Returns whether a registry may have the image of this name, which podman and
 * docker could then pull: none has one that is named by its digest, that
 * Caisson has built, or that podman has built, "localhost/...".
 */
int image_may_be_pulled(const char *name);

/* Returns whether a text is NAME=VALUE, with a usual name, and UTF-8. */
int image_is_variable(const char *text);

/* Returns the digits of a digest that is given with or without "sha256:". */
const char *image_digits(const char *digest);

#endif
