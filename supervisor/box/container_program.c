/*
 * The engine of containers, as a program of the user: see container_boxes.h.
 * Runs in the supervisor; only looks for a file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../../common/text_list.h"
#include "container_boxes.h"

/* Programs of desktops are started with a short PATH. */
#define CONTAINER_PROGRAM_PATH                                                 \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* The programs, by the beginning of their base names. */
static const struct {
	const char *name;
	enum container_engine engine;
} container_programs[] = {
	{ "podman", CONTAINER_PODMAN },
	{ "docker", CONTAINER_DOCKER },
	{ "crun", CONTAINER_OCI },
	{ "runc", CONTAINER_OCI },
};

#define CONTAINER_PROGRAMS                                                     \
	(sizeof(container_programs) / sizeof(container_programs[0]))

/*
 * The variables of ours that an engine gets: others may hold secrets. The first
 * ones choose its storage or daemon, and with it the containers that it lists.
 */
static const char *const container_program_variables[] = { "HOME",
	"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "CONTAINER_HOST",
	"CONTAINER_CONNECTION", "DOCKER_HOST", "DOCKER_CONTEXT",
	"DOCKER_CONFIG",
	/* The others do not. */
	"USER", "LOGNAME", "LANG", "TMPDIR", "XDG_CACHE_HOME",
	"DBUS_SESSION_BUS_ADDRESS", "CONTAINERS_REGISTRIES_CONF",
	"CONTAINER_SSHKEY", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY" };

#define CONTAINER_PROGRAM_CHOICES 11
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

const char *
container_program_list(enum container_engine engine)
{
	return engine == CONTAINER_OCI ? "list" : "ps";
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

/* Returns the n-th installed program of that kind, counted from 0, or NULL. */
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

char *
container_program_path(
    enum container_engine engine, const char *value, size_t n)
{
	if (value[0] != '/')
		return container_program_locate(engine, n);
	return n == 0 && container_program_is(value) ? mem_strdup(value) :
	                                               NULL;
}

/* Adds the first n of these variables, as they are set, to a list of texts. */
static void
container_program_add_first(struct buffer *list, size_t n)
{
	const char *value;
	size_t i;

	for (i = 0; i < n; i++) {
		auto_free char *pair = NULL;

		value = getenv(container_program_variables[i]);
		if (value == NULL)
			continue;
		pair = mem_printf(
		    "%s=%s", container_program_variables[i], value);
		text_list_add(list, pair);
	}
}

void
container_program_key(const struct container_boxes *shared, struct buffer *key)
{
	if (shared->engine == CONTAINER_OCI) {
		text_list_add(key, strrchr(shared->program, '/') + 1);
		return;
	}
	text_list_add(key, shared->program);
	container_program_add_first(key, CONTAINER_PROGRAM_CHOICES);
}

static void
container_program_add_variables(struct container_boxes *shared)
{
	const char *path = getenv("PATH");
	auto_free char *whole = mem_printf("PATH=%s%s" CONTAINER_PROGRAM_PATH,
	    path == NULL ? "" : path, path == NULL ? "" : ":");

	text_list_add(&shared->environment, whole);
	container_program_add_first(
	    &shared->environment, CONTAINER_PROGRAM_VARIABLES);
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
	shared->program = container_program_path(shared->engine, value, n);
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
