/*
 * The calls that wait with a server, for its start or for a place: executions
 * take turns, so that one with many calls holds up another by one of them.
 * Runs in the broker.
 */
#ifndef WORKER_BROKER_QUEUE_H
#define WORKER_BROKER_QUEUE_H

#include "ask.h"

struct queue;

struct queue *queue_new(void);

/* It must be empty. */
void queue_free(struct queue **queue);

/*
 * Whether a call of so many bytes may wait, too: there is a bound for all, and
 * no execution gets more than half of the bytes that others leave.
 */
int queue_has_room(
    const struct queue *queue, const struct session *session, size_t len);

/* Puts an ask behind those of its execution. ask_move takes it out again. */
void queue_put(struct queue *queue, struct ask *ask);

/* Returns an ask that waits, which stays where it is; NULL: there is none. */
struct ask *queue_peek(struct queue *queue);

/* Takes out the ask whose turn it is; NULL: there is none. */
struct ask *queue_take(struct queue *queue);

#endif
