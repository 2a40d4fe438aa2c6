/*
 * The names of stored files: text for people and programs, with the folders of
 * a box that a file was in. Only the porter uses one as a path. Used by files
 * and porter; pure functions over bytes.
 */
#ifndef COMMON_FILE_NAME_H
#define COMMON_FILE_NAME_H

#include <stddef.h>

/*
 * Whether these bytes are a valid name of a stored file: 1 to FILE_NAME_MAX
 * bytes of UTF-8, without control characters (C0, DEL, C1). Slashes separate at
 * most FILES_DEPTH_MAX names; none is empty, "." or "..".
 */
int file_name_valid(const char *name, size_t len);

#define FILE_NAME_SECRET "secret" /* no stored file: what signs links */

/*
 * Whether these bytes are a valid id of a conversation: 1 to
 * CONVERSATION_ID_MAX bytes of UTF-8 without control characters. It is never a
 * path, so that slashes are allowed; but clients shorten addresses that have
 * "." or ".." between slashes, also percent-encoded.
 */
int conversation_id_valid(const char *id, size_t len);

#endif
