/*
 * A worker with a channel to it: the common start of relays, boxes, brokers and
 * readers.
 */

#include "../../common/base/fd.h"
#include "../../common/ipc/ipc_pair.h"
#include "process.h"

static channel_handler *const *worker_routes;

void
worker_init(channel_handler *const *routes)
{
	worker_routes = routes;
}

static void
worker_on_closed(void *base, const struct err *)
{
	event_base_loopexit(base, NULL);
}

struct channel_ends
worker_ends(enum role peer, worker_closed *closed, void *ctx)
{
	struct channel_ends ends = { ROLE_SUPERVISOR, peer, worker_routes,
		closed == NULL ? worker_on_closed : closed, ctx };

	return ends;
}

struct channel *
worker_start(struct event_base *base, const struct channel_ends *ends,
    unsigned long number, unsigned int uid, int group, int *pidfd,
    struct err *err)
{
	auto_fd int ours = -1, theirs = -1;
	/* The peer's end blocks: a box has no event loop. */
	int blocking = ends->peer != ROLE_RELAY;

	if (role_info(ends->peer)->user != ROLE_USER_BOX)
		uid = role_info(ends->peer)->user == ROLE_USER_OURS ? 0 :
		    role_info(ends->peer)->user == ROLE_USER_LOGINS ?
		    identity_logins() : identity_nobody();
	if (ipc_pair(&ours, &theirs, blocking, err) == -1 ||
	    spawn_worker(ends->peer, number, uid, group, theirs, pidfd, err) ==
	    -1)
		return NULL;
	return channel_new(base, &ours, ends);
}
