/*
 * Servers and the protocol that is spoken with them: a server, its processes
 * (links), and what a link consists of.
 */
#ifndef WORKER_BROKER_LINK_H
#define WORKER_BROKER_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/lines.h"
#include "../../../common/base/loop.h"
#include "../../../common/json/json_span.h"
#include "../../../common/json/jsonrpc.h"
#include "../state/state.h"

/*
 * Finds the one line of a failed server's standard error that states the error,
 * as runtimes write it; the other lines go to the log. Runs in the broker; pure
 * functions over bytes, except for logging.
 */

/*
 * Appends "; its standard error says: " and that line, at most
 * REFUSED_FOREIGN_MAX bytes of it, to the reason of a refusal; nothing if
 * errors, the end of the standard error, has no line. The first line of errors
 * may be incomplete if cut is set. The line is the exception of a traceback, an
 * error line of node, npm and others, or the last line. Unless whole is set, as
 * for the operator, a line of our own about a program or folder that cannot be
 * used has not its path.
 */
void diagnosis_add(
    struct buffer *reason, const struct buffer *errors, int cut, int whole);

/* Writes all lines of errors to the log, at level debug. */
void diagnosis_log(const char *server, const struct buffer *errors);

/*
 * The kinds of links: what is at the other end of the three pipes by which a
 * link speaks with its server.
 */

/* Why a link failed, or has not started yet; all of it is masked. */
struct link_failure {
	const struct buffer *banner; /* its output that was no MCP */
	const struct buffer *errors; /* the end of its standard error */
	bool cut;                    /* there was more before that */
	bool whole;                  /* for the operator: nothing is left out */
};

struct link_kind {
	/* Asks for the pipes, which come with LAUNCHED. */
	void (*open)(struct broker *broker, uint64_t link,
	    const struct definition *definition);

	/* They are not needed any more: an ENDED follows. */
	void (*close)(struct broker *broker, uint64_t link);

	/* Appends the cause, as the end of a sentence; nothing if unknown. */
	void (*describe_failure)(
	    const struct link_failure *failure, struct buffer *reason);

	/* Its standard error, if any, says all: not how it ended. */
	bool tells;
};

/* process.c: a process of the supervisor. remote.c: a connector. */
extern const struct link_kind link_process;
extern const struct link_kind link_remote;

/*
 * The three pipes of one server process on the event loop: lines of its output,
 * a bounded queue of bytes for its input, and the last bytes of its standard
 * error. Does not interpret them.
 */

struct pipes;

/* The callbacks of pipes. Copied by pipes_new. */
struct pipes_ends {
	/* A line of its output, borrowed; must not free or close the pipes. */
	void (*line)(void *ctx, const struct line *line);
	/*
	 * The output has ended, or the input accepts nothing any more: how, as
	 * the end of a sentence. Called once, from the loop, after all others:
	 * it may free the pipes.
	 */
	void (*closed)(void *ctx, const char *how);
	/*
	 * The input was full at the last pipes_try_write, and may have room
	 * now. From the loop; must not free or close the pipes.
	 */
	void (*room)(void *ctx);
	void *ctx;
	size_t *unwritten; /* the number of queued bytes is added to this */
};

/*
 * Takes the three descriptors, which are non-blocking: the local ends of the
 * server's input, output and standard error. pipes_free frees the pipes.
 */
struct pipes *pipes_new(struct event_base *base, int *in, int *out,
    int *errors, const struct pipes_ends *ends);
void pipes_free(struct pipes **pipes);

/*
 * Sends bytes to the server's input, now or later. Returns 0, or -1 if
 * SERVER_UNREAD_MAX bytes are queued already; nothing is sent then.
 */
int pipes_write(struct pipes *pipes, const char *data, size_t len);

/*
 * Sends bytes to the server's input if it takes the first of them at once; the
 * others may follow later. Returns 1, or 0 if no byte was sent: room() is
 * called when it may be tried again, unless closed() is.
 */
int pipes_try_write(struct pipes *pipes, const char *data, size_t len);

/* Returns the number of bytes that the server has not taken. */
size_t pipes_unwritten(const struct pipes *pipes);

/*
 * Reads the available bytes at once: of the output, whose lines are passed on,
 * and of standard error. Stops after SERVER_DRAIN_MAX bytes.
 */
void pipes_drain(struct pipes *pipes);

/*
 * Closes input and output; closed() is not called any more. Standard error is
 * read until pipes_free.
 */
void pipes_close(struct pipes *pipes);

/*
 * Returns the last bytes of standard error; *cut is set if there were more
 * before them.
 */
