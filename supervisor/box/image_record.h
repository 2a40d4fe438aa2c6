/*
 * The files that describe images: the record of one, and the list of those that
 * are enabled. Runs in the supervisor. jansson parses the records, which are
 * small, bounded, and written by this program.
 */
#ifndef SUPERVISOR_IMAGE_RECORD_H
#define SUPERVISOR_IMAGE_RECORD_H

#include "../../common/err.h"
#include "image.h"

/* The record in the directory of an image, and the list. */
#define IMAGE_RECORD "image.json"
#define IMAGE_ENABLED "enabled"

/* Appends the record of an image: the fields that have no other source. */
void image_record_write(struct buffer *json, const struct image *image);

/*
 * Reads the record in the directory folder. Returns 0, or -1 with err if there
 * is none or one with other fields.
 */
int image_record_read(int folder, struct image *image, struct err *err);

/*
 * Reads the digests of the enabled images, in order: a list of texts. A missing
 * file is an empty list. Returns 0, or -1 with err.
 */
int image_record_read_enabled(
    int folder, struct buffer *digests, struct err *err);

/*
 * Replaces a file of a directory as a whole. Returns 0, or -1 with err; then
 * the file is as it was.
 */
int image_record_replace(int folder, const char *name,
    const struct buffer *data, struct err *err);

#endif
