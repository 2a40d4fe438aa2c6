/*
 * The kind of file behind a descriptor that came by message, as the kernel
 * reports it without a path; and its name in a sentence. Used by every process;
 * opens nothing.
 */
#ifndef COMMON_FILE_KIND_H
#define COMMON_FILE_KIND_H

#include <sys/types.h>

/* Whether it is a regular file. */
int file_kind_is_regular(int fd);

/* The kind of file with this mode, for a sentence: "a named pipe". */
const char *file_kind_name(mode_t mode);

#endif
