/*
 * The programs of the box, and their talk with the supervisor.
 */
#ifndef WORKER_BOX_BOX_H
#define WORKER_BOX_BOX_H

#include "native/sandbox.h"
#include "../../common/err.h"

/* on_supervisor.c: the whole talk with the supervisor. */
int box_receive_setup(struct box *box, struct err *err);
int box_send_standing(struct box *box, struct err *err);
int box_receive_stay(struct box *box, struct err *err);
int box_send_forked(struct box *box, struct err *err);
int box_send_started(struct box *box, struct err *err);
int box_send_guarded(struct box *box, struct err *err);
int box_receive_adopted(struct box *box, struct err *err);
void box_send_failed(struct box *box, const struct err *reason);

#endif
