/*
 * caisson-store, the process: makes its loop and its channel, receives its
 * directory, drops all other privileges, then serves each channel that it
 * receives until the one to the supervisor ends. Started by the supervisor
 * only, with that channel as descriptor 3.
 */
#include <signal.h>
#include <sys/stat.h>

#include "../../common/base/asan_main.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "database.h"
#include "grant.h"
#include "lister.h"
#include "store.h"

/* The supervisor has closed the channel or exited. */
static void
main_on_closed(void *ctx, const struct err *why)
{
	struct store *store = ctx;

	if (why != NULL)
		fatal("%s the supervisor: %s", channel_blame(why), why->text);
	store->ending = 1;
	/*
	 * The broker ends, too: its channel has an end, after all its messages.
	 */
	if (store->lister == NULL)
		event_base_loopbreak(store->base);
}

int
main(void)
{
	struct store store = { .routes = store_routes() };
	struct channel_ends ends = { ROLE_STORE, ROLE_SUPERVISOR,
		store.routes, main_on_closed, &store };
	int fd = WORKER_CHANNEL_FD;

	role_enter(ROLE_STORE, 0);
	/*
	 * A relay may exit before it is answered; SIGPIPE must not kill the
	 * store.
	 */
	signal(SIGPIPE, SIG_IGN);
	/* Exceeding the limit on file sizes must fail like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* The files are not readable for other users. */
	umask(S_IRWXG | S_IRWXO);
	TAILQ_INIT(&store.grants);
	store.base = loop_new(0);
	store.supervisor = channel_new(store.base, &fd, &ends);
	/* The first message, from the supervisor, causes the lockdown. */
	event_base_dispatch(store.base);
	store_log_fault(&store);
	grant_free_all(&store);
	lister_free(&store);
	database_free(&store.database);
	channel_free(&store.supervisor);
	event_base_free(store.base);
	return 0;
}
