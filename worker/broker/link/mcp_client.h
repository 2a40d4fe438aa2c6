/*
 * The client side of the Model Context Protocol with one server: initializes
 * it, numbers the requests, and parses its lines. Each request is answered at
 * most once, whatever the server sends. It uses neither pipes nor executions:
 * lines arrive by mcp_client_line, bytes leave by ends.write. Runs in the
 * broker; decodes hostile bytes.
 *
 * The callbacks run inside a function of this file: they must not free the
 * client.
 */
#ifndef WORKER_BROKER_MCP_CLIENT_H
#define WORKER_BROKER_MCP_CLIENT_H

#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../../../common/base/lines.h"

struct mcp_client;

/* The outcome of a request. */
enum mcp_outcome {
	MCP_RESULT, /* value is the result: an object */
	MCP_ERROR,  /* value is the error: an object */
	MCP_BROKEN, /* the answer was invalid: see why */
};

/* All members are borrowed. */
struct mcp_answer {
	enum mcp_outcome outcome;
	struct json_span value;
	const char *why;
};

typedef void mcp_client_answered(void *ctx, const struct mcp_answer *answer);

/* The callbacks of a client. Copied by mcp_client_new. */
struct mcp_client_ends {
	/* Returns 0, or -1 if the server has too much unread already. */
	int (*write)(void *ctx, const char *data, size_t len);
	/* Returns 1, or 0 if the server takes no byte of it now. */
	int (*offer)(void *ctx, const char *data, size_t len);
	/* The server has answered "initialize" correctly. Called once. */
	void (*ready)(void *ctx);
	/* The server reports that its list of tools has changed. */
	void (*changed)(void *ctx);
	/* The server reports progress of a call: the ctx of mcp_client_call. */
	void (*progress)(void *ctx, void *call);
	/*
	 * The server may be hung (SERVER_SILENCES_MAX), and was sent a ping:
	 * mcp_client_is_silent returns later whether it has answered.
	 */
	void (*silent)(void *ctx);
	/*
	 * The server cannot be used: why is the end of a sentence that starts
	 * with "it", masked. Called once; everything after it is ignored.
	 */
	void (*unfit)(void *ctx, const char *why);
	void *ctx;
};

/*
 * name is the name of the server, for the log; masks, which are borrowed, what
 * is not shown of it, in the format of mask.h. mcp_client_free frees it.
 */
struct mcp_client *mcp_client_new(const char *name,
    const struct buffer *masks, const struct mcp_client_ends *ends);
void mcp_client_free(struct mcp_client **client);

/*
 * Starts the initialization; all other functions require that ready() was
 * called.
 */
void mcp_client_greet(struct mcp_client *client);

/*
 * Returns the name and version that the server has reported, as it wrote them,
 * at most SERVER_INFO_MAX bytes; empty if it did not.
 */
const struct buffer *mcp_client_info(const struct mcp_client *client);

/*
 * Returns the purpose that the server has reported: the beginning of its
 * instructions, or else its title or its name, on one line of UTF-8, at most
 * SERVER_ABOUT_MAX bytes; empty if it has none.
 */
const struct buffer *mcp_client_about(const struct mcp_client *client);

/*
 * Returns the instructions that the server has reported, at most
 * SERVER_INSTRUCTIONS_MAX bytes of UTF-8 without control characters, except
 * newlines and tabs; empty if it has none.
 */
const struct buffer *mcp_client_instructions(const struct mcp_client *client);

/*
 * Returns the first line of the server that was not JSON, masked and at most
 * REFUSED_BANNER_MAX bytes of it; empty if there was none.
 */
const struct buffer *mcp_client_banner(const struct mcp_client *client);

/* Handles one line of the server. */
void mcp_client_line(struct mcp_client *client, const struct line *line);

/*
 * Sends a request; params is a JSON object on one line, or of length 0. Returns
 * the number of the request, which is answered at most once, or 0 if the server
 * has too much unread already.
 */
uint64_t mcp_client_ask(struct mcp_client *client, const char *method,
    struct json_span params, mcp_client_answered *answered, void *ctx);

/*
 * Like mcp_client_ask, for a tool call, whose params are not empty: returns 0
 * if the server takes no byte of it now. Asks the server to report progress.
 */
uint64_t mcp_client_call(struct mcp_client *client, struct json_span params,
    mcp_client_answered *answered, void *ctx);

/* Whether it has said that it has tools, when it was initialized. */
int mcp_client_has_tools(const struct mcp_client *client);

/*
 * Whether it has answered a request other than a ping, with a result or an
 * error, since it was initialized.
 */
int mcp_client_has_answered(const struct mcp_client *client);

/*
 * The answer to this request is no longer needed: the server is notified that
 * it may stop. why is plain text that needs no escapes.
 */
void mcp_client_cancel(
    struct mcp_client *client, uint64_t id, const char *why);

/*
 * A request was not answered in time: like mcp_client_cancel, and counted. The
 * number is 0 for a request that was never sent.
 */
void mcp_client_time_out(struct mcp_client *client, uint64_t id);

/*
 * Whether SERVER_SILENCES_MAX requests or more have timed out since it last
 * answered one or reported progress.
 */
int mcp_client_is_silent(const struct mcp_client *client);

#endif
