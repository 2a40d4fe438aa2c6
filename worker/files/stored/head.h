/*
 * The head of a file on the disk: its owner, name, version and so on, in
 * FILE_HEAD_SIZE bytes before its contents. Numbers are little-endian; unused
 * bytes are zero. Pure functions over bytes. Runs in files.
 */
#ifndef WORKER_FILES_HEAD_H
#define WORKER_FILES_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "../../../common/limits.h"

struct head {
	uint64_t version; /* 1 or more */
	uint64_t since;   /* seconds since 1970 */
	uint64_t size;    /* bytes of the contents */
	char owner[FILES_OWNER_MAX + 1]; /* and its conversation: see below */
	char name[FILE_NAME_MAX + 1];
	char type[FILE_TYPE_MAX + 1];
};

/*
 * Return the id of the conversation in an owner, or "" if there is none; and
 * the length of the scope before it. Borrowed.
 */
const char *head_conversation(const char *owner);
size_t head_scope(const char *owner);

/* Returns whether an owner is this one, or a conversation of it, of both. */
int head_is_of_any(const char *owner, const char *other);

/* Writes a head; all fields must be within their bounds. */
void head_encode(const struct head *head, uint8_t bytes[FILE_HEAD_SIZE]);

/*
 * Reads a head. Exact: an accepted head is encoded to the same bytes. Returns
 * 0, or -1 if this is not a head of this form.
 */
int head_decode(const uint8_t bytes[FILE_HEAD_SIZE], struct head *head);

#endif
