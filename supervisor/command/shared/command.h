/*
 * Commands: the actions of caisson other than serving. Each runs alone.
 */
#ifndef SUPERVISOR_COMMAND_H
#define SUPERVISOR_COMMAND_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "../../../common/base/err.h"
#include "../../../common/role.h"

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

/* complain.c */

/*
 * Prints a message to standard error, with characters escaped that a terminal
 * would obey.
 */
void command_complain(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

/* Asks at the terminal. Returns whether the user agrees. */
int command_ask(const char *question);

/* Returns whether there is a terminal to ask at. */
int command_can_ask(void);

/*
 * Returns whether a command that removes may do so: with --yes, or if the user
 * agrees; or -1 with err if the user cannot be asked.
 */
int command_consent(
    const struct command *command, const char *question, struct err *err);

/* Says on a terminal, on standard error, what is waited for. */
void command_tell_wait(const char *what);

/* print_config.c */

/* Prints every source and every entry, without the values of variables. */
void print_config(const struct servers *servers, FILE *out);

/* print_config_json.c: the same to stdout, as one JSON object. */
void print_config_json(const struct servers *servers);

/*
 * Reads the configuration of servers and prints it to stdout. Returns 0, or -1
 * with err.
 */
int print_config_run(struct event_base *base, const struct options *options,
    char **envp, struct err *err);

/*
 * Checks that the configuration has the servers that --server of the command
 * names. Returns 0, or -1 with err.
 */
int print_config_check_named(struct event_base *base,
    const struct options *options, char **envp, struct err *err);

/* servers_try.c */

/*
 * Starts each configured server, or only those named in only (each name + NUL;
 * NULL: all). Prints the tools or the error of each to stdout, and the size of
 * all definitions beside own, the size of ours. If destructive is not NULL,
 * appends each tool that is declared destructive, as pairs of server and tool;
 * the tool * means all. If json is set, prints one JSON
 * object. Returns the exit status: 0, or 1 if a server failed.
 */
int servers_try_run(struct event_base *base, struct in_force *config,
    struct broker *broker, uint64_t own, const struct buffer *only,
    struct buffer *destructive, int json);

/* owner_flag.c */

/* Stands for the local user: no name of a token begins with a dash. */
#define OWNER_FLAG_USER "-"

/*
 * Returns the owner, a scope, that --owner of a command names, borrowed from
 * it; NULL with err if it cannot be one.
 */
const char *owner_flag_scope(const struct command *command, struct err *err);

/*
 * Says on standard error if --owner of the command is the name of no token: it
 * may have been revoked, and what it has kept is still there.
 */
void owner_flag_tell(const struct options *options, char **envp);

/*
 * Returns the flag --owner as the command has it, behind a space, to repeat it
 * in advice; "" if it has none. The caller frees it.
 */
char *owner_flag_again(const struct command *command);

/* stored.c */

/*
 * Executes options.command on the stored data of a scope, and prints the result
 * to stdout. Returns the exit status: 0, or 1 if it failed.
 */
int stored_run(struct event_base *base, struct store *store,
    const char *scope, const struct command *command);

/* kept_files.c */

/* The same for kept files. */
int kept_files_run(struct event_base *base, struct files *files,
    const char *scope, const struct command *command);

/* token.c */

/* Checks the operand and the flags of token add. Returns 0, or -1 with err. */
int token_check(const struct options *options, struct err *err);

/*
 * Executes options->command on the tokens of HTTP clients. Returns the exit
 * status: 0, or 1 if there is no such token; or -1 with err.
 */
int token_run(const struct options *options, char **envp, struct err *err);

/* config_set.c */

/*
 * config_set_try changes options as if config.json had the member that the
 * command names; *winner is what overrides it, or stays NULL: the caller frees
 * it. config_set_write writes that member. Both return 0, or -1 with err.
 */
int config_set_try(struct options *options, char **winner, struct err *err);

/* Returns whether an error of config check names the new member. */
int config_set_is_blamed(const struct options *options, const struct err *why);

int config_set_write(
    const struct options *options, const char *winner, struct err *err);

/* sessions.c */

/*
 * Executes options->command on the sessions of the running Caissons of our
 * user. Returns the exit status: 0, or 1 if there is no such session or a
 * Caisson does not answer; or -1 with err.
 */
int sessions_run(const struct options *options, char **envp, struct err *err);

/* selftest.c */

/*
 * Tests every promise of the box. Prints the problems and a count to stdout;
 * with --verbose, every check. options are those of runs, and are changed
 * temporarily. Returns the exit status: 0, or 1 if a check failed.
 */
int selftest_run(struct runs *runs, struct options *options);

/* libraries.c */

/*
 * Runs the interpreter of boxes to find installed libraries, and prints them to
 * stdout, as options.command says. options are those of runs, and are changed.
 * Returns the exit status: 0, or 1 if it cannot run.
 */
int libraries_run(struct runs *runs, struct options *options);

/* image.c */

/*
 * Runs a command of "caisson image" and prints its result, as options->command
 * says. Returns the exit status, or -1 with err if nothing was begun; to build
 * and to pull become other programs.
 */
int image_run(const struct options *options, char **envp, struct err *err);

/* worker_try.c */

/* Returns whether worker_try supports this role: it can start without work. */
int worker_try_can(enum role role);

/*
 * Starts a worker of a role that worker_try_can supports, as calls do, but
 * without work, and waits for its end, which comes at once. Runs the loop
 * meanwhile. Returns 0, or -1 with err: its exit and its last message, such as
 * the missing library, and the fix.
 */
int worker_try(struct event_base *base, enum role role, struct err *err);

#endif
