/*
 * What a descriptor that came by message is a descriptor of, asked of the
 * kernel without a path; and the words for it. Used by every process; opens
 * nothing.
 */
#ifndef COMMON_FILE_KIND_H
#define COMMON_FILE_KIND_H

#include <sys/types.h>

/* Whether it is a regular file. */
int file_kind_is_regular(int fd);

/* What has this mode, for a sentence: "a named pipe". */
const char *file_kind_name(mode_t mode);

#endif
