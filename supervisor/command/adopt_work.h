/*
 * One run of caisson adopt: what it is about, and the steps that doing and
 * undoing share. Runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_WORK_H
#define SUPERVISOR_ADOPT_WORK_H

#include "../../common/err.h"
#include "adopt_file.h"
#include "adopt_plan.h"

struct adopt_setup;

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
 * Returns ~/.config/caisson, or where the user's settings are instead, which
 * the caller frees; or NULL with err.
 */
char *adopt_work_settings(char **envp, struct err *err);

/* Fills in where our files of the client are. Returns 0, or -1 with err. */
int adopt_work_find_places(
    struct adopt_work *work, char **envp, struct err *err);

/*
 * Has all files of servers read, except for those of projects; with the spots
 * of one source, and with a file that is read first, in the place of the one
 * that an option names; both may be NULL. servers_free when done.
 */
void adopt_work_read_servers(struct servers *servers,
    const struct adopt_setup *setup, const char *spots, const char *named);

/*
 * Writes our file, unless it has all that moves. Returns 0, or -1 with err.
 */
int adopt_work_write_own(const struct adopt_work *work, struct err *err);

/* How many entries move that our file does not have. */
size_t adopt_work_count_new(const struct adopt_plan *plan);

/*
 * Reads a file that has been parsed, and must not have changed since; owner is
 * the program that may have changed it. Returns 0, or -1 with err.
 */
int adopt_work_read_file(struct adopt_file *read,
    const struct server_file *file, const char *owner, struct err *err);

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
