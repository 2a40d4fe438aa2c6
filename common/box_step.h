/*
 * The steps that build a box, as an enum and a table of sentences: an expansion
 * of box_steps.def. The box reports a step, and the supervisor makes the
 * sentence for the user.
 */
#ifndef COMMON_BOX_STEP_H
#define COMMON_BOX_STEP_H

#include <signal.h>

enum box_step {
#define BOX_STEP(NAME, what, fix) BOX_STEP_##NAME,
#include "box_steps.def"
#undef BOX_STEP
	BOX_STEPS
};

/*
 * The signal that ends a box with reduced isolation: its guard then kills all
 * other processes and itself. SIGKILL would kill the guard alone.
 */
#define BOX_GUARD_END SIGTERM

struct box_step_info {
	const char *what;
	const char *fix;
};

/* Returns the row of a step, static; NULL if the number is invalid. */
const struct box_step_info *box_step_info(unsigned long step);

#endif
