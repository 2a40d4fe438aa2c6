/*
 * Operators: commands of our user that list and end sessions and calls,
 * "caisson sessions" and "caisson calls". Each sends one request to our socket
 * in the directory of running Caissons. Whoever can reach that socket is our
 * user, who may do this for those of all owners.
 */
#ifndef SUPERVISOR_OPERATORS_H
#define SUPERVISOR_OPERATORS_H

#include "../../common/ipc/ipc.h"
#include "../run/run.h"

/* One of them. */
struct operator_peer;

/* The handler: an operator sends this message. */
void operators_hear(
    struct operator_peer *peer, const struct ipc_ask_running *ask);

#endif
