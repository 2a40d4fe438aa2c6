/*
 * The runtime native: a box made of namespaces, by a launcher of its own or by
 * a fork of the template. Runs in the supervisor. Of the box it reads only two
 * numbers, which process 1 writes and the code cannot change.
 */
#ifndef SUPERVISOR_NATIVE_H
#define SUPERVISOR_NATIVE_H

#include "../shared/runtime.h"

struct cgroup;
struct group;
struct templates;

/* The facts about a box that was built. */
struct native_facts {
	unsigned int landlock; /* its ABI, 0: absent */
	const char *bound; /* a directory without an overlay, and why; NULL */
	const char *weak; /* the reason for reduced isolation; NULL: full */
	bool proc;
	bool watchdog; /* over the memory of the whole box */
	bool unnamed;  /* the box saw the name of the host */
	bool grouped;  /* a cgroup limits and measures the whole box */
	char text[]; /* bound or weak */
};

/* Returns them; NULL if there are none, or if the runtime is another one. */
const struct native_facts *native_facts(const struct box_facts *facts);

/* The state shared by all native boxes. */
struct native_boxes {
	struct cgroup *cgroup; /* of all boxes; NULL: none */
	char *cgroup_reason;   /* why there is none, if known */
	unsigned long processors; /* of a box; 0: all, or a cgroup limits */
	struct templates *templates; /* that fork boxes; NULL: never any */
	unsigned long forked; /* boxes that templates have reported */
};

/* Returns the shared state of boxes whose runtime is native and was probed. */
static inline struct native_boxes *
native_boxes(const struct boxes *boxes)
{
	return boxes->shared;
}

/* native_boxes.c: as probe and finish of struct runtime. */
int native_probe(struct boxes *boxes, int only_refuses, struct err *err);
void native_finish(struct boxes *boxes);

/* native.c: one native box. */

/* Events reported by handlers; each of these may free the box. */

/* The box is built: takes the pidfds. */
void native_on_started(struct box *box, struct ipc_started *started);

/* The box is built with reduced isolation, and why; takes guard. */
void native_on_guarded(struct box *box, int *guard, unsigned int landlock,
    const char *weak);

/* namespace_fix.c: why a box cannot be built. */

/*
 * Returns the fix for a failed step of box_steps.def, static: the fix for the
 * cause, if the files below proc (/proc) reveal it, else that of the step; NULL
 * for an unknown number.
 */
const char *namespace_fix(unsigned long step, const char *proc);

/* native_request.c: the request for a native box. */

/*
 * Fills in the part of the request that all native boxes of these options and
 * this language share. It leaves out the user, the time and the pipes of a box.
 */
void native_request_fill(const struct boxes *boxes,
    const struct language *language, struct ipc_setup *setup);

/* launcher.c: the launcher of a box. */

struct python_stamp;

/*
 * Starts a launcher for one box, which expects SETUP next. ends->peer is
 * ROLE_BOX, number that of the box, group its cgroup, or NULL. A template is
 * used if it has loaded this interpreter; none if python is NULL. Returns the
 * channel to it and its pidfd, both of which the caller owns, or NULL with err.
 * The pidfd is -1 if the launcher is not known yet.
 */
struct channel *launcher_start(struct boxes *boxes,
    const struct channel_ends *ends, unsigned long number,
    const struct python_stamp *python, const struct group *group, int *pidfd,
    struct err *err);


#endif
