/*
 * Doors: how clients come in. A door has the owner of each client, and hands
 * its requests over to sessions of MCP. Each is a row of doors.def.
 */
#ifndef SUPERVISOR_DOOR_H
#define SUPERVISOR_DOOR_H

#include <stdbool.h>

#include "../run/run.h"

/* What doors are given. All of it outlives them. */
struct door_setup {
	struct runs *runs;
	struct owner *user; /* of clients that act for our user */
	char **envp;
	void (*ended)(void *ctx); /* the client for which we run has left */
	void *ctx;
	bool http; /* clients come over HTTP; not one on standard input */
};

/* Only open and close are needed; others may be NULL. */
struct door {
	/*
	 * Sets *state if this door is asked for. Returns 0, or -1 with
	 * err if nothing can be served; if *state is set, close follows.
	 */
	int (*open)(
	    void **state, const struct door_setup *setup, struct err *err);
	void (*begin)(void *state); /* all doors are open */
	void (*drain)(void *state); /* the program ends: tells its clients */
	int (*flushed)(const void *state); /* whether they have been told */
	void (*close)(void *state);        /* frees it */
	bool last; /* closed when no process of ours is left */
};

enum {
#define DOOR(name) DOOR_##name,
#include "doors.def"
	DOORS
};

/* All doors. All zeroes: none is open. */
struct doors {
	void *state[DOORS];
};

/* door.c: the same for all; those that are closed last, or the others. */
int doors_open(struct doors *doors, const struct door_setup *setup,
    struct err *err);
void doors_drain(struct doors *doors);
int doors_flushed(const struct doors *doors);
void doors_close(struct doors *doors, bool last);

#define DOOR(name) extern const struct door door_##name;
#include "doors.def"

/*
 * stdio.c: returns a client that sends and reads lines, a state of door_stdio.
 * Takes both descriptors.
 */
struct stdio *stdio_new(const struct door_setup *setup, int *in, int *out);

#endif
