/*
 * caisson-broker, the process: makes its loop and its channel, drops all other
 * privileges, then serves executions until its channel ends. Started by the
 * supervisor only, with the channel as descriptor 3.
 */
#include <malloc.h>

#include "../../common/base/asan_main.h"
#include "../../common/limits.h"
#include "../../common/base/loop.h"
#include "../../common/worker/worker.h"
#include "broker.h"
#include "../../common/ipc/ipc_route.h"

int
main(void)
{
	struct broker broker;

	/*
	 * The memory of large answers is returned to the kernel; by default
	 * malloc keeps some.
	 */
	mallopt(M_MMAP_THRESHOLD, BROKER_MMAP_LEAST);
	broker_init(&broker, loop_new(0), ipc_routes);
	broker.supervisor =
	    worker_open(ROLE_BROKER, broker.base, broker.routes, &broker);
	worker_lockdown(ROLE_BROKER, LOCKDOWN_NO_FILES, -1);
	worker_run();
	broker_clear(&broker);
	event_base_free(broker.base);
	return 0;
}
