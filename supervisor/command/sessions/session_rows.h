/*
 * Sessions of running Caissons, as a command receives them, and the requests by
 * which it asks for them (on_supervisor.c). Runs in commands.
 */
#ifndef SUPERVISOR_SESSION_ROWS_H
#define SUPERVISOR_SESSION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../common/base/err.h"
#include "../../../common/limits.h"

struct session_row {
	char socket[RENDEZVOUS_NAME_SIZE + 1]; /* of its Caisson */
	pid_t process;                         /* its Caisson; 0: unknown */
	char *owner;                           /* empty: the local user */
	char *name;
	char *language;
	bool busy;
	uint64_t calls;
	uint64_t age_ms;
	uint64_t idle_ms;
	uint64_t bytes;
};

/* All zeroes: none. */
struct session_rows {
	struct session_row *one;
	size_t count;
};

/* Frees all. */
void session_rows_reset(struct session_rows *rows);

/*
 * Asks a Caisson, to which fd is connected, for its sessions, and appends them.
 * Returns 0, or -1 with err; then some may have been appended.
 */
int session_rows_ask(int fd, const char *socket, pid_t process,
    struct session_rows *rows, struct err *err);

/* Has the Caisson of this session end it. Returns 0, or -1 with err. */
int session_row_end(int fd, const struct session_row *row, struct err *err);

#endif
