/*
 * The shell in a box: finding it, and becoming it in the code.
 */
#ifndef WORKER_BOX_SHELL_SHELL_H
#define WORKER_BOX_SHELL_SHELL_H

#include "../native/sandbox.h"
#include "../../../common/base/err.h"

/* See struct language. */
int shell_locate(struct box *box, struct err *err);
int shell_run(struct box *box, struct err *err);

#endif
