/*
 * The removal of containers: see container.h. A container whose call has been
 * answered is removed by its client, below a keeper, others by a command below
 * one; here a keeper that was killed meanwhile is noticed.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "../../../common/base/mem.h"
#include "../../process/process.h"
#include "container.h"

/* A container that is being removed. */
struct container_removal {
	LIST_ENTRY(container_removal) entry;
	const struct boxes *boxes;
	char *name;
	struct child *remover; /* NULL: its own client removes it */
};

static void
container_removal_free(struct container_removal *removal)
{
	LIST_REMOVE(removal, entry);
	reaper_forget(&removal->remover);
	free(removal->name);
	free(removal);
}

/* The keeper has ended: if it was killed, it may have removed nothing. */
static void
container_removal_on_ended(void *ctx, const struct child_end *end)
{
	struct container_removal *removal = ctx;

	removal->remover = NULL;
	if (end->code != CLD_EXITED) {
		reaper_kill_orphans();
		container_remove(removal->boxes, removal->name);
	}
	container_removal_free(removal);
}

/* Takes the name. */
static struct container_removal *
container_removal_new(const struct boxes *boxes, char *name)
{
	struct container_removal *removal = mem_alloc(sizeof(*removal));

	removal->boxes = boxes;
	removal->name = name;
	LIST_INSERT_HEAD(&container_boxes(boxes)->removals, removal, entry);
	return removal;
}

void
container_remove(const struct boxes *boxes, const char *name)
{
	struct container_commands commands = { 0 };
	struct container_removal *removal;
	struct spawn_program program = { 0 };

	container_commands_fill_removal(
	    container_boxes(boxes), name, &commands, &program);
	removal = container_removal_new(boxes, mem_strdup(name));
	removal->remover = container_engine_send(
	    boxes->base, &program, container_removal_on_ended, removal);
	if (removal->remover == NULL)
		container_removal_free(removal);
	container_commands_free(&commands);
}

void
container_removal_watch(
    const struct boxes *boxes, struct child **keeper, char **name)
{
	struct container_removal *removal;

	if (*keeper == NULL)
		return;
	removal = container_removal_new(boxes, mem_take(name));
	reaper_let_end(mem_take(keeper), CONTAINER_REMOVE_MS,
	    container_removal_on_ended, removal);
}

void
container_removal_end(struct container_boxes *shared)
{
	while (!LIST_EMPTY(&shared->removals))
		container_removal_free(LIST_FIRST(&shared->removals));
}
