/*
 * Tests of supervisor/box/engine/program: the key of the containers that an
 * engine lists is another one where another storage or daemon is chosen.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "supervisor/box/engine/engine.h"
#include "tests/unit/unit.h"

/* Returns whether both keys of a program are the same, and empties them. */
static int
same(struct buffer *one, struct buffer *other)
{
	int is_same = one->len == other->len &&
	    memcmp(one->data, other->data, one->len) == 0;

	buffer_reset(one);
	buffer_reset(other);
	return is_same;
}

static void
add_key(enum container_engine engine, const char *path, struct buffer *key)
{
	auto_free char *program = mem_strdup(path);
	struct container_boxes shared = { .engine = engine,
		.program = program };

	container_program_key(&shared, key);
}

/* Returns whether an engine has another key when a variable is set. */
static int
depends_on(enum container_engine engine, const char *path, const char *name)
{
	struct buffer before = { 0 }, after = { 0 };

	unsetenv(name);
	add_key(engine, path, &before);
	setenv(name, "/elsewhere", 1);
	add_key(engine, path, &after);
	return !same(&before, &after);
}

/* The variables that choose what an engine lists. */
static const char *const choices[] = { "HOME", "XDG_RUNTIME_DIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "CONTAINERS_CONF",
	"CONTAINERS_STORAGE_CONF", "CONTAINER_HOST", "CONTAINER_CONNECTION",
	"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG" };

UNIT_TESTS(a_variable_that_chooses_changes_the_key, UNIT_COUNT(choices))
{
	ck_assert(
	    depends_on(CONTAINER_PODMAN, "/usr/bin/podman", choices[_i]));
}

/* The variables that do not, and those of others. */
static const char *const others[] = { "USER", "LOGNAME", "LANG", "TMPDIR",
	"XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS",
	"CONTAINERS_REGISTRIES_CONF", "CONTAINER_SSHKEY", "DOCKER_CERT_PATH",
	"DOCKER_TLS_VERIFY", "PATH", "OTHER" };

UNIT_TESTS(another_variable_does_not, UNIT_COUNT(others))
{
	ck_assert(
	    !depends_on(CONTAINER_DOCKER, "/usr/bin/docker", others[_i]));
}

UNIT_TEST(a_program_changes_the_key)
{
	struct buffer one = { 0 }, other = { 0 };

	add_key(CONTAINER_PODMAN, "/usr/bin/podman", &one);
	add_key(CONTAINER_PODMAN, "/usr/local/bin/podman", &other);
	ck_assert(!same(&one, &other));
}
