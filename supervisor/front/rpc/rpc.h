/*
 * What the methods of MCP share: JSON-RPC, the context of a request, eras,
 * pages, subscriptions.
 */
#ifndef SUPERVISOR_RPC_H
#define SUPERVISOR_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/lines.h"
#include "../../../common/json/json_span.h"
#include "../../../common/json/jsonrpc.h"
#include "../../run/run.h"

/*
 * The context of a client's request: its owner, the era and version of MCP, and
 * the client's capabilities. In versions with a handshake the session has one
 * context; in others each request has its own.
 */

struct era;

struct context {
	struct owner *owner;
	const struct era *era; /* static */
	const char *version; /* static; NULL before initialize */
	unsigned int capabilities; /* a set of enum client_asked */
	unsigned int log_level; /* as of severity_read; 0: no messages */
};

/*
 * Returns whether the client supports links to resources in results of tools
 * (from version 2025-06-18 on).
 */
int context_links(const struct context *context);

/*
 * Returns the capabilities in a ClientCapabilities object; ignores unknown
 * ones.
 */
unsigned int context_capabilities(struct json_span object);

struct mcp;

/* The handlers of the methods. */
#define METHOD(name, handle, era, early)                                       \
	void handle(struct mcp *mcp, const struct context *context,            \
	    const struct jsonrpc *message);
#include "methods.def"

/*
 * Subscriptions of a client (subscriptions/listen): which changes it wants to
 * be told of. Only the era without sessions has them.
 */

#define LISTEN_METHOD "subscriptions/listen"

/* Returns whether the cancelled request was a subscription; it is ended. */
int listen_on_cancelled(struct mcp *mcp, const struct jsonrpc *message);

/* Files were kept: tells the subscriptions that want to know. */
void listen_on_files(struct mcp *mcp);

/* End all subscriptions, with their answer or without. */
void listen_end_all(struct mcp *mcp);
void listen_forget_all(struct mcp *mcp);

/*
 * The pages of lists. Lists have one page, except that of resources in the era
 * without sessions.
 */

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

/*
 * JSON-RPC 2.0 with one client: converts lines to messages and answers to
 * lines, and handles batches, which one version of MCP has. It is independent
 * of methods and transports.
 */

struct rpc;
struct rpc_ask;
struct rpc_batch;

/* The request that lines to the client belong to. */
struct mcp_about {
	/*
	 * Of a batch, that of one of its requests; len 0: of no request, or of
	 * one without a usable id.
	 */
	struct json_span id;
	bool answers; /* nothing follows for this request; no line may come */
	int code;    /* of the error that answers it; 0: a result */
	bool refused; /* the error was found before its method was called */
};

/* The connection of a session to its client; all are called with ctx. */
struct mcp_door {
	/* Sends whole lines, and empties the buffer. */
	void (*send)(void *ctx, struct buffer *lines,
	    const struct mcp_about *about);
	/* Returns whether the unsent output is too long to accept new work. */
	int (*busy)(void *ctx);
	void *ctx;
	/*
	 * Returns whether requests to the client can be sent while its request
	 * id is unanswered. NULL: always.
	 */
	int (*reaches)(void *ctx, struct json_span id);
};

/* The handlers of messages; both are called with ctx. */
struct rpc_handlers {
	/* Answers message->id, now or later. */
	void (*request)(void *ctx, const struct jsonrpc *message);
	void (*notification)(void *ctx, const struct jsonrpc *message);
	void *ctx;
};

/*
 * Returns a session of this protocol. handlers and door are copied; max_code
 * (bytes) is named in the error for a line that is too long. Freed with
 * rpc_free.
 */
struct rpc *rpc_new(const struct rpc_handlers *handlers,
    const struct mcp_door *door, size_t max_code);
void rpc_free(struct rpc **rpc);

/*
 * Classifies a message of a client, as jsonrpc_sort does. An id of more than
 * CLIENT_ID_MAX is not valid, and not repeated. An answer to a question of rpc
 * (NULL: none has been asked) may have neither a result nor an error.
 */
void rpc_sort(struct rpc *rpc, struct json_span value, struct jsonrpc *message,
    struct err *err);

/* Handles one line. */
void rpc_on_line(struct rpc *rpc, const struct line *line);

/* Handles one value of JSON: a message, or an array of messages. */
void rpc_on_value(struct rpc *rpc, struct json_span value);

/* Sets whether lines may contain an array of messages from now on. */
void rpc_allow_batches(struct rpc *rpc, int allowed);

/* Why an array of more than CLIENT_BATCH_MAX messages is refused. */
#define RPC_BATCH_TOO_LARGE                                                    \
	"too many messages in one batch: send them in several"

/* Returns how many messages an array has. */
size_t rpc_batch_count(struct json_span batch);

