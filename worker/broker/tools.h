/*
 * A list of tools as a server sends it, page by page, made into one: each tool
 * is kept as the bytes it came in, only its name is looked at. Runs in the
 * broker; pure functions over bytes, bounded.
 */
#ifndef WORKER_BROKER_TOOLS_H
#define WORKER_BROKER_TOOLS_H

#include "../../common/buffer.h"
#include "../../common/err.h"
#include "../../common/json_span.h"
#include "rules.h"

struct tools;

/*
 * Tools that rules (which outlive it) refuse are not in the list; but no other
 * tool gets an alias that would be theirs.
 */
struct tools *tools_new(const struct rules *rules);
void tools_free(struct tools **tools);

/*
 * Adds a page: the result of a tools/list. Entries that are not tools (objects
 * with a name) are left out and counted. Returns 1 when there is a next page,
 * 0 when this was the last, or -1 with err: it is no page, or the list is
 * above a limit.
 */
int tools_add_page(
    struct tools *tools, struct json_span result, struct err *err);

/* The cursor of the next page, as the server wrote it. */
struct json_span tools_cursor(const struct tools *tools);

/* How many entries were left out: not tools, or of a name that was there. */
size_t tools_left_out(const struct tools *tools);

/*
 * Makes the list: {"tools":[…],"aliases":[…]}, on one line, aliases in the
 * order of the tools. Of tools with one name the first is kept. Returns 0, or
 * -1 with err when it is larger than an answer may be.
 */
int tools_finish(
    struct tools *tools, struct buffer *payload, struct err *err);

/* Whether a list that was made so has a tool of that name, a JSON string. */
int tools_have(const char *list, size_t len, struct json_span name);

/*
 * The names in such a list, decoded to UTF-8, each with a NUL, as many as fit
 * into TRIED_TOOLS_MAX; one that cannot be shown is "?". Returns how many
 * tools there are.
 */
size_t tools_names(const struct buffer *payload, struct buffer *names);

/* The size of what hosts show a model of the tools of such a list, in bytes. */
uint64_t tools_size(const struct buffer *payload);

/*
 * The names of those that have destructiveHint in their annotations, as many as
 * fit into CONFIG_TOOLS_MAX. Returns how many are left out.
 */
size_t tools_destructive(const struct buffer *payload, struct buffer *names);

#endif
