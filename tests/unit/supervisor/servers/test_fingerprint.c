/*
 * Tests of supervisor/servers/fingerprint: the same for the same, another
 * whenever anything of what a server is started as is another. Linked with that
 * file alone.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "texts.h"
#include "tests/unit/unit_folder.h"

static void
make(uint8_t *fingerprint, const char *program, const char *run,
    const char *env, const char *cwd)
{
	struct server server = { .program = (char *)program,
		.run = texts_of(run), .run_env = texts_of(env),
		.run_cwd = (char *)cwd };

	fingerprint_make(&server, fingerprint);
	free(server.run.data);
	free(server.run_env.data);
}

static int
is_same(const uint8_t *one, const uint8_t *other)
{
	return memcmp(one, other, FINGERPRINT_SIZE) == 0;
}

static const struct {
	const char *program, *run, *env, *cwd;
} others[] = {
	{ NULL, "a|-x|y|", "K=1|L=2|", "/srv" },
	{ "/nowhere/b", "a|-x|y|", "K=1|L=2|", "/srv" },
	{ "/nowhere/a", "b|-x|y|", "K=1|L=2|", "/srv" },
	{ "/nowhere/a", "a|-xy|", "K=1|L=2|", "/srv" },
	{ "/nowhere/a", "a|-x|y||", "K=1|L=2|", "/srv" },
	{ "/nowhere/a", "a|y|-x|", "K=1|L=2|", "/srv" },
	{ "/nowhere/a", "a|-x|", "y|K=1|L=2|", "/srv" },
	{ "/nowhere/a", "a|-x|y|", "K=1|L=3|", "/srv" },
	{ "/nowhere/a", "a|-x|y|", "K=1|", "L=2" },
	{ "/nowhere/a", "a|-x|y|", "", "/srv" },
	{ "/nowhere/a", "a|-x|y|", "K=1|L=2|", "/srv/" },
	{ "/nowhere/a", "a|-x|y|", "K=1|L=2|", NULL },
};

UNIT_TESTS(other_servers_have_other_ones, UNIT_COUNT(others))
{
	uint8_t one[FINGERPRINT_SIZE], other[FINGERPRINT_SIZE];

	make(one, "/nowhere/a", "a|-x|y|", "K=1|L=2|", "/srv");
	make(other, "/nowhere/a", "a|-x|y|", "K=1|L=2|", "/srv");
	ck_assert(is_same(one, other));
	make(other, others[_i].program, others[_i].run, others[_i].env,
	    others[_i].cwd);
	ck_assert(!is_same(one, other));
}

static void
write_file(const char *name, const char *text, time_t when)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);
	struct timespec times[2] = { { when, 5 }, { when, 5 } };

	put_file(path, text);
	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* With the command as "run" its name is in the folder, or is an argument. */
static void
changes_with(const char *program, const char *run, const char *cwd,
    const char *name)
{
	uint8_t one[FINGERPRINT_SIZE], other[FINGERPRINT_SIZE];

	write_file(name, "one", 1000);
	make(one, program, run, "", cwd);
	make(other, program, run, "", cwd);
	ck_assert(is_same(one, other));
	write_file(name, "two", 1001);
	make(other, program, run, "", cwd);
	ck_assert(!is_same(one, other));
	write_file(name, "three", 1000);
	make(other, program, run, "", cwd);
	ck_assert(!is_same(one, other));
	write_file(name, "eno", 1000);
	make(other, program, run, "", cwd);
	ck_assert(is_same(one, other));
}

UNIT_TEST(changes_with_its_files)
{
	auto_free char *program = NULL;
	auto_free char *run = NULL;

	program = mem_printf("%s/program", folder);
	changes_with(program, "program|", NULL, "program");
	changes_with("/bin/sh", "sh|-|x|a.js|", folder, "a.js");
	run = mem_printf("node|--y|%s/b.js|a.js|", folder);
	changes_with("/bin/sh", run, folder, "b.js");
	changes_with("/bin/sh", "python3|./c.py|", NULL, "c.py");
}
