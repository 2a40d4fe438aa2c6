/*
 * One run of caisson adopt: what it is about, and the steps that doing and
 * undoing share. Runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_WORK_H
#define SUPERVISOR_ADOPT_WORK_H

#include "../../common/err.h"
#include "adopt_file.h"
#include "adopt_plan.h"

struct adopt_work {
	const struct adopt_client *client;
	const struct command_flags *asked;
	char *program; /* the path of this one */
	char *own;     /* ~/.config/caisson/servers/CLIENT.json */
	char *folder;  /* ~/.config/caisson/adopted/CLIENT: the records */
	struct servers servers;
	struct adopt_plan plan;
	struct adopt_file file; /* the client's, as it was read */
	struct buffer denied;   /* servers and tools to deny, in pairs */
};

/*
 * Reads the client's file, which must be the one that the plan is about.
 * Returns 0, or -1 with err.
 */
int adopt_work_read(struct adopt_work *work, struct err *err);

/*
 * Appends the client's file without the entries that move, or, when it is
 * undone, without ours, if take is set; and with those that are put in.
 * Returns 0, or -1 with err.
 */
int adopt_work_edit(const struct adopt_work *work, int take,
    const char *const *puts, size_t count, struct buffer *out,
    struct err *err);

/* Whether there is a terminal to ask at, or no need to ask. */
int adopt_work_can_ask(const struct command_flags *asked);

/* Whether the user agrees; never with a dry run. */
int adopt_work_ask(const struct command_flags *asked);

/* adopt_undo.c: 0, or -1 with err; sets *changed when something was. */
int adopt_undo(struct adopt_work *work, int *changed, struct err *err);

#endif
