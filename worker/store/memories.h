/*
 * Memories: values by their keys, each in a scope. Values and metadata are
 * JSON, kept as the bytes they are; what is told of them is JSON, appended to a
 * buffer, as the catalogue says it. All return 0, or -1 with err. Runs in the
 * store.
 */
#ifndef WORKER_STORE_MEMORIES_H
#define WORKER_STORE_MEMORIES_H

#include "../../common/buffer.h"
#include "../../common/ipc.h"
#include "database.h"

/* What is to be kept. */
struct memory {
	struct ipc_bytes key;
	struct ipc_bytes value;
	struct ipc_bytes metadata; /* of no bytes: what is there stays */
	int compared;              /* what is there must be of version */
	uint64_t version;          /* 0: there must be nothing */
};

int memories_save(struct database *database, const char *scope,
    const struct memory *memory, struct buffer *json, struct err *err);

int memories_load(struct database *database, const char *scope,
    struct ipc_bytes key, int whole, struct buffer *json, struct err *err);

int memories_delete(struct database *database, const char *scope,
    struct ipc_bytes key, struct buffer *json, struct err *err);

/* A page of them, from behind a key on. */
int memories_list(struct database *database, const char *scope,
    struct ipc_bytes after, struct buffer *json, struct err *err);

/* Forgets all of the scope, and tells how many. */
int memories_clear(struct database *database, const char *scope,
    struct buffer *json, struct err *err);

#endif
