/*
 * What caisson adopt would do: which entries of a client's file move, which
 * stay and why. Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_PLAN_H
#define SUPERVISOR_ADOPT_PLAN_H

#include "../../common/buffer.h"
#include "../../common/err.h"
#include "../options/command_word.h"
#include "../servers/servers.h"
#include "adopt_client.h"
#include "adopt_edit.h"

/* An entry of the client's file. */
struct adopt_row {
	const struct server *server;
	int ours;
	int moves;
	char *why; /* it stays; NULL for ours, and for one that moves */
};

/* All zeroes is none. */
struct adopt_plan {
	const struct adopt_client *client;
	const struct servers *servers;
	const struct server_file *file; /* the client's */
	const struct server_file *own;  /* servers/CLIENT.json; NULL: none */
	struct adopt_row *rows; /* those that have a place in the file */
	size_t count;
	size_t moves;
	int registered; /* our entry is in the file */
	int copies;     /* what moves stays in the client's file, too */
};

/*
 * Makes the plan from what all files say, read with the spots of the client's;
 * own is the path of our file for it; with copies set the client's entries stay
 * in its file, too. Returns 0, or -1 with err where nothing
 * can be done; adopt_plan_reset in both cases.
 */
int adopt_plan_make(struct adopt_plan *plan, const struct servers *servers,
    const struct adopt_client *client, const struct command_flags *asked,
    const char *own, int copies, struct err *err);
void adopt_plan_reset(struct adopt_plan *plan);

/* Whether a name is among the entries of our file already. */
int adopt_plan_owns(const struct adopt_plan *plan, const char *name);

/*
 * Appends the new content of our file: what it has, and what moves, with rules
 * that deny tools besides: pairs of servers and tools.
 */
void adopt_plan_add_own(const struct adopt_plan *plan,
    const struct buffer *denied, struct buffer *out);

/* The same without the entries of these names. */
void adopt_plan_add_rest(const struct adopt_plan *plan,
    const struct buffer *names, struct buffer *out, size_t *count);

#endif
