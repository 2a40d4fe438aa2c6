/*
 * The client's side: MCP on standard input and output, the tool, and how an
 * execution is answered.
 */
#ifndef SUPERVISOR_FRONT_H
#define SUPERVISOR_FRONT_H

#include "../../common/buffer.h"
#include "../../common/json_span.h"
#include "../../common/lines.h"
#include "../options/options.h"
#include "../run/run.h"

struct mcp;
struct stdio;

/* stdio.c: the MCP client on stdin and stdout. */

/*
 * Takes over both descriptors. The owner, whose the calls of the client are, is
 * begun before and ended after it. ended is called once, when the client is
 * gone (end of input, or an output without a reader).
 */
struct stdio *stdio_new(struct runs *runs, struct owner *owner, int *in,
    int *out, void (*ended)(void *ctx), void *ctx);
void stdio_free(struct stdio **stdio);

/* Whether everything has been handed to the system. */
int stdio_flushed(const struct stdio *stdio);

/* mcp.c: one MCP session. */

/* How a session reaches its client; both are called with ctx. */
struct mcp_door {
	/* Sends whole lines; the buffer is emptied. */
	void (*send)(void *ctx, struct buffer *lines);
	/* Whether so much is unsent that no new work should be accepted. */
	int (*busy)(void *ctx);
	void *ctx;
};

/*
 * Returns a session whose calls are among runs, and the owner's, which must
 * last as long as they; door is copied.
 */
struct mcp *mcp_new(struct runs *runs, struct owner *owner,
    const struct mcp_door *door);

/* Handles the lines that are there; answers go to the client, now or later. */
void mcp_on_lines(struct mcp *mcp, struct lines *lines);

/* The client is gone: every call of the session is cancelled, unanswered. */
void mcp_on_end(struct mcp *mcp);

/* Forgets the session; none of its calls may still conclude. */
void mcp_free(struct mcp **mcp);

/* answer.c: the result of a call as MCP wants it. */

/* How it is written: the words of the option output_mode, in their order. */
enum answer_mode {
	ANSWER_COMPACT,
	ANSWER_TOON,
	ANSWER_JSON,
};

struct answer_style {
	enum answer_mode mode;
	const char *word; /* of the mode, static */
	uint64_t max_output; /* bytes of a stream that are kept */
	int structured; /* structuredContent is sent */
	int linking; /* the client knows links to resources (2025-06-18) */
	/*
	 * The isolation that the session was told last, in full; it is told
	 * again, and kept here, when it is another one. NULL: always.
	 */
	char **isolation;
};

/* Returns the style that is set, which remembers no session. */
struct answer_style answer_style(const struct options *options);

/* Appends the CallToolResult object of a concluded call, one line. */
void answer_add(struct buffer *buffer, const struct call_result *result,
    const struct answer_style *style);

/* Appends the CallToolResult of a call that was refused before it ran. */
void answer_add_refusal(struct buffer *buffer, const char *status,
    const char *message, const struct answer_style *style);

/* texts.c: what we say about ourselves. */

/*
 * Appends the result of initialize; the one resource that is no file, and its
 * contents.
 */
void texts_add_initialize(struct buffer *buffer, const char *version,
    const struct options *options);
void texts_add_resource(struct buffer *buffer);
void texts_add_capabilities(
    struct buffer *buffer, const struct options *options);

#define TEXTS_CAPABILITIES_URI "resource://caisson/capabilities"
#endif
