/*
 * What the rooms of the broker share: its lists, its messages to the
 * supervisor, the definitions of servers, requests to them, the sentences of
 * refusals, and the audit file. Runs in the broker; what decodes bytes is pure.
 */
#ifndef WORKER_BROKER_STATE_STATE_H
#define WORKER_BROKER_STATE_STATE_H

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../../../common/base/buffer.h"
#include "../../../common/ipc/channel.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/json/json_span.h"

/* The lists that the broker holds, and its messages to the supervisor. */

struct list_store;
struct audit;
struct definition;
struct link;
struct server;
struct grant;
struct method;
struct shapes;
struct list_cache;

struct broker {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	TAILQ_HEAD(broker_servers, server) servers; /* that are configured */
	struct broker_servers removed; /* removed, but still in use */
	void *by_name; /* the configured ones, as a tree: server.c */
	TAILQ_HEAD(broker_links, link) links;       /* until their ENDED */
	TAILQ_HEAD(broker_grants, grant) grants;
	struct list_cache *list_cache; /* lists of tools, in memory */
	struct list_store *list_store; /* the same, in the store */
	struct shapes *shapes; /* the shapes of their results */
	uint64_t last_link;
	uint64_t last_question;
	size_t unwritten;    /* bytes not yet taken by servers */
	struct audit *audit; /* NULL: calls are not recorded */
	size_t open_links;   /* links that have pipes, or will have them */
	size_t most_links;   /* their maximum, from the descriptor limit */
	unsigned long files; /* that descriptor limit */
};

/*
 * to_supervisor.c: messages to the supervisor. A failure to send is fatal,
 * except for the request of the store.
 */

/* Requests a process of the server of this definition. */
void to_supervisor_want(struct broker *broker, uint64_t link,
    const struct definition *definition);

/* Requests that a process be ended. */
void to_supervisor_let_go(struct broker *broker, uint64_t link);

/* See ASK_CLIENT. */
void to_supervisor_ask_client(struct broker *broker, uint64_t question,
    uint64_t execution, unsigned int kind, const struct buffer *params);

/* Requests the channel to the store. */
void to_supervisor_want_lists(struct broker *broker);

/*
 * The tools of a server that may be used: names to allow and to deny, from the
 * user's configuration. Runs in the broker; pure functions over bytes.
 */

/* All zeroes is no restriction: every tool may be used. */
struct rules {
	bool narrowed;        /* only the tools in allow may be used */
	struct buffer allow; /* each name with a NUL; * stands for any text */
	struct buffer deny;  /* may not be used, even if allow names them */
};

/*
 * Stores the rules of a definition in place of the existing ones. Returns
 * whether they have changed. Fatal if they are malformed, because their sender
 * is trusted.
 */
int rules_set(struct rules *rules, const struct ipc_define *define);
void rules_copy(struct rules *rules, const struct rules *other);
void rules_reset(struct rules *rules);

/* The same for the rules about resources, or about prompts. */
void rules_set_others(struct rules *rules, const char *what,
    const struct ipc_define *define);

/*
 * Returns whether they refuse the name of a resource or a prompt, a JSON
 * string, and appends the end of a sentence that says why; what is "resources"
 * or "prompts". What is denied is denied in every case of its letters. plain:
 * only a URI without "..", double slashes and escapes that it does not need is
 * accepted, because others may mean a forbidden one.
 */
int rules_refuse_other(const struct rules *rules, const char *what,
    struct json_span name, bool plain, struct buffer *reason);

/*
 * Returns why the tool of this name, a JSON string, may not be used: static,
 * the end of a sentence that starts with the tool. NULL if it may be used.
 */
const char *rules_refuse(const struct rules *rules, struct json_span name);

/*
 * Whether there are any rules. If so, only listed tools are called, because the
 * server might accept another spelling of a forbidden name.
 */
int rules_bind(const struct rules *rules);

/*
 * The pages of a list that a server is asked for one by one. Runs in the
 * broker; pure functions over bytes.
 */

/* All zeroes: no page has come. */
struct pages {
	size_t count;
	size_t entries; /* of all pages; for the use of its owner */
	struct buffer cursors; /* of all next pages, each + NUL */
	size_t cursor;         /* of these, where the last one begins */
	struct err cut;        /* why there are no more pages */
	bool is_cut;           /* cut says why, in one clause */
	bool is_full; /* cut by us: there are entries that are not known */
};

/*
 * Looks for the next page behind this one. Returns 1 if there is one, or 0 if
 * this was the last, or the list is cut here.
 */
int pages_turn(struct pages *pages, struct json_span result);

/* The cursor of the next page, as the server wrote it; of length 0: none. */
struct json_span pages_cursor(const struct pages *pages);

/*
 * The list ends here, because of the server or, pages_fill, of a limit of ours.
 * failed: ignored, as cut is set by err_set(). Returns 0.
 */
int pages_end(struct pages *pages, int failed);
int pages_fill(struct pages *pages, int failed);

/* Frees its members. */
void pages_reset(struct pages *pages);

/*
 * The definition of a server: the content of DEFINE that the broker needs.
 * Owned by a server; its links and asks borrow it.
 */

/* Only name and owner never change. */
struct definition {
	uint64_t number;
	char *name;
	char *owner; /* the owner of its processes; empty: local user */
	bool remote;  /* reached by a connector, not a process */
	bool shared;  /* processes of the local user are shared by all */
	char *alias;
	char *description;
	struct rules rules; /* which of its tools may be used */
	struct rules resources, prompts;
	struct rules roots, sampling; /* allow: URIs; narrowed: it is on */
	size_t concurrency; /* calls at once; 0: as many as there are places */
	uint8_t fingerprint[FINGERPRINT_SIZE]; /* of the command and environment
					        */
};

