/*
 * Files that the code left in a directory of its box: lists the entries and
 * their kinds, and opens the regular files among them. Runs in the porter.
 */
#ifndef WORKER_PORTER_OUT_H
#define WORKER_PORTER_OUT_H

#include <stdint.h>

#include "../../common/file_fault.h"
#include "../../common/limits.h"

/*
 * The first entries by the bytes of their paths: not folders, but what is in
 * them; a folder only if its files cannot be listed, or have too long paths.
 */
struct out_list {
	unsigned int count;
	char *names[FILES_OUT_MAX];  /* in their order */
	const char *known; /* files that are left out: names and versions */
	size_t known_len;
	uint64_t more;               /* number of further entries */
	unsigned int folders;        /* that were looked into */
};

/*
 * Fills list, of which known is set, and which the caller frees with
 * out_list_free. Returns 0, or -1 with errno; the list then contains the
 * entries that could be read.
 */
int out_list(int folder, struct out_list *list);

void out_list_free(struct out_list *list);

/* Whether there is no entry of this path, or a folder. */
int out_is_gone(int folder, const char *name);

/*
 * Opens an entry, by its path, for reading. Returns a descriptor of a regular
 * file with one name, which the caller owns, or -1 with the fault.
 */
int out_open(int folder, const char *name, enum file_fault *fault);

#endif
