/*
 * Files given to a box: creates the directory for them, and copies each of them
 * there. Runs in the porter.
 */
#ifndef WORKER_PORTER_IN_H
#define WORKER_PORTER_IN_H

#include <stdint.h>

#include "../../common/file_fault.h"

/*
 * Creates the directory "in" in the directory folder, unless it is there.
 * Returns a descriptor of it, which the caller owns and can create files with;
 * -1 with the fault.
 */
int in_make(int folder, enum file_fault *fault);

/*
 * Creates the file name in the directory in, with the folders that lead there,
 * or replaces it, with the content of the descriptor file from offset to its
 * end; it was changed at since, in seconds since 1970. A file that fails is
 * removed. Returns the fault, FILE_FAULT_NONE for none.
 */
enum file_fault in_put(
    int in, const char *name, int file, uint64_t offset, uint64_t since);

#endif
