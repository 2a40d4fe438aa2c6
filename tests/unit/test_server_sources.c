/*
 * Tests of supervisor/server_sources: which files are found, in which order,
 * and that nothing but a regular file is ever opened.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/limits.h"
#include "common/mem.h"
#include "supervisor/servers.h"
#include "unit.h"

static char folder[] = "/tmp/caisson-test-XXXXXX";

static void
enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(mkdir("MCPs", 0700), 0);
	ck_assert_int_eq(mkdir(".config", 0700), 0);
	ck_assert_int_eq(mkdir(".config/mcp", 0700), 0);
	ck_assert_int_eq(mkdir(".config/mcp/servers", 0700), 0);
	ck_assert_int_eq(mkdir("mcp-servers", 0700), 0);
}

static void
leave(void)
{
	auto_free char *command = mem_printf("rm -rf %s", folder);

	ck_assert_int_eq(chdir("/tmp"), 0);
	ck_assert_int_eq(system(command), 0);
}

static void
make_file(const char *path, off_t size)
{
	auto_fd int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	ck_assert_int_eq(ftruncate(fd, size), 0);
}

/* What was found: "state path (why)" without the folder, one a line. */
static char *
found(const char *variable, const char *home)
{
	auto_free char *one = mem_printf("MCP_SERVERS_CONFIG=%s", variable);
	auto_free char *two = mem_printf("HOME=%s", home);
	char *envp[] = { one, two, NULL };
	struct server_file_list files = TAILQ_HEAD_INITIALIZER(files);
	struct server_file *file;
	struct buffer out = { 0 };

	server_sources_find(&files, envp, folder);
	TAILQ_FOREACH (file, &files, entry)
		buffer_printf(&out, "%d%s %s%s%s\n", (int)file->state,
		    file->source->project ? "!" : "",
		    file->path == NULL ? "-" :
		        strncmp(file->path, folder, strlen(folder)) == 0 ?
		        file->path + strlen(folder) : file->path,
		    file->why == NULL ? "" : ": ",
		    file->why == NULL ? "" : file->why);
	server_sources_free(&files);
	return buffer_take(&out, NULL);
}

START_TEST(finds_in_order)
{
	auto_free char *text = NULL;

	enter();
	make_file("MCPs/b.json", 0);
	make_file("MCPs/a.json", 0);
	make_file("MCPs/B.json", 0);
	make_file("MCPs/.hidden.json", 0);
	make_file("MCPs/.json", 0);
	make_file("MCPs/a.json.bak", 0);
	make_file("MCPs/notes.txt", 0);
	make_file(".config/mcp/servers/z.json", 0);
	ck_assert_int_eq(mkfifo("mcp-servers/f.json", 0600), 0);
	text = found("/x/y.json", folder);
	ck_assert_str_eq(text, "0 /x/y.json\n0 /MCPs/B.json\n"
	    "0 /MCPs/a.json\n0 /MCPs/b.json\n"
	    "0 /.config/mcp/servers/z.json\n0! /mcp-servers/f.json\n");
	leave();
}
END_TEST

START_TEST(says_what_there_is_not)
{
	auto_free char *text = NULL;

	enter();
	ck_assert_int_eq(rmdir("MCPs"), 0);
	make_file("MCPs", 0);
	ck_assert_int_eq(rmdir("mcp-servers"), 0);
	text = found("", folder);
	ck_assert_str_eq(text, "2 -: is not set\n"
	    "4 /MCPs: cannot be read: Not a directory\n"
	    "3 /.config/mcp/servers: has no file *.json\n"
	    "2! /mcp-servers: there is no such folder\n");
	leave();
}
END_TEST

START_TEST(a_home_is_absolute)
{
	static const char *const homes[] = { "", "x", "./x" };
	auto_free char *text = NULL;

	enter();
	text = found("", homes[_i]);
	ck_assert_str_eq(text, "2 -: is not set\n"
	    "2 -: HOME is not set to a folder\n"
	    "2 -: HOME is not set to a folder\n"
	    "3! /mcp-servers: has no file *.json\n");
	leave();
}
END_TEST

START_TEST(files_are_counted)
{
	auto_free char *text = NULL;
	int n;

	enter();
	for (n = 0; n <= CONFIG_FILES_MAX; n++) {
		auto_free char *path = mem_printf("MCPs/%d.json", n);

		make_file(path, 0);
	}
	text = found("", folder);
	ck_assert_ptr_nonnull(strstr(text, "4 /MCPs: has more than 256 files "
	    "*.json: none of them is read\n"));
	ck_assert_ptr_null(strstr(text, "/MCPs/"));
	leave();
}
END_TEST

START_TEST(opens_regular_files_alone)
{
	struct err err;
	auto_fd int fd = -1;

	enter();
	make_file("good", CONFIG_FILE_MAX);
	make_file("large", CONFIG_FILE_MAX + 1);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(symlink("good", "link"), 0);
	ck_assert_int_eq(symlink("fifo", "trap"), 0);
	fd = server_sources_open("link", &err);
	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	ck_assert_int_eq(server_sources_open("large", &err), -1);
	ck_assert_str_eq(err.text, "is larger than 1048576 bytes, which no "
	    "configuration of servers is");
	ck_assert_int_eq(server_sources_open("fifo", &err), -1);
	ck_assert_str_eq(err.text, "is not a regular file");
	ck_assert_int_eq(server_sources_open("trap", &err), -1);
	ck_assert_str_eq(err.text, "is not a regular file");
	ck_assert_int_eq(server_sources_open("/dev/null", &err), -1);
	ck_assert_str_eq(err.text, "is not a regular file");
	ck_assert_int_eq(server_sources_open(".", &err), -1);
	ck_assert_str_eq(err.text, "is not a regular file");
	ck_assert_int_eq(server_sources_open("none", &err), -1);
	ck_assert_str_eq(
	    err.text, "cannot be opened: No such file or directory");
	leave();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, finds_in_order);
	tcase_add_test(tc, says_what_there_is_not);
	tcase_add_loop_test(tc, a_home_is_absolute, 0, 3);
	tcase_add_test(tc, files_are_counted);
	tcase_add_test(tc, opens_regular_files_alone);
}

int
main(void)
{
	return unit_run("server_sources", add_tests);
}
