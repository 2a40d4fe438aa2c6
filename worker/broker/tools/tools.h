/* Lists of tools, those that are remembered, and the shapes of results. */
#ifndef WORKER_BROKER_TOOLS_H
#define WORKER_BROKER_TOOLS_H

#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../../common/json/json_span.h"
#include "../state/state.h"

/*
 * Builds one list of tools from the pages that a server sends: each tool is
 * kept as the received bytes, of which only its name is parsed. Runs in the
 * broker; pure, bounded functions over bytes.
 */

/* Others than tools.c only read it. */
struct tools {
	const struct rules *rules;
	struct buffer texts; /* every tool, as received, on one line */
	struct tool *list;
	size_t count; /* so far */
	size_t size;  /* of list */
	struct pages pages;
	size_t bytes; /* of all pages */
	size_t left_out; /* entries: not tools, or with a duplicate name */
	/* The tools with a wrong schema, each with the fault; empty: none. */
	struct buffer wrong;
	size_t nwrong; /* of them */
};

/*
 * Tools refused by rules (which outlive it) are not in the list, but no other
 * tool gets an alias that would be theirs.
 */
struct tools *tools_new(const struct rules *rules);
void tools_free(struct tools **tools);

/*
 * Adds a page: the result of a tools/list. Entries that are not tools (objects
 * with a name) are left out and counted, tools with a wrong schema are left out
 * and named. Returns 1 if there is a next page, 0 if this was the last or the
 * list is cut here, or -1 with err: the first page is not one.
 */
int tools_add_page(
    struct tools *tools, struct json_span result, struct err *err);

/*
 * Makes the list: {"tools":[…],"aliases":[…]}, on one line, aliases in the
 * order of the tools. Of tools with the same name the first is kept. Returns 0,
 * or -1 with err if it is larger than an answer may be.
 */
int tools_finish(struct tools *tools, struct buffer *payload, struct err *err);

/*
 * Finds the tool of that name, a JSON string, in a finished list. *index, NULL
 * at first, speeds up the next search in the same list; the caller frees it
 * with free(). Returns 1 with the tool, or 0 with the reason why it cannot be
 * used, a JSON string; of length 0: the list says nothing of it.
 */
int tools_find(const char *list, size_t len, void **index,
    struct json_span name, struct json_span *tool);

/*
 * The names in such a list, decoded to UTF-8, each with a NUL, as many as fit
 * into TRIED_TOOLS_MAX; a name that cannot be shown is "?". Returns the number
 * of tools.
 */
size_t tools_names(const struct buffer *payload, struct buffer *names);

/*
 * The size in bytes of the tools of such a list as hosts show them to a model.
 */
uint64_t tools_size(const struct buffer *payload);

/*
 * The names of tools that have destructiveHint in their annotations, as many as
 * fit into CONFIG_TOOLS_MAX. Returns how many are left out.
 */
size_t tools_destructive(const struct buffer *payload, struct buffer *names);

/*
 * The remembered lists of tools, each by the fingerprint of its server's
 * definition. They outlive the processes that listed them, so a list can be
 * read without starting a server. Runs in the broker; decodes nothing.
 */

struct list_cache;

/* A remembered list; borrowed until the next list_cache_put. */
struct cached_list {
	const char *data; /* as tools_finish made it */
	size_t len;
	const char *info; /* name and version that the server reported */
	size_t info_len;
	/* Of its reader: NULL at first; freed with the list by free(). */
	void **index;
	uint64_t version; /* of its content, from 1; list_cache_put: unused */
};

/*
 * Makes an empty cache that keeps at most most bytes (and always the newest
 * list).
 */
struct list_cache *list_cache_new(size_t most);
void list_cache_free(struct list_cache **cache);

/* Sets *list and returns 1, or returns 0 if there is no valid list. */
int list_cache_find(struct list_cache *cache, const uint8_t *fingerprint,
    struct cached_list *list);

