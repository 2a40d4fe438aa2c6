/*
 * What only a template has, and its boxes from it. Functions with a struct err
 * return 0, or -1 with err.
 */
#ifndef WORKER_BOX_NATIVE_TEMPLATE_TEMPLATE_H
#define WORKER_BOX_NATIVE_TEMPLATE_TEMPLATE_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "../sandbox.h"
#include "../../../../common/base/err.h"
#include "../../../../common/limits.h"

/*
 * spare.c: finds memory of the template that init does not need. Returns 0, or
 * -1 with err. The launcher excludes it from its copy, and includes it again;
 * if the launcher ends in between, the next one does.
 */
int spare_find(struct err *err);
int spare_leave_out(struct box *box, struct err *err);
int spare_take_in(struct box *box, struct err *err);

/*
 * ahead.c: finds the pages that a box writes to, by a sample box. Returns 1 in
 * that box, which is to run as any other with this frame of the relay, and 0 in
 * the template after the end of the sample.
 */
int ahead_sample(const void *frame, size_t size);
/* In a box that ends: reports the pages, if it is the sample. */
void ahead_tell(void);
/* In every other box: copies these pages, if the kernel allows that. */
int ahead_copy(struct box *box, struct err *err);

/* Ranges of memory that boxes write to, in the order of their addresses. */
struct ahead_list {
	size_t count;
	struct iovec parts[BOX_AHEAD_MAX];
};

/* Returns the list of the template. */
const struct ahead_list *ahead_found(void);
/*
 * Adds a range, or merges it with the last one if they are adjacent. Without
 * room for it, it is not added.
 */
void ahead_add(struct ahead_list *list, uintptr_t start, size_t size);
/*
 * Whether a page is in memory, is not that of a file, and is mapped by this
 * process only, by its entry in /proc/self/pagemap.
 */
int ahead_is_own(uint64_t entry);

/* A holder, which uses this until it ends. */
struct holder {
	_Alignas(64) char stack[1024]; /* for a few system calls */
	const int *tid; /* of the code; it ends when that is 0 */
	int nice; /* its priority, 0: that of the code */
};

/*
 * holder.c: called by the code of its box after it has closed all descriptors
 * that the code must not have, except that of the view.
 */
void holder_start(struct holder *holder);

/*
 * net.c: the network namespaces that a template lends to its boxes. Makes the
 * user namespace of them. Returns 0, or -1 with err.
 */
int net_open(struct err *err);
/* Chooses an unused one for the box about to be launched. */
void net_choose(struct box *box);
/*
 * The chosen one now belongs to the box whose process 1 has the number init,
 * until that ends; 0: there is no such process.
 */
void net_lend(pid_t init);
/* In the launcher: enters it, or creates one if there is none. */
int net_enter(struct box *box, struct err *err);

#endif
