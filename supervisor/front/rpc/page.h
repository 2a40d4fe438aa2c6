/*
 * The pages of lists. Lists have one page, except that of resources in the era
 * without sessions. Runs in the supervisor.
 */
#ifndef SUPERVISOR_PAGE_H
#define SUPERVISOR_PAGE_H

#include "mcp.h"

/*
 * For lists with one page, so a cursor cannot be ours. Returns whether there
 * was a cursor; then an error was sent.
 */
int page_refuse_cursor(struct mcp *mcp, const struct jsonrpc *message);

/*
 * For lists with pages, sorted by name: stores the name of the last entry
 * before the requested page, which the caller frees; NULL for the first page.
 * Returns 0, or -1 if the cursor is not ours; then an error was sent.
 */
int page_read_cursor(
    struct mcp *mcp, const struct jsonrpc *message, char **after);

/* Appends the member nextCursor for the page after this name, with a comma. */
void page_add_cursor(struct buffer *json, const char *last);

#endif
