/*
 * The supervisor: the front process. It speaks MCP with one client, has a box
 * and a relay of its own for every call, and concludes each call once. It
 * alone may exec, open and kill; the only outsider whose bytes it reads is its
 * client, and no descriptor of a box passes through it longer than it takes to
 * hand it over. Everything of this folder runs in that process only.
 */
#ifndef SUPERVISOR_SUPERVISOR_H
#define SUPERVISOR_SUPERVISOR_H

#include "../common/channel.h"
#include "../common/err.h"
#include "box/box.h"
#include "options/options.h"
#include "run/run.h"

struct broker;
struct files;
struct in_force;
struct stdio;
struct store;

/* The process: one of it, made by main. Its parts are given to the rooms. */
struct supervisor {
	struct event_base *base;
	struct options options;
	struct in_force *config; /* which servers there are */
	struct broker *broker; /* speaks with them */
	struct store *store;   /* what is kept between calls, or NULL */
	struct files *files;   /* what code leaves and is given, or NULL */
	struct stdio *client;  /* that is served, or NULL */
	struct owner user;     /* whose calls those of the client are */
	int audit; /* the file for lines about calls of tools; -1: none */
	struct boxes boxes;
	struct runs runs;
};

/* supervisor.c: assembly, and the one teardown. */

/* Joins the parts that every action has, without starting anything. */
void supervisor_assemble(struct supervisor *sv, struct event_base *base);

/*
 * Prepares the process for what its options say, except for what only serving
 * needs. Returns 0, or -1 with err.
 */
int supervisor_prepare(struct supervisor *sv, char **envp, struct err *err);

/*
 * Whether supervisor_prepare would refuse something of this process or this
 * machine: returns 0, or -1 with err. Reads no configuration of servers.
 */
int supervisor_check(struct supervisor *sv, struct err *err);

/*
 * The part of that which concerns nothing outside of the process: its limits,
 * and where its programs are. Returns 0, or -1 with err.
 */
int supervisor_prepare_process(const struct options *options, struct err *err);

/* Takes apart what there is, in whatever state; every process of it ends. */
void supervisor_free(struct supervisor *sv);

/* process_limits.c: raises the limits of this process: 0, or -1 with err. */
int process_limits_raise(const struct options *options, struct err *err);

/*
 * serve.c: serves one client on standard input and output, until it or a signal
 * ends that. Returns 0, or -1 with err.
 */
int serve_run(struct supervisor *sv, struct err *err);

/* routes.c: returns the table of all handlers, static. */
channel_handler *const *supervisor_routes(void);

#endif
