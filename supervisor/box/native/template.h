/*
 * Templates as the supervisor sees them: processes that have the interpreter
 * and some modules loaded, and fork boxes. One is in use at a time. It is
 * replaced after a number of boxes or minutes, and when the interpreter on disk
 * changes. A retired template lives, idle, until its last box has ended. Runs
 * in the supervisor.
 */
#ifndef SUPERVISOR_TEMPLATE_H
#define SUPERVISOR_TEMPLATE_H

#include "../../../common/ipc/channel.h"

struct boxes;
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
int templates_awaited(const struct templates *templates);

/* Called when no box was needed for long: ends the template. */
void templates_rest(struct templates *templates);

/*
 * Has the template fork a box; retires one that has loaded another interpreter
 * than python. Returns the channel to its launcher, as launcher_start does, or
 * NULL if no template can fork it: then the caller starts a launcher.
 */
struct channel *templates_fork(struct templates *templates,
    const struct python_stamp *python, const struct channel_ends *ends);

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

#endif
