/*
 * What a box tells the supervisor while it is being built: the whole surface
 * between the two. Afterwards no descriptor connects them. Runs in the
 * supervisor.
 */
#include "../common/box_step.h"
#include "supervisor.h"

void
supervisor_on_started(struct call *call, struct ipc_started *started)
{
	call_on_box_started(call, &started->init, &started->code,
	    (unsigned int)started->landlock, (int)started->proc,
	    (int)started->watchdog);
}

void
supervisor_on_failed(struct call *call, struct ipc_failed *failed)
{
	const struct box_step_info *step = box_step_info(failed->step);

	if (step == NULL)
		call_fail(call, "the box cannot be built: %s", failed->reason);
	else
		call_fail(call, "the box cannot be built: could not %s (%s); "
		    "%s", step->what, failed->reason,
		    cause_fix(failed->step, "/proc"));
}
