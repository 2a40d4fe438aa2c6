/*
 * The template: an interpreter that has everything imported, and forks boxes.
 * Linked, with the files that build a box, into a library that the interpreter
 * loads (module.c); what of it runs in whom is in template.c.
 */
#ifndef WORKER_BOX_TEMPLATE_H
#define WORKER_BOX_TEMPLATE_H

#include <stddef.h>

#include "../../../common/err.h"

/*
 * Finds out what boxes will need, and says to the supervisor that they can be
 * forked. Returns 0, or -1 with err. The working directory does not matter.
 */
int template_open(struct err *err);

/*
 * Waits until a box is wanted. Returns 1, 0 when none is wanted any more, or -1
 * with err.
 */
int template_wait(struct err *err);

/*
 * Makes the box that is wanted. Returns 0 in the template, when the box lives
 * or has failed, and 1 in the box, whose code can run now: it has everything
 * of the interpreter, and nothing of the template.
 */
int template_fork(void);

/* Says to the supervisor why there can be no template. */
void template_refuse(const char *reason);

/* Allocates size bytes, as PyObject_Malloc does. */
typedef void *holes_allocate(size_t size);

/*
 * holes.c: takes, for ever, what is free in the middle of memory, of the C
 * library and of allocate, which is the interpreter's.
 */
void holes_fill(holes_allocate *allocate);

#endif
