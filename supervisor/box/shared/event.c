/*
 * Events of boxes, passed to their life: see runtime.h. Runs in the supervisor.
 */
#include <stdarg.h>

#include "../../../common/base/mem.h"
#include "runtime.h"

void
box_report(struct box *box, enum box_event event, const struct box_told *told)
{
	static const struct box_told nothing;

	box->boxes->report(box, event, told == NULL ? &nothing : told);
}

void
box_fail(struct box *box, const char *fmt, ...)
{
	struct box_told told = { 0 };
	va_list ap;

	va_start(ap, fmt);
	told.failure = mem_vprintf(fmt, ap);
	va_end(ap);
	box_report(box, BOX_ON_FAILED, &told);
}

void
box_spoil(struct box *box, const char *fmt, ...)
{
	struct box_told told = { .untold = true };
	va_list ap;

	va_start(ap, fmt);
	told.failure = mem_vprintf(fmt, ap);
	va_end(ap);
	box_report(box, BOX_ON_FAILED, &told);
}