/*
 * Copies the content of the message; name and owner must be set. Returns
 * whether the permitted tools have changed.
 */
int definition_set(
    struct definition *definition, const struct ipc_define *define);

/* Copies another definition, of the local user, for the owner of this one. */
void definition_copy(
    struct definition *definition, const struct definition *other);

/* Frees its members. */
void definition_reset(struct definition *definition);

/*
 * Appends {"name":…,"alias":…,"description":… without the closing brace. about
 * is the server's own description, used if the definition has none.
 */
void definition_describe(const struct definition *definition,
    const char *about, struct buffer *json);

/* Appends: server "NAME". */
void definition_begin_reason(
    const struct definition *definition, struct buffer *reason);

/*
 * The audit file: one line of JSON for each tool call, with execution, server,
 * tool, time and outcome, but without any value of an argument or of a result.
 * If the file cannot be written, lines are lost, but no calls.
 */

enum audit_outcome {
	AUDIT_CANCELLED, /* its answer was no longer needed */
	AUDIT_OK,
	AUDIT_TOOL_ERROR, /* a result with isError */
	AUDIT_ERROR,      /* an error of the server, or it ended */
	AUDIT_TIMEOUT,
	AUDIT_REFUSED, /* by Caisson: it was never sent to the server */
};

struct audit_call {
	uint64_t execution;
	const char *owner; /* of the execution; empty: the local user */
	const char *server;
	struct json_span tool; /* its name, a JSON string */
	size_t arguments;      /* bytes */
	size_t result;         /* bytes */
	uint64_t ms;           /* from the request to its end */
	bool sent;             /* the server may have received it */
	enum audit_outcome outcome;
};

/*
 * Takes *fd, a regular file open for appending. audit_free writes the remaining
 * lines.
 */
struct audit *audit_new(struct event_base *base, int *fd);
void audit_free(struct audit **audit);

/* Records a call; the lines of one turn of the loop are written at its end. */
void audit_add(struct audit *audit, const struct audit_call *call);

/*
 * One request to a server: a tool call, or its list of tools, for an execution
 * or for a TRY. It is answered or refused once, and then freed.
 */

TAILQ_HEAD(ask_list, ask);

/* ASK_CALL is also the call of another method than tools/call. */
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
	unsigned int asks; /* of its client: bits of enum client_asked */
	uint64_t client;   /* its number; 0: none */
	uint64_t silence; /* milliseconds without a sign of the server */
	uint64_t longest; /* the same of all of a call, whatever is reported */
	uint64_t id;      /* of the grant */
	enum ask_kind kind;
	/* Of a call: */
	const struct method *method; /* NULL: of a tool */
	struct buffer tool;   /* its name, or the method's, as JSON */
	struct buffer params; /* until it need not be sent any more */
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
	struct pages pages; /* of a method that lists */
	struct buffer entries; /* that have come so far, as the answer */
	bool late;             /* needs the next list of tools, not this one */
	bool declare; /* the list as TypeScript, of the tool if it has a name */
	struct event *patience; /* the end of its wait for a start or answer */
	unsigned int questions; /* that its server has asked meanwhile */
	unsigned int logs; /* messages that its client was sent */
	/* Of a call whose server asks first, in its result: */
	void (*repeat)(struct ask *ask);
	unsigned int rounds;
	bool asking;            /* not all questions are begun */
	char *hindrance;        /* why one has no answer, or NULL */
	struct buffer inputs;   /* the end of its parameters, but for "}}" */
};

/*
 * Makes an ask that is in no list. server_new_ask also sets the server and its
 * callback to remove the ask, grant_new_ask the grant.
 */
struct ask *ask_new(struct broker *broker, const struct definition *definition,
    const struct ask_ends *ends, uint64_t id, enum ask_kind kind);

/* Frees an ask without an answer. */
void ask_free(struct ask **ask);

/* Takes the parameters of a call, and drops them. */
void ask_take_params(struct ask *ask, struct buffer *params);
void ask_drop_params(struct ask *ask);

/* Starts to wait for the answer to a call, or for more progress. */
void ask_wait(struct ask *ask);

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

/*
 * The sentences of refusals. They contain text of servers and code; each
 * foreign byte passes through here and is escaped so that it cannot control a
 * terminal or forge a line. Runs in the broker; pure functions over bytes.
 */

/*
 * Appends foreign bytes as text: invalid UTF-8 becomes U+FFFD, carriage returns
 * are dropped, and control and invisible characters (utf8_unseen) other than
 * newline and tab are escaped.
 */
void reason_add_text(struct buffer *reason, const char *data, size_t len);

/* Appends a name in quotes; newline and tab are escaped, too. */
void reason_add_name(struct buffer *reason, const char *name);

/* Appends to the name of a server that it was stopped, and why. */
void reason_add_stopped(struct buffer *reason, const char *why);

/* Appends a number of seconds with its unit: "2 seconds". */
void reason_add_seconds(struct buffer *reason, uint64_t seconds);

/*
 * Appends a JSON string as text, at most REFUSED_FOREIGN_MAX bytes of it; one
 * with a lone surrogate has its quotes. masks: what is not shown of it, in the
 * format of mask.h, or NULL.
 */
void reason_add_string(struct buffer *reason, struct json_span string,
    const struct buffer *masks);

/* Appends a JSON-RPC error object, masked: "message (code -32602)". */
void reason_add_error(struct buffer *reason, struct json_span error,
    const struct buffer *masks);

/* Cuts the sentence to the size of a refusal, in whole characters. */
void reason_fit(struct buffer *reason);

#endif
