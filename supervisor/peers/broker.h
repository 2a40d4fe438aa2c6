/*
 * The broker as the supervisor sees it. It is started when the first execution
 * may use servers, and restarted after its end. It receives the names of all
 * servers, and a channel for each execution. The supervisor looks up the
 * program of each server that it requests. Runs in the supervisor; passes
 * questions of servers on, and reads no other byte of them.
 */
#ifndef SUPERVISOR_BROKER_H
#define SUPERVISOR_BROKER_H

#include "../../common/ipc/channel.h"
#include "../../common/base/err.h"
#include "../../common/json/json_span.h"
#include "../servers/in_force/in_force.h"
#include "peers.h"
#include "../process/process.h"

/* What an execution is granted: the servers that it may use. */
struct broker_grant {
	uint64_t execution;
	const char *owner; /* whose server processes it uses */
	const struct server_texts *allowed; /* names; NULL: all */
	unsigned int asks; /* what its client can be asked: client_asked */
	uint64_t client;   /* number of its session; 0: none */
	struct server_texts loaded; /* the servers to start now */
};

/* What a server asks the client of an execution: see ASK_CLIENT. */
struct broker_question {
	uint64_t number;
	uint64_t execution;
	unsigned int kind; /* 0: it is withdrawn; number 0: all are */
	struct json_span params;
};

typedef void broker_asked(void *ctx, const struct broker_question *question);

/* Sets who answers all questions by broker_answer(), at once or later. */
void broker_on_question(struct broker *broker, broker_asked *asked, void *ctx);

/* Passes on an answer, a JSON object; of length 0: why there is none. */
void broker_answer(struct broker *broker, uint64_t number, uint64_t execution,
    struct json_span result, const char *why);

/* The roots of the client with this number have changed. */
void broker_tell_roots(struct broker *broker, uint64_t client);

/* Called when the configured servers have changed: updates a running broker. */
void broker_reconfigure(struct broker *broker);

/*
 * Grants servers to an execution. If sending to the broker fails, the broker is
 * ended. Returns the relay's end, which the caller owns, or -1 with err.
 */
int broker_grant_servers(struct broker *broker,
    const struct broker_grant *wanted, struct err *err);

/*
 * Ends the broker and all servers in order. ended is called once, before this
 * returns or from the loop, when no server is left.
 */
void broker_stop(struct broker *broker, void (*ended)(void *ctx), void *ctx);

/* Tells of each process of a server, its name and owner (empty: our user). */
void broker_each_link(const struct broker *broker,
    void (*each)(void *ctx, const char *name, const char *owner), void *ctx);

/* Tells how often a process of each configured server was started. */
void broker_each_server(const struct broker *broker,
    void (*each)(void *ctx, const char *name, uint64_t starts), void *ctx);

/* The result of asking a server for its tools. */
struct broker_answer {
	const char *name;
	uint64_t count; /* of its tools */
	uint64_t bytes; /* of the definitions, as shown to a model */
	const char *tools; /* the names of the first of them, each + NUL */
	size_t tools_len;
	const char *destructive; /* destructive tools, each + NUL */
	size_t destructive_len;
	uint64_t more_destructive; /* destructive tools not named here */
	const char *reason; /* why it cannot be used; empty: usable */
};

typedef void broker_tried(void *ctx, const struct broker_answer *answer);

/*
 * Starts every configured server, or those named in only (each name + NUL;
 * NULL: all), all at once, and asks each for its tools. tried is called for
 * each. Returns 0, or -1 with err if the broker cannot run; gone is called if
 * it exits before the last answer.
 */
int broker_try(struct broker *broker, const struct buffer *only,
    broker_tried *tried, void (*gone)(void *ctx), void *ctx, struct err *err);

/* Called by the handlers of these messages. */
void broker_want(struct broker *broker, const struct ipc_want *want);
void broker_let_go(struct broker *broker, uint64_t link);
void broker_want_lists(struct broker *broker);
void broker_hear_question(
    struct broker *broker, const struct broker_question *question);
void broker_hear_tried(
    struct broker *broker, const struct broker_answer *answer);

#endif
