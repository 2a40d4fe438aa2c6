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

/*
 * The signal at which process 1 of a box that is kept for a session ends all
 * other processes but the code's, and adds 1 to the count cleared of
 * box_usage.def. Code that sends it ends its own processes.
 */
#define BOX_CLEAR SIGUSR1

struct box_step_info {
	const char *what;
	const char *fix;
};

/* Returns the row of a step, static; NULL if the number is invalid. */
const struct box_step_info *box_step_info(unsigned long step);

#endif
