/* The programs of the box, and their messages with the supervisor. */
#ifndef WORKER_BOX_BOX_H
#define WORKER_BOX_BOX_H

#include "native/sandbox.h"
#include "../../common/base/err.h"

/*
 * languages.c: returns the row of exactly this name, static; NULL if there is
 * none.
 */
const struct language *languages_find(const char *name);
/*
 * The functions of the language of the box (struct language), as steps: 0, or
 * -1 with err.
 */
int languages_locate(struct box *box, struct err *err);
int languages_run(struct box *box, struct err *err);

/*
 * on_supervisor.c: every message that the box exchanges with the supervisor.
 * The steps, which take a box and err, return 0, or -1 with err.
 */

/*
 * Receives SETUP or TEMPLATE into box->setup, which borrows from box->packet.
 * Closes all descriptors above the channel before.
 */
int box_receive_setup(struct box *box, struct err *err);
/*
 * Waits until the supervisor watches the processes of the box: ADOPTED, or
 * STAY.
 */
int box_receive_adopted(struct box *box, struct err *err);
int box_receive_stay(struct box *box, struct err *err);

/*
 * Sends pidfds of init and of the code, and of the launcher of a forked box;
 * closes its own copy of that of the code.
 */
int box_send_started(struct box *box, struct err *err);
/* The same for a template. */
int box_send_standing(struct box *box, struct err *err);
/* With reduced isolation: sends a pidfd of the guard, and the cause. */
int box_send_guarded(struct box *box, struct err *err);
/* Sends that box->step has failed, and why. Logs a failure to send. */
void box_send_failed(struct box *box, const struct err *reason);

/*
 * In a template whose interpreter runs: sends that it can fork boxes. Returns
 * 0, or -1 with err.
 */
int box_send_warm(struct err *err);
/* Sends why the template cannot be used; it exits afterwards. */
void box_send_unfit(const char *reason);
/*
 * Waits for FORK. Returns 1, the channel of the requested box and its cgroup
 * or -1, both of which the caller owns; 0 if the supervisor has closed its end;
 * or -1 with err.
 */
int box_receive_fork(int *channel, int *group, struct err *err);

#endif
