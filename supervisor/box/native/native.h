/*
 * The runtime native: boxes that are namespaces, and the templates that fork
 * them.
 */
#ifndef SUPERVISOR_NATIVE_H
#define SUPERVISOR_NATIVE_H

#include <sys/stat.h>

#include "../../../common/base/err.h"
#include "../../../common/ipc/channel.h"
#include "../shared/runtime.h"

/*
 * The identity of the boxes' interpreter on disk: a box whose interpreter has
 * been replaced on disk is not used. Runs in the supervisor; reads times and
 * numbers of files, and opens none.
 */

/* The program, and the file that defines its virtual environment. */
#define PYTHON_STAMP_FILES 2

/* The attributes that change with a file; all 0 if there is none. */
struct python_stamp_file {
	dev_t device;
	ino_t number;
	struct timespec written;
	struct timespec changed;
};

struct python_stamp {
	struct python_stamp_file files[PYTHON_STAMP_FILES];
};

/*
 * Reads them for the interpreter at this path (the option python), or for that
 * of the virtual environment at this path.
 */
void python_stamp_look(const char *python, struct python_stamp *interpreter);

/* Returns whether both are the same. */
int python_stamp_same(
    const struct python_stamp *one, const struct python_stamp *other);

/*
 * Templates as the supervisor sees them: processes that have the interpreter
 * and some modules loaded, and fork boxes. One is in use at a time. It is
 * replaced after a number of boxes or minutes, and when the interpreter on disk
 * changes. A retired template lives, idle, until its last box has ended.
 */

struct boxes;
struct group;
struct python_stamp;
struct template;
struct templates;

/* Returns a set without templates; boxes must outlive it. */
struct templates *templates_new(struct boxes *boxes);

/* Kills all templates. NULL inside is accepted. */
void templates_free(struct templates **templates);

/* The functions below accept NULL: never a template. */

/*
 * Called when boxes will be needed: starts a template, unless there is one, or
 * one has just failed.
 */
void templates_want(struct templates *templates);

/* Returns whether one is being started, and none is ready. */
int templates_awaited(const struct boxes *boxes);

/* Called when no box was needed for long: ends the template. */
void templates_rest(struct boxes *boxes);

/*
 * Has the template fork a box into its cgroup, or NULL; retires one that has
 * loaded another interpreter than python. Returns the channel to its launcher,
 * as launcher_start does, or NULL if no template can fork it: then the caller
 * starts a launcher.
 */
struct channel *templates_fork(struct templates *templates,
    const struct python_stamp *python, const struct channel_ends *ends,
    const struct group *group);

/*
 * Returns the number of the template that has been asked last, if that call of
 * templates_fork returned a channel; or 0.
 */
unsigned long templates_asked(const struct templates *templates);

/*
 * Kills the interpreter of the template with that number, if there is one: a
 * launcher of it hangs, for which it waits. The boxes that it has not forked
 * yet lose their channels; those that it has forked are not affected.
 */
void templates_kill(struct templates *templates, unsigned long number);

/*
 * Returns whether a template can fork boxes now. Sets *reason to the reason why
 * the last one could not, or to NULL; it is valid until the next one is
 * started.
 */
int templates_warm(const struct templates *templates, const char **reason);

/* Events reported by handlers; each of these may free the template. */
void template_on_standing(struct template *template, int *init, int *code);
void template_on_warm(struct template *template);
void template_on_unfit(struct template *template, const char *reason);

/*
 * The runtime native: a box made of namespaces, by a launcher of its own or by
 * a fork of the template. Of the box it reads only two numbers, which process 1
 * writes and the code cannot change.
 */

struct cgroup;

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
    const struct options *options, const struct language *language,
    struct ipc_setup *setup);

/* launcher.c: the launcher of a box. */

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
