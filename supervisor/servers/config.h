/*
 * The configuration of servers that is in force: read before the first call,
 * and again before a call when a file of it has changed since. Runs in the
 * supervisor; starts nothing but readers.
 */
#ifndef SUPERVISOR_CONFIG_H
#define SUPERVISOR_CONFIG_H

#include "servers.h"

struct config;

/* A request that waits until the configuration matches the files. */
struct config_waiter {
	TAILQ_ENTRY(config_waiter) entry;
	void (*ready)(void *ctx);
	void *ctx;
	int late; /* set by config.c: it came after files were read */
};

/*
 * Reads nothing yet. setup is copied, what it points to must last; changed is
 * called whenever other servers are in force than before. Freed with
 * config_free.
 */
struct config *config_new(const struct servers_setup *setup,
    void (*changed)(void *ctx), void *ctx);
void config_free(struct config **config);

/*
 * Looks whether a file has changed, and calls waiter->ready once when what is
 * in force is up to date: before this returns when nothing has changed, else
 * from the loop. The waiter must last until then, or until config_cancel.
 */
void config_refresh(struct config *config, struct config_waiter *waiter);
void config_cancel(struct config *config, struct config_waiter *waiter);

/*
 * Between these two, the files are looked at only once, when the first asks.
 * What was saved before config_share is in force for all of them: it is for
 * those whose calls had all come by then. The loop must not run in between.
 */
void config_share(struct config *config);
void config_forget(struct config *config);

/* Whether files are being read. */
int config_reading(const struct config *config);

/*
 * The servers that are in force, in the order of their names: how many, the
 * one at a place, the one of a name (which need not end with a NUL) or NULL.
 * What these return lasts until the loop runs again.
 */
size_t config_count(const struct config *config);
const struct server *config_at(const struct config *config, size_t i);
const struct server *config_find(
    const struct config *config, const char *name, size_t len);

/*
 * Appends why what a file of a source defined must end, when the file is not
 * trusted any more: see server_faults_add_distrust. Returns whether that is so.
 */
int config_distrusts(const struct config *config,
    const struct server_source *source, const char *path,
    struct buffer *why);

/*
 * Looks again for the program of a server that had none: it may have been
 * installed meanwhile. Returns whether it has one now.
 */
int config_has_program(struct config *config, const struct server *server);

/*
 * Returns what each answer says of the configuration, such as which file is
 * stale: sentences, each with a NUL behind it, which the caller frees, and
 * their len; NULL when there is nothing to say.
 */
char *config_notes(const struct config *config, size_t *len);

/* What the server list was made from; NULL before the first reading. */
const struct servers *config_servers(const struct config *config);

#endif
