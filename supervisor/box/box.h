/*
 * The life of boxes, each with its relay, from start to end. The owner of a box
 * (a call, or the pool) is told of each change and looks at the box. Only the
 * runtime of a box knows the kind of its sandbox.
 */
#ifndef SUPERVISOR_BOX_H
#define SUPERVISOR_BOX_H

#include "shared/runtime.h"

/* runtimes.c: the runtimes, one row each. */

/*
 * Returns the row for a value of the option runtime, static: a name, or the
 * path of an engine. NULL if there is none.
 */
const struct runtime *runtime_find(const char *name);

/* box.c: the life of a box. */

/* Prepares boxes of the runtime that the options choose. */
void boxes_init(struct boxes *boxes, struct event_base *base,
    const struct options *options);

/* Gives it to another owner, who is notified from now on. */
void box_give(struct box *box, box_changed *changed, void *ctx);

/*
 * Returns whether all processes of a waiting box are running, as far as the
 * kernel has recorded their ends. A process that is just dying may count as
 * running.
 */
int box_alive(const struct box *box);

/* Returns whether a box started now would run the same files. */
int box_current(const struct box *box);

/*
 * Has it run code, once, with a channel to the broker (taken; -1: no servers).
 * streams, which outlive it, are where the output goes, too; NULL: nowhere.
 * Returns 0, or -1 with err: then the box cannot be used any more.
 */
int box_run(struct box *box, struct ipc_start *start,
    const struct box_streams *streams, int *grant, struct err *err);

/* Kills it. Output that it has already printed is still read. */
void box_end(struct box *box);

/*
 * Kills and frees it: at once, or later if its launcher may still report
 * processes. boxes->dropped lists such boxes. NULL inside is accepted; *box
 * becomes NULL.
 */
void box_drop(struct box **box);

/* At the end of the program: frees the dropped boxes. */
void boxes_free_dropped(struct boxes *boxes);

/* As box_drop, for a box that is over. */
void box_free(struct box **box);

/* The code wants to use the store: gives its relay a channel. */
void box_on_store_wanted(struct box *box);

/* start.c: the start of a box and its relay. */

/* Called when boxes will be needed: prepares a template. */
void boxes_want(struct boxes *boxes);

/* Returns whether a template is being started. */
int boxes_awaited(const struct boxes *boxes);

/* Returns the name of what must be fetched before any box, or NULL. */
const char *boxes_lack(const struct boxes *boxes);

/* Called when no box was needed for long: the template may be ended. */
void boxes_rest(struct boxes *boxes);

/*
 * Starts a box for code in a language, and its relay; how is a set of these
 * properties. limits are the settings with its limits, which outlive it; NULL
 * are those of boxes. Returns it, or NULL with err. It ends by itself if it is
 * not ready in time. Freed by box_free or box_drop.
 */
struct box *box_new(struct boxes *boxes, const struct language *language,
    const struct options *limits, int how, box_changed *changed, void *ctx,
    struct err *err);

/* session_box.c: a box for a session, which runs code several times. */

/*
 * Returns 0, or -1 with err if the runtime, or a box of this level of
 * isolation, cannot run code several times. Boxes are checked when they are
 * built.
 */
int boxes_check_sessions(const struct boxes *boxes, struct err *err);
int box_check_session(const struct box *box, struct err *err);

/* Forgets the results of its last code: it is to run that of another call. */
void box_forget(struct box *box);

/* Asks its code to end, as a terminal does with Ctrl-C. */
void box_interrupt(struct box *box);

/*
 * Ends all processes but its code's. The box must be settled: the end of those
 * of one call must not be that of the next.
 */
void box_end_others(struct box *box);

/*
 * Returns whether the processes that its code has left have ended. If they do
 * not, late becomes 1: the box cannot be used any more.
 */
int box_is_settled(struct box *box, int *late);

/*
 * Returns the CPU time that the processes of its code have taken so far; 0:
 * unknown, as in a container.
 */
uint64_t box_used_us(const struct box *box);

/* Returns the memory that it takes, in bytes; 0: unknown. */
uint64_t box_bytes(const struct box *box);

/* Stops its code, so that its files do not change, and lets it go on. */
void box_hold(struct box *box);
void box_release(struct box *box);

#endif
