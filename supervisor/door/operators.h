/*
 * Operators: commands of our user that list and end sessions, "caisson
 * sessions". Each sends one request to our socket in the directory of running
 * Caissons. Whoever can reach that socket is our user, who may do this for the
 * sessions of all owners. Runs in the supervisor.
 */
#ifndef SUPERVISOR_OPERATORS_H
#define SUPERVISOR_OPERATORS_H

#include "../../common/ipc/ipc.h"
#include "../run/run.h"

/* All of them. One per process. */
struct operators;

/* One of them. */
struct operator_peer;

/*
 * Makes our socket in this directory, which is taken, and removes those that
 * killed Caissons have left there. Returns NULL with err on failure.
 */
struct operators *operators_new(struct runs *runs, int *dir, struct err *err);

/* Removes the socket, and frees all. NULL inside is accepted. */
void operators_free(struct operators **operators);

/* The handlers: an operator sends one of these messages. */
void operators_hear_list(struct operator_peer *peer);
void operators_hear_end(
    struct operator_peer *peer, const struct ipc_end_session *end);

#endif
