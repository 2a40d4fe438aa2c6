/*
 * A link: one process of a server, from its WANT to its ENDED. Every link ends
 * once and concludes once: its unanswered asks are then refused, with how it
 * ended and its last output. Runs in the broker.
 */
#ifndef WORKER_BROKER_LINK_H
#define WORKER_BROKER_LINK_H

#include "../state/ask.h"
#include "../state/definition.h"

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
int link_was_launched(const struct link *link);

/* The process has ended, or was never started: frees the link. */
void link_ended(struct link *link, const char *how);

/* Whether it is ready for requests. */
int link_is_ready(const struct link *link);

/* Whether a ready server has said that it has tools. */
int link_has_tools(const struct link *link);

/* Whether the remembered list is that of a ready server, and in force. */
int link_is_listed(const struct link *link);

/* The purpose that a ready server has reported: see mcp_client_about. */
const struct buffer *link_about(const struct link *link);

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

/* Returns the time since its start in milliseconds. */
uint64_t link_age(const struct link *link);

/* Appends how long it has been starting, and the diagnosis. */
void link_add_starting(struct link *link, struct buffer *reason);

#endif
