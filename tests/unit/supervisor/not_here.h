/*
 * Stand-ins for the handlers of peers that a test of the supervisor does not
 * play: routes.c names them all, and none may get a message there. Whose
 * handlers are real the test says before it includes this: BROKER_IS_HERE,
 * GATEWAY_IS_HERE, OPERATORS_ARE_HERE, SERVERS_ARE_HERE, FILES_ARE_HERE or
 * STORE_IS_HERE.
 */
#ifndef TESTS_UNIT_NOT_HERE_H
#define TESTS_UNIT_NOT_HERE_H

#include "supervisor/handlers.h"
#include "supervisor/peers/broker.h"
#include "supervisor/peers/files.h"
#include "supervisor/servers/servers.h"
#include "supervisor/peers/store.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"

#define NOT_HERE(name, context)                                                \
	void supervisor_on_##name(                                             \
	    struct context *ctx, struct ipc_##name *message)                   \
	{                                                                      \
		(void)ctx;                                                     \
		(void)message;                                                 \
		ck_abort_msg("a message of another peer");                     \
	}
NOT_HERE(started, box)
NOT_HERE(guarded, box)
NOT_HERE(failed, box)
NOT_HERE(ready, box)
NOT_HERE(running, box)
NOT_HERE(want_store, box)
NOT_HERE(picture, box)
NOT_HERE(place, box)
NOT_HERE(progress, box)
NOT_HERE(preview, box)
NOT_HERE(fault, box)
NOT_HERE(kept, box)
NOT_HERE(program_ended, box)
NOT_HERE(done, box)
NOT_HERE(standing, template)
NOT_HERE(warm, template)
NOT_HERE(unfit, template)
NOT_HERE(visit, server_process)
NOT_HERE(login_over, server_process)
#ifndef BROKER_IS_HERE
NOT_HERE(want, broker)
NOT_HERE(let_go, broker)
NOT_HERE(tried, broker)
NOT_HERE(want_lists, broker)
NOT_HERE(ask_client, broker)
#endif
#ifndef GATEWAY_IS_HERE
NOT_HERE(hello, gateway_peer)
NOT_HERE(ask, gateway_peer)
NOT_HERE(client_gone, gateway_peer)
#endif
#ifndef OPERATORS_ARE_HERE
NOT_HERE(ask_running, operator_peer)
#endif
#ifndef SERVERS_ARE_HERE
NOT_HERE(entry, servers)
NOT_HERE(rejected, servers)
NOT_HERE(location, servers)
NOT_HERE(gap, servers)
NOT_HERE(end_of_file, servers)
#endif
#ifndef FILES_ARE_HERE
NOT_HERE(filed, files)
NOT_HERE(used, files)
NOT_HERE(skipped, files)
NOT_HERE(file_awaited, files)
NOT_HERE(file_fetched, files)
NOT_HERE(task_done, files)
#endif
#ifndef STORE_IS_HERE
NOT_HERE(shown, store)
NOT_HERE(output_read, store)
#endif

#endif
