/*
 * A link to a connector, by which the supervisor reaches a remote server: see
 * link.h.
 */
#include "../../../common/limits.h"
#include "../../../common/base/utf8.h"
#include "../state/state.h"
#include "link.h"

/* A connector writes one line, which says why there is no session. */
static void
remote_describe_failure(
    const struct link_failure *failure, struct buffer *reason)
{
	const struct buffer *errors = failure->errors;
	size_t len = errors->len;

	if (len > 0 && errors->data[len - 1] == '\n')
		len--;
	if (len == 0)
		return;
	len = utf8_cut(errors->data, len, REFUSED_FOREIGN_MAX);
	buffer_add_text(reason, ": ");
	reason_add_text(reason, errors->data, len);
}

const struct link_kind link_remote = { to_supervisor_want,
	to_supervisor_let_go, remote_describe_failure, true };
