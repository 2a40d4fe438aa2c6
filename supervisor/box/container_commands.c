/*
 * The commands of an engine for one container: see container_boxes.h. Runs in
 * the supervisor; composes text, and has the bundle of a container written.
 */
#include <stdlib.h>

#include "../../common/text_list.h"
#include "../process/process.h"
#include "container_boxes.h"
#include "container_bundle.h"
#include "oci_bundle.h"

void
container_commands_free(struct container_commands *commands)
{
	free(commands->argv);
	free(commands->remove_argv);
	free(commands->bundle);
	buffer_reset(&commands->run);
	buffer_reset(&commands->remove);
}

void
container_commands_remove(const struct container_boxes *shared,
    struct buffer *list, const char *name)
{
	if (shared->engine == CONTAINER_OCI)
		oci_argv_remove(list, shared->program, shared->state, name);
	else
		container_argv_remove(
		    list, shared->engine, shared->program, name);
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
	container_commands_remove(
	    shared, &commands->remove, container->name);
	commands->argv =
	    text_list_vector(commands->run.data, commands->run.len);
	commands->remove_argv =
	    text_list_vector(commands->remove.data, commands->remove.len);
	program->path = shared->program;
	program->argv = commands->argv;
	program->envp = shared->envp;
	program->cwd = "/";
	program->remove = commands->remove_argv;
	program->remove_ms = CONTAINER_REMOVE_MS;
	program->bundle = commands->bundle;
	if (shared->engine == CONTAINER_OCI) {
		/* Both exit with 1 for errors of their own. */
		program->failed = EXIT_FAILURE;
		program->cgroups = CONTAINER_CGROUPS;
	}
	return 0;
}
