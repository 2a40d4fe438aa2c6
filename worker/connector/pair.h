/*
 * The pair of pipes to the broker: lines of the input, and a queue for the
 * output. Runs in the connector.
 */
#ifndef WORKER_CONNECTOR_PAIR_H
#define WORKER_CONNECTOR_PAIR_H

#include <stddef.h>

#include "../../common/base/lines.h"

struct event_base;
struct pair;

struct pair_ends {
	/* A message of the broker, borrowed. Must not free the pair. */
	void (*line)(void *ctx, const struct line *line);
	/* The broker takes no more, or sends no more. May free the pair. */
	void (*closed)(void *ctx);
	/* The queue has become short again. Must not free the pair. */
	void (*room)(void *ctx);
	void *ctx;
};

/* Takes both descriptors; in is read as long as lines are taken. */
struct pair *pair_new(struct event_base *base, int *in, int *out,
    const struct pair_ends *ends);
void pair_free(struct pair **pair);

/* Sends bytes now or later. */
void pair_write(struct pair *pair, const char *data, size_t len);

/* Returns whether so much is queued that nothing should be added. */
int pair_is_full(const struct pair *pair);

#endif
