/*
 * The supervisor: the front process. It speaks MCP with one client, has a box
 * and a relay of its own for every call, and concludes each call once. It
 * alone may exec, open and kill; the only outsider whose bytes it reads is its
 * client, and no descriptor of a box passes through it longer than it takes to
 * hand it over. Everything of this folder runs in that process only.
 */
#ifndef SUPERVISOR_SUPERVISOR_H
#define SUPERVISOR_SUPERVISOR_H

#include <signal.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../common/buffer.h"
#include "../common/channel.h"
#include "../common/err.h"
#include "../common/json_span.h"
#include "../common/lines.h"
#include "options/options.h"

struct box;
struct broker;
struct call;
struct cgroup;
struct child;
struct client;
struct config;
struct group;
struct mcp;
struct pool;
struct runtime;
struct store;
struct template;
struct templates;

TAILQ_HEAD(call_list, call);

/* The process: one of it, made by main, passed to the parts that need it. */
struct supervisor {
	struct event_base *base;
	struct options options;
	const struct runtime *runtime;
	struct config *config; /* which servers there are */
	struct broker *broker; /* who speaks with them */
	struct store *store;   /* what is kept between calls, or NULL */
	int audit; /* the file for lines about calls of tools; -1: none */
	struct cgroup *cgroup; /* of all boxes, NULL where there is none */
	char *cgroup_reason;   /* why there is none */
	struct templates *templates; /* that fork boxes; NULL: never any */
	struct call_list waiting; /* admitted, but every place is taken */
	struct call_list running; /* at most options.max_concurrent */
	size_t nwaiting;
	size_t nrunning;
	size_t nstarting; /* of those that run: they have no box yet */
	size_t unready;   /* boxes that cannot be handed code yet */
	unsigned long calls; /* executions so far: the number of the last */
	unsigned long boxes; /* boxes so far: the number of the last */
	size_t dropped;      /* boxes without an owner that still end */
	struct pool *pool;   /* boxes that wait for a call; NULL: never any */
	int draining;        /* no new calls; ends when none is left */
	void (*idle)(void *ctx); /* no call is left */
	void *idle_ctx;
};

/* on_box.c and on_relay.c: the handlers, the whole surface to the workers. */
void supervisor_on_forked(struct box *box, struct ipc_forked *forked);
void supervisor_on_started(struct box *box, struct ipc_started *started);
void supervisor_on_guarded(struct box *box, struct ipc_guarded *guarded);
void supervisor_on_failed(struct box *box, struct ipc_failed *failed);
void supervisor_on_ready(struct box *box, struct ipc_ready *ready);
void supervisor_on_running(struct box *box, struct ipc_running *running);
void supervisor_on_want_store(
    struct box *box, struct ipc_want_store *want_store);
void supervisor_on_fault(struct box *box, struct ipc_fault *fault);
void supervisor_on_done(struct box *box, struct ipc_done *done);

/* on_template.c */
void supervisor_on_standing(
    struct template *template, struct ipc_standing *standing);
void supervisor_on_warm(struct template *template, struct ipc_warm *warm);
void supervisor_on_unfit(struct template *template, struct ipc_unfit *unfit);

/* routes.c: returns the table of all handlers, static. */
channel_handler *const *supervisor_routes(void);

#endif
