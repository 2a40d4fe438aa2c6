/*
 * The calls of one server that have no answer yet, by execution: those that
 * wait, for its start or for a place, and the places that the others have.
 * Executions take turns, and none can take the places or the bytes that
 * another needs. Runs in the broker.
 *
 * Both are shared out by one rule: an execution gets at most half of what the
 * others leave, so that there is always something left for one more. The first
 * call of an execution has a place in any case. Of executions of several
 * owners, those of the owner that has fewest places come first.
 */
#ifndef WORKER_BROKER_QUEUE_H
#define WORKER_BROKER_QUEUE_H

#include "ask.h"

struct queue;

/*
 * The rule: whether an execution that has own units may have more of them, when
 * all units are given out so far, to all executions, and most exist.
 */
int queue_may_have(size_t own, size_t more, size_t all, size_t most);

struct queue *queue_new(void);

/* It must be empty. */
void queue_free(struct queue **queue);

/*
 * Whether one more call, of so many bytes, may be put: calls that wait are
 * bounded by SERVER_WAITING_MAX, bytes that are not sent by
 * SERVER_UNWRITTEN_MAX. The first call of an execution, when it is small,
 * always may.
 */
int queue_has_room(
    const struct queue *queue, const struct session *session, size_t len);

/* Puts a call, which waits for a place now, behind those of its execution. */
void queue_put(struct queue *queue, struct ask *ask);

/* Returns a call that waits, which stays where it is; NULL: there is none. */
struct ask *queue_peek(struct queue *queue);

/*
 * Returns the call whose turn it is, which has a place now and is in no list;
 * NULL: none of those that wait may have one. There are SERVER_CALLS_MAX, and
 * one for each execution besides.
 */
struct ask *queue_take(struct queue *queue);

/* The bytes of a call with a place were sent, and are about to be freed. */
void queue_sent(struct queue *queue, const struct ask *ask);

/* Returns how many bytes of calls are not sent. */
size_t queue_bytes(const struct queue *queue);

/* Removes a call that was put: it neither waits nor has a place any more. */
void queue_remove(struct queue *queue, struct ask *ask);

#endif
