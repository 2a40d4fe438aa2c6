/*
 * Boxes that are bare processes, each below a keeper. Runs in the supervisor.
 */
#include "common/base/mem.h"
#include "supervisor/box/shared/language.h"
#include "supervisor/box/shared/runtime.h"

static void
bare_on_ended(void *ctx, const struct child_end *child)
{
	struct box_end end = { .exited = child->code == CLD_EXITED };
	struct box *box = ctx;

	box->inside = NULL;
	*(end.exited ? &end.exit_code : &end.signal) = child->status;
	box_report(box, BOX_ON_STATUS, &(struct box_told){ .end = &end });
}

static int
bare_start(struct box *box, struct box_pipes *pipes, struct err *err)
{
	auto_free char *three = process_beside("box/python/three.py");
	char *argv[] = { (char *)options_text(box->boxes->options,
	    box->language->interpreter), "-I", three, NULL };
	char *envp[] = { "HOME=/tmp", NULL };
	const struct spawn_program program = { argv[0], argv, envp, "/tmp",
	    pipes->control_in, pipes->control_out, pipes->errors, 0, 0, 0, 0 };

	box->inside = keeper_watch(box->boxes->base, box->number, &program,
	    bare_on_ended, box, err);
	box_report(box, BOX_ON_BUILT, NULL);
	return box->inside == NULL ? -1 : 0;
}

static void
bare_kill(struct box *box)
{
	reaper_end(box->inside);
}

static void
bare_free(struct box *box, int)
{
	struct child *keeper = box->inside;

	reaper_forget(&keeper);
}

const struct runtime bare_runtime = {
	.name = "bare", .framed = true, .weak = "a bare process",
	.start = bare_start, .kill = bare_kill, .free = bare_free };
