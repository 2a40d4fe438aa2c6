/*
 * The connector: one remote MCP server, for one owner. It shows the broker the
 * same pipes as a server that is a process: a line of its input is a message
 * that it sends by HTTP, and each message of an answer is a line of its output.
 * All files of this folder run in that process only.
 *
 * It holds the credentials of that server, and parses what the server sends;
 * the broker parses it again. It has one destination, and those that give
 * tokens for it; and no file but certificates, those of the resolver, and its
 * login.
 */
#ifndef WORKER_CONNECTOR_CONNECTOR_H
#define WORKER_CONNECTOR_CONNECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "../../common/base/lines.h"
#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"
#include "../../common/json/jsonrpc.h"
#include "oauth/oauth.h"

struct event_base;
struct exchange;
struct pair;
struct param;
struct session;

/*
 * sse.c: Server-sent events (HTML, 9.2): bytes of a stream into events,
 * wherever it is cut.
 */

/* The state of one stream. Begins with zeros; sse_reset frees it. */
struct sse {
	struct buffer line;  /* incomplete */
	struct buffer event; /* its type */
	struct buffer data;
	struct buffer id;    /* of the last event that had one; + NUL */
	unsigned long retry_ms; /* that the server asks for; 0: none */
	bool has_data;
	bool after_return; /* a newline that follows belongs to it */
	bool begun;        /* the mark of the byte order can no longer come */
};

/* An event: type is "message" unless it is named; data is borrowed. */
typedef void sse_on_event(
    void *ctx, const char *type, const char *data, size_t len);

/*
 * Reads bytes, and calls on_event for each event with data that they complete.
 * Returns 0, or -1 if a line or event has more than most bytes.
 */
int sse_feed(struct sse *sse, const char *bytes, size_t len, size_t most,
    sse_on_event *on_event, void *ctx);

void sse_reset(struct sse *sse);

/*
 * era.c: the versions of the protocol without sessions (2026-07-28): what
 * becomes of a request of the broker, who speaks earlier ones, and what an
 * answer says.
 */

enum era_verdict {
	ERA_IS_STATELESS,
	ERA_ASK_AGAIN, /* it says that it has the version, but refuses */
	ERA_HAS_SESSIONS,
};

/* Appends a request; params has members, each followed by a comma. */
void era_add_request(struct buffer *line, const char *id, const char *method,
    const char *params);

/* Judges the answer to it. */
enum era_verdict era_judge(const struct jsonrpc *message);

/*
 * Appends the answer to "initialize" with this id that says what the result of
 * "server/discover" does; of one line.
 */
void era_add_greeting(
    struct buffer *line, const char *id, struct json_span result);

/* Returns whether such a result tells of changes of lists of tools. */
int era_tells_changes(struct json_span result);

/* Appends a header, with what it cannot hold as base64: a line + NUL. */
void era_add_header(
    struct buffer *headers, const char *name, const char *value);

/* Appends the headers that repeat parts of a request: lines, each + NUL. */
void era_add_headers(struct buffer *headers, const struct jsonrpc *message);

/*
 * params.c: arguments that a server wants repeated in headers (MCP 2026-07-28,
 * section Transports, x-mcp-header): learnt from its lists of tools.
 */

LIST_HEAD(params, param); /* begins with zeros */

void params_reset(struct params *params);

/*
 * Learns from a result of "tools/list". Returns 1, and in out that result
 * without the tools whose annotations are wrong, which no client may call; or
 * 0, and nothing, if all are right.
 */
int params_learn(
    struct params *params, struct json_span result, struct buffer *out);

/* Appends the headers for a call of a tool: lines, each + NUL. */
void params_add_headers(const struct params *params, struct json_span call,
    struct buffer *headers);

/*
 * exchange.c: a message that is sent by HTTP, and the messages that come for it
 * (MCP, Streamable HTTP): redirects, streams that are cut, and what a status
 * means.
 */

enum exchange_outcome {
	EXCHANGE_DONE,
	EXCHANGE_FAILED,  /* nothing can be said about what the server did */
	EXCHANGE_REFUSED, /* by a status: the server did nothing */
	EXCHANGE_GONE,    /* so was the session (404) */
};

struct exchange_ends {
	/*
	 * The text of a message, which may be no JSON. Must not free the
	 * exchange.
	 */
	void (*message)(void *ctx, const char *data, size_t len);
	/* The data of an event that is no message. */
	void (*event)(void *ctx, const char *type, const char *data);
	/* The end; why is a sentence, but for DONE. The exchange is freed. */
	void (*ended)(
	    void *ctx, enum exchange_outcome outcome, const char *why);
	void *ctx;
};

struct exchange_wanted {
	const char *method; /* "POST", "GET" or "DELETE" */
	const char *url;
	const struct buffer *headers; /* lines, each + NUL; copied */
	const char *body;   /* copied */
	size_t len;
	bool expects; /* a message must come: exchange_satisfy() tells of it */
	int session; /* the headers name a session */
	bool again; /* as in struct transfer_wanted */
	struct renew *renew; /* the token that it carries */
};

struct exchange *exchange_start(struct event_base *base,
    struct transfers *transfers, const struct exchange_wanted *wanted,
    const struct exchange_ends *ends);

/* Gives it up, without calling ended(). NULL is accepted. */
void exchange_cancel(struct exchange **exchange);

/* The message that it expects has come: what follows need not be complete. */
void exchange_satisfy(struct exchange *exchange);

/* What the server says of itself: valid in ended(), too. */
const struct transfer_head *exchange_head(const struct exchange *exchange);

/* The body of an answer that is no stream: valid in ended(), too. */
const struct buffer *exchange_body(const struct exchange *exchange);

/*
 * pair.c: the pair of pipes to the broker: lines of the input, and a queue for
 * the output.
 */

struct pair_ends {
	/* A message of the broker, borrowed. Must not free the pair. */
	void (*line)(void *ctx, const struct line *line);
	/* The broker takes no more, or sends no more. May free the pair. */
	void (*closed)(void *ctx);
	/* The queue has become short again. Must not free the pair. */
	void (*room)(void *ctx);
	void *ctx;
};

/* Takes both descriptors; in is read as long as lines are taken. */
struct pair *pair_new(struct event_base *base, int *in, int *out,
    const struct pair_ends *ends);
void pair_free(struct pair **pair);

/* Sends bytes now or later. */
void pair_write(struct pair *pair, const char *data, size_t len);

/* Returns whether so much is queued that nothing should be added. */
int pair_is_full(const struct pair *pair);

/*
 * session.c: the session with a remote server: which lines of the broker become
 * which exchanges, and what is remembered between them.
 */

struct session_ends {
	/* There is none, and why: one sentence. */
	void (*failed)(void *ctx, const char *why);
	/* It is over, and the server was told. */
	void (*ended)(void *ctx);
	void *ctx;
};

/*
 * Takes the pipes; remote must outlive it. The callbacks must not free it;
 * failed() is called once at most, and ended() behind it, too.
 */
struct session *session_new(struct event_base *base,
    const struct remote *remote, int *in, int *out,
    const struct session_ends *ends);
void session_free(struct session **session);

/* main.c: the process. */

struct connector {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	struct remote remote;
	int in;     /* -1: no server yet */
	int out;
	int errors; /* for one line, if there is no session */
	bool enters;   /* it logs in or out, in place of a session */
	int listener;  /* where the browser comes back; -1: it logs out */
	struct enter *enter;
};

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF connector
#define IPC_SELF_IS_CONNECTOR
#define IPC_FROM_SUPERVISOR struct connector
#include "../../common/ipc/ipc_handlers.h"

#endif
