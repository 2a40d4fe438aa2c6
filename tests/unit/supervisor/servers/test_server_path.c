/*
 * Tests of supervisor/servers/server_path: what is searched besides PATH, in a
 * home that the test makes.
 */
#include <string.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "supervisor/servers/servers.h"
#include "tests/unit/unit_folder.h"

/* Runs a line of a shell in the home. */
static void
run(const char *line)
{
	ck_assert_int_eq(system(line), 0);
}

static char *
extend(const char *search)
{
	auto_free char *variable = mem_printf("HOME=%s", folder);
	char *envp[] = { (char[]){ "A=b" }, variable, NULL };

	return server_path_extend(search, envp);
}

/* Those of the folders that are in the home, seen from there. */
static char *
in_home(char *path)
{
	auto_buffer struct buffer found = { 0 };
	size_t len = strlen(folder);
	char *one;

	buffer_add_text(&found, "");
	while ((one = strsep(&path, ":")) != NULL)
		if (strncmp(one, folder, len) == 0)
			buffer_printf(&found, "%s%s",
			    found.len > 0 ? " " : "", one + len + 1);
	return buffer_take(&found, NULL);
}

static const struct {
	const char *make, *found;
} homes[] = {
	{ "true", "" },
	{ "mkdir -p .cargo/bin bin .local/bin other",
	    ".local/bin bin .cargo/bin" },
	{ "mkdir .local .cargo && touch .local/bin && ln -s none .cargo/bin",
	    "" },
	{ "mkdir -p real .deno && ln -s ../real .deno/bin", ".deno/bin" },
	{ "mkdir -p .nvm/versions/node", "" },
	{ "mkdir -p .nvm/versions/node/v9.11.2/bin "
	  ".nvm/versions/node/v20.1.0/bin .nvm/versions/node/v20.11.0/bin "
	  ".nvm/versions/node/.cache/bin",
	    ".nvm/versions/node/v20.11.0/bin" },
	{ "mkdir -p .nvm/versions/node/v20.1.0/bin "
	  ".nvm/versions/node/v22.0.0 ", "" },
	{ "mkdir -p .nvm/versions/node/v1:2/bin", "" },
	{ "mkdir -p .asdf/shims .volta/bin .bun/bin .local/share/pnpm "
	  ".local/share/mise/shims",
	    ".bun/bin .volta/bin .local/share/pnpm .asdf/shims "
	    ".local/share/mise/shims" },
};

UNIT_TESTS(finds_what_a_login_adds, UNIT_COUNT(homes))
{
	auto_free char *path = NULL;
	auto_free char *found = NULL;

	run(homes[_i].make);
	path = extend("/first:/second");
	ck_assert_int_eq(strncmp(path, "/first:/second:/", 16), 0);
	found = in_home(path);
	ck_assert_str_eq(found, homes[_i].found);
}

/* Nothing twice, and all of the system that there is. */
UNIT_TEST(adds_what_is_not_there_already)
{
	auto_free char *all = NULL;
	auto_free char *again = NULL;
	auto_free char *search = NULL;
	auto_free char *wanted = NULL;

	run("mkdir -p .local/bin bin");
	all = extend("");
	ck_assert_ptr_nonnull(strstr(all, ":/usr/bin"));
	ck_assert_int_eq(all[0], '/');
	again = extend(all);
	ck_assert_str_eq(again, all);
	/* A slash behind it makes no other folder of it, a letter does. */
	search = mem_printf("%s/bin2:%s/.local/bin//:%s", folder, folder, all);
	wanted = extend(search);
	ck_assert_str_eq(wanted, search);
	free(mem_take(&search));
	free(mem_take(&wanted));
	search = mem_printf("%s/bin2:/usr/binary", folder);
	wanted = mem_printf("%s:%s", search, all);
	free(mem_take(&again));
	again = extend(search);
	ck_assert_str_eq(again, wanted);
}

static char *const no_homes[] = { (char[]){ "A=b" }, (char[]){ "HOME=" },
	(char[]){ "HOME=bin" }, (char[]){ "HOME=/:/usr" } };

/* Without a home, or with one that no PATH could hold: the rest. */
UNIT_TESTS(does_without_a_home, UNIT_COUNT(no_homes))
{
	char *envp[] = { no_homes[_i], NULL };
	auto_free char *path = server_path_extend("", envp);

	ck_assert_ptr_nonnull(strstr(path, "/usr/bin"));
	ck_assert_ptr_null(strstr(path, "::"));
	ck_assert_ptr_null(strstr(path, ".local"));
}

/* Its owner could put any program there. */
UNIT_TEST(no_home_of_another_user_is_searched)
{
	auto_free char *path = NULL;
	auto_free char *found = NULL;

	if (geteuid() != 0) {
		unit_skip("only root can give a home away");
		return;
	}
	run("mkdir -p .local/bin bin");
	ck_assert_int_eq(chown(folder, 65534, 65534), 0);
	path = extend("/first");
	ck_assert_ptr_nonnull(strstr(path, "/usr/bin"));
	found = in_home(path);
	ck_assert_str_eq(found, "");
}
