/*
 * Tests of supervisor/command/client_config: the lines for every client name
 * this program by its path, whatever is in it, and are what the reader would
 * read.
 */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/mem.h"
#include "supervisor/command/adopt_client.h"
#include "supervisor/command/client_config.h"
#include "unit.h"

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

START_TEST(every_client_has_lines)
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
END_TEST

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

START_TEST(paths_are_quoted)
{
	struct err err;
	auto_free char *text =
	    printed(paths[_i].name, paths[_i].path, &err);

	ck_assert_str_eq(text, paths[_i].wanted);
}
END_TEST

/*
 * Packages upgrade by changing a link: the path that was asked for stays good.
 * The program is new/caisson, other/caisson is another one.
 */
static const struct {
	const char *invoked, *search, *from, *wanted;
} asked[] = {
	{ "@/new/caisson", "", "", "@/new/caisson" },
	{ "@/bin/caisson", "", "", "@/bin/caisson" },
	{ "@/now/caisson", "", "", "@/now/caisson" },
	{ "bin/caisson", "", "", "@/bin/caisson" },
	{ "./now/caisson", "", "", "@/now/caisson" },
	{ "../bin/caisson", "", "/other", "@/bin/caisson" },
	{ "./.././bin/caisson", "", "/other", "@/bin/caisson" },
	{ "./caisson", "", "/bin", "@/bin/caisson" },
	{ "caisson", "/none:@/bin:@/new", "", "@/bin/caisson" },
	{ "caisson", "@/now", "", "@/now/caisson" },
	{ "caisson", "bin", "", "@/bin/caisson" },
	/* It was started under another name. */
	{ "caisson", "@/other:@/bin", "", "@/new/caisson" },
	{ "caisson", "", "", "@/new/caisson" },
	{ "none/caisson", "", "", "@/new/caisson" },
	{ "../../../../../../caisson", "", "/other", "@/new/caisson" },
	{ "", "@/bin", "", "@/new/caisson" },
};

/* A text in which @ is the folder; the caller frees it. */
static char *
fill(const char *text)
{
	auto_buffer struct buffer out = { 0 };

	buffer_add_text(&out, "");
	for (; *text != '\0'; text++)
		if (*text == '@')
			buffer_add_text(&out, folder);
		else
			buffer_add(&out, text, 1);
	return buffer_take(&out, NULL);
}

static void
make_programs(void)
{
	static const char *const folders[] = { "new", "other", "bin" };
	auto_free char *path = NULL;
	size_t i;

	make_folder();
	for (i = 0; i < UNIT_COUNT(folders); i++)
		ck_assert_int_eq(mkdir(folders[i], 0755), 0);
	close(open("new/caisson", O_CREAT | O_WRONLY, 0755));
	close(open("other/caisson", O_CREAT | O_WRONLY, 0755));
	ck_assert_int_eq(symlink("../new/caisson", "bin/caisson"), 0);
	ck_assert_int_eq(symlink("new", "now"), 0);
	path = fill("@/new/caisson");
	ck_assert_int_eq(symlink(path, "self"), 0);
}

START_TEST(links_are_kept)
{
	struct err err = { 0, "" };

	make_programs();
	auto_free char *invoked = fill(asked[_i].invoked);
	auto_free char *search = fill(asked[_i].search);
	auto_free char *from = mem_printf("%s%s", folder, asked[_i].from);
	auto_free char *path = fill(asked[_i].wanted);
	auto_free char *wanted = mem_printf(
	    "claude mcp add --scope user caisson -- %s\n", path);
	const struct client_config_self self = { "self", invoked, search,
		from, environ };
	auto_free char *text = printed_self("claude-code", &self, &err);

	remove_folder();
	ck_assert_msg(text != NULL, "%s", err.text);
	ck_assert_str_eq(text, wanted);
}
END_TEST

START_TEST(an_unknown_client_gets_the_list_of_others)
{
	struct err err;

	ck_assert_ptr_null(printed("cursr\n", "/x", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "\"cursr\\x0a\" is no client "
	    "that is known here: did you mean cursor? There are "
	    "claude-desktop, claude-code, "));
	ck_assert_ptr_null(printed("emacs", "/x", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "\"emacs\" is no client that is "
	    "known here: claude-desktop, "));
	ck_assert_ptr_nonnull(strstr(err.text, "crush and mcp-inspector"));
}
END_TEST

START_TEST(without_a_name_all_are_listed)
{
	struct err err;
	auto_free char *text = printed(NULL, "/x", &err);
	char *name, *rest = NULL;
	size_t n = 0;

	ck_assert_ptr_nonnull(text);
	for (name = strtok_r(text, "\n", &rest); name != NULL;
	    name = strtok_r(NULL, "\n", &rest))
		ck_assert_str_eq(name, adopt_client_at(n++)->name);
	ck_assert_ptr_null(adopt_client_at(n));
}
END_TEST

START_TEST(a_path_must_be_text)
{
	struct err err;

	ck_assert_ptr_null(printed("cursor", "/x\xff", &err));
	ck_assert_str_eq(err.text, "the path of this program is not UTF-8: no "
	    "client can be configured with it");
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, every_client_has_lines);
	tcase_add_loop_test(tc, paths_are_quoted, 0, UNIT_COUNT(paths));
	tcase_add_loop_test(tc, links_are_kept, 0, UNIT_COUNT(asked));
	tcase_add_test(tc, an_unknown_client_gets_the_list_of_others);
	tcase_add_test(tc, without_a_name_all_are_listed);
	tcase_add_test(tc, a_path_must_be_text);
}

int
main(void)
{
	return unit_run("client_config", add_tests);
}
