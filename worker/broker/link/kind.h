/*
 * The kinds of links: what is at the other end of the three pipes by which a
 * link speaks with its server. Runs in the broker.
 */
#ifndef WORKER_BROKER_LINK_KIND_H
#define WORKER_BROKER_LINK_KIND_H

#include "../state/definition.h"
#include "../state/state.h"

/* Why a link failed, or has not started yet; all of it is masked. */
struct link_failure {
	const struct buffer *banner; /* its output that was no MCP */
	const struct buffer *errors; /* the end of its standard error */
	int cut;                     /* there was more before that */
	int whole;                   /* for the operator: nothing is left out */
};

struct link_kind {
	/* Asks for the pipes, which come with LAUNCHED. */
	void (*open)(struct broker *broker, uint64_t link,
	    const struct definition *definition);

	/* They are not needed any more: an ENDED follows. */
	void (*close)(struct broker *broker, uint64_t link);

	/* Appends the cause, as the end of a sentence; nothing if unknown. */
	void (*describe_failure)(
	    const struct link_failure *failure, struct buffer *reason);
};

/* process.c: a process of the supervisor. */
extern const struct link_kind link_process;

#endif
