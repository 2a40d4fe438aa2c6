/*
 * The directory tree of an image, which becomes the root of containers: makes
 * it fit for that, computes its digest, and removes it. No file in it is
 * parsed: only names, types and modes are looked at, and bytes are hashed. Runs
 * in the supervisor.
 */
#ifndef SUPERVISOR_IMAGE_TREE_H
#define SUPERVISOR_IMAGE_TREE_H

#include <stdint.h>

#include "../../common/err.h"
#include "image.h"

/*
 * Makes the tree in a directory fit to be the root of containers: adds the
 * directories that are mounted over, removes devices, sockets and FIFOs, clears
 * the set-user-ID, set-group-ID and write bits of other users, and makes
 * everything readable for all. Nothing outside the directory is touched, and no
 * symbolic link is followed. Returns 0, or -1 with err.
 */
int image_tree_adapt(int root, struct err *err);

/*
 * Writes the digest of a tree and of a text: of the sorted paths with their
 * types, modes, targets and contents. Times and owners have no part in it.
 * *bytes becomes the size of all files. Returns 0, or -1 with err, also if the
 * tree is larger than IMAGE_FILES_MAX or IMAGE_BYTES_MAX.
 */
int image_tree_digest(int root, const char *text,
    char digest[IMAGE_DIGEST_SIZE], uint64_t *bytes, struct err *err);

/*
 * Removes a directory with all its content. Returns 0, also if there is none,
 * or -1 with err.
 */
int image_tree_remove(int parent, const char *name, struct err *err);

#endif
