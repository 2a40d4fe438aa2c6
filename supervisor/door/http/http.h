/*
 * HTTP clients as MCP clients: the requests of guests, their sessions, and the
 * answers. The gateway has read and checked the HTTP; this is the meaning of
 * its fields for MCP, in both eras.
 *
 *	http.c           the door, and requests without a session
 *	http_tokens.c    tokens: who a guest is, and how much it may ask
 *	http_spent.c     the processor time that they have taken today
 *	http_guest.c     guests: an owner's clients
 *	http_session.c   sessions of versions with a handshake
 *	http_files.c     files of owners and conversations
 *	http_figures.c   figures for operators
 *	http_headers.c   the fields of requests without a session
 *	http_request.c   one request: where each line of an answer goes
 *	http_replay.c      events, for clients that come back
 */
#ifndef SUPERVISOR_HTTP_H
#define SUPERVISOR_HTTP_H

#include <stdbool.h>
#include <sys/queue.h>

#include "../../../common/json/jsonrpc.h"
#include "../../peers/gateway.h"
#include "serve_sockets.h"
#include "tokens.h"
#include "../../servers/servers.h"
#include "../../front/front.h"
#include "guesses.h"

struct http;
struct http_session;
struct http_file;

struct http_replay;

TAILQ_HEAD(http_sessions, http_session);
TAILQ_HEAD(http_replay_list, http_replay);

/* One request of HTTP, until its answer is complete. */
struct http_request {
	LIST_ENTRY(http_request) entry; /* in guest->requests, or http->over */
	struct http_guest *guest;
	struct http_session *session; /* NULL: of none */
	void (*forget)(struct http_request *request); /* it is over; or NULL */
	struct http_file *file; /* that it is about, or NULL */
	struct mcp *mcp;     /* its own, if it is of no session; or NULL */
	struct http_replay *replay; /* its events, if they are kept; or NULL */
	uint64_t number; /* on the channel of its guest; 0: its client left */
	struct buffer ids;   /* of its requests, a newline after each */
	const char *begins;  /* the session that its answer names; or NULL */
	bool streams;         /* the client accepts events */
	bool streaming;       /* events are being sent */
	bool over;           /* nothing more may be sent */
	unsigned int wait;   /* seconds for Retry-After; 0: none */
};

/* One owner's clients. */
struct http_guest {
	LIST_ENTRY(http_guest) entry; /* in http->guests */
	struct http *http;
	struct owner *owner;
	struct gateway_guest *guest; /* NULL: not connected now */
	LIST_HEAD(, http_request) requests;
	struct http_sessions sessions; /* the last used one first */
	size_t nsessions;
	struct http_replay_list replays; /* the oldest first */
	uint64_t replay_bytes;
	/* Of a token; unused for our user: */
	struct owner own;
	struct token token;
	struct server_texts allowed; /* by the token, borrowed from it */
	struct options options;      /* with the tools that it allows */
	double level;      /* requests that it may send now */
	uint64_t refilled; /* when that was so, in milliseconds */
	uint64_t spent; /* processor time in its file, in microseconds */
};

struct http {
	struct runs *runs;
	struct gateway *gateway;
	struct owner *user;
	struct http_guest figures; /* all who read them; not in guests */
	LIST_HEAD(, http_guest) guests;
	LIST_HEAD(, http_request) over; /* to be freed when they are idle */
	struct http_sessions dead;        /* the same */
	char start[HTTP_START_SIZE + 1];  /* of the names of its sessions */
	struct event *reap;
	struct event *replay_timer; /* NULL: nothing was kept yet */
	uint64_t replay_bytes;      /* of all guests */
	struct http_request *current; /* whose message is being handled */
	int dir;              /* the state directory; -1: no tokens */
	char *path;           /* where it was opened */
	bool moved;            /* it is not there any more */
	struct tokens tokens; /* as last read */
	unsigned long reloads; /* of the settings that guests have */
	bool faulty;           /* their file has a fault */
	struct err fault;     /* the one that was logged last */
	struct event *watch;  /* looks whether it has changed */
	struct guesses *guesses;
	struct serve_sockets sockets;
};

