/*
 * Saved tools: sources of functions by their names, each in a scope. Answers
 * are JSON, appended to a buffer, as the catalogue describes them. All return
 * 0, or -1 with err. Tools of earlier versions may have names that are refused
 * now (storable_name): these are ignored, and only the user sees and removes
 * them. Runs in the store, which never runs a tool.
 */
#ifndef WORKER_STORE_SAVED_TOOLS_H
#define WORKER_STORE_SAVED_TOOLS_H

#include "../../common/buffer.h"
#include "../../common/ipc.h"
#include "database.h"

/* What is to be kept. */
struct saved_tool {
	const char *name;
	const char *about; /* the first line of its documentation, or "" */
	struct ipc_bytes source;
};

/*
 * Saves a tool, in the place of one of the same name. *places is how many new
 * ones the caller may still add, and is counted down.
 */
int saved_tools_save(struct database *database, const char *scope,
    const struct saved_tool *tool, unsigned int *places, struct buffer *json,
    struct err *err);

/* Looks up a tool; with its source when whole is set. */
int saved_tools_load(struct database *database, const char *scope,
    const char *name, int whole, struct buffer *json, struct err *err);

int saved_tools_delete(struct database *database, const char *scope,
    const char *name, struct buffer *json, struct err *err);

/*
 * Removes all tools of the scope, or only the ignored ones, and answers how
 * many there were.
 */
int saved_tools_clear(struct database *database, const char *scope,
    int ignored, struct buffer *json, struct err *err);

/*
 * A page of them, from behind a name on; also the ignored ones, marked as such,
 * when ignored is set.
 */
int saved_tools_list(struct database *database, const char *scope,
    const char *after, int ignored, struct buffer *json, struct err *err);

#endif
