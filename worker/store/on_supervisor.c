/*
 * What the supervisor tells the store: the whole surface between the two. Runs
 * in the store.
 */
#include <unistd.h>

#include "../../common/lockdown.h"
#include "../../common/log.h"
#include "client.h"
#include "database.h"
#include "store.h"

/*
 * Until now the store has read nothing but this message, and had a right to
 * every file of its user.
 */
void
store_on_keep(struct store *store, struct ipc_keep *keep)
{
	struct err err;

	log_init("store", (enum log_level)keep->log_level);
	if (fchdir(keep->folder) == -1)
		fatal("cannot enter the state directory");
	if (lockdown_in(ROLE_STORE, keep->folder, &err) == -1)
		fatal("cannot lock down: %s", err.text);
	store->database = database_new(keep->most);
	/* Why it cannot be used is told to whoever asks for something. */
	if (database_open(store->database, &err) == -1)
		log_error("%s", err.text);
}

void
store_on_client(struct store *store, struct ipc_client *client)
{
	client_new(store, client);
}
