/*
 * The engine of containers, as a program of the user: see engine.h.
 * Runs in the supervisor; only looks for a file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "engine.h"

/* Programs of desktops are started with a short PATH. */
#define CONTAINER_PROGRAM_PATH                                                 \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const char *const container_names[CONTAINER_ENGINES] = {
	[CONTAINER_PODMAN] = "podman", [CONTAINER_DOCKER] = "docker"
};

/* The variables of ours that an engine gets: others may hold secrets. */
static const char *const container_program_variables[] = { "HOME",
	"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "CONTAINER_HOST",
	"CONTAINER_CONNECTION", "DOCKER_HOST", "DOCKER_CONTEXT",
	"DOCKER_CONFIG", "USER", "LOGNAME", "LANG", "TMPDIR", "XDG_CACHE_HOME",
	"DBUS_SESSION_BUS_ADDRESS", "CONTAINERS_REGISTRIES_CONF",
	"CONTAINER_SSHKEY", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY" };

#define CONTAINER_PROGRAM_VARIABLES                                            \
	(sizeof(container_program_variables) /                                 \
	    sizeof(container_program_variables[0]))

int
container_program_engine(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t i;

	base = base == NULL ? path : base + 1;
	for (i = 0; i < CONTAINER_ENGINES; i++)
		if (strncmp(base, container_names[i],
		        strlen(container_names[i])) == 0)
			return (int)i;
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

char *
container_program_path(enum container_engine engine, const char *value)
{
	const char *name = container_names[engine];
	char *path;

	if (value[0] == '/')
		return container_program_is(value) ? mem_strdup(value) : NULL;
	path = container_program_search(getenv("PATH"), name);
	return path != NULL ? path :
	    container_program_search(CONTAINER_PROGRAM_PATH, name);
}

/* Adds these variables, as they are set, to a list of texts. */
static void
container_program_add_variables(struct buffer *list)
{
	const char *value;
	size_t i;

	for (i = 0; i < CONTAINER_PROGRAM_VARIABLES; i++) {
		auto_free char *pair = NULL;

		value = getenv(container_program_variables[i]);
		if (value == NULL)
			continue;
		pair = mem_printf(
		    "%s=%s", container_program_variables[i], value);
		text_list_add(list, pair);
	}
}

int
container_program_find(
    struct container_boxes *shared, const char *value, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *path;
	auto_free char *whole = NULL;

	shared->program = container_program_path(shared->engine, value);
	if (shared->program == NULL && value[0] == '/') {
		shown_add_quoted(&shown, value, OPTION_PATH_MAX);
		return err_set(err, "the runtime %s is not a program: set "
		    "--runtime to the path of podman or docker", shown.data);
	}
	if (shared->program == NULL)
		return err_set(err, "the runtime %s needs %s, which is not "
		    "installed: 'apt install %s', or set --runtime to the path "
		    "of the program", value, value,
		    shared->engine == CONTAINER_DOCKER ? "docker.io" :
		        "podman");
	path = getenv("PATH");
	whole = mem_printf("PATH=%s%s" CONTAINER_PROGRAM_PATH,
	    path == NULL ? "" : path, path == NULL ? "" : ":");
	text_list_add(&shared->environment, whole);
	container_program_add_variables(&shared->environment);
	shared->envp = text_list_vector(
	    shared->environment.data, shared->environment.len);
	return 0;
}
