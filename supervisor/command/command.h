/*
 * Commands: what caisson does when it is not asked to serve. Each runs alone.
 */
#ifndef SUPERVISOR_COMMAND_H
#define SUPERVISOR_COMMAND_H

#include <stdint.h>
#include <stdio.h>

#include "../../common/err.h"
#include "../../common/role.h"

struct broker;
struct buffer;
struct command;
struct files;
struct in_force;
struct event_base;
struct options;
struct runs;
struct servers;
struct store;

/* print_config.c */

/* Prints every source and every entry; no values of variables. */
void print_config(const struct servers *servers, FILE *out);

/*
 * Reads the configuration of servers and prints to stdout what it says.
 * Returns 0, or -1 with err.
 */
int print_config_run(struct event_base *base, const struct options *options,
    char **envp, struct err *err);

/* servers_try.c */

/*
 * Starts each server that is configured, or, where only is not NULL, those of
 * these names, each with a NUL; prints its tools or its error to stdout, and
 * the size of all definitions beside own, the size of ours.
 * Where destructive is not NULL, appends each server and tool of it that says
 * it destroys, in pairs; the tool * stands for all. Returns the exit status: 0,
 * or 1 when one of them failed.
 */
int servers_try_run(struct event_base *base, struct in_force *config,
    struct broker *broker, uint64_t own, const struct buffer *only,
    struct buffer *destructive);

/* stored.c */

/*
 * Does what options.command says about what is kept, prints that to stdout.
 * Returns the exit status: 0, or 1 when it could not be done.
 */
int stored_run(struct event_base *base, struct store *store,
    const struct command *command);

/* kept_files.c */

/* The same for the files that are kept. */
int kept_files_run(struct event_base *base, struct files *files,
    const struct command *command);

/* selftest.c */

/*
 * Tries every promise of the box by doing; prints the problems and a count to
 * stdout, every check where --verbose is given. options are those of runs,
 * which change for a moment.
 * Returns the exit status: 0, or 1 when one does not hold.
 */
int selftest_run(struct runs *runs, struct options *options);

/* libraries.c */

/*
 * Asks the interpreter of boxes which libraries it finds, and prints that to
 * stdout, as options.command says. options are those of runs, which change.
 * Returns the exit status: 0, or 1 when it cannot be asked.
 */
int libraries_run(struct runs *runs, struct options *options);

/* worker_try.c */

/* Whether worker_try can try this role: it starts without any work. */
int worker_try_can(enum role role);

/*
 * Starts a worker of this role, which worker_try_can allows, as calls do,
 * without any work, and waits until it has ended, which it does at once. Runs
 * the loop meanwhile. Returns 0, or -1 with err: how it ended and what it said,
 * such as the library that is missing, and the fix.
 */
int worker_try(struct event_base *base, enum role role, struct err *err);

#endif
