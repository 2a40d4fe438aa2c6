/*
 * One request to a server: a tool call, or its list of tools, for an execution
 * or for a TRY. It is answered or refused once, and then freed. Runs in the
 * broker.
 */
#ifndef WORKER_BROKER_ASK_H
#define WORKER_BROKER_ASK_H

#include "../../../common/json/json_span.h"
#include "audit.h"
#include "definition.h"
#include "state.h"

TAILQ_HEAD(ask_list, ask);

enum ask_kind { ASK_CALL, ASK_TOOLS };

/*
 * How an ask reports its outcome. answer takes one JSON value on one line;
 * refuse takes a sentence and the server's error object (of length 0 if Caisson
 * refuses). freed, which may be NULL, is called before the ask is freed.
 * starts, which may be NULL, returns whether the server may be started for it.
 */
struct ask_ends {
	void (*answer)(const struct ask *ask, const char *json, size_t len);
	void (*refuse)(const struct ask *ask, const char *reason,
	    struct json_span error);
	void (*freed)(struct ask *ask);
	int (*starts)(const struct ask *ask);
};

struct ask {
	TAILQ_ENTRY(ask) entry; /* of list */
	TAILQ_ENTRY(ask) sibling; /* of its grant */
	struct ask_list *list;    /* of a server or a link; NULL if in no list
				   */
	struct link *link;        /* the link that has it; NULL: the server */
	struct broker *broker;
	struct server *server;
	const struct definition *definition; /* of the server */
	/* The server ends its wait, or releases its place. */
	void (*forget)(struct server *server, struct ask *ask);
	const struct ask_ends *ends; /* of the asker */
	struct grant *grant;       /* NULL: a TRY */
	uint64_t execution;          /* of the grant */
	const char *owner;           /* of that grant; NULL: a TRY */
	uint64_t silence; /* milliseconds without a sign of the server */
	uint64_t id;      /* of the grant */
	enum ask_kind kind;
	/* Of a call: */
	struct buffer tool;   /* its name, as JSON */
	struct buffer params; /* until its first byte is sent */
	size_t arguments;     /* bytes of them */
	size_t result;        /* bytes of the result or error */
	struct queue_turn *turn; /* of queue.c, or NULL */
	bool placed;              /* it has one of the places of its server */
	enum audit_outcome outcome;
	uint64_t made; /* when it was put there, by clock_ms() */
	uint64_t sent;        /* its number with the server; 0: not sent */
	uint64_t begun;       /* when it was, or may have been, sent */
	bool progress;         /* the server has reported progress */
	int last;             /* further progress does not extend the wait */
	int unfit;            /* its arguments do not fit: see REFUSED */
	/*
	 * Of a call that waits for a list of tools as ASK_TOOLS, or NULL: goes
	 * on with the call when the list is there. If it does not come, the
	 * call is refused by the known list of this version, if there is one.
	 */
	void (*listed)(struct ask *ask);
	struct buffer says; /* what is wrong by that list */
	uint64_t judged;
	struct event *hurry; /* the end of its wait then */
	bool late;             /* needs the next list of tools, not this one */
	struct event *patience; /* the end of its wait for a start or answer */
};

/*
 * Makes an ask that is in no list. server_new_ask also sets the server and its
 * callback to remove the ask, grant_new_ask the grant.
 */
struct ask *ask_new(struct broker *broker,
    const struct definition *definition, const struct ask_ends *ends,
    uint64_t id, enum ask_kind kind);

/* Frees an ask without an answer. */
void ask_free(struct ask **ask);

/* Takes the parameters of a call; drops them when a byte was sent. */
void ask_take_params(struct ask *ask, struct buffer *params);
void ask_drop_params(struct ask *ask);

/* Removes an ask from its list and appends it to another. */
void ask_move(struct ask *ask, struct ask_list *list);

/*
 * Answers with one JSON value on one line, and frees the ask; or tells a call
 * that waits for a list.
 */
void ask_answer(struct ask **ask, const char *json, size_t len);

/*
 * Refuses with a sentence of any length and the server's error object (of
 * length 0 if Caisson refuses). Frees the ask.
 */
void ask_refuse(
    struct ask **ask, struct buffer *reason, struct json_span error);

/*
 * Appends to a reason whether the server may have received an ask, for calls
 * only.
 */
void ask_add_sent(const struct ask *ask, struct buffer *reason);

/* Like ask_refuse, with: server "NAME" and these words. */
void ask_refuse_words(struct ask **ask, const char *words);

#endif
