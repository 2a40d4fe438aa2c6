/*
 * The broker as the supervisor sees it: started when the first execution may
 * use servers, told of every server by name, given a channel for each
 * execution, and started again when it has died. What it wants started is
 * looked up here. Runs in the supervisor; reads no byte of a server.
 */
#ifndef SUPERVISOR_BROKER_H
#define SUPERVISOR_BROKER_H

#include "../../common/channel.h"
#include "../../common/err.h"
#include "../servers/in_force.h"
#include "../process/process.h"

struct broker;
struct store;

/* A session that is asked for. */
struct broker_session {
	uint64_t execution;
	const char *owner; /* whose processes of servers it uses */
	const struct server_texts *allowed; /* names; NULL: all in force */
	struct server_texts loaded; /* some of them, to be started now */
};

/* A process of a server that it asks for. */
struct broker_wanted {
	uint64_t link; /* its number */
	const char *name;
	const char *owner; /* whose it will be */
	uint64_t definition;
};

/* What the user has said about calls of tools. */
struct broker_policy {
	uint64_t tool_seconds; /* how long a server may be silent */
	int remember; /* shapes of what tools return */
	int audit; /* for a line about each: a file, lent; -1: none */
};

/*
 * Starts nothing yet. config and envp must last as long as the broker; the
 * policy is copied.
 */
struct broker *broker_new(struct event_base *base, struct in_force *config,
    char **envp, const struct broker_policy *policy);

/* Lists of tools are kept by this store from now on, or (NULL) by none. */
void broker_use_store(struct broker *broker, struct store *store);

/* Kills what still runs of it; free of cost when it never ran. */
void broker_free(struct broker **broker);

/* Other servers are in force than before: tells it, when it runs. */
void broker_reconfigure(struct broker *broker);

/*
 * Opens a session. If the broker does not take it, it is ended. Returns the
 * relay's end of it, which the caller owns, or -1 with err.
 */
int broker_open_session(struct broker *broker,
    const struct broker_session *wanted, struct err *err);

/*
 * Ends it and every server, in order; ended is called once, before this
 * returns or from the loop, when none is left.
 */
void broker_stop(
    struct broker *broker, void (*ended)(void *ctx), void *ctx);

/* What came of asking a server for its tools. */
struct broker_answer {
	const char *name;
	uint64_t count; /* of its tools */
	uint64_t bytes; /* of their definitions, as a model is shown them */
	const char *tools; /* the names of the first of them, each with a NUL */
	size_t tools_len;
	const char *destructive; /* those that destroy, each with a NUL */
	size_t destructive_len;
	uint64_t more_destructive; /* whose names are not among these */
	const char *reason; /* why it cannot be used; empty when it can */
};

typedef void broker_tried(void *ctx, const struct broker_answer *answer);

/*
 * Starts every server in force, or, where only is not NULL, those of these
 * names, each with a NUL, and asks it for its tools, all at once; tried is
 * called for each. Returns 0, or -1 with err when the broker cannot run; gone
 * is called when it dies meanwhile.
 */
int broker_try(struct broker *broker, const struct buffer *only,
    broker_tried *tried, void (*gone)(void *ctx), void *ctx,
    struct err *err);

/* What those handlers do. */
void broker_want(struct broker *broker, const struct broker_wanted *want);
void broker_let_go(struct broker *broker, uint64_t link);
void broker_want_lists(struct broker *broker);
void broker_hear_tried(
    struct broker *broker, const struct broker_answer *answer);

/* It violated the protocol: it is ended, and so are its servers. */
void broker_fail(struct broker *broker, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