/* Returns whether the current message is part of a batch. */
int rpc_in_batch(const struct rpc *rpc);

/* Answers id with an error; data_json is one JSON value, or NULL. */
void rpc_answer_error(struct rpc *rpc, struct json_span id, int code,
    const char *message, const char *data_json);

/* The same, for a fault that was found before its method was called. */
void rpc_refuse(struct rpc *rpc, struct json_span id, int code,
    const char *message, const char *data_json);

/*
 * Sends result as the answer to id, and frees its bytes. NULL: the request gets
 * no answer.
 */
void rpc_answer(struct rpc *rpc, struct json_span id, struct buffer *result);

/*
 * Sends a notification with params, and frees their bytes: at once, and never
 * within a batch. id is that of the request it belongs to.
 */
void rpc_notify(struct rpc *rpc, struct json_span id, const char *method,
    struct buffer *params);

/* Returns whether rpc_ask() reaches the client while id is unanswered. */
int rpc_reaches(const struct rpc *rpc, struct json_span id);

/*
 * Sends a request of ours with params, a JSON object of one line, while the
 * client's request id is unanswered (len 0: for none). answered is called once,
 * with the result, or with len 0 for an error; then the request is freed.
 * Returns the request, which the caller may cancel.
 */
struct rpc_ask *rpc_ask(struct rpc *rpc, struct json_span id,
    const char *method, const char *params,
    void (*answered)(void *ctx, struct json_span result), void *ctx);

/* Tells the client that an answer is not needed any more, and frees it. */
void rpc_ask_cancel(struct rpc *rpc, struct rpc_ask **ask);

/*
 * For an answer that is sent later: keeps the current batch open. Returns it,
 * or NULL if there is none. The caller owns it until it passes it to one of the
 * functions below.
 */
struct rpc_batch *rpc_batch_hold(struct rpc *rpc);

/*
 * As rpc_answer, for a request in this batch (NULL: in none), which is
 * released. With a NULL result no answer is sent.
 */
void rpc_batch_answer(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, struct buffer *result);

/* As rpc_batch_answer with an error, as rpc_answer_error. */
void rpc_batch_answer_error(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, int code, const char *message, const char *data_json);

/*
 * Releases it without an answer when the client has disconnected. NULL is
 * accepted.
 */
void rpc_batch_forget(struct rpc_batch *batch);

/* Returns whether the unsent output is too long to accept new work. */
int rpc_busy(const struct rpc *rpc);

/*
 * An era of MCP: the rules that its versions have of their own. Each request
 * decides its era, so clients may mix them on one connection. All else is the
 * same for both.
 */

/* In place of a time: clients must not store the result. */
#define ERA_NOT_CACHED (-1L)

struct era {
	/*
	 * Adds the members that its versions require to a result, which is a
	 * JSON object. Clients may store it for cache_ms milliseconds.
	 */
	void (*complete)(struct buffer *result, long cache_ms);
	/*
	 * Appends the result that asks a client for input: requests is the
	 * object inputRequests, state the text that it sends back. NULL: in
	 * these versions the server sends requests.
	 */
	void (*add_input)(struct buffer *result, const char *requests,
	    const char *state);
	int incapable;  /* the error code for a missing capability; 0: none */
	int not_found;  /* the error code for an unknown resource */
	size_t page;    /* entries of a page of files; 0: lists have one page */
	bool has_session; /* results may depend on earlier requests */
};

/*
 * Sends result as the answer to a request that came with this context, and
 * frees its bytes.
 */
void era_answer(struct rpc *rpc, const struct context *context,
    struct json_span id, struct buffer *result, long cache_ms);

/* era_initialize.c: 2024-11-05 to 2025-11-25, which begin with a handshake. */
extern const struct era era_initialize;

/* era_stateless.c: from 2026-07-28 on. */
extern const struct era era_stateless;

/*
 * One MCP session as the files of its methods see it. methods_table.c has the
 * methods; each handler answers message->id, in the context of its request.
 */

struct listen;
struct resource_request;
struct tool_call;

/* The answer to a call that arrives while the program ends. */
#define TOOLS_DRAINING "Caisson is shutting down"

struct mcp {
	struct runs *runs;
	uint64_t number; /* of all sessions */
	struct rpc *rpc;
	struct context session; /* agreed on in its handshake */
	char *isolation; /* last sent to its client; NULL: never */
	LIST_HEAD(, tool_call) calls; /* tool calls, unanswered */
	LIST_HEAD(, listen) listens; /* subscriptions of the client */
	size_t nlistens;
	TAILQ_HEAD(, resource_request) reads; /* of resources, unanswered */
};

/* Returns the settings that its clients see. */
static inline const struct options *
mcp_options(const struct mcp *of)
{
	return owner_options(of->session.owner, of->runs);
}

#endif
