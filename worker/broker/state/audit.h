/*
 * The audit file: one line of JSON for each tool call, with execution, server,
 * tool, time and outcome, but without any value of an argument or of a result.
 * If the file cannot be written, lines are lost, but no calls. Runs in the
 * broker.
 */
#ifndef WORKER_BROKER_AUDIT_H
#define WORKER_BROKER_AUDIT_H

#include <event2/event.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../common/json/json_span.h"

struct audit;

enum audit_outcome {
	AUDIT_CANCELLED, /* its answer was no longer needed */
	AUDIT_OK,
	AUDIT_TOOL_ERROR, /* a result with isError */
	AUDIT_ERROR,      /* an error of the server, or it ended */
	AUDIT_TIMEOUT,
	AUDIT_REFUSED, /* by Caisson: it was never sent to the server */
};

struct audit_call {
	uint64_t execution;
	const char *owner; /* of the execution; empty: the local user */
	const char *server;
	struct json_span tool; /* its name, a JSON string */
	size_t arguments;      /* bytes */
	size_t result;         /* bytes */
	uint64_t ms;           /* from the request to its end */
	int sent;              /* the server may have received it */
	enum audit_outcome outcome;
};

/*
 * Takes *fd, a regular file open for appending. audit_free writes the remaining
 * lines.
 */
struct audit *audit_new(struct event_base *base, int *fd);
void audit_free(struct audit **audit);

/* Records a call; the lines of one turn of the loop are written at its end. */
void audit_add(struct audit *audit, const struct audit_call *call);

#endif
