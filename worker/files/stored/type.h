/*
 * The media type of a file, from the extension of its name, its first bytes and
 * the sides of a picture. Runs in files.
 */
#ifndef WORKER_FILES_TYPE_H
#define WORKER_FILES_TYPE_H

#include <stddef.h>
#include <stdint.h>

/* How many of its first bytes are examined. */
#define TYPE_LOOKED 4096

/* The type of what is nothing else. */
#define TYPE_BYTES "application/octet-stream"

/*
 * Returns the media type of a file with this name, static; data is its first
 * bytes, at most TYPE_LOOKED, and whole is set if there are no more.
 */
const char *type_of(
    const char *name, const uint8_t *data, size_t len, int whole);

/* svg.c: whether an SVG with these first bytes has sides that fit. */
int svg_fits(const uint8_t *data, size_t len);

/*
 * picture_type.c: returns the type of a stored file that would have this one:
 * another one if it is of a picture, and the sides are not known to be such as
 * PICTURE_SIDE_MAX allows. size is that of its content.
 */
const char *picture_type(const char *type, int file, uint64_t size);

#endif
