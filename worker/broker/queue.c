/*
 * The calls that wait with a server: see queue.h. Runs in the broker.
 */
#include <stdlib.h>

#include "../../common/limits.h"
#include "../../common/mem.h"
#include "queue.h"

/* What one execution has waiting; without anything it goes when it is met. */
struct queue_turn {
	TAILQ_ENTRY(queue_turn) entry;
	const struct session *session;
	struct ask_list asks;
};

/* The first is the one whose turn it is. */
struct queue {
	TAILQ_HEAD(, queue_turn) turns;
};

struct queue *
queue_new(void)
{
	struct queue *queue = mem_alloc(sizeof(*queue));

	TAILQ_INIT(&queue->turns);
	return queue;
}

static void
queue_drop(struct queue *queue, struct queue_turn *turn)
{
	TAILQ_REMOVE(&queue->turns, turn, entry);
	free(turn);
}

void
queue_free(struct queue **queuep)
{
	struct queue *queue = mem_take(queuep);

	if (queue == NULL)
		return;
	while (!TAILQ_EMPTY(&queue->turns))
		queue_drop(queue, TAILQ_FIRST(&queue->turns));
	free(queue);
}

int
queue_has_room(
    const struct queue *queue, const struct session *session, size_t len)
{
	const struct queue_turn *turn;
	const struct ask *ask;
	size_t count = 0, bytes = 0, own = 0;

	TAILQ_FOREACH (turn, &queue->turns, entry)
		TAILQ_FOREACH (ask, &turn->asks, entry) {
			count++;
			bytes += ask->params.len;
			own += turn->session == session ? ask->params.len : 0;
		}
	/* bytes stays below the bound by this very rule. */
	return count < SERVER_WAITING_MAX &&
	    own + len <= SERVER_UNWRITTEN_MAX - bytes;
}

/* Returns the turn of a session, a new one if it has none. */
static struct queue_turn *
queue_turn(struct queue *queue, const struct session *session)
{
	struct queue_turn *turn = TAILQ_FIRST(&queue->turns), *next;

	for (; turn != NULL; turn = next) {
		next = TAILQ_NEXT(turn, entry);
		if (turn->session == session)
			return turn;
		if (TAILQ_EMPTY(&turn->asks))
			queue_drop(queue, turn);
	}
	turn = mem_alloc(sizeof(*turn));
	turn->session = session;
	TAILQ_INIT(&turn->asks);
	TAILQ_INSERT_TAIL(&queue->turns, turn, entry);
	return turn;
}

void
queue_put(struct queue *queue, struct ask *ask)
{
	ask_move(ask, &queue_turn(queue, ask->session)->asks);
}

struct ask *
queue_peek(struct queue *queue)
{
	struct queue_turn *turn;

	while ((turn = TAILQ_FIRST(&queue->turns)) != NULL) {
		if (!TAILQ_EMPTY(&turn->asks))
			return TAILQ_FIRST(&turn->asks);
		queue_drop(queue, turn);
	}
	return NULL;
}

struct ask *
queue_take(struct queue *queue)
{
	struct ask *ask = queue_peek(queue);
	struct queue_turn *turn = TAILQ_FIRST(&queue->turns);

	if (ask == NULL)
		return NULL;
	ask_move(ask, NULL);
	TAILQ_REMOVE(&queue->turns, turn, entry);
	TAILQ_INSERT_TAIL(&queue->turns, turn, entry);
	return ask;
}
