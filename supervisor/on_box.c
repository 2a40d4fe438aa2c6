/*
 * The messages of a box to the supervisor while it is being built: the whole
 * surface between the two. Afterwards no descriptor connects them.
 */
#include "../common/box_step.h"
#include "../common/base/mem.h"
#include "box/shared/language.h"
#include "box/native/native.h"
#include "handlers.h"

void
supervisor_on_started(struct box *box, struct ipc_started *started)
{
	native_on_started(box, started);
}

void
supervisor_on_guarded(struct box *box, struct ipc_guarded *guarded)
{
	const struct box_step_info *step = box_step_info(guarded->step);
	const char *what = step == NULL ? "build the full one" : step->what;
	const char *fix = namespace_fix(guarded->step, "/proc");
	auto_free char *weak = mem_printf("could not %s (%s); %s", what,
	    guarded->reason, fix == NULL ? "no fix is known" : fix);

	native_on_guarded(
	    box, &guarded->guard, (unsigned int)guarded->landlock, weak);
}

/* Returns whether reduced isolation would have worked, if it were allowed. */
static int
on_box_less_would_do(const struct box *box, uint64_t step)
{
	return !box->boxes->options->allow_weak_isolation &&
	    (step == BOX_STEP_USER_NAMESPACE || step == BOX_STEP_USER_MAP ||
		step == BOX_STEP_NAMESPACES);
}

/* The interpreter of its language could not be started. */
static void
on_box_fail_interpreter(struct box *box, const char *reason)
{
	box_fail(box, "the box cannot be built: could not start %s (%s); %s",
	    box->language->kind, reason, box->language->fix);
}

void
supervisor_on_failed(struct box *box, struct ipc_failed *failed)
{
	const struct box_step_info *step = box_step_info(failed->step);

	if (failed->transient)
		box->fault = BOX_FAULT_TRANSIENT;
	else if (failed->step == BOX_STEP_INTERPRETER ||
	    failed->step == BOX_STEP_PACKAGES ||
	    failed->step == BOX_STEP_RESERVED)
		box->fault = BOX_FAULT_INTERPRETER;
	box->launch.forking = false;
	if (failed->step == BOX_STEP_INTERPRETER)
		on_box_fail_interpreter(box, failed->reason);
	else if (step == NULL)
		box_fail(box, "the box cannot be built: %s", failed->reason);
	else
		box_fail(box, "the box cannot be built: could not %s (%s); "
		    "%s%s", step->what, failed->reason,
		    namespace_fix(failed->step, "/proc"),
		    on_box_less_would_do(box, failed->step) ?
		        "; or allow reduced isolation: "
		        "CAISSON_ALLOW_WEAK_ISOLATION=on "
		        "(see caisson-box(7))" : "");
}
