/*
 * Tests of supervisor/command/client/client_config: the lines for every client
 * name this program by its path, whatever is in it, and are what the reader
 * would read.
 */
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "supervisor/command/client/adopt_client.h"
#include "supervisor/command/client/client_config.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/caisson-test-XXXXXX";

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	return remove(path);
}

static void
make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void
remove_folder(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	memset(folder + sizeof(folder) - 7, 'X', 6);
}

static char *
printed_self(const char *name, const struct client_config_self *self,
    struct err *err)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int done = client_config_print(name, self, 0, out, err);

	fclose(out);
	if (done == 0)
		return text;
	free(text);
	return NULL;
}

/* What is printed for a program of this path; NULL with err. */
static char *
printed(const char *name, const char *path, struct err *err)
{
	const struct client_config_self self = { "self", "", "", "",
		environ };
	char *text;

	make_folder();
	ck_assert_int_eq(symlink(path, "self"), 0);
	text = printed_self(name, &self, err);
	remove_folder();
	return text;
}

UNIT_TEST(every_client_has_lines)
{
	size_t n;

	for (n = 0; adopt_client_at(n) != NULL; n++) {
		struct err err;
		auto_free char *text = printed(
		    adopt_client_at(n)->name, "/opt/x/bin/caisson", &err);

		ck_assert_ptr_nonnull(text);
		ck_assert_ptr_nonnull(strstr(text, "/opt/x/bin/caisson"));
		ck_assert_ptr_null(strchr(text, '@'));
	}
	ck_assert_uint_gt(n, 15);
}

static const struct {
	const char *name, *path, *wanted;
} paths[] = {
	{ "claude-desktop", "/a b/\"c\\", "{\n    \"mcpServers\": {\n"
	    "        \"caisson\": { \"command\": \"/a b/\\\"c\\\\\" }\n"
	    "    }\n}\n" },
	{ "codex", "/a b/\"c",
	    "[mcp_servers.caisson]\ncommand = \"/a b/\\\"c\"\n" },
	{ "claude-code", "/usr/bin/caisson",
	    "claude mcp add --scope user caisson -- /usr/bin/caisson\n" },
	{ "claude-code", "/it's/$x", "claude mcp add --scope user caisson -- "
	    "'/it'\\''s/$x'\n" },
};

UNIT_EACH(paths_are_quoted, UNIT_COUNT(paths))
{
	struct err err;
	auto_free char *text = printed(paths[_i].name, paths[_i].path, &err);

	ck_assert_str_eq(text, paths[_i].wanted);
}
