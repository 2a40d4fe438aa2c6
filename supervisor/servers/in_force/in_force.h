/*
 * The current configuration of servers: read before the first call, and again
 * before a call if a file has changed since. Runs in the supervisor; starts
 * only readers.
 */
#ifndef SUPERVISOR_IN_FORCE_H
#define SUPERVISOR_IN_FORCE_H

#include "../servers.h"

struct in_force;

/* A request that waits until the configuration matches the files. */
struct in_force_waiter {
	TAILQ_ENTRY(in_force_waiter) entry;
	void (*ready)(void *ctx);
	void *ctx;
	bool late; /* set by in_force.c: files had been read before it */
};

/*
 * Returns a configuration without reading it. setup is copied; its pointers
 * must stay valid. changed is called whenever the configured servers have
 * changed, settled when files were read and every waiter has been called.
 * Freed with in_force_free.
 */
struct in_force *in_force_new(const struct servers_setup *setup,
    void (*changed)(void *ctx), void (*settled)(void *ctx), void *ctx);
void in_force_free(struct in_force **config);

/*
 * Checks whether a file has changed, and calls waiter->ready once when the
 * configuration is current: before this function returns if nothing has
 * changed, else from the loop. The waiter must stay valid until then, or until
 * in_force_cancel.
 */
void in_force_refresh(struct in_force *config, struct in_force_waiter *waiter);
void in_force_cancel(struct in_force *config, struct in_force_waiter *waiter);

/*
 * Between these two calls the files are checked only once, at the first
 * request. All of these requests get changes saved before in_force_share, so
 * they must have arrived by then. The loop must not run in between.
 */
void in_force_share(struct in_force *config);
void in_force_forget(struct in_force *config);

/* Returns whether files are being read. */
int in_force_reading(const struct in_force *config);

/*
 * The configured servers, sorted by name: their number, the one at an index,
 * the one of a name (which need not end with a NUL) or NULL. The results are
 * valid until the loop runs again.
 */
size_t in_force_count(const struct in_force *config);
const struct server *in_force_at(const struct in_force *config, size_t i);
const struct server *in_force_find(
    const struct in_force *config, const char *name, size_t len);

/*
 * Appends why servers of a file of this source must be ended, if the file is no
 * longer trusted: see server_faults_add_distrust. Returns whether that is so.
 */
int in_force_distrusts(const struct in_force *config,
    const struct server_source *source, const char *path, struct buffer *why);

/*
 * Searches again for the missing program of a server, which may have been
 * installed meanwhile. Returns whether it was found.
 */
int in_force_has_program(struct in_force *config, const struct server *server);

/*
 * Returns the notes about the configuration for each answer, such as which file
 * is stale: sentences, each + NUL, which the caller frees, and their len; NULL
 * if there are none.
 */
char *in_force_notes(const struct in_force *config, size_t *len);

/* Returns the source of the server list; NULL before the first reading. */
const struct servers *in_force_servers(const struct in_force *config);

#endif
