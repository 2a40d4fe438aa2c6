/*
 * The configuration of servers that is in force: read before the first call,
 * and again before a call when a file of it has changed since. Runs in the
 * supervisor; starts nothing but readers.
 */
#ifndef SUPERVISOR_IN_FORCE_H
#define SUPERVISOR_IN_FORCE_H

#include "servers.h"

struct in_force;

/* A request that waits until the configuration matches the files. */
struct in_force_waiter {
	TAILQ_ENTRY(in_force_waiter) entry;
	void (*ready)(void *ctx);
	void *ctx;
	int late; /* set by in_force.c: it came after files were read */
};

/*
 * Reads nothing yet. setup is copied, what it points to must last; changed is
 * called whenever other servers are in force than before. Freed with
 * in_force_free.
 */
struct in_force *in_force_new(const struct servers_setup *setup,
    void (*changed)(void *ctx), void *ctx);
void in_force_free(struct in_force **config);

/*
 * Looks whether a file has changed, and calls waiter->ready once when what is
 * in force is up to date: before this returns when nothing has changed, else
 * from the loop. The waiter must last until then, or until
 * in_force_cancel.
 */
void in_force_refresh(struct in_force *config, struct in_force_waiter *waiter);
void in_force_cancel(struct in_force *config, struct in_force_waiter *waiter);

/*
 * Between these two, the files are looked at only once, when the first asks.
 * What was saved before in_force_share is in force for all of them: it is for
 * those whose calls had all come by then. The loop must not run in between.
 */
void in_force_share(struct in_force *config);
void in_force_forget(struct in_force *config);

/* Whether files are being read. */
int in_force_reading(const struct in_force *config);

/*
 * The servers that are in force, in the order of their names: how many, the
 * one at a place, the one of a name (which need not end with a NUL) or NULL.
 * What these return lasts until the loop runs again.
 */
size_t in_force_count(const struct in_force *config);
const struct server *in_force_at(const struct in_force *config, size_t i);
const struct server *in_force_find(
    const struct in_force *config, const char *name, size_t len);

/*
 * Appends why what a file of a source defined must end, when the file is not
 * trusted any more: see server_faults_add_distrust. Returns whether that is so.
 */
int in_force_distrusts(const struct in_force *config,
    const struct server_source *source, const char *path,
    struct buffer *why);

/*
 * Looks again for the program of a server that had none: it may have been
 * installed meanwhile. Returns whether it has one now.
 */
int in_force_has_program(struct in_force *config, const struct server *server);

/*
 * Returns what each answer says of the configuration, such as which file is
 * stale: sentences, each with a NUL behind it, which the caller frees, and
 * their len; NULL when there is nothing to say.
 */
char *in_force_notes(const struct in_force *config, size_t *len);

/* What the server list was made from; NULL before the first reading. */
const struct servers *in_force_servers(const struct in_force *config);

#endif
