/*
 * The steps by which a box is built, as an enum and their sentences: an
 * expansion of box_steps.def. The box names a step, the supervisor words it.
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
 * What ends a box of the weaker level: its guard takes this signal as the order
 * to kill the rest and then itself. SIGKILL would end the guard alone.
 */
#define BOX_GUARD_END SIGTERM

struct box_step_info {
	const char *what;
	const char *fix;
};

/* Returns the row of a step, static; NULL for a number that is none. */
const struct box_step_info *box_step_info(unsigned long step);

#endif
