/*
 * A question to a client: elicitation, sampling or roots, or several of them.
 * In a session its parts are requests of ours. In the era without sessions they
 * are part of a result, and the client repeats its request with the answers.
 * Runs in the supervisor.
 */
#ifndef SUPERVISOR_QUESTION_H
#define SUPERVISOR_QUESTION_H

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../rpc/mcp.h"

struct question;

/* All is copied. */
struct question_part {
	const char *key; /* of its answer, without characters to be escaped */
	const char *method;
	const char *params; /* a JSON object of one line */
};

/*
 * Called once, unless the question is freed before: with an object that has the
 * client's answer to each part under its key, or with len 0 and why there is
 * none, one sentence. The question may be freed then.
 */
typedef void question_told(
    void *ctx, struct json_span results, const char *why);

/* Returns the capability that a client needs for a method; 0: unknown. */
unsigned int question_capability(const char *method);

/* Appends the member of ClientCapabilities that this method needs. */
void question_add_capability(struct buffer *json, const char *method);

/*
 * Returns a question of count parts, at most QUESTION_PARTS_MAX. It ends
 * unanswered after QUESTION_MS. Freed with question_free.
 */
struct question *question_new(struct mcp *mcp,
    const struct question_part *parts, size_t count, question_told *told,
    void *ctx);

/* Frees it; requests that the client has not answered are cancelled. */
void question_free(struct question **question);

/* Sends its parts as requests of ours, which belong to that of the client. */
void question_send(struct question *question, struct json_span id);

/* It is that of another session from now on; nothing of it was sent. */
void question_move(struct question *question, struct mcp *mcp);

/* Ends it without an answer. */
void question_give_up(struct question *question, const char *why);

/*
 * For a result: appends the object inputRequests, and returns the unguessable
 * text that the client must send back.
 */
const char *question_add_requests(
    const struct question *question, struct buffer *json);

/* Returns whether a client has sent that text, a JSON value. */
int question_is(const struct question *question, struct json_span state);

/*
 * Reads the answer in the params of a repeated request. Returns 0 if it is not
 * there.
 */
int question_hear(struct question *question, struct json_span params);

#endif