/* Why a guest or a request is refused. */
struct http_refusal {
	int status;
	unsigned int seconds; /* for Retry-After; 0: none */
	const char *reason;   /* static */
};

/* A file with a fault does not say which tokens are valid. */
#define HTTP_FAULTY "the tokens of this server cannot be read"

/* The token of the guest for all who have a link; no other has this name. */
#define HTTP_LINKS_TOKEN ((struct token){ .name = (char *)"" })

/* Why a client that comes back gets no events. */
#define HTTP_REPLAY_UNKNOWN                                                    \
	"this Last-Event-ID is unknown: the events of an answer are kept for " \
	"5 minutes after the last one, up to 16 MiB for a client; the "        \
	"resource resource://caisson/calls lists calls with their output"

/* Error code of versions without sessions: HeaderMismatch. */
#define HTTP_HEADER_MISMATCH (-32020)

/*
 * The functions of http_routes.def: each answers a request, now or later. Bytes
 * of ask are valid only during the call.
 */
typedef void http_handler(struct http_request *request, struct ipc_ask *ask);
#define HTTP_ROUTE(NAME, method, path, WHO, BODY, FORM, handler)               \
	http_handler handler;
#include "../../../common/http_routes.def"

/* http_request.c */

/* Nothing more may be sent for it: it is freed from the loop. */
void http_request_end(struct http_request *request);

/* Frees it, in any state. */
void http_request_free(struct http_request *request);

/*
 * Answers the request with one JSON value, or with nothing (len 0), and ends
 * it.
 */
void http_reply(struct http_request *request, int status, const char *json,
    size_t len);

/* Answers it with an error of JSON-RPC; id has len 0 if it is unknown. */
void http_reply_error(struct http_request *request, int status,
    struct json_span id, int code, const char *message);

/* Notes the id of a message, a request, that the request contains. */
void http_note_id(struct http_request *request, struct json_span id);

/*
 * Ends it, with an error for each of its unanswered messages, so that no client
 * waits for them; status is used unless events are being sent.
 */
void http_give_up(struct http_request *request, int status, const char *reason);

/* Begins a stream of events, unless it has begun. */
void http_stream(struct http_request *request);

/*
 * Sends an event (id: empty for none) to the client of a request, unless it has
 * left; last: the answer is complete.
 */
void http_pass(struct http_request *request, const char *id,
    const struct buffer *line, int last);

/*
 * The client of a request has come back: from now on its events are those of
 * another request, whose stream has begun, and which ends.
 */
void http_request_move(
    struct http_request *request, struct http_request *other);

/*
 * Sends a line to the client of a request: as its answer, or as an event. Does
 * nothing if that cannot be, because the client takes no events.
 */
void http_send(struct http_request *request, struct buffer *line,
    const struct mcp_about *about);

/* Has what is over freed soon. */
void http_reap(struct http *http);

/* Returns whether the guest's answers wait for too long to accept new work. */
int http_busy(const struct http_guest *guest);

/* http_session.c */

/* Sets what the names of all sessions of this door begin with. */
void http_session_start(struct http *http);

/* Handles a POST of versions with a handshake. */
void http_session_on_post(struct http_request *request,
    const struct ipc_ask *ask, struct json_span value);

/* Ends all sessions of a guest, with their calls. why is for the log. */
void http_session_end_all(struct http_guest *guest, const char *why);

/* The program ends: ends the streams of all sessions of a guest. */
void http_session_drain_all(struct http_guest *guest);

/* Frees those that have ended and are idle; or all of them, in any state. */
void http_session_reap(struct http *http);
void http_session_free_all(struct http_sessions *sessions);

/* http_replay.c */

/*
 * Keeps the events of a request from now on. number: of it in its session;
 * primes: its client accepts an event that has an id only.
 */
void http_replay_new(
    struct http_request *request, uint64_t number, bool primes);

