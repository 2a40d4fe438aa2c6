/*
 * The images from which containers are started: where they are, and which of
 * them the operator has enabled as languages. An image has a directory
 * of its own, named after its digest, with a record and, unless an engine holds
 * the image, the unpacked root. Only commands of the operator write here. Runs
 * in the supervisor.
 */
#ifndef SUPERVISOR_IMAGE_STORE_H
#define SUPERVISOR_IMAGE_STORE_H

#include "../../common/err.h"
#include "image.h"

/*
 * Reads all images in a directory, which may be missing. Returns 0, or -1 with
 * err if the directory cannot be used or belongs to another user. An image
 * whose record is damaged is left out.
 */
int image_store_list(
    const char *folder, struct image_list *list, struct err *err);

/*
 * Finds the image of that name, or of a digest, that is held by engine ("":
 * one with a root of its own; NULL: any). If the name stands for none, finds
 * the newest one that had it, with unnamed set. Returns 0, or -1 with err: if
 * there is none, its code is ENOENT, and it says how to make one.
 */
int image_store_find(const char *folder, const char *engine, const char *name,
    struct image *image, struct err *err);

/*
 * The functions below change the directory, which image_store_lock creates if
 * it is missing; its parent must exist. It also removes what an interrupted
 * command has left. Returns a descriptor, which the caller owns and without
 * which none of them may be called, or -1 with err if another process holds it.
 */
int image_store_lock(const char *folder, struct err *err);

/*
 * Makes an empty directory for the root of a new image. Returns its path, which
 * the caller frees, or NULL with err.
 */
char *image_store_begin(int lock, const char *folder, struct err *err);

/*
 * Returns the path of a directory for files of the programs that fill the root,
 * which the caller frees. It exists after image_store_begin, until the image is
 * kept or dropped.
 */
char *image_store_tmp(const char *folder);

/*
 * Keeps an image with the root that was begun, or, if its engine is set, with
 * none and its digest. Sets digest, root and bytes, and made if it is 0. An
 * image is there as a whole or not at all. Returns 0, or -1 with err.
 */
int image_store_put(
    int lock, const char *folder, struct image *image, struct err *err);

/*
 * Computes the digest of an image again, if it has a root. Returns 0, or -1
 * with err if its files or its record have changed since it was kept.
 */
int image_store_verify(const struct image *image, struct err *err);

/* Removes what was begun; without it the next image_store_lock does so. */
void image_store_drop(int lock);

/*
 * Removes an image, which is disabled first. If an engine holds it, its name
 * does not stand for an older one again: the engine has not removed it, and
 * gives no name back. Returns 0, or -1 with err.
 */
int image_store_remove(int lock, const struct image *image, struct err *err);

/*
 * Enables an image as the last one, or disables it. Nothing changes if it is
 * enabled, or disabled, already. Returns 0, or -1 with err.
 */
int image_store_enable(
    int lock, const struct image *image, int on, struct err *err);

#endif
