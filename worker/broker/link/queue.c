/* The unanswered calls of one server: see link.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "link.h"

/*
 * The calls and places of one owner of executions; freed with the last of them.
 */
struct queue_owner {
	LIST_ENTRY(queue_owner) entry;
	char *name;
	size_t turns;
	size_t places; /* of all of them */
};

/* The calls and places of one execution; freed with the last of its calls. */
struct queue_turn {
	TAILQ_ENTRY(queue_turn) entry;
	struct queue_owner *owner;
	const struct grant *grant;
	struct ask_list asks; /* that wait */
	size_t bytes;         /* unsent bytes, including those of others */
	size_t places;
};

/* The first one has the next turn. */
struct queue {
	TAILQ_HEAD(, queue_turn) turns;
	LIST_HEAD(, queue_owner) owners;
	size_t waiting; /* calls of all turns */
	size_t bytes;
	size_t places;
};

struct queue *
queue_new(void)
{
	struct queue *queue = mem_alloc(sizeof(*queue));

	TAILQ_INIT(&queue->turns);
	LIST_INIT(&queue->owners);
	return queue;
}

void
queue_free(struct queue **queuep)
{
	struct queue *queue = mem_take(queuep);

	if (queue == NULL)
		return;
	if (!TAILQ_EMPTY(&queue->turns))
		fatal("calls of a server are left behind");
	free(queue);
}

/* Returns the turn of a grant, or NULL. */
static struct queue_turn *
queue_find(const struct queue *queue, const struct grant *grant)
{
	struct queue_turn *turn;

	TAILQ_FOREACH (turn, &queue->turns, entry)
		if (turn->grant == grant)
			return turn;
	return NULL;
}

int
queue_may_have(size_t own, size_t more, size_t all, size_t most)
{
	return all < most && own + more <= most - all;
}

int
queue_has_room(const struct queue *queue, const struct grant *grant, size_t len)
{
	const struct queue_turn *turn = queue_find(queue, grant);

	if (turn == NULL && len <= CALL_SMALL)
		return 1;
	return queue->waiting < SERVER_WAITING_MAX &&
	    queue_may_have(turn == NULL ? 0 : turn->bytes, len, queue->bytes,
	        SERVER_UNWRITTEN_MAX);
}

/* Returns the owner of this name, which is created if necessary. */
static struct queue_owner *
queue_own(struct queue *queue, const char *name)
{
	struct queue_owner *owner;

	LIST_FOREACH (owner, &queue->owners, entry)
		if (strcmp(owner->name, name) == 0)
			return owner;
	owner = mem_alloc(sizeof(*owner));
	owner->name = mem_strdup(name);
	LIST_INSERT_HEAD(&queue->owners, owner, entry);
	return owner;
}

/* Adds a turn after all others. */
static struct queue_turn *
queue_add(struct queue *queue, const struct ask *ask)
{
	struct queue_turn *turn = mem_alloc(sizeof(*turn));

	turn->owner = queue_own(queue, ask->owner);
	turn->owner->turns++;
	turn->grant = ask->grant;
	TAILQ_INIT(&turn->asks);
	TAILQ_INSERT_TAIL(&queue->turns, turn, entry);
	return turn;
}

/* Removes a turn and, after its last turn, the owner. */
static void
queue_drop(struct queue *queue, struct queue_turn *turn)
{
	struct queue_owner *owner = turn->owner;

	TAILQ_REMOVE(&queue->turns, turn, entry);
	free(turn);
	if (--owner->turns > 0)
		return;
	LIST_REMOVE(owner, entry);
	free(owner->name);
	free(owner);
}

void
queue_put(struct queue *queue, struct ask *ask)
{
	struct queue_turn *turn = queue_find(queue, ask->grant);

	if (turn == NULL)
		turn = queue_add(queue, ask);
	ask->turn = turn;
	ask_move(ask, &turn->asks);
	turn->bytes += ask->params.len;
	queue->bytes += ask->params.len;
	queue->waiting++;
}

struct ask *
queue_peek(struct queue *queue)
{
	struct queue_turn *turn;

	TAILQ_FOREACH (turn, &queue->turns, entry)
		if (!TAILQ_EMPTY(&turn->asks))
			return TAILQ_FIRST(&turn->asks);
	return NULL;
}

static void
queue_end_wait(struct queue *queue, struct ask *ask)
{
	ask_move(ask, NULL);
	queue->waiting--;
}

/*
 * Returns the first turn, of the owner with the fewest places, that has a call
 * that may get one; or NULL.
 */
static struct queue_turn *
queue_next(const struct queue *queue)
{
	struct queue_turn *turn, *next = NULL;

	TAILQ_FOREACH (turn, &queue->turns, entry) {
		if (next != NULL && next->owner->places <= turn->owner->places)
			continue;
		if (!TAILQ_EMPTY(&turn->asks) &&
		    (turn->places == 0 ||
		        queue_may_have(turn->places, 1, queue->places,
		            SERVER_CALLS_MAX)))
			next = turn;
	}
	return next;
}

struct ask *
queue_take(struct queue *queue, size_t most)
{
	struct queue_turn *turn = queue_next(queue);
	struct ask *ask;

	if (turn == NULL || (most > 0 && queue->places >= most))
		return NULL;
	ask = TAILQ_FIRST(&turn->asks);
	queue_end_wait(queue, ask);
	ask->placed = true;
	turn->places++;
	turn->owner->places++;
	queue->places++;
	TAILQ_REMOVE(&queue->turns, turn, entry);
	TAILQ_INSERT_TAIL(&queue->turns, turn, entry);
	return ask;
}

void
queue_sent(struct queue *queue, const struct ask *ask)
{
	ask->turn->bytes -= ask->params.len;
	queue->bytes -= ask->params.len;
}

size_t
queue_bytes(const struct queue *queue)
{
	return queue->bytes;
}

void
queue_remove(struct queue *queue, struct ask *ask)
{
	struct queue_turn *turn;

	queue_sent(queue, ask);
	turn = mem_take(&ask->turn);
	if (ask->placed) {
		ask->placed = false;
		turn->places--;
		turn->owner->places--;
		queue->places--;
	} else {
		queue_end_wait(queue, ask);
	}
	if (turn->places == 0 && TAILQ_EMPTY(&turn->asks))
		queue_drop(queue, turn);
}
