/*
 * Memories: values by key, each in a scope. Values and metadata are JSON,
 * stored as the received bytes. Their descriptions are JSON, appended to a
 * buffer, as defined in the catalogue. All functions return 0, or -1 with err.
 */
#ifndef WORKER_STORE_MEMORIES_H
#define WORKER_STORE_MEMORIES_H

#include <stdbool.h>

#include "../../common/base/buffer.h"
#include "../../common/ipc/ipc.h"
#include "database.h"

/* A memory to save. */
struct memory {
	struct ipc_bytes key;
	struct ipc_bytes value;
	struct ipc_bytes metadata; /* no bytes: keep the existing ones */
	bool compared;              /* the existing memory must have version */
	uint64_t version;          /* 0: there must be no memory */
};

int memories_save(struct database *database, const char *scope,
    const struct memory *memory, struct buffer *json, struct err *err);

int memories_load(struct database *database, const char *scope,
    struct ipc_bytes key, int whole, struct buffer *json, struct err *err);

/* Removes one, and returns whether there was; no key: all, and how many. */
int memories_remove(struct database *database, const char *scope,
    struct ipc_bytes key, struct buffer *json, struct err *err);

/* A page of them, starting after a key. */
int memories_list(struct database *database, const char *scope,
    struct ipc_bytes after, struct buffer *json, struct err *err);

#endif
