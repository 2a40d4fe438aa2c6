/*
 * The engine of containers, as a program of the user, and its commands for one
 * container: see container_boxes.h. Runs in the supervisor; looks for a file,
 * composes text, and has the bundle of a container written.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../../common/text_list.h"
#include "../process/process.h"
#include "container_boxes.h"
#include "container_bundle.h"
#include "oci_bundle.h"

/* Programs of desktops are started with a short PATH. */
#define CONTAINER_PROGRAM_PATH                                                 \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* By its base name; the first rows are those of the option runtime. */
static const struct {
	const char *name;
	enum container_engine engine;
} container_programs[] = {
	{ "podman", CONTAINER_PODMAN },
	{ "docker", CONTAINER_DOCKER },
	{ "crun", CONTAINER_OCI },
	{ "runc", CONTAINER_OCI },
	{ "oci", CONTAINER_OCI },
};

#define CONTAINER_PROGRAMS                                                     \
	(sizeof(container_programs) / sizeof(container_programs[0]))

/* The variables of ours that an engine gets: others may hold secrets. */
static const char *const container_program_variables[] = { "HOME", "USER",
	"LOGNAME", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
	"XDG_DATA_HOME", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS",
	"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF",
	"CONTAINERS_REGISTRIES_CONF", "CONTAINER_HOST", "CONTAINER_CONNECTION",
	"CONTAINER_SSHKEY", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG",
	"DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY" };

#define CONTAINER_PROGRAM_VARIABLES                                            \
	(sizeof(container_program_variables) /                                 \
	    sizeof(container_program_variables[0]))

int
container_program_engine(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t i;

	base = base == NULL ? path : base + 1;
	for (i = 0; i < CONTAINER_PROGRAMS; i++)
		if (strncmp(base, container_programs[i].name,
		        strlen(container_programs[i].name)) == 0)
			return (int)container_programs[i].engine;
	return -1;
}

static int
container_program_is(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/* Returns the path of the program in a list of folders, or NULL. */
static char *
container_program_search(const char *folders, const char *name)
{
	char *path;
	size_t len;

	for (; folders != NULL && *folders != '\0'; folders += len) {
		folders += *folders == ':';
		len = strcspn(folders, ":");
		if (folders[0] != '/')
			continue;
		path = mem_printf("%.*s/%s", (int)len, folders, name);
		if (container_program_is(path))
			return path;
		free(path);
	}
	return NULL;
}

/* Returns the n-th program of that kind, counted from 0, or NULL. */
static char *
container_program_locate(enum container_engine engine, size_t n)
{
	char *path = NULL;
	size_t i;

	for (i = 0; i < CONTAINER_PROGRAMS && path == NULL; i++) {
		if (container_programs[i].engine != engine)
			continue;
		path = container_program_search(
		    getenv("PATH"), container_programs[i].name);
		if (path == NULL)
			path = container_program_search(CONTAINER_PROGRAM_PATH,
			    container_programs[i].name);
		if (path != NULL && n-- > 0)
			free(mem_take(&path));
	}
	return path;
}

static void
container_program_add_variables(struct container_boxes *shared)
{
	const char *path = getenv("PATH"), *value;
	auto_free char *whole = mem_printf("PATH=%s%s" CONTAINER_PROGRAM_PATH,
	    path == NULL ? "" : path, path == NULL ? "" : ":");
	size_t i;

	text_list_add(&shared->environment, whole);
	for (i = 0; i < CONTAINER_PROGRAM_VARIABLES; i++) {
		auto_free char *pair = NULL;

		value = getenv(container_program_variables[i]);
		if (value == NULL)
			continue;
		pair = mem_printf(
		    "%s=%s", container_program_variables[i], value);
		text_list_add(&shared->environment, pair);
	}
	shared->envp = text_list_vector(
	    shared->environment.data, shared->environment.len);
}

int
container_program_find(struct container_boxes *shared, const char *value,
    size_t n, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *name = shared->engine == CONTAINER_OCI ?
	    "crun or runc" : value;

	free(shared->program);
	if (value[0] == '/')
		shared->program = n == 0 && container_program_is(value) ?
		    mem_strdup(value) : NULL;
	else
		shared->program = container_program_locate(shared->engine, n);
	if (shared->program == NULL && value[0] == '/') {
		shown_add_quoted(&shown, value, OPTION_PATH_MAX);
		return err_set(err, "the runtime %s is not a program: set "
		    "--runtime to the path of podman, docker, crun or runc",
		    shown.data);
	}
	if (shared->program == NULL)
		return err_set(err, "the runtime %s needs %s, which is not "
		    "installed: 'apt install %s', or set --runtime to the path "
		    "of the program", value, name,
		    shared->engine == CONTAINER_OCI ? "crun" :
		    shared->engine == CONTAINER_DOCKER ? "docker.io" :
		        "podman");
	if (shared->envp == NULL)
		container_program_add_variables(shared);
	return 0;
}

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
