/*
 * Runs the steps of a list in order. Every process of a box is such a list: see
 * main.c and template.c.
 */
#include "sandbox.h"

int
action_run(struct box *box, const struct box_action *actions, struct err *err)
{
	for (; actions->run != NULL; actions++) {
		box->step = actions->step;
		if (actions->run(box, err) == -1)
			return -1;
	}
	return 0;
}
