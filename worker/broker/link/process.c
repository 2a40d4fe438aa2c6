/* A link to a process, which the supervisor starts: see link.h. */
#include "../state/state.h"
#include "link.h"

/* Its output before it was ready: a banner, or not MCP at all. */
static void
process_describe_failure(
    const struct link_failure *failure, struct buffer *reason)
{
	if (failure->banner->len > 0) {
		buffer_add_text(reason, "; it wrote ");
		reason_add_name(reason, failure->banner->data);
		buffer_add_text(reason, " instead of MCP");
	}
	diagnosis_add(reason, failure->errors, failure->cut, failure->whole);
}

const struct link_kind link_process = { to_supervisor_want,
	to_supervisor_let_go, process_describe_failure, false };
