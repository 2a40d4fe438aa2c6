/*
 * The messages of a connector to the supervisor: the whole surface between the
 * two.
 */
#include "servers/in_force/server_process.h"
#include "handlers.h"

void
supervisor_on_visit(struct server_process *process, struct ipc_visit *visit)
{
	server_process_hear_visit(process, visit->url);
}

void
supervisor_on_login_over(
    struct server_process *process, struct ipc_login_over *over)
{
	server_process_hear_over(process, over->reason, over->scope);
}
