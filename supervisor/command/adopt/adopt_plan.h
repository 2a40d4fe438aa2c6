/*
 * The plan of caisson adopt: which entries of a client's file move, which stay,
 * and why. Pure; runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_PLAN_H
#define SUPERVISOR_ADOPT_PLAN_H

#include <stdbool.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../options/command_line.h"
#include "../../servers/servers.h"
#include "../client/adopt_client.h"
#include "adopt_edit.h"
#include "adopt_json.h"

/* An entry of the client's file. */
struct adopt_row {
	const struct server *server;
	bool ours;
	int moves;
	char *why; /* why it stays; NULL for ours and if it moves */
};

/* All zeroes: no plan. */
struct adopt_plan {
	const struct adopt_client *client;
	const struct servers *servers;
	const struct server_file *file; /* the client's */
	const struct server_file *target; /* servers/CLIENT.json; NULL: none */
	struct adopt_row *rows; /* those with a position in the file */
	size_t count;
	size_t moves;
	const char *path; /* that of target, also where there is none */
	bool registered; /* our entry is in the file */
	bool copies;     /* moved entries also stay in the client's file */
};

/*
 * Makes the plan from the content of all files, read with the positions of the
 * client's entries. target is the path of our file for the client, to which
 * they move; with copies set they also stay in its file. Returns 0, or -1 with
 * err if nothing can be done; call adopt_plan_reset in both cases.
 */
int adopt_plan_make(struct adopt_plan *plan, const struct servers *servers,
    const struct adopt_client *client, const struct command_flags *asked,
    const char *target, int copies, struct err *err);
void adopt_plan_reset(struct adopt_plan *plan);

/* Returns whether our file already has an entry of this name. */
int adopt_plan_owns(const struct adopt_plan *plan, const char *name);

/*
 * Returns the present content of our file, for adopt_json_write, with rules
 * that deny further tools, as pairs of server and tool.
 */
json_t *adopt_plan_content(
    const struct adopt_plan *plan, const struct buffer *denied);

#endif
