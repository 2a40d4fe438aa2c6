/*
 * What a descriptor that came by message is a descriptor of, asked of the
 * kernel without a path. Used by every process; opens nothing.
 */
#ifndef COMMON_FILE_KIND_H
#define COMMON_FILE_KIND_H

/* Whether it is a regular file. */
int file_kind_is_regular(int fd);

#endif
