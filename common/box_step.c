/* The steps that build a box: see box_step.h. Contains a table only. */
#include <stddef.h>

#include "box_step.h"

static const struct box_step_info box_step_table[BOX_STEPS] = {
#define BOX_STEP(NAME, what, fix) [BOX_STEP_##NAME] = { what, fix },
#include "box_steps.def"
#undef BOX_STEP
};

const struct box_step_info *
box_step_info(unsigned long step)
{
	return step < BOX_STEPS ? &box_step_table[step] : NULL;
}
