/*
 * The messages of operators to the supervisor: the whole surface between the
 * two.
 */
#include "door/operators.h"
#include "handlers.h"

void
supervisor_on_ask_running(
    struct operator_peer *peer, struct ipc_ask_running *ask)
{
	operators_hear(peer, ask);
}