/* The same, including a list that is in doubt. */
int list_cache_find_any(struct list_cache *cache, const uint8_t *fingerprint,
    struct cached_list *list);

/*
 * Copies a list and replaces the existing one. Returns whether that was
 * different, in doubt, or absent.
 */
int list_cache_put(struct list_cache *cache, const uint8_t *fingerprint,
    const struct cached_list *list);

/*
 * Copies a list that may be older than an existing one; keeps an existing one.
 */
void list_cache_put_old(struct list_cache *cache, const uint8_t *fingerprint,
    const struct cached_list *list);

/*
 * Marks a list as in doubt: it is not found until it is put again. Returns
 * whether there was a valid one.
 */
int list_cache_doubt(struct list_cache *cache, const uint8_t *fingerprint);

/*
 * Like list_cache_doubt, if the server reports another name or version than
 * when it sent the list.
 */
int list_cache_check(struct list_cache *cache, const uint8_t *fingerprint,
    const char *info, size_t info_len);

/*
 * The broker's connection to the store. Lists of tools from the store are put
 * in the cache (tools.h); lists in the cache are stored. The store is
 * requested when it is first needed. If it is unavailable, does not answer, or
 * violates the protocol, only its lists are missing.
 */

struct list_store;
struct broker;
struct ipc_lists;
struct ipc_recalled;

/*
 * recalled is called when a requested fingerprint is answered, or with NULL
 * when no request will be answered any more.
 */
struct list_store *list_store_new(struct broker *broker,
    void (*recalled)(struct broker *broker, const uint8_t *fingerprint));
void list_store_free(struct list_store **store);

/* The supervisor passes the channel. */
void list_store_open(struct list_store *store, struct ipc_lists *lists);

/*
 * Looks up a fingerprint. Returns 1 if every server of that fingerprint will be
 * notified (by recalled), from the loop and within TOOL_LISTS_WAIT_MS; 0 if
 * there is no store.
 */
int list_store_recall(struct list_store *store, const uint8_t *fingerprint);

/*
 * Stores the list in the cache now; without one, or if it is in doubt, the
 * stored list is removed.
 */
void list_store_retain(struct list_store *store, const uint8_t *fingerprint);

/* It answers. */
void list_store_recalled(
    struct list_store *store, struct ipc_recalled *recalled);

/*
 * The shape of a tool's results: types and keys, without values. Runs in the
 * broker; a pure, bounded function over foreign bytes.
 */

/*
 * Appends the shape of the data of a result, as code in a box receives it: of
 * the structured content, or else of the text as JSON, or else "str". The text
 * is ASCII without quotes or backslashes, of at most SHAPE_TEXT_MAX bytes.
 * Appends nothing for an error, for a result without text, and for one above
 * SHAPE_RESULT_MAX.
 */
void shape_add(struct buffer *text, struct json_span result);

/*
 * The shapes of results (tools.h), by the fingerprint of their server, which
 * differs for each owner, and the name of the tool. They are kept as long as
 * the broker runs, and bounded.
 */

struct shapes;

/* None yet. */
struct shapes *shapes_new(void);
void shapes_free(struct shapes **shapes);

/*
 * Returns whether fewer than SHAPES_LOOKS_MAX results of a tool, whose name is
 * a JSON string, were examined.
 */
int shapes_want(const struct shapes *shapes,
    const struct definition *definition, struct json_span tool);

/* Records a result of a tool of the server: the longest shape is kept. */
void shapes_learn(struct shapes *shapes, const struct definition *definition,
    struct json_span tool, struct json_span result);

/* Drops the shapes of all servers of this name, of every owner. */
void shapes_forget(struct shapes *shapes, const char *server);

/*
 * Appends a list of tools made by tools_finish, with an additional member
 * "shapes" if any are known: an object of tool names and texts.
 */
void shapes_add_list(const struct shapes *shapes,
    const struct definition *definition, const char *list, size_t len,
    struct buffer *json);

#endif