const struct buffer *pipes_errors(const struct pipes *pipes, int *cut);

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
	void (*progress)(void *ctx, void *call, struct json_span params);
	/*
	 * The server asks something, or logs, for a call (the ctx of
	 * mcp_client_call) or NULL. Returns whether mcp_client_reply answers
	 * it, now or later.
	 */
	int (*asked)(void *ctx, const struct jsonrpc *message, void *call);
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

/* What a server may have, by its answer to "initialize". */
enum mcp_capability {
	MCP_TOOLS,
	MCP_RESOURCES,
	MCP_PROMPTS,
	MCP_COMPLETIONS,
	MCP_LOGGING,
	MCP_CAPABILITIES
};

/* Returns the name of a capability, which is static. */
const char *mcp_client_capability(enum mcp_capability which);

/* Whether the server has said that it has this; only after ready(). */
int mcp_client_has(const struct mcp_client *client, enum mcp_capability which);

/* What a server has reported of itself. */
struct mcp_said {
	unsigned int has; /* a bit for each enum mcp_capability */
	bool answered; /* requests other than "initialize" and a ping */
	bool stateless; /* it is spoken to in the version without sessions */
	/* How it has refused "initialize", as unfit() takes it; or empty. */
	struct buffer refusal;
	/* Its name and version, as it wrote them, at most SERVER_INFO_MAX. */
	struct buffer info;
	/*
	 * Its purpose: the beginning of its instructions, or else its title or
	 * its name, on one line of UTF-8, at most SERVER_ABOUT_MAX bytes.
	 */
	struct buffer about;
	/*
	 * Its instructions, at most SERVER_INSTRUCTIONS_MAX bytes of UTF-8
	 * without control characters, except newlines and tabs.
	 */
	struct buffer instructions;
	/*
	 * Its first line that was not JSON, masked and at most
	 * REFUSED_BANNER_MAX bytes of it.
	 */
	struct buffer banner;
};

const struct mcp_said *mcp_client_said(const struct mcp_client *client);

/*
 * Starts the initialization; all other functions but mcp_client_said require
 * that ready() was called. samples: it may ask what a model generates.
 */
void mcp_client_greet(struct mcp_client *client, int samples);

/* Answers a request of the server; result NULL: with why there is none. */
void mcp_client_reply(struct mcp_client *client, const char *id,
    const char *result, const char *why);

/* Tells it that the roots may have changed. */
void mcp_client_tell_roots(struct mcp_client *client);

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
 * Like mcp_client_ask, for what the code calls; params is an object: returns 0
 * if the server takes no byte of it now, or must first answer from which level
 * it is to log. Asks the server to report progress. asks: enum client_asked.
 */
uint64_t mcp_client_call(struct mcp_client *client, const char *method,
    struct json_span params, unsigned int asks, mcp_client_answered *answered,
    void *ctx);

/*
 * The answer to this request, if it has none, is no longer needed: the server
 * is notified that it may stop. why is plain text that needs no escapes.
 */
void mcp_client_cancel(struct mcp_client *client, uint64_t id, const char *why);

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

/*
 * The unanswered calls of one server, by execution: calls that wait for its
 * start or for a place, and the places of the others. Executions take turns,
 * and none can occupy the places or the bytes that another needs. Runs in the
 * broker.
 *
 * Both are shared by one rule: an execution gets at most half of what the
 * others leave, so something always remains for one more. The first call of an
 * execution always has a place. Among executions of several owners, those of
 * the owner with the fewest places come first.
 */

struct queue;

/*
 * The rule: whether an execution with own units may get more of them, where all
 * units have been given to all executions so far, and most is the maximum.
 */
int queue_may_have(size_t own, size_t more, size_t all, size_t most);

struct queue *queue_new(void);

/* It must be empty. */
void queue_free(struct queue **queue);

/*
 * Whether one more call of this size may be put. Waiting calls are limited by
 * SERVER_WAITING_MAX, unsent bytes by SERVER_UNWRITTEN_MAX. The first call of
 * an execution is always accepted if it is small.
 */
int queue_has_room(
    const struct queue *queue, const struct grant *grant, size_t len);

/* Puts a call, which now waits for a place, after those of its execution. */
void queue_put(struct queue *queue, struct ask *ask);

/* Returns a waiting call, which stays in the queue; NULL if there is none. */
struct ask *queue_peek(struct queue *queue);

/*
 * Returns the call whose turn it is, which now has a place and is in no list;
 * NULL if no waiting call may have one. There are SERVER_CALLS_MAX places, and
 * one more for each execution; or, if it is not 0, most.
 */
