/*
 * Saved tools: sources of functions by their names, each in a scope. What is
 * told of them is JSON, appended to a buffer, as the catalogue says it. All
 * return 0, or -1 with err. Runs in the store, which never runs one.
 */
#ifndef WORKER_STORE_SAVED_TOOLS_H
#define WORKER_STORE_SAVED_TOOLS_H

#include "../../common/buffer.h"
#include "../../common/ipc.h"
#include "database.h"

int saved_tools_save(struct database *database, const char *scope,
    const char *name, const char *about, struct ipc_bytes source,
    struct buffer *json, struct err *err);

int saved_tools_load(struct database *database, const char *scope,
    const char *name, int whole, struct buffer *json, struct err *err);

int saved_tools_delete(struct database *database, const char *scope,
    const char *name, struct buffer *json, struct err *err);

/* A page of them, from behind a name on. */
int saved_tools_list(struct database *database, const char *scope,
    const char *after, struct buffer *json, struct err *err);

#endif
