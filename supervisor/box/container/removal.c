/*
 * The removal of containers: see container.h. A container whose call has
 * been answered is removed by its client, below a keeper, others by a command
 * below one; here a keeper that was killed meanwhile is noticed. Runs in the
 * supervisor.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "../../../common/base/mem.h"
#include "../../process/process.h"
#include "container.h"

/* A container that is being removed. */
struct container_left {
	LIST_ENTRY(container_left) entry;
	const struct boxes *boxes;
	char *name;
	struct child *remover; /* NULL: its own client removes it */
};

static void
container_left_free(struct container_left *left)
{
	LIST_REMOVE(left, entry);
	reaper_forget(&left->remover);
	free(left->name);
	free(left);
}

/* The keeper has ended: if it was killed, it may have removed nothing. */
static void
container_left_on_ended(void *ctx, const struct child_end *end)
{
	struct container_left *left = ctx;

	left->remover = NULL;
	if (end->code != CLD_EXITED) {
		reaper_kill_orphans();
		container_remove(left->boxes, left->name);
	}
	container_left_free(left);
}

/* Takes the name. */
static struct container_left *
container_left_new(const struct boxes *boxes, char *name)
{
	struct container_left *left = mem_alloc(sizeof(*left));

	left->boxes = boxes;
	left->name = name;
	LIST_INSERT_HEAD(&container_boxes(boxes)->left, left, entry);
	return left;
}

void
container_remove(const struct boxes *boxes, const char *name)
{
	struct container_commands commands = { 0 };
	struct container_left *left;
	struct spawn_program program = { 0 };

	container_commands_fill_removal(
	    container_boxes(boxes), name, &commands, &program);
	left = container_left_new(boxes, mem_strdup(name));
	left->remover = container_engine_send(
	    boxes->base, &program, container_left_on_ended, left);
	if (left->remover == NULL)
		container_left_free(left);
	container_commands_free(&commands);
}

void
container_removal_watch(
    const struct boxes *boxes, struct child **keeper, char **name)
{
	struct container_left *left;

	if (*keeper == NULL)
		return;
	left = container_left_new(boxes, mem_take(name));
	reaper_let_end(mem_take(keeper), CONTAINER_REMOVE_MS,
	    container_left_on_ended, left);
}

void
container_removal_end(struct container_boxes *shared)
{
	while (!LIST_EMPTY(&shared->left))
		container_left_free(LIST_FIRST(&shared->left));
}
