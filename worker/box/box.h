/*
 * The programs of the box, and their talk with the supervisor.
 */
#ifndef WORKER_BOX_BOX_H
#define WORKER_BOX_BOX_H

#include "native/sandbox.h"
#include "../../common/err.h"

/*
 * languages.c: returns the row of exactly this name, static; NULL when there is
 * none.
 */
const struct language *languages_find(const char *name);
/*
 * What the language of the box does (struct language), as steps: 0, or -1 with
 * err.
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
/* Waits until the supervisor has taken over the box: ADOPTED, or STAY. */
int box_receive_adopted(struct box *box, struct err *err);
int box_receive_stay(struct box *box, struct err *err);

/* Of a forked box: sends a pidfd of this process, its launcher. */
int box_send_forked(struct box *box, struct err *err);
/* Sends pidfds of init and of the code, whose own copy is closed then. */
int box_send_started(struct box *box, struct err *err);
/* The same for a template. */
int box_send_standing(struct box *box, struct err *err);
/* At the weaker level: sends a pidfd of the guard, and why it is that level. */
int box_send_guarded(struct box *box, struct err *err);
/* Sends that box->step has failed, and why. Logs what cannot be sent. */
void box_send_failed(struct box *box, const struct err *reason);

/*
 * Of a template, in which the interpreter runs. Sends that it can fork boxes.
 * Returns 0, or -1 with err.
 */
int box_send_warm(struct err *err);
/* Sends why there can be no template; its exit follows in any case. */
void box_send_unfit(const char *reason);
/*
 * Waits for FORK. Returns 1 and the channel of the box that is wanted, which
 * the caller owns; 0 when the supervisor has closed its end; or -1 with err.
 */
int box_receive_fork(int *channel, struct err *err);

#endif