struct ask *queue_take(struct queue *queue, size_t most);

/* The bytes of a call with a place were sent and will be freed. */
void queue_sent(struct queue *queue, const struct ask *ask);

/* Returns the number of unsent bytes of calls. */
size_t queue_bytes(const struct queue *queue);

/* Removes a call that was put: it neither waits nor has a place any more. */
void queue_remove(struct queue *queue, struct ask *ask);

/*
 * The list of tools of one link: fetched page by page when it is first
 * requested, and valid until the server reports a change. It is then fetched
 * again on request, at most once in LISTING_PAUSE_MS. All asks in the meantime
 * share one fetch; a page that takes longer than SERVER_WAIT_MS ends it for all
 * of them. The list is put in the cache, where it outlives the link. Without an
 * ask, a changed list is fetched again after SERVER_RENEWAL_MS.
 */

struct listing;

/*
 * masks: what is not shown of the server, in the format of mask.h. asks: the
 * list of the link that contains the asks for the list of tools. Both are its.
 * settled is called, with ctx, after some of them were answered. listing_free
 * must be called before the client is freed, or after it was closed.
 */
struct listing *listing_new(struct broker *broker,
    const struct definition *definition, struct mcp_client *client,
    const struct buffer *masks, struct ask_list *asks,
    void (*settled)(void *ctx), void *ctx);
void listing_free(struct listing **listing);

/*
 * The server has answered "initialize": if it has changed, its tools are
 * fetched again.
 */
void listing_greeted(struct listing *listing);

/* Takes an ask that is in asks. */
void listing_ask(struct listing *listing, struct ask *ask);

/*
 * An ask that listing_ask has taken is given up. If it has waited for
 * LISTING_SILENT_MS, the next asks wait no longer than that, until the server
 * has answered.
 */
void listing_withdraw(struct listing *listing, const struct ask *ask);

/* Whether it was fetched and has not changed since. */
int listing_is_fresh(const struct listing *listing);

/* The server reports that its list has changed. */
void listing_changed(struct listing *listing);

/*
 * method.c: what the code may ask a server besides calls of tools, by a table.
 * Runs in the broker; decodes bytes of servers and of the code.
 */

/* Returns the method that ASK_SERVER calls so, or NULL. */
const struct method *method_find(const char *what);

/* Returns how MCP calls it, and what a server must have for it; static. */
const char *method_name(const struct method *method);
enum mcp_capability method_needs(const struct method *method);

/*
 * Appends the parameters of a request: name is a JSON string, or of length 0,
 * arguments a JSON object. Returns 0, or -1 with err: what is missing.
 */
int method_add_params(const struct method *method, struct json_span name,
    struct json_span arguments, struct buffer *params, struct err *err);

/* Whether its results are pages of a list. */
int method_lists(const struct method *method);

/*
 * Whether the rules of a server refuse what a request names, a JSON string:
 * then the end of a sentence that says why is appended to reason.
 */
int method_is_barred(const struct method *method,
    const struct definition *definition, struct json_span name,
    struct buffer *reason);

/*
 * Adds a page to the list of an ask. Returns 1 if there is a next page, 0 if
 * the list of the ask is complete, or -1 with err: it is no such page.
 */
int method_add_page(struct ask *ask, struct json_span result, struct err *err);

/*
 * A link: one process of a server, from its WANT to its ENDED. Every link ends
 * once and concludes once: its unanswered asks are then refused, with how it
 * ended and its last output.
 */

/* How a link reports its state to its server. */
struct link_ends {
	/* Whether no new ask can arrive and none waits. */
	int (*is_done)(const struct server *server);

	/* It is ready for requests. */
	void (*ready)(struct server *server);

	/* The first byte of a call was sent. */
	void (*sent)(struct server *server, struct ask *ask);

	/*
	 * It has ended. waiting has the asks of the link, to which those that
	 * waited for it are added. failed: it counts as a failed start. how is
	 * the end of a sentence.
	 */
	void (*lost)(struct server *server, struct ask_list *waiting,
	    int failed, const char *how);

	/* How it ended, more exactly than in lost. */
	void (*ended)(struct server *server, const char *how);

	/* It was freed, which may free the server. */
	void (*freed)(struct server *server);
};

enum link_state {
	LINK_WANTED,   /* it was requested from the supervisor */
	LINK_STARTING, /* it runs, and "initialize" was sent */
	LINK_READY,
	LINK_AWAITING_END, /* given up: its ENDED may say more of why */
	LINK_OVER,         /* its asks are answered; an ENDED may come */
};