/*
 * Writes the id of the start, of at most HTTP_EVENT_ID_MAX, for an event with
 * nothing else. Returns whether the client accepts that.
 */
int http_replay_prime(const struct http_replay *replay, char *id);

/*
 * Keeps one more event, and writes its id, of at most HTTP_EVENT_ID_MAX. That
 * may free it, if there is no room.
 */
void http_replay_add(
    struct http_replay *replay, const struct buffer *line, char *id);

/* The request ends: its client may come back for HTTP_REPLAY_SECONDS. */
void http_replay_end(struct http_request *request);

/* Returns the answer of a session that has this event, or NULL. */
struct http_replay *http_replay_find(const struct http_guest *guest,
    const struct http_session *session, struct ipc_bytes id, uint64_t *event);

/*
 * Passes the events after that one to a request. Returns the request that sends
 * more of them; NULL: all are here.
 */
typedef void http_replay_pass(struct http_request *request, const char *id,
    const struct buffer *line, int last);
struct http_request *http_replay_send(const struct http_replay *replay,
    uint64_t after, http_replay_pass *pass, struct http_request *request);

/* Drops all that is kept of a session, or of a guest (NULL). */
void http_replay_forget(
    struct http_guest *guest, const struct http_session *session);

/* http_figures.c: returns whether a request is about figures. */
int http_figures_is(const struct ipc_ask *ask);

/* http_guest.c */

/* Initialises a guest, which belongs to the caller. */
void http_guest_init(
    struct http_guest *guest, struct http *http, struct owner *owner);

/* Return the guest of our user, or of the owner that a token names. */
struct http_guest *http_guest_of_user(struct http *http);
struct http_guest *http_guest_of_token(
    struct http *http, const struct token *token);

/*
 * The client of a request has left. In versions without sessions that cancels
 * the request; in the others the client may only have lost its connection.
 */
void http_guest_leave(struct http_request *request);

/* All clients of a guest have left, but its sessions wait for them. */
void http_guest_lose(struct http_guest *guest);

/* Its token is not valid any more: ends its requests, sessions and calls. */
void http_guest_revoke(struct http_guest *guest);

/*
 * Its token has other rights now, which are copied: ends what has begun with
 * the former ones. Its clients stay connected.
 */
void http_guest_change(struct http_guest *guest, const struct token *token);

/* Returns whether it stands for all who have a link. */
int http_guest_is_of_links(const struct http_guest *guest);

/* The settings of all become the current ones, as their tokens allow. */
void http_guests_refresh(struct http *http);

/* Free its requests and sessions; then itself, once no request names it. */
void http_guest_clear(struct http_guest *guest);
void http_guest_free(struct http_guest *guest);

/*
 * http_spent.c: http_spent_recall gives a new guest what its token has taken
 * before the start; http_spent_keep writes what has changed.
 */
void http_spent_recall(struct http_guest *guest);
void http_spent_keep(struct http *http);

/* http_tokens.c */

/* Takes *dir, the state directory at path; -1: there are no tokens. */
void http_tokens_begin(struct http *http, int *dir, const char *path);
void http_tokens_end(struct http *http);

/* Reads the tokens again if their file has changed. */
void http_tokens_look(struct http *http);

/* Returns the guest that the token of a hello names; NULL with *refusal. */
struct http_guest *http_tokens_guest(struct http *http,
    const struct ipc_hello *hello, struct http_refusal *refusal);

/* Returns whether a guest may send a request now; 0 with *refusal. */
int http_tokens_allow(struct http_guest *guest, struct http_refusal *refusal);

/*
 * Returns whether the request that was allowed last may have a batch of so many
 * messages, which count like requests; 0 with *refusal.
 */
int http_tokens_allow_batch(struct http_guest *guest, size_t count,
    struct http_refusal *refusal);

/* http_headers.c */

/*
 * Returns NULL if the fields of a request of a version without sessions agree
 * with its message; or what is wrong, static.
 */
const char *http_headers_fault(
    const struct ipc_ask *ask, const struct jsonrpc *message);

#endif
