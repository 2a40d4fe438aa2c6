/*
 * Files that a box is given: the directory in which it finds them, and each of
 * them, copied there. Runs in the porter.
 */
#ifndef WORKER_PORTER_IN_H
#define WORKER_PORTER_IN_H

#include <stdint.h>

#include "../../common/file_fault.h"

/*
 * Makes the directory "in" in the directory folder. Returns a descriptor of it,
 * which the caller owns and can make files with; -1 with the fault.
 */
int in_make(int folder, enum file_fault *fault);

/*
 * Makes the file name in the directory in, with what stands in the descriptor
 * file from offset to its end. Nothing is left of one that fails. Returns the
 * fault, FILE_FAULT_NONE for none.
 */
enum file_fault in_put(int in, const char *name, int file, uint64_t offset);

#endif
