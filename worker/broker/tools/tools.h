/*
 * Builds one list of tools from the pages that a server sends: each tool is
 * kept as the received bytes, of which only its name is parsed. Runs in the
 * broker; pure, bounded functions over bytes.
 */
#ifndef WORKER_BROKER_TOOLS_H
#define WORKER_BROKER_TOOLS_H

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../../common/json/json_span.h"
#include "../state/rules.h"

struct tools;

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

/* The cursor of the next page, as the server wrote it. */
struct json_span tools_cursor(const struct tools *tools);

/* The number of entries left out: not tools, or with a duplicate name. */
size_t tools_left_out(const struct tools *tools);

/* The number of tools so far. */
size_t tools_total(const struct tools *tools);

/* Why the list is cut, one clause; NULL: it is not. */
const char *tools_cut(const struct tools *tools);

/* The tools with a wrong schema, each with the fault; empty: none. */
const struct buffer *tools_wrong(const struct tools *tools);

/*
 * Makes the list: {"tools":[…],"aliases":[…]}, on one line, aliases in the
 * order of the tools. Of tools with the same name the first is kept. Returns 0,
 * or -1 with err if it is larger than an answer may be.
 */
int tools_finish(
    struct tools *tools, struct buffer *payload, struct err *err);

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

#endif
