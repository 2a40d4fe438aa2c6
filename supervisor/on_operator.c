/*
 * The messages of operators to the supervisor: the whole surface between the
 * two. Runs in the supervisor.
 */
#include "door/operators.h"
#include "handlers.h"

void
supervisor_on_list_sessions(
    struct operator_peer *peer, struct ipc_list_sessions *list)
{
	(void)list;
	operators_hear_list(peer);
}

void
supervisor_on_end_session(
    struct operator_peer *peer, struct ipc_end_session *end)
{
	operators_hear_end(peer, end);
}

void
supervisor_on_ask_executions(
    struct operator_peer *peer, struct ipc_ask_executions *ask)
{
	operators_hear_calls(peer, ask);
}
