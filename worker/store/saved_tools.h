/*
 * Saved tools: sources of functions by name, each in a scope. Answers are JSON,
 * appended to a buffer, as defined in the catalogue. All functions return 0, or
 * -1 with err. Tools of earlier versions may have names that are no longer
 * accepted (storable_name): these are ignored, and only the user sees and
 * removes them. Runs in the store, which never executes a tool.
 */
#ifndef WORKER_STORE_SAVED_TOOLS_H
#define WORKER_STORE_SAVED_TOOLS_H

#include "../../common/base/buffer.h"
#include "../../common/ipc/ipc.h"
#include "database.h"

/* A tool to save. */
struct saved_tool {
	const char *name;
	const char *about; /* the first line of its documentation, or "" */
	struct ipc_bytes source;
};

/*
 * Saves a tool and replaces one of the same name. *places is how many new ones
 * the caller may still add, and is decremented.
 */
int saved_tools_save(struct database *database, const char *scope,
    const struct saved_tool *tool, unsigned int *places, struct buffer *json,
    struct err *err);

/* Looks up a tool, with its source if whole is set. */
int saved_tools_load(struct database *database, const char *scope,
    const char *name, int whole, struct buffer *json, struct err *err);

/*
 * Removes one, and returns whether there was; for no name all of the scope, or
 * only the ignored ones, and returns their number.
 */
int saved_tools_remove(struct database *database, const char *scope,
    const char *name, int ignored, struct buffer *json, struct err *err);

/*
 * A page of them, starting after a name; if ignored is set, the ignored ones
 * are included and marked.
 */
int saved_tools_list(struct database *database, const char *scope,
    const char *after, int ignored, struct buffer *json, struct err *err);

#endif
