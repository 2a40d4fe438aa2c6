/*
 * A question to a client: elicitation, sampling or roots. In a session it is a
 * request of ours. In the era without sessions it is part of a result, and the
 * client repeats its request with the answer. Runs in the supervisor.
 */
#ifndef SUPERVISOR_QUESTION_H
#define SUPERVISOR_QUESTION_H

#include "../../common/buffer.h"
#include "../../common/json_span.h"
#include "mcp.h"

struct question;

/*
 * Called once, unless the question is freed before: with the result of the
 * client, or with len 0 and why there is none, one sentence. The question may
 * be freed then.
 */
typedef void question_told(void *ctx, struct json_span result, const char *why);

/* Returns the capability that a client needs for a method; 0: unknown. */
unsigned int question_capability(const char *method);

/* Appends the member of ClientCapabilities that this method needs. */
void question_add_capability(struct buffer *json, const char *method);

/*
 * Returns a question with these params, a JSON object of one line. It ends
 * unanswered after QUESTION_MS. Freed with question_free.
 */
struct question *question_new(struct mcp *mcp, const char *method,
    const char *params, question_told *told, void *ctx);

/* Frees it; a request that the client has not answered is cancelled. */
void question_free(struct question **question);

/* Sends it as a request of ours. */
void question_send(struct question *question);

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