/* Why it was given up. */
enum link_cause { LINK_BY_ITSELF, LINK_BY_SILENCE, LINK_BY_REVOCATION };

/* Others than link.c only read it. */
struct link {
	TAILQ_ENTRY(link) entry; /* of the broker */
	struct broker *broker;
	struct server *server;
	const struct definition *definition;
	const struct link_kind *kind;
	const struct link_ends *ends; /* of the server */
	uint64_t number;
	enum link_state state;
	enum link_state reached; /* before it was given up */
	enum link_cause cause;
	bool launched; /* its LAUNCHED has come */
	bool ended;    /* its ENDED has come */
	uint64_t begun; /* by clock_ms() */
	struct pipes *pipes; /* NULL before it runs and after its conclusion */
	struct buffer masks; /* values that are not shown of it */
	struct mcp_client *client;
	struct listing *listing;
	struct ask_list asks; /* sent, or to be refused at the conclusion */
	struct ask_list outgoing; /* calls of which no byte was written yet */
	struct event *timer;  /* its purpose follows from the state */
	char *doom;           /* why it will be given up in a moment */
	TAILQ_HEAD(, question) questions; /* unanswered, of the server */
	bool rooted;          /* it got the roots of a client */
	/* After it was given up: */
	char *how;      /* how it ended, as the end of a sentence */
	struct buffer errors; /* its standard error, masked */
	int cut;              /* that had more before it */
};

/*
 * Requests a process of the server, whose definition the link borrows, from the
 * supervisor. The server is not freed before ends->freed. ENDED frees the link.
 */
struct link *link_new(struct broker *broker, struct server *server,
    const struct definition *definition, const struct link_ends *ends);

/* Only when the broker exits: answers nothing and sends nothing. */
void link_free(struct link **link);

/* Returns the number of server processes of this owner. */
size_t link_count(const struct broker *broker, const char *owner);

/* Returns the link of this number, or NULL. */
struct link *link_find(struct broker *broker, uint64_t number);

/* The process runs: takes its pipes. The link must not have any yet. */
void link_launched(struct link *link, struct ipc_launched *msg);
/* The process has ended, or was never started: frees the link. */
void link_ended(struct link *link, const char *how);

/* The permitted tools have changed: requests their list again. */
void link_tools_changed(struct link *link);

/* Sends an ask, of a link that is ready. */
void link_ask(struct link *link, struct ask *ask);

/*
 * The ask, which the link has, is about to be freed: if it was sent, the server
 * is sent a cancellation with why.
 */
void link_withdraw(struct link *link, struct ask *ask, const char *why);

/* Ends, from the loop, a link that is not needed any more. */
void link_settle(struct link *link);

/*
 * Ends a link now, with its unanswered asks: its server was stopped for this
 * reason, which is the end of a sentence. For handlers only: no function of the
 * link may be on the stack.
 */
void link_revoke(struct link *link, const char *why);

/* Appends how long it has been starting, and the diagnosis. */
void link_add_starting(struct link *link, struct buffer *reason);

/*
 * questions.c: what a server asks the client of an execution: that of the call
 * for which it asks, else of the only one, or the only client, with calls in
 * flight there. The server of this link has sent a request, for a struct ask or
 * NULL: returns whether it is answered, now or later.
 */
int questions_request(void *link, const struct jsonrpc *message, void *call);

/* Passes on what a server logs or reports of a call, if its client wants it. */
void questions_tell(struct link *link, struct ask *call, unsigned int kind,
    struct json_span params);

/*
 * A result of a server without sessions that asks first, by "inputRequests":
 * ask->repeat is called when all of it is answered, or something never will.
 */
void questions_required(
    struct link *link, struct ask *ask, struct json_span result);

/* A call is about to be freed, or all are (NULL): withdraws its questions. */
void questions_forget(struct link *link, const struct ask *ask);

/* Returns how many the client of this execution is being asked here. */
size_t questions_count(const struct link *link, uint64_t execution);

/* The client has answered, or cannot. */
void questions_answered(struct broker *broker, struct ipc_client_answered *msg);

/*
 * A name has one definition at a time, each with a number (DEFINE). A struct
 * server is one definition of its name for one owner of executions. That of the
 * local user exists as long as the name is configured; that of another owner is
 * created when it is requested, and freed when it has no state left. A shared
 * server belongs to the local user and serves every owner. A server has at most
 * one live link at a time, each with a number (WANT). A link is one process
 * (link.h).
 *
 * A server holds its definition, the link to its running process, the asks that
 * wait for that, and the time before the next start. It outlives its name: a
 * server that is no longer configured belongs to the executions that have
 * loaded it, as long as its process runs. Another server may have its name
 * meanwhile. Runs in the broker.
 */

