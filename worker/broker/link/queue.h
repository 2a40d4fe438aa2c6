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
#ifndef WORKER_BROKER_QUEUE_H
#define WORKER_BROKER_QUEUE_H

#include "../state/ask.h"

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
 * one more for each execution.
 */
struct ask *queue_take(struct queue *queue);

/* The bytes of a call with a place were sent and will be freed. */
void queue_sent(struct queue *queue, const struct ask *ask);

/* Returns the number of unsent bytes of calls. */
size_t queue_bytes(const struct queue *queue);

/* Removes a call that was put: it neither waits nor has a place any more. */
void queue_remove(struct queue *queue, struct ask *ask);

#endif
