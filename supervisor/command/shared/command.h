/* Commands: the actions of caisson other than serving. Each runs alone. */
#ifndef SUPERVISOR_COMMAND_H
#define SUPERVISOR_COMMAND_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "../../../common/base/err.h"
#include "../../../common/role.h"

struct broker;
struct buffer;
struct client_config_self;
struct command;
struct in_force;
struct event_base;
struct options;
struct runs;
struct server;
struct servers;
struct suggest;
struct supervisor;

/* What a command is given. */
struct command_setup {
	struct options *options;
	int argc;
	char **argv;
	char **envp;
	const struct client_config_self *self; /* this program */
	struct supervisor *sv;  /* for serving only */

	/*
	 * Prepares the process, or checks whether that would fail and the files
	 * of options can be opened. Both return 0, or -1 with err.
	 */
	int (*prepare)(struct command_setup *setup, struct err *err);
	int (*check)(const struct command_setup *setup, struct err *err);

	/* Of the prepared process. */
	struct event_base *base;
	struct in_force *config;
	struct runs *runs;
};

/*
 * The functions of commands.def: each executes options->command, and prints the
 * result to stdout. Returns the exit status: 0, or 1 if it failed and has said
 * why; or -1 with err if the command is invalid.
 */
#define COMMAND(TASK, NEEDS, run, word, verb, operands, FLAGS, doc)            \
	int run(struct command_setup *setup, struct err *err);
#include "../../options/commands.def"

/* One of them that is a call of a function, given setup and err. */
#define COMMAND_DEFINE(run, ...)                                               \
	int run(struct command_setup *setup, struct err *err)                  \
	{                                                                      \
		return __VA_ARGS__;                                            \
	}

/* complain.c */

/*
 * Ends the output of a command: prints err if done is -1. Returns the exit
 * status, 0 or 1.
 */
int command_end(int done, const struct err *err);

/*
 * Prints a message to standard error, with characters escaped that a terminal
 * would obey.
 */
void command_complain(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
void command_complain_list(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

/*
 * Sets the error for a server that does not exist, with the one that may be
 * meant; what names it, such as "server". Returns -1.
 */
int command_no_server(
    const char *what, const struct suggest *suggest, struct err *err);

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

/* copy.c */

/*
 * Copies the bytes of a descriptor from an offset on. Returns 0, or -1 with
 * err.
 */
int command_copy(int from, uint64_t offset, int to, struct err *err);

/* pour.c */

struct pour;

/* Called once, when all is written, or with errno if it cannot be. */
typedef void pour_ended(void *ctx, int error);

/*
 * Passes on what comes from a pipe, which is taken, to a descriptor: byte for
 * byte, but what a terminal would obey. pour_free ends it early.
 */
struct pour *pour_new(struct event_base *base, int *from, int to,
    pour_ended *ended, void *ctx);
void pour_free(struct pour **pour);

/* print_config.c */

/* Prints every source and every entry, without the values of variables. */
void print_config(const struct servers *servers,
    const struct options *options, FILE *out);

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
 * all definitions beside ours, the size of those of Caisson. If destructive is
 * not NULL, appends each tool that is declared destructive, as pairs of server
 * and tool; the tool * means all. If json is set, prints one JSON object.
 * Returns the exit status: 0, or 1 if a server failed.
 */
int servers_try_run(struct event_base *base, struct in_force *config,
    struct broker *broker, uint64_t ours, const struct buffer *only,
    struct buffer *destructive, int json);

/* servers_login.c */

/*
 * Returns the configured remote server of this name, which the configuration
 * owns, or NULL with err. Runs the loop.
 */
const struct server *servers_login_find(const struct command_setup *setup,
    const char *name, struct err *err);

/*
 * Logs all owners out at a server that is no longer configured (NULL: it was no
 * remote one) and removes what is kept of its logins; logs what fails.
 */
void servers_login_drop(const struct command_setup *setup, const char *name,
    const struct server *server);

/* owner_flag.c */

/* Stands for the local user: no name of a token begins with a dash. */
#define OWNER_FLAG_USER "-"

/*
 * Begins a command on what is kept, in a usable state directory: *scope becomes
 * the owner that --owner names, borrowed from the command. Asks before all of
 * these, such as "memories", are removed. Returns 0, or 1 if the user does not
 * agree; or -1 with err.
 */
int owner_flag_begin(const struct command_setup *setup, const char *these,
    const char **scope, struct err *err);

/*
 * Returns the flag --owner as the command has it, behind a space, to repeat it
 * in advice; "" if it has none. The caller frees it.
 */
char *owner_flag_again(const struct command *command);

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
