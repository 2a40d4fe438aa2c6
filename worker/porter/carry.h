/*
 * The task of a porter: offers the files of its directory, or prepares the
 * directory for those that come. Runs in the porter.
 */
#ifndef WORKER_PORTER_CARRY_H
#define WORKER_PORTER_CARRY_H

#include "porter.h"

/* Begins the task that it was given, if any. */
void carry_begin(struct porter *porter);

/*
 * Whether a message was sent, with what channel_send has returned; if not, the
 * porter ends, and files notices that no end is reported.
 */
int carry_sent(int sent, const struct err *err);

#endif
