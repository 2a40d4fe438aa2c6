/*
 * The messages of a template to the supervisor: the whole surface between the
 * two. Its launchers send messages for their boxes: see on_box.c.
 */
#include "box/native/native.h"
#include "handlers.h"

void
supervisor_on_standing(struct template *template, struct ipc_standing *standing)
{
	template_on_standing(template, &standing->init, &standing->code);
}

void
supervisor_on_warm(struct template *template, struct ipc_warm *)
{
	template_on_warm(template);
}

void
supervisor_on_unfit(struct template *template, struct ipc_unfit *unfit)
{
	template_on_unfit(template, unfit->reason);
}
