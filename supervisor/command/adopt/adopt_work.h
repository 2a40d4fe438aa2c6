/*
 * One run of caisson adopt: its data, and the steps that a change and its
 * undoing have in common.
 */
#ifndef SUPERVISOR_ADOPT_WORK_H
#define SUPERVISOR_ADOPT_WORK_H

#include "../../../common/base/err.h"
#include "adopt_file.h"
#include "adopt_plan.h"

struct command_setup;

struct adopt_work {
	const struct adopt_client *client;
	const struct command_flags *asked;
	char *program; /* the path of this program */
	char *target;  /* ~/.config/caisson/servers/CLIENT.json */
	char *folder;  /* ~/.config/caisson/adopted/CLIENT: the records */
	struct servers servers;
	struct adopt_plan plan;
	struct adopt_file file; /* the client's, as read */
	struct buffer denied;   /* pairs of server and tool */
};

/* Sets the paths of our files for the client. Returns 0, or -1 with err. */
int adopt_work_find_places(
    struct adopt_work *work, char **envp, struct err *err);

/*
 * Has all files of servers read, except those of projects. locations is the
 * source whose positions are reported; named is a file to read first, instead
 * of that of the option; both may be NULL. Call servers_free afterwards.
 */
void adopt_work_read_servers(struct servers *servers,
    const struct command_setup *setup, const char *locations,
    const char *named);

/*
 * Writes our file, unless it already has all moving entries. Returns 0, or -1
 * with err.
 */
int adopt_work_write_target(const struct adopt_work *work, struct err *err);

/* Returns how many moving entries our file does not have. */
size_t adopt_work_count_new(const struct adopt_plan *plan);

/*
 * Reads a file that has been parsed, and checks that it has not changed since.
 * owner is the program that may have changed it. Returns 0, or -1 with err.
 */
int adopt_work_read_file(struct adopt_file *read,
    const struct server_file *file, const char *owner, struct err *err);

/*
 * Reads the client's file, which must be that of the plan. Returns 0, or -1
 * with err.
 */
int adopt_work_read(struct adopt_work *work, struct err *err);

/*
 * Appends the client's file without the moving entries, or, when a change is
 * undone and take is set, without ours; and with the entries in puts. Returns
 * 0, or -1 with err.
 */
int adopt_work_edit(const struct adopt_work *work, int take,
    const char *const *puts, size_t count, struct buffer *out, struct err *err);

/*
 * Takes the client and the flags from a command, which must outlive the work.
 * Checks that the flags suit each other, and that there is consent or a way to
 * ask for it. Returns 0, or -1 with err.
 */
int adopt_work_begin(struct adopt_work *work, const struct command *command,
    struct err *err);

/* Returns whether the user agrees; always 0 for a dry run. */
int adopt_work_ask(const struct command_flags *asked);

/* adopt_undo.c: 0, or -1 with err; sets *changed if a file has changed. */
int adopt_undo(struct adopt_work *work, int *changed, struct err *err);

#endif
