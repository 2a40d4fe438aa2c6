/*
 * The engine of JavaScript: bun, deno or Node.js. The launcher looks for the
 * program behind what the user has named, as npm starts these engines through
 * scripts; the code becomes it.
 */
#include <elf.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../interpreter/interpreter.h"
#include "../native/native.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"

/* Named by the manifest: see languages.c in the folder above. */
int javascript_locate(struct box *box, struct err *err);
int javascript_run(struct box *box, struct err *err);

#define ENGINE_BOOTSTRAP "/" BOX_DATA_DIR "/bootstrap.mjs"
#define ENGINE_HOLDER "/" BOX_PROGRAMS_DIR "/hold"
#define ENGINE_MIB (UINT64_C(1) << 20)

#if defined(__aarch64__)
#define ENGINE_BUN "aarch64"
#define ENGINE_ARM "arm64"
#else
#define ENGINE_BUN "x64"
#define ENGINE_ARM "x64"
#endif

/* Arguments before the bootstrap, at most. */
#define ENGINE_ARGUMENTS 16

struct engine {
	const char *name; /* what the names of its programs begin with */
	/* Where its packages of npm have the program, below node_modules. */
	const char *packages[4];
	const char *arguments[ENGINE_ARGUMENTS];
	/* What tells it how much memory there is: an argument, in MiB. */
	const char *memory;
};

/*
 * No engine reads a configuration, asks, or looks for packages. deno may do all
 * that the box allows, or its own library could not open descriptors. A limit
 * of the heap has garbage collected in time; that of the box ends the code, so
 * that of the heap is an eighth more.
 */
static const struct engine engines[] = {
	{ .name = "bun",
		.packages = { "@oven/bun-linux-" ENGINE_BUN "/bin/bun",
			"@oven/bun-linux-" ENGINE_BUN "-baseline/bin/bun" },
		.arguments = { "--no-install", "--no-env-file" } },
	{ .name = "deno",
		.packages = { "@deno/linux-" ENGINE_ARM "-glibc/deno" },
		.arguments = { "run", "--no-prompt", "--no-config", "--no-lock",
			"--no-remote", "--node-modules-dir=manual",
			"--no-code-cache", "--quiet", "--allow-all" },
		.memory = "--v8-flags=--max-old-space-size=" },
	{ .name = "node",
		.packages = { "node-linux-" ENGINE_ARM "/bin/node",
			"node/bin/node" },
		.memory = "--max-old-space-size=" },
};

#define ENGINES (sizeof(engines) / sizeof(engines[0]))

/* Returns which engine a path names, or NULL. */
static const struct engine *
engine_named(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash == NULL ? path : slash + 1;
	size_t i;

	for (i = 0; i < ENGINES; i++)
		if (strncmp(base, engines[i].name, strlen(engines[i].name)) ==
		    0)
			return &engines[i];
	return NULL;
}

/* Whether it is a program for this machine, and no script. */
static int
engine_is_binary(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char magic[SELFMAG];

	return fd != -1 && interpreter_is_program(path) &&
	    read(fd, magic, SELFMAG) == SELFMAG &&
	    memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* Returns the program of a package in a folder, or NULL. */
static char *
engine_in(const struct engine *engine, const char *folder, int len)
{
	static const char *const below[] = { "", "/node_modules" };
	const char *const *package;
	size_t i;

	for (i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		for (package = engine->packages; *package != NULL; package++) {
			auto_free char *path = mem_printf("%.*s%s/%s", len,
			    folder, below[i], *package);

			if (engine_is_binary(path))
				return mem_take(&path);
		}
	return NULL;
}

/*
 * Sets the interpreter to the program that a script of npm would start: it is
 * in a package in one of the folders above. Never freed: runs once.
 */
static int
engine_unwrap(struct box *box, const struct engine *engine, struct err *err)
{
	const char *named = box->setup.interpreter;
	char real[PATH_MAX], *found = NULL;
	size_t len;

	if (realpath(named, real) == NULL)
		return err_sys(err, "look for %s", named);
	/* What is no program is refused with all others. */
	if (engine_is_binary(real) || !interpreter_is_program(real))
		return 0;
	for (len = strlen(real); found == NULL && len > 0; len--)
		if (real[len - 1] == '/')
			found = engine_in(engine, real, (int)len - 1);
	if (found == NULL)
		return err_set(err, "%s is a script, and the program %s that "
		    "it starts is unknown: name that program", named,
		    engine->name);
	box->setup.interpreter = found;
	return 0;
}

int
javascript_locate(struct box *box, struct err *err)
{
	const char *named = box->setup.interpreter;
	const struct engine *engine = engine_named(named);

	if (named[0] != '/')
		return err_set(err, engine == NULL ?
		    "there is no bun, deno or node on the PATH" :
		    "there is no %s on the PATH", named);
	if (engine == NULL)
		return err_set(err, "the name of %s does not begin with bun, "
		    "deno or node", named);
	if (engine_unwrap(box, engine, err) == -1)
		return -1;
	return interpreter_show(box, err);
}

/*
 * No engine can change its descriptor 0, which is to have what the call gives
 * it as standard input: it is an empty file without a name, in which the
 * bootstrap writes that. Where there can be none, only such calls fail.
 */
static void
engine_open_input(const struct box *box)
{
	auto_free char *folder = mem_printf("%s/tmp", box->weak.folder);
	auto_fd int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd != -1)
		dup2(fd, STDIN_FILENO);
}

/* With reduced isolation there is no root of its own to have the link. */
static int
engine_link_packages(const struct box *box, struct err *err)
{
	auto_free char *link =
	    mem_printf("%s/workspace" INTERPRETER_PACKAGES, box->weak.folder);

	if (box->kind != BOX_WEAK || box->setup.packages[0] == '\0' ||
	    symlink(box->setup.packages, link) == 0)
		return 0;
	return err_sys(err, "create %s", link);
}

int
javascript_run(struct box *box, struct err *err)
{
	const char *program = box->setup.interpreter;
	/* The program of a package has the name of its engine, too. */
	const struct engine *engine = engine_named(program);
	auto_free char *bootstrap =
	    mem_printf("%s" ENGINE_BOOTSTRAP, box->weak.folder);
	unsigned long long bytes = box->setup.memory_bytes;
	const char *argv[ENGINE_ARGUMENTS + 4] = { program };
	size_t i, n = 1;

	for (i = 0; engine->arguments[i] != NULL; i++)
		argv[n++] = engine->arguments[i];
	/* Kept until it is executed. */
	if (engine->memory != NULL)
		argv[n++] = mem_printf(
		    "%s%llu", engine->memory, bytes / ENGINE_MIB / 8 * 9);
	else
		environment_add(mem_printf("BUN_JSC_forceRAMSize=%llu", bytes));
	argv[n] = bootstrap;
	environment_add("NO_COLOR=1");
	/* A guard would have to kill it. */
	if (box->kind != BOX_WEAK)
		environment_add("LD_PRELOAD=" ENGINE_HOLDER);
	environment_add("BUN_RUNTIME_TRANSPILER_CACHE_PATH=0");
	engine_open_input(box);
	if (engine_link_packages(box, err) == -1)
		return -1;
	return interpreter_become(box, program, argv, err);
}
