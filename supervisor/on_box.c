/*
 * What a box tells the supervisor while it is being built: the whole surface
 * between the two. Afterwards no descriptor connects them. Runs in the
 * supervisor.
 */
#include "../common/box_step.h"
#include "../common/mem.h"
#include "supervisor.h"

void
supervisor_on_started(struct call *call, struct ipc_started *started)
{
	call_on_box_started(call, &started->init, &started->code,
	    (unsigned int)started->landlock, started->bound,
	    (int)started->proc, (int)started->watchdog);
}

void
supervisor_on_guarded(struct call *call, struct ipc_guarded *guarded)
{
	const struct box_step_info *step = box_step_info(guarded->step);
	const char *what = step == NULL ? "build the full one" : step->what;
	const char *fix = cause_fix(guarded->step, "/proc");

	call_on_box_guarded(call, &guarded->guard,
	    (unsigned int)guarded->landlock,
	    mem_printf("could not %s (%s); %s", what, guarded->reason,
	        fix == NULL ? "no way out is known" : fix));
}

/* Whether less isolation would have done, had the operator allowed it. */
static int
on_box_less_would_do(const struct call *call, uint64_t step)
{
	return !call_allows_weak(call) && (step == BOX_STEP_USER_NAMESPACE ||
	    step == BOX_STEP_USER_MAP || step == BOX_STEP_NAMESPACES);
}

void
supervisor_on_failed(struct call *call, struct ipc_failed *failed)
{
	const struct box_step_info *step = box_step_info(failed->step);

	if (step == NULL)
		call_fail(call, "the box cannot be built: %s", failed->reason);
	else
		call_fail(call, "the box cannot be built: could not %s (%s); "
		    "%s%s", step->what, failed->reason,
		    cause_fix(failed->step, "/proc"),
		    on_box_less_would_do(call, failed->step) ?
		        "; or allow a weaker level of isolation: "
		        "MCP_BRIDGE_ALLOW_WEAK_ISOLATION=on (what it lacks "
		        "is in caisson(1))" : "");
}
