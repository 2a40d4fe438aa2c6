/*
 * The commands of an engine for one container: see container_boxes.h. Runs in
 * the supervisor; composes text, and has the bundle of a container written.
 */
#include <stdlib.h>

#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "../process/process.h"
#include "container_boxes.h"
#include "container_bundle.h"
#include "oci_bundle.h"

void
container_commands_free(struct container_commands *commands)
{
	free(commands->argv);
	free(commands->find_argv);
	free(commands->remove_argv);
	free(commands->state);
	free(commands->bundle);
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

static void
container_commands_remove(const struct container_boxes *shared,
    const char *name, struct container_commands *commands)
{
	if (shared->engine == CONTAINER_OCI)
		oci_argv_remove(&commands->remove, shared->program,
		    shared->state, name);
	else
		container_argv_remove(&commands->remove, shared->engine,
		    shared->program, name);
	commands->remove_argv =
	    text_list_vector(commands->remove.data, commands->remove.len);
}

void
container_commands_fill_removal(const struct container_boxes *shared,
    const char *name, struct container_commands *commands,
    struct spawn_program *program)
{
	container_commands_find(shared, name, commands);
	container_commands_remove(shared, name, commands);
	program->path = shared->program;
	program->envp = shared->envp;
	program->cwd = "/";
	program->find = commands->find_argv;
	program->remove = commands->remove_argv;
	program->remove_ms = CONTAINER_REMOVE_MS;
	if (shared->engine != CONTAINER_OCI)
		return;
	commands->state = mem_printf("%s/%s", shared->state, name);
	program->state = commands->state;
	program->cgroups = CONTAINER_CGROUPS;
}

/* Appends the command line that runs the container. */
static int
container_commands_run(const struct container_boxes *shared,
    const struct container *container, struct container_commands *commands,
    struct err *err)
{
	if (shared->engine != CONTAINER_OCI) {
		container_argv_run(&commands->run, shared->engine,
		    shared->program, container);
		return 0;
	}
	commands->bundle = container_bundle_write(shared, container, err);
	if (commands->bundle == NULL)
		return -1;
	oci_argv_run(&commands->run, shared->program, shared->state,
	    commands->bundle, container->name);
	return 0;
}

int
container_commands_fill(const struct container_boxes *shared,
    const struct container *container, struct container_commands *commands,
    struct spawn_program *program, struct err *err)
{
	if (container_commands_run(shared, container, commands, err) == -1)
		return -1;
	container_commands_fill_removal(
	    shared, container->name, commands, program);
	commands->argv =
	    text_list_vector(commands->run.data, commands->run.len);
	program->argv = commands->argv;
	program->bundle = commands->bundle;
	/* Both exit with 1 for errors of their own. */
	if (shared->engine == CONTAINER_OCI)
		program->failed = EXIT_FAILURE;
	return 0;
}
