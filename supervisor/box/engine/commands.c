/*
 * The commands of an engine for one container: see engine.h. Runs in
 * the supervisor; only composes text.
 */
#include <stdlib.h>

#include "../../../common/base/text_list.h"
#include "../../process/process.h"
#include "engine.h"

void
container_commands_free(struct container_commands *commands)
{
	free(commands->argv);
	free(commands->find_argv);
	free(commands->remove_argv);
	buffer_reset(&commands->run);
	buffer_reset(&commands->find);
	buffer_reset(&commands->remove);
}

/* docker fails to remove a container that it is removing already. */
static void
container_commands_find(const struct container_boxes *shared, const char *name,
    struct container_commands *commands)
{
	if (shared->engine != CONTAINER_DOCKER)
		return;
	container_argv_find(&commands->find, shared->program, name);
	commands->find_argv =
	    text_list_vector(commands->find.data, commands->find.len);
}

void
container_commands_fill_removal(const struct container_boxes *shared,
    const char *name, struct container_commands *commands,
    struct spawn_program *program)
{
	container_commands_find(shared, name, commands);
	container_argv_remove(
	    &commands->remove, shared->engine, shared->program, name);
	commands->remove_argv =
	    text_list_vector(commands->remove.data, commands->remove.len);
	program->path = shared->program;
	program->envp = shared->envp;
	program->cwd = "/";
	program->find = commands->find_argv;
	program->remove = commands->remove_argv;
	program->remove_ms = CONTAINER_REMOVE_MS;
}

void
container_commands_fill(const struct container_boxes *shared,
    const struct container *container, struct container_commands *commands,
    struct spawn_program *program)
{
	container_argv_run(
	    &commands->run, shared->engine, shared->program, container);
	container_commands_fill_removal(
	    shared, container->name, commands, program);
	commands->argv =
	    text_list_vector(commands->run.data, commands->run.len);
	program->argv = commands->argv;
}
