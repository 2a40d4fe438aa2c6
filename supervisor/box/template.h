/*
 * Templates as the supervisor sees them: processes that have the interpreter
 * and some modules loaded, and fork boxes. One serves at a time; another one
 * takes its place after some boxes or minutes, and when the interpreter on disk
 * is another. One that serves no more lives, without work, until its last box
 * has ended. Runs in the supervisor.
 */
#ifndef SUPERVISOR_TEMPLATE_H
#define SUPERVISOR_TEMPLATE_H

#include "../../common/channel.h"

struct boxes;
struct template;
struct templates;

/* Returns what starts no template yet; boxes outlives it. */
struct templates *templates_new(struct boxes *boxes);

/* Kills all there are. NULL inside is accepted. */
void templates_free(struct templates **templates);

/* The functions below accept NULL: there is never a template. */

/*
 * Boxes will be wanted: starts a template, if there is none, and none has just
 * failed.
 */
void templates_want(struct templates *templates);

/* Whether there is none yet, but will be soon, unless it fails. */
int templates_awaited(const struct templates *templates);

/* No box has been wanted for long: the next one finds no template. */
void templates_rest(struct templates *templates);

/*
 * Has the template fork a box. Returns the channel to its launcher, as
 * launcher_start does, or NULL when there is none that can: a box must be
 * executed then.
 */
struct channel *templates_fork(
    struct templates *templates, const struct channel_ends *ends);

/*
 * Whether one can fork boxes now. What keeps the last one that was tried from
 * doing so goes to *reason, NULL when that is nothing; static until the next
 * is tried.
 */
int templates_warm(const struct templates *templates, const char **reason);

/* What the handlers tell a template, in its own words; each may free it. */
void template_on_standing(struct template *template, int *init, int *code);
void template_on_warm(struct template *template);
void template_on_unfit(struct template *template, const char *reason);

#endif
