/*
 * The client's side: MCP on standard input and output, the tools, and the
 * results of executions.
 */
#ifndef SUPERVISOR_FRONT_H
#define SUPERVISOR_FRONT_H

#include "../../common/base/buffer.h"
#include "../../common/json/json_span.h"
#include "../../common/base/lines.h"
#include "../options/options.h"
#include "../run/run.h"

struct gateway_terms;
struct http;
struct mcp;
struct stdio;

/* stdio.c: the MCP client on stdin and stdout. */

/*
 * Takes both descriptors. The owner of the client's calls must be opened before
 * and closed after it. ended is called once, when the client has disconnected
 * (end of input, or no reader of the output).
 */
struct stdio *stdio_new(struct runs *runs, struct owner *owner, int *in,
    int *out, void (*ended)(void *ctx), void *ctx);
void stdio_free(struct stdio **stdio);

/* Tells the client, if it is still there, that the program is ending. */
void stdio_drain(struct stdio *stdio);

/* Returns whether all output has been written. */
int stdio_flushed(const struct stdio *stdio);

/* http.c: MCP clients that come by HTTP. */

/*
 * Returns a door without clients; local ones get this owner, which must be
 * opened before the first and closed after it; others have tokens, which are in
 * the state directory *dir: taken, -1 for none. path is where it was opened, or
 * NULL if there is none.
 */
struct http *http_new(
    struct runs *runs, struct owner *user, int *dir, const char *path);
void http_free(struct http **http);

/*
 * Starts to accept clients; what the terms name outlives the door. Returns 0,
 * or -1 with err.
 */
int http_start(struct http *http, const struct gateway_terms *terms,
    struct err *err);

/*
 * The program ends: accepts no more clients, and ends what has no other end.
 */
void http_drain(struct http *http);

/* Returns whether all answers have been sent, after http_drain. */
int http_flushed(const struct http *http);

/* mcp.c: one MCP session. */

/* The request that lines to the client belong to. */
struct mcp_about {
	/*
	 * Of a batch, that of one of its requests; len 0: of no request, or of
	 * one without a usable id.
	 */
	struct json_span id;
	int answers; /* nothing follows for this request; no line may come */
	int code;    /* of the error that answers it; 0: a result */
	int refused; /* the error was found before its method was called */
};

/* The connection of a session to its client; both are called with ctx. */
struct mcp_door {
	/* Sends whole lines, and empties the buffer. */
	void (*send)(void *ctx, struct buffer *lines,
	    const struct mcp_about *about);
	/* Returns whether the unsent output is too long to accept new work. */
	int (*busy)(void *ctx);
	void *ctx;
};

/*
 * Returns a session. Its calls are added to runs for owner; both must outlive
 * them. door is copied.
 */
struct mcp *mcp_new(struct runs *runs, struct owner *owner,
    const struct mcp_door *door);

/* Handles the complete lines; the client is answered now or later. */
void mcp_on_lines(struct mcp *mcp, struct lines *lines);

/* Handles one message, or a batch of them, which was parsed already. */
void mcp_on_value(struct mcp *mcp, struct json_span value);

/* Returns whether no request is unanswered: then it may be freed. */
int mcp_idle(const struct mcp *mcp);

/*
 * The client waits no longer: cancels every call of the session, unanswered.
 * why is for the log, such as MCP_DISCONNECTED.
 */
#define MCP_DISCONNECTED "the client has disconnected"
void mcp_on_end(struct mcp *mcp, const char *why);

/*
 * The program is ending: ends the subscriptions of the client, which may still
 * read.
 */
void mcp_on_drain(struct mcp *mcp);

/* Frees the session; its calls must not conclude afterwards. */
void mcp_free(struct mcp **mcp);

/* answer.c: the result of a call as MCP specifies it. */

/* The formats: the words of the option output_mode, in order. */
enum answer_mode {
	ANSWER_COMPACT,
	ANSWER_TOON,
	ANSWER_JSON,
};

struct answer_style {
	enum answer_mode mode;
	const char *word; /* of the mode, static */
	uint64_t max_output; /* limit on the kept bytes of a stream */
	int structured; /* send structuredContent */
	int sessions; /* calls can name sessions */
	int linking; /* send resource links (2025-06-18) */
	/*
	 * The isolation as last sent, in full: in this session, or without
	 * one to this owner. It is sent again, and stored here, when it has
	 * changed. NULL: always send it.
	 */
	char **isolation;
};

/* Returns the style of the options, without the state of a session. */
struct answer_style answer_style(const struct options *options);

/* Appends the CallToolResult object of a concluded call, on one line. */
void answer_add(struct buffer *buffer, const struct call_result *result,
    const struct answer_style *style);

/* Appends a time in the largest unit that loses little: "12 s". */
void answer_add_age(struct buffer *text, uint64_t ms);

/* Appends the CallToolResult of a call that was refused before it ran. */
void answer_add_refusal(struct buffer *buffer, const char *status,
    const char *message, const struct answer_style *style);

/* texts.c: the description of Caisson for clients. */

/*
 * Append the name and version of Caisson, an object; and the member
 * "instructions" with a comma before it, if a tool runs code. servers: the
 * client may use some.
 */
void texts_add_server(struct buffer *buffer);
void texts_add_instructions(
    struct buffer *buffer, const struct options *options, int servers);

/*
 * Append the result of initialize; the entry of the one resource that is not a
 * file; and its contents.
 */
void texts_add_initialize(struct buffer *buffer, const char *version,
    const struct options *options, int servers);
void texts_add_resource(struct buffer *buffer);
void texts_add_capabilities(
    struct buffer *buffer, const struct options *options);

#define TEXTS_CAPABILITIES_URI "resource://caisson/capabilities"
#endif
