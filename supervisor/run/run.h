/*
 * Executions: admission, the queue, and the one conclusion of each.
 */
#ifndef SUPERVISOR_RUN_H
#define SUPERVISOR_RUN_H

#include <stdint.h>

#include "../../common/err.h"
#include "../box/box.h"

struct call;
struct supervisor;

/* What is to be run, and how. */

struct run_python {
	char *code;
	size_t code_len;
	unsigned int timeout;
	char *servers; /* the names, each with a NUL; NULL: none */
	size_t servers_len;
};

/* Frees what it holds. */
void run_python_reset(struct run_python *run);

/* call.c: one execution, from its admission to its one conclusion. */

enum call_status {
	CALL_SUCCESS,
	CALL_ERROR,
	CALL_TIMEOUT,
	CALL_CANCELLED,
};

struct call_result {
	enum call_status status;
	int exited;    /* exit_code holds */
	int exit_code; /* the interpreter's */
	int signal;    /* that ended the code, 0 for none */
	char *error;   /* one sentence; NULL for success */
	unsigned int timeout; /* seconds */
	struct call_stream out;
	struct call_stream errors;
	const char *servers; /* the names that were asked for, each + NUL */
	size_t servers_len;
	uint64_t tool_calls;
	int boxed; /* a box stood: the facts below hold */
	unsigned int landlock;
	char *bound; /* a directory without an overlay, and why; or NULL */
	int proc;
	int watchdog; /* over the memory of the box as a whole */
	int unnamed;  /* the box had the name of the host */
	int grouped;  /* a cgroup limits the box, and counts all of it */
	char *weak; /* why it was one of the weaker level; NULL: it was not */
	char *notes; /* sentences for the user, each + NUL; NULL: none */
	size_t notes_len;
	uint64_t duration_us; /* from the start of the box to its end */
	uint64_t cpu_us;   /* of all processes, as far as it is known */
	uint64_t peak_kib; /* largest resident set of one process */
};

/* Told once, when the call is concluded; result dies afterwards. */
typedef void call_concluded(void *ctx, const struct call_result *result);

/*
 * Admits a call, which starts at once or waits for a place. What run holds is
 * taken over in any case. Returns the call, which ends by itself with
 * concluded() (never before this function has returned), or NULL with err when
 * there is no room.
 */
struct call *call_new(struct supervisor *sv, struct run_python *run,
    call_concluded *concluded, void *ctx, struct err *err);

/* Hastens the end: the call concludes as cancelled, with this sentence. */
void call_cancel(struct call *call, const char *why);

/* Cancels every call. */
void call_cancel_all(struct supervisor *sv, const char *why);

#endif
