/* The messages from the supervisor: the complete interface between the two. */
#include <stdio.h>

#include "../common/base/log.h"
#include "relay.h"

void
relay_on_prepare(struct relay *relay, struct ipc_prepare *prepare)
{
	log_init("relay", prepare->log_terms);
	relay_prepare(relay, prepare);
}

void
relay_on_start(struct relay *relay, struct ipc_start *start)
{
	char role[LOG_PREFIX_SIZE];

	if (relay->started)
		fatal("protocol violation by the supervisor: a second start");
	if (relay->session && !start->session)
		fatal("protocol violation by the supervisor: code in a session "
		    "that is not of it");
	if (start->session && (start->out_copy != -1 ||
	        start->errors_copy != -1))
		fatal("protocol violation by the supervisor: a session whose "
		    "output is passed on");
	if (start->session && relay->frames == NULL)
		fatal("protocol violation by the supervisor: a session in a "
		    "box without a bootstrap");
	relay->started = true;
	relay->session = start->session;
	/* Lines of one call have its id, whichever process writes them. */
	snprintf(role, sizeof(role), "relay[%016lx]",
	    (unsigned long)start->execution);
	log_init(role, start->log_terms);
	if (start->servers.len == 0)
		fatal("protocol violation by the supervisor: servers is not an "
		    "array");
	if (start->broker != -1)
		relay_meet_broker(relay, &start->broker);
	else
		calls_close(relay->calls, ROLE_BROKER, CALLS_NO_SERVERS);
	if (!start->stored)
		calls_close(relay->calls, ROLE_STORE, CALLS_NO_STORE);
	relay_start(relay, start);
}

void
relay_on_store(struct relay *relay, struct ipc_store *store)
{
	if (relay->store != NULL)
		fatal("protocol violation by the supervisor: a second store");
	if ((store->store == -1) != (store->reason[0] != '\0'))
		fatal("protocol violation by the supervisor: a store with a "
		    "reason, or neither");
	/* The code that wanted it has ended. */
	if (!relay->started)
		return;
	if (store->store == -1) {
		calls_close(relay->calls, ROLE_STORE, store->reason);
		return;
	}
	relay_meet_store(relay, &store->store);
	calls_go_on(relay->calls);
}

void
relay_on_finish(struct relay *relay, struct ipc_finish *)
{
	if (relay->outer == NULL)
		fatal("protocol violation by the supervisor: a box with pipes "
		    "of its own has no frame for its end");
	relay_finish(relay);
}
