/*
 * The runtime native: a box made of namespaces, by a launcher of its own or by
 * a fork of the template. Runs in the supervisor; of the box it reads two
 * numbers, which process 1 writes and the code cannot change.
 */
#ifndef SUPERVISOR_NATIVE_H
#define SUPERVISOR_NATIVE_H

#include "box.h"

struct cgroup;
struct group;
struct templates;

/* What is known of one that stood. */
struct native_facts {
	unsigned int landlock; /* its ABI, 0: absent */
	char *bound; /* a directory without an overlay, and why; or NULL */
	int proc;
	int watchdog; /* over the memory of the box as a whole */
	int unnamed;  /* the box had the name of the host */
	int grouped;  /* a cgroup limits the box, and counts all of it */
	char *weak; /* why it was one of the weaker level; NULL: it was not */
};

/* Returns them; NULL where there are none, or those of another runtime. */
const struct native_facts *native_facts(const struct box_facts *facts);

/* What all of them share. */
struct native_boxes {
	struct cgroup *cgroup; /* of all boxes, NULL where there is none */
	char *cgroup_reason;   /* why there is none, if that was looked at */
	struct templates *templates; /* that fork boxes; NULL: never any */
};

/* Returns that of these boxes, whose runtime is native and was probed. */
static inline struct native_boxes *
native_boxes(const struct boxes *boxes)
{
	return boxes->shared;
}

/* native_boxes.c: as probe and sweep of struct runtime. */
int native_probe(struct boxes *boxes, int only_refuses, struct err *err);
void native_sweep(struct boxes *boxes);

/* native.c: one of them. */

/* The row of the table of runtimes. */
extern const struct runtime native_runtime;

/* What the handlers tell it, in its own words; each may free the box. */

/* Who builds it, where a template has made that: the pidfd is taken. */
void native_on_forked(struct box *box, int *launcher);

/* It stands: the pidfds are taken. */
void native_on_started(struct box *box, struct ipc_started *started);

/* The same at the weaker level, and why it is that one: taken over. */
void native_on_guarded(
    struct box *box, int *guard, unsigned int landlock, char *weak);

/* namespace_fix.c: why a box cannot be built. */

/*
 * Returns the fix when this step of box_steps.def has failed, static: that
 * of the cause, where the switches below proc (/proc) tell it, else that of
 * the step; NULL for a number that is none.
 */
const char *namespace_fix(unsigned long step, const char *proc);

/* native_request.c: what a native box is asked to be. */

/*
 * What every native box of these options is asked to be for a language, without
 * what differs from box to box: its user, its time, its pipes.
 */
void native_request_fill(const struct boxes *boxes,
    const struct language *language, struct ipc_setup *setup);

/* launcher.c: who builds a box. */

/*
 * Has a launcher for one box, which takes SETUP next: ends->peer is ROLE_BOX,
 * number that of the box, group what limits the box, or NULL. With own no
 * template is asked. Returns the channel to it and its pidfd, both of which the
 * caller owns, or NULL with err. The pidfd is -1 where the launcher is not yet
 * known.
 */
struct channel *launcher_start(struct boxes *boxes,
    const struct channel_ends *ends, unsigned long number, int own,
    const struct group *group, int *pidfd, struct err *err);


#endif