/* The hold of an execution on a server that it has loaded. */
struct server_hold {
	LIST_ENTRY(server_hold) entry;
	struct server *server; /* NULL: none */
	uint64_t execution;
	unsigned int asks; /* of its client: enum client_asked */
	uint64_t client;   /* its number; 0: none */
};

/* Others than server.c only read it. */
struct server {
	TAILQ_ENTRY(server) entry; /* of the broker: configured or removed */
	struct broker *broker;
	struct definition definition;
	bool removed; /* used only while it has a link */
	LIST_HEAD(, server_hold) holds;
	char *about; /* the purpose that it has reported; NULL: unknown */
	struct link *link; /* the link that accepts asks, now or soon; or NULL
			    */
	size_t links;      /* all that are not freed */
	struct ask_list lists; /* asks for the list, fetched when it runs */
	struct queue *calls;   /* waiting calls, and the places of the others */
	struct event *turn;    /* activated when a place may be free */
	struct ask_list recalling; /* wait for list_store.c, not for a start */
	/* After failures: */
	unsigned int failures; /* in a row */
	uint64_t not_before;   /* when the next start is allowed */
	char *last_how;        /* how the last one ended */
	struct event *pause;   /* activated at not_before */
};

/*
 * Start and end a hold: a process that runs when its server is removed
 * continues until the last hold has ended. The server ends the hold itself when
 * it is removed and has no process (any more), and when it is revoked.
 */
void server_hold(struct server *server, struct server_hold *hold);
void server_unhold(struct server_hold *hold);

/*
 * Returns the configured server of this name for this owner, or NULL if none is
 * configured. That of an owner other than the local user lives until
 * server_drop_idle, unless it is used.
 */
struct server *server_find(
    struct broker *broker, const char *owner, const char *name);

/* Frees the server of an owner other than the local user, if it is unused. */
void server_drop_idle(
    struct broker *broker, const char *owner, const char *name);

/* Defines this server; replaces an earlier definition of its name. */
void server_define(struct broker *broker, const struct ipc_define *define);

/*
 * It is no longer configured, for any owner: existing asks are still answered.
 * A process of it ends when the last hold on it has ended.
 */
void server_remove(struct broker *broker, const char *name);

/*
 * The servers of this definition are no longer trusted, for this reason: their
 * processes end now, and their asks are refused. They may be removed already,
 * or freed. gone is called if there were any, and no other server has the name.
 */
void server_revoke(struct broker *broker, uint64_t number, const char *why,
    void (*gone)(struct broker *broker, const char *name, const char *why));

/* Only when the broker exits and no link is left. */
void server_free(struct server **server);

/*
 * Makes an ask of this server, which is in no list yet: see server_ask and
 * server_recall. The outcome is reported to the ends.
 */
struct ask *server_new_ask(struct server *server, const struct ask_ends *ends,
    uint64_t id, enum ask_kind kind);

/*
 * Finds a tool of that name, a JSON string, in its remembered list, as
 * tools_find() does; the result is valid until the next list comes.
 */
int server_find_tool(const struct server *server, struct json_span name,
    struct json_span *tool);

/*
 * Returns the version of its remembered list, which changes with the list; 0:
 * there is none.
 */
uint64_t server_list(const struct server *server);

/*
 * Whether its list must be fetched before a call of this tool is judged: there
 * is none, or an old one that has not the tool, and it may have tools.
 */
int server_must_list(const struct server *server, struct json_span tool);

/*
 * Takes an ask: it is sent when the server runs. Until then it waits, at most
 * SERVER_WAIT_MS; a call also waits for a place (link.h). A call that fits no
 * known list waits SERVER_RELIST_MS for a newer one.
 */
void server_ask(struct server *server, struct ask *ask);

/* Starts it, if it does not run: now, or when that is allowed. */
void server_start(struct server *server);

/*
 * Takes an ask for its tools. While it cannot be sent at once, the remembered
 * list is the answer. If that is unknown, the ask waits for its start until
 * SERVER_LOOK_MS after the start began, or SERVER_LOOK_AGAIN_MS after failures;
 * it does not wait for the pause after failures.
 */
void server_recall(struct server *server, struct ask *ask);

/*
 * The result of list_store_recall is known, for the servers of this
 * fingerprint; for all if it is NULL.
 */
void server_recalled(struct broker *broker, const uint8_t *fingerprint);

/* Frees an ask that is no longer needed; the server is sent the reason. */
void server_withdraw(struct ask **ask, const char *why);

#endif
